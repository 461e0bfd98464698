// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"
#include "templates.h"

static const struct trackme_asset assets[] = {
    {"accept.mustache", t0, sizeof t0}, {"address.mustache", t1, sizeof t1}, {"addresses.mustache", t2, sizeof t2}, {"alarms.mustache", t3, sizeof t3}, {"article.mustache", t4, sizeof t4},
    {"basemap.css", f0, sizeof f0}, {"basemap.js", f1, sizeof f1}, {"boxSetUp.mustache", t5, sizeof t5}, {"boxes.mustache", t6, sizeof t6}, {"boxsetup.js", f2, sizeof f2},
    {"button.mustache", t7, sizeof t7}, {"callnear.js", f3, sizeof f3}, {"care.js", f4, sizeof f4}, {"care.mustache", t8, sizeof t8}, {"carePerson.mustache", t9, sizeof t9},
    {"codes.mustache", t10, sizeof t10}, {"colours.js", f5, sizeof f5}, {"consentPart.mustache", t11, sizeof t11}, {"console.mustache", t12, sizeof t12}, {"consoleAlarm.mustache", t13, sizeof t13},
    {"consoleAlarms.mustache", t14, sizeof t14}, {"consoleAudit.mustache", t15, sizeof t15}, {"consoleBox.mustache", t16, sizeof t16}, {"consoleBoxes.mustache", t17, sizeof t17}, {"consoleMessages.mustache", t18, sizeof t18},
    {"consolePeople.mustache", t19, sizeof t19}, {"consolePerson.mustache", t20, sizeof t20}, {"consoleRuns.mustache", t21, sizeof t21}, {"consoleState.mustache", t22, sizeof t22}, {"course.js", f6, sizeof f6},
    {"download.mustache", t23, sizeof t23}, {"downloads.mustache", t24, sizeof t24}, {"draw.js", f7, sizeof f7}, {"duty.js", f8, sizeof f8}, {"duty.mustache", t25, sizeof t25},
    {"duty.webmanifest", f9, sizeof f9}, {"dutyTexts.mustache", t26, sizeof t26}, {"ecg.mustache", t27, sizeof t27}, {"ecgStrip.mustache", t28, sizeof t28}, {"emergencies.mustache", t29, sizeof t29},
    {"emergency.js", f10, sizeof f10}, {"en.json", f11, sizeof f11}, {"export.mustache", t30, sizeof t30}, {"feed.js", f12, sizeof f12}, {"field.mustache", t31, sizeof t31},
    {"followed.mustache", t32, sizeof t32}, {"followers.mustache", t33, sizeof t33}, {"following.mustache", t34, sizeof t34}, {"form.mustache", t35, sizeof t35}, {"format.js", f13, sizeof f13},
    {"frame.css", f14, sizeof f14}, {"graticule.js", f15, sizeof f15}, {"ground.js", f16, sizeof f16}, {"groundfile.js", f17, sizeof f17}, {"groundpen.js", f18, sizeof f18},
    {"groupAsk.mustache", t36, sizeof t36}, {"groupCheck.mustache", t37, sizeof t37}, {"groupChoice.mustache", t38, sizeof t38}, {"groupDownloads.mustache", t39, sizeof t39}, {"groupFootprint.mustache", t40, sizeof t40},
    {"groupResult.mustache", t41, sizeof t41}, {"grouparea.js", f19, sizeof f19}, {"groups.css", f20, sizeof f20}, {"groups.mustache", t42, sizeof t42}, {"health.css", f21, sizeof f21},
    {"health.mustache", t43, sizeof t43}, {"home.css", f22, sizeof f22}, {"home.mustache", t44, sizeof t44}, {"homeCard.mustache", t45, sizeof t45}, {"homePin.mustache", t46, sizeof t46},
    {"homepin.js", f23, sizeof f23}, {"hook.mustache", t47, sizeof t47}, {"hooks.mustache", t48, sizeof t48}, {"hospital.mustache", t49, sizeof t49}, {"hospitals.mustache", t50, sizeof t50},
    {"icon-192.png", f24, sizeof f24}, {"icon-512.png", f25, sizeof f25}, {"icon.svg", f26, sizeof f26}, {"import.mustache", t51, sizeof t51}, {"importResult.mustache", t52, sizeof t52},
    {"it.json", f27, sizeof f27}, {"keyhelp.mustache", t53, sizeof t53}, {"keys.mustache", t54, sizeof t54}, {"layout.mustache", t55, sizeof t55}, {"leave.mustache", t56, sizeof t56},
    {"ledger.mustache", t57, sizeof t57}, {"link.mustache", t58, sizeof t58}, {"live.js", f28, sizeof f28}, {"live.mustache", t59, sizeof t59}, {"manifest.webmanifest", f29, sizeof f29},
    {"map.js", f30, sizeof f30}, {"mapsearch.js", f31, sizeof f31}, {"menu.mustache", t60, sizeof t60}, {"mydata.mustache", t61, sizeof t61}, {"near.js", f32, sizeof f32},
    {"notice.mustache", t62, sizeof t62}, {"notices.mustache", t63, sizeof t63}, {"offer.js", f33, sizeof f33}, {"oneTime.mustache", t64, sizeof t64}, {"oversight.mustache", t65, sizeof t65},
    {"ownplace.js", f34, sizeof f34}, {"passkey.js", f35, sizeof f35}, {"passkeyButton.mustache", t66, sizeof t66}, {"passkeys.mustache", t67, sizeof t67}, {"payment.mustache", t68, sizeof t68},
    {"payments.mustache", t69, sizeof t69}, {"people.mustache", t70, sizeof t70}, {"person.mustache", t71, sizeof t71}, {"phone.mustache", t72, sizeof t72}, {"phoneCode.mustache", t73, sizeof t73},
    {"places.js", f36, sizeof f36}, {"places.mustache", t74, sizeof t74}, {"placesHead.mustache", t75, sizeof t75}, {"placesMap.mustache", t76, sizeof t76}, {"plot.js", f37, sizeof f37},
    {"plot.mustache", t77, sizeof t77}, {"plotread.js", f38, sizeof f38}, {"policy.mustache", t78, sizeof t78}, {"problem.mustache", t79, sizeof t79}, {"protection.mustache", t80, sizeof t80},
    {"publish.mustache", t81, sizeof t81}, {"push.js", f39, sizeof f39}, {"region.mustache", t82, sizeof t82}, {"renew.js", f40, sizeof f40}, {"requests.mustache", t83, sizeof t83},
    {"result.mustache", t84, sizeof t84}, {"results.mustache", t85, sizeof t85}, {"ring.js", f41, sizeof f41}, {"run.mustache", t86, sizeof t86}, {"runCard.mustache", t87, sizeof t87},
    {"runCheckIn.mustache", t88, sizeof t88}, {"runCourse.mustache", t89, sizeof t89}, {"runEnrol.mustache", t90, sizeof t90}, {"runForm.mustache", t91, sizeof t91}, {"runFriends.mustache", t92, sizeof t92},
    {"runHead.mustache", t93, sizeof t93}, {"runMine.mustache", t94, sizeof t94}, {"runNearby.mustache", t95, sizeof t95}, {"runPeople.mustache", t96, sizeof t96}, {"runhome.js", f42, sizeof f42},
    {"runmine.js", f43, sizeof f43}, {"runpeople.js", f44, sizeof f44}, {"runs.css", f45, sizeof f45}, {"runs.mustache", t97, sizeof t97}, {"runsMine.mustache", t98, sizeof t98},
    {"scalars.js", f46, sizeof f46}, {"second.mustache", t99, sizeof t99}, {"security.mustache", t100, sizeof t100}, {"series.js", f47, sizeof f47}, {"service.mustache", t101, sizeof t101},
    {"services.mustache", t102, sizeof t102}, {"servicesToCheck.mustache", t103, sizeof t103}, {"sheet.mustache", t104, sizeof t104}, {"sos.js", f48, sizeof f48}, {"sosContact.mustache", t105, sizeof t105},
    {"sosLost.mustache", t106, sizeof t106}, {"status.js", f49, sizeof f49}, {"status.mustache", t107, sizeof t107}, {"streetcoast.js", f50, sizeof f50}, {"streets.js", f51, sizeof f51},
    {"streets.json", f52, sizeof f52}, {"streets.lua", f53, sizeof f53}, {"streettile.js", f54, sizeof f54}, {"strictWays.mustache", t108, sizeof t108}, {"support.mustache", t109, sizeof t109},
    {"supportItem.mustache", t110, sizeof t110}, {"supportQuestions.mustache", t111, sizeof t111}, {"sw.js", f55, sizeof f55}, {"tabs.svg", f56, sizeof f56}, {"tone.js", f57, sizeof f57},
    {"tools.mustache", t112, sizeof t112}, {"tour.css", f58, sizeof f58}, {"tour.mustache", t113, sizeof t113}, {"tour.svg", f59, sizeof f59}, {"trackme.css", f60, sizeof f60},
    {"tracks.js", f61, sizeof f61}, {"tracks.mustache", t114, sizeof t114}, {"turnOn.mustache", t115, sizeof t115}, {"typed.mustache", t116, sizeof t116}, {"users.mustache", t117, sizeof t117},
    {"vectortile.js", f62, sizeof f62}, {"view.js", f63, sizeof f63}, {"waiting.mustache", t118, sizeof t118}, {"watch.css", f64, sizeof f64}, {"watch.js", f65, sizeof f65},
    {"watch.mustache", t119, sizeof t119}, {"watchline.js", f66, sizeof f66}, {"watchlist.js", f67, sizeof f67}, {"watchmap.js", f68, sizeof f68}, {"watchmotion.js", f69, sizeof f69},
    {"watchrace.js", f70, sizeof f70}, {"watchreplay.js", f71, sizeof f71}, {"ways.mustache", t120, sizeof t120}, {"welcome.mustache", t121, sizeof t121}, {"windows.mustache", t122, sizeof t122},
    {"workout.js", f72, sizeof f72}, {"workout.mustache", t123, sizeof t123}, {"workoutCompare.mustache", t124, sizeof t124}, {"workoutDone.mustache", t125, sizeof t125}, {"workoutFriend.mustache", t126, sizeof t126},
    {"workoutLive.mustache", t127, sizeof t127}, {"workoutRecord.mustache", t128, sizeof t128}, {"workoutcurves.js", f73, sizeof f73}, {"workouts.css", f74, sizeof f74}, {"workouts.mustache", t129, sizeof t129},
    {"workoutsTrends.mustache", t130, sizeof t130}, {"worktrack.js", f75, sizeof f75}, {"zones.txt", f76, sizeof f76},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
