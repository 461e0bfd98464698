// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"
#include "templates.h"

static const struct trackme_asset assets[] = {
    {"address.mustache", t0, sizeof t0}, {"addresses.mustache", t1, sizeof t1}, {"alarms.mustache", t2, sizeof t2}, {"article.mustache", t3, sizeof t3}, {"basemap.css", f0, sizeof f0},
    {"basemap.js", f1, sizeof f1}, {"boxSetUp.mustache", t4, sizeof t4}, {"boxes.mustache", t5, sizeof t5}, {"boxsetup.js", f2, sizeof f2}, {"button.mustache", t6, sizeof t6},
    {"callnear.js", f3, sizeof f3}, {"care.js", f4, sizeof f4}, {"care.mustache", t7, sizeof t7}, {"carePerson.mustache", t8, sizeof t8}, {"codes.mustache", t9, sizeof t9},
    {"colours.js", f5, sizeof f5}, {"consentPart.mustache", t10, sizeof t10}, {"console.mustache", t11, sizeof t11}, {"consoleAlarm.mustache", t12, sizeof t12}, {"consoleAlarms.mustache", t13, sizeof t13},
    {"consoleAudit.mustache", t14, sizeof t14}, {"consoleBox.mustache", t15, sizeof t15}, {"consoleBoxes.mustache", t16, sizeof t16}, {"consoleMessages.mustache", t17, sizeof t17}, {"consolePeople.mustache", t18, sizeof t18},
    {"consolePerson.mustache", t19, sizeof t19}, {"consoleRuns.mustache", t20, sizeof t20}, {"consoleState.mustache", t21, sizeof t21}, {"course.js", f6, sizeof f6}, {"download.mustache", t22, sizeof t22},
    {"downloads.mustache", t23, sizeof t23}, {"draw.js", f7, sizeof f7}, {"duty.js", f8, sizeof f8}, {"duty.mustache", t24, sizeof t24}, {"duty.webmanifest", f9, sizeof f9},
    {"dutyTexts.mustache", t25, sizeof t25}, {"ecg.mustache", t26, sizeof t26}, {"ecgStrip.mustache", t27, sizeof t27}, {"emergencies.mustache", t28, sizeof t28}, {"emergency.js", f10, sizeof f10},
    {"en.json", f11, sizeof f11}, {"export.mustache", t29, sizeof t29}, {"feed.js", f12, sizeof f12}, {"field.mustache", t30, sizeof t30}, {"followed.mustache", t31, sizeof t31},
    {"followers.mustache", t32, sizeof t32}, {"following.mustache", t33, sizeof t33}, {"form.mustache", t34, sizeof t34}, {"format.js", f13, sizeof f13}, {"frame.css", f14, sizeof f14},
    {"graticule.js", f15, sizeof f15}, {"ground.js", f16, sizeof f16}, {"groundfile.js", f17, sizeof f17}, {"groundpen.js", f18, sizeof f18}, {"groupAsk.mustache", t35, sizeof t35},
    {"groupCheck.mustache", t36, sizeof t36}, {"groupChoice.mustache", t37, sizeof t37}, {"groupDownloads.mustache", t38, sizeof t38}, {"groupFootprint.mustache", t39, sizeof t39}, {"groupResult.mustache", t40, sizeof t40},
    {"grouparea.js", f19, sizeof f19}, {"groups.css", f20, sizeof f20}, {"groups.mustache", t41, sizeof t41}, {"health.css", f21, sizeof f21}, {"health.mustache", t42, sizeof t42},
    {"home.css", f22, sizeof f22}, {"home.mustache", t43, sizeof t43}, {"homeCard.mustache", t44, sizeof t44}, {"homePin.mustache", t45, sizeof t45}, {"homepin.js", f23, sizeof f23},
    {"hook.mustache", t46, sizeof t46}, {"hooks.mustache", t47, sizeof t47}, {"hospital.mustache", t48, sizeof t48}, {"hospitals.mustache", t49, sizeof t49}, {"icon-192.png", f24, sizeof f24},
    {"icon-512.png", f25, sizeof f25}, {"icon.svg", f26, sizeof f26}, {"import.mustache", t50, sizeof t50}, {"importResult.mustache", t51, sizeof t51}, {"it.json", f27, sizeof f27},
    {"keyhelp.mustache", t52, sizeof t52}, {"keys.mustache", t53, sizeof t53}, {"layout.mustache", t54, sizeof t54}, {"leave.mustache", t55, sizeof t55}, {"ledger.mustache", t56, sizeof t56},
    {"link.mustache", t57, sizeof t57}, {"live.js", f28, sizeof f28}, {"live.mustache", t58, sizeof t58}, {"manifest.webmanifest", f29, sizeof f29}, {"map.js", f30, sizeof f30},
    {"mapsearch.js", f31, sizeof f31}, {"menu.mustache", t59, sizeof t59}, {"mydata.mustache", t60, sizeof t60}, {"near.js", f32, sizeof f32}, {"notice.mustache", t61, sizeof t61},
    {"notices.mustache", t62, sizeof t62}, {"offer.js", f33, sizeof f33}, {"oneTime.mustache", t63, sizeof t63}, {"oversight.mustache", t64, sizeof t64}, {"ownplace.js", f34, sizeof f34},
    {"passkey.js", f35, sizeof f35}, {"passkeyButton.mustache", t65, sizeof t65}, {"passkeys.mustache", t66, sizeof t66}, {"people.mustache", t67, sizeof t67}, {"person.mustache", t68, sizeof t68},
    {"phone.mustache", t69, sizeof t69}, {"phoneCode.mustache", t70, sizeof t70}, {"places.js", f36, sizeof f36}, {"places.mustache", t71, sizeof t71}, {"placesHead.mustache", t72, sizeof t72},
    {"placesMap.mustache", t73, sizeof t73}, {"plot.js", f37, sizeof f37}, {"plot.mustache", t74, sizeof t74}, {"plotread.js", f38, sizeof f38}, {"policy.mustache", t75, sizeof t75},
    {"problem.mustache", t76, sizeof t76}, {"protection.mustache", t77, sizeof t77}, {"publish.mustache", t78, sizeof t78}, {"push.js", f39, sizeof f39}, {"region.mustache", t79, sizeof t79},
    {"renew.js", f40, sizeof f40}, {"requests.mustache", t80, sizeof t80}, {"result.mustache", t81, sizeof t81}, {"results.mustache", t82, sizeof t82}, {"ring.js", f41, sizeof f41},
    {"run.mustache", t83, sizeof t83}, {"runCard.mustache", t84, sizeof t84}, {"runCheckIn.mustache", t85, sizeof t85}, {"runCourse.mustache", t86, sizeof t86}, {"runEnrol.mustache", t87, sizeof t87},
    {"runForm.mustache", t88, sizeof t88}, {"runFriends.mustache", t89, sizeof t89}, {"runHead.mustache", t90, sizeof t90}, {"runMine.mustache", t91, sizeof t91}, {"runNearby.mustache", t92, sizeof t92},
    {"runPeople.mustache", t93, sizeof t93}, {"runhome.js", f42, sizeof f42}, {"runmine.js", f43, sizeof f43}, {"runpeople.js", f44, sizeof f44}, {"runs.css", f45, sizeof f45},
    {"runs.mustache", t94, sizeof t94}, {"runsMine.mustache", t95, sizeof t95}, {"scalars.js", f46, sizeof f46}, {"second.mustache", t96, sizeof t96}, {"security.mustache", t97, sizeof t97},
    {"series.js", f47, sizeof f47}, {"service.mustache", t98, sizeof t98}, {"services.mustache", t99, sizeof t99}, {"servicesToCheck.mustache", t100, sizeof t100}, {"sheet.mustache", t101, sizeof t101},
    {"sos.js", f48, sizeof f48}, {"sosContact.mustache", t102, sizeof t102}, {"sosLost.mustache", t103, sizeof t103}, {"status.js", f49, sizeof f49}, {"streetcoast.js", f50, sizeof f50},
    {"streets.js", f51, sizeof f51}, {"streets.json", f52, sizeof f52}, {"streets.lua", f53, sizeof f53}, {"streettile.js", f54, sizeof f54}, {"strictWays.mustache", t104, sizeof t104},
    {"sw.js", f55, sizeof f55}, {"tabs.svg", f56, sizeof f56}, {"tone.js", f57, sizeof f57}, {"tools.mustache", t105, sizeof t105}, {"tour.css", f58, sizeof f58},
    {"tour.mustache", t106, sizeof t106}, {"tour.svg", f59, sizeof f59}, {"trackme.css", f60, sizeof f60}, {"tracks.js", f61, sizeof f61}, {"tracks.mustache", t107, sizeof t107},
    {"turnOn.mustache", t108, sizeof t108}, {"typed.mustache", t109, sizeof t109}, {"users.mustache", t110, sizeof t110}, {"vectortile.js", f62, sizeof f62}, {"view.js", f63, sizeof f63},
    {"waiting.mustache", t111, sizeof t111}, {"watch.css", f64, sizeof f64}, {"watch.js", f65, sizeof f65}, {"watch.mustache", t112, sizeof t112}, {"watchline.js", f66, sizeof f66},
    {"watchlist.js", f67, sizeof f67}, {"watchmap.js", f68, sizeof f68}, {"watchmotion.js", f69, sizeof f69}, {"watchrace.js", f70, sizeof f70}, {"watchreplay.js", f71, sizeof f71},
    {"ways.mustache", t113, sizeof t113}, {"welcome.mustache", t114, sizeof t114}, {"windows.mustache", t115, sizeof t115}, {"workout.js", f72, sizeof f72}, {"workout.mustache", t116, sizeof t116},
    {"workoutCompare.mustache", t117, sizeof t117}, {"workoutDone.mustache", t118, sizeof t118}, {"workoutFriend.mustache", t119, sizeof t119}, {"workoutLive.mustache", t120, sizeof t120}, {"workoutRecord.mustache", t121, sizeof t121},
    {"workoutcurves.js", f73, sizeof f73}, {"workouts.css", f74, sizeof f74}, {"workouts.mustache", t122, sizeof t122}, {"workoutsTrends.mustache", t123, sizeof t123}, {"worktrack.js", f75, sizeof f75},
    {"zones.txt", f76, sizeof f76},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
