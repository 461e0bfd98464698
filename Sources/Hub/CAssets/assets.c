// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"
#include "templates.h"

static const struct trackme_asset assets[] = {
    {"address.mustache", t0, sizeof t0}, {"addresses.mustache", t1, sizeof t1}, {"alarms.mustache", t2, sizeof t2}, {"article.mustache", t3, sizeof t3}, {"basemap.css", f0, sizeof f0},
    {"basemap.js", f1, sizeof f1}, {"boxSetUp.mustache", t4, sizeof t4}, {"boxes.mustache", t5, sizeof t5}, {"boxsetup.js", f2, sizeof f2}, {"button.mustache", t6, sizeof t6},
    {"callnear.js", f3, sizeof f3}, {"care.js", f4, sizeof f4}, {"care.mustache", t7, sizeof t7}, {"carePerson.mustache", t8, sizeof t8}, {"codes.mustache", t9, sizeof t9},
    {"colours.js", f5, sizeof f5}, {"consentPart.mustache", t10, sizeof t10}, {"course.js", f6, sizeof f6}, {"download.mustache", t11, sizeof t11}, {"downloads.mustache", t12, sizeof t12},
    {"draw.js", f7, sizeof f7}, {"duty.js", f8, sizeof f8}, {"duty.mustache", t13, sizeof t13}, {"duty.webmanifest", f9, sizeof f9}, {"dutyTexts.mustache", t14, sizeof t14},
    {"ecg.mustache", t15, sizeof t15}, {"ecgStrip.mustache", t16, sizeof t16}, {"emergencies.mustache", t17, sizeof t17}, {"emergency.js", f10, sizeof f10}, {"en.json", f11, sizeof f11},
    {"export.mustache", t18, sizeof t18}, {"feed.js", f12, sizeof f12}, {"field.mustache", t19, sizeof t19}, {"followed.mustache", t20, sizeof t20}, {"followers.mustache", t21, sizeof t21},
    {"following.mustache", t22, sizeof t22}, {"form.mustache", t23, sizeof t23}, {"format.js", f13, sizeof f13}, {"frame.css", f14, sizeof f14}, {"graticule.js", f15, sizeof f15},
    {"ground.js", f16, sizeof f16}, {"groundfile.js", f17, sizeof f17}, {"groundpen.js", f18, sizeof f18}, {"groupAsk.mustache", t24, sizeof t24}, {"groupCheck.mustache", t25, sizeof t25},
    {"groupChoice.mustache", t26, sizeof t26}, {"groupDownloads.mustache", t27, sizeof t27}, {"groupFootprint.mustache", t28, sizeof t28}, {"groupResult.mustache", t29, sizeof t29}, {"grouparea.js", f19, sizeof f19},
    {"groups.css", f20, sizeof f20}, {"groups.mustache", t30, sizeof t30}, {"health.css", f21, sizeof f21}, {"health.mustache", t31, sizeof t31}, {"home.css", f22, sizeof f22},
    {"home.mustache", t32, sizeof t32}, {"homeCard.mustache", t33, sizeof t33}, {"homePin.mustache", t34, sizeof t34}, {"homepin.js", f23, sizeof f23}, {"hook.mustache", t35, sizeof t35},
    {"hooks.mustache", t36, sizeof t36}, {"hospital.mustache", t37, sizeof t37}, {"hospitals.mustache", t38, sizeof t38}, {"icon-192.png", f24, sizeof f24}, {"icon-512.png", f25, sizeof f25},
    {"icon.svg", f26, sizeof f26}, {"import.mustache", t39, sizeof t39}, {"importResult.mustache", t40, sizeof t40}, {"it.json", f27, sizeof f27}, {"keyhelp.mustache", t41, sizeof t41},
    {"keys.mustache", t42, sizeof t42}, {"layout.mustache", t43, sizeof t43}, {"leave.mustache", t44, sizeof t44}, {"ledger.mustache", t45, sizeof t45}, {"link.mustache", t46, sizeof t46},
    {"live.js", f28, sizeof f28}, {"live.mustache", t47, sizeof t47}, {"manifest.webmanifest", f29, sizeof f29}, {"map.js", f30, sizeof f30}, {"mapsearch.js", f31, sizeof f31},
    {"menu.mustache", t48, sizeof t48}, {"mydata.mustache", t49, sizeof t49}, {"near.js", f32, sizeof f32}, {"notice.mustache", t50, sizeof t50}, {"notices.mustache", t51, sizeof t51},
    {"offer.js", f33, sizeof f33}, {"oneTime.mustache", t52, sizeof t52}, {"oversight.mustache", t53, sizeof t53}, {"ownplace.js", f34, sizeof f34}, {"passkey.js", f35, sizeof f35},
    {"passkeyButton.mustache", t54, sizeof t54}, {"passkeys.mustache", t55, sizeof t55}, {"payment.mustache", t56, sizeof t56}, {"payments.mustache", t57, sizeof t57}, {"people.mustache", t58, sizeof t58},
    {"person.mustache", t59, sizeof t59}, {"phone.mustache", t60, sizeof t60}, {"phoneCode.mustache", t61, sizeof t61}, {"places.js", f36, sizeof f36}, {"places.mustache", t62, sizeof t62},
    {"placesHead.mustache", t63, sizeof t63}, {"placesMap.mustache", t64, sizeof t64}, {"plot.js", f37, sizeof f37}, {"plot.mustache", t65, sizeof t65}, {"plotread.js", f38, sizeof f38},
    {"policy.mustache", t66, sizeof t66}, {"problem.mustache", t67, sizeof t67}, {"protection.mustache", t68, sizeof t68}, {"publish.mustache", t69, sizeof t69}, {"push.js", f39, sizeof f39},
    {"region.mustache", t70, sizeof t70}, {"renew.js", f40, sizeof f40}, {"requests.mustache", t71, sizeof t71}, {"result.mustache", t72, sizeof t72}, {"results.mustache", t73, sizeof t73},
    {"ring.js", f41, sizeof f41}, {"run.mustache", t74, sizeof t74}, {"runCard.mustache", t75, sizeof t75}, {"runCheckIn.mustache", t76, sizeof t76}, {"runCourse.mustache", t77, sizeof t77},
    {"runEnrol.mustache", t78, sizeof t78}, {"runForm.mustache", t79, sizeof t79}, {"runFriends.mustache", t80, sizeof t80}, {"runHead.mustache", t81, sizeof t81}, {"runMine.mustache", t82, sizeof t82},
    {"runNearby.mustache", t83, sizeof t83}, {"runPeople.mustache", t84, sizeof t84}, {"runhome.js", f42, sizeof f42}, {"runmine.js", f43, sizeof f43}, {"runpeople.js", f44, sizeof f44},
    {"runs.css", f45, sizeof f45}, {"runs.mustache", t85, sizeof t85}, {"runsMine.mustache", t86, sizeof t86}, {"scalars.js", f46, sizeof f46}, {"second.mustache", t87, sizeof t87},
    {"security.mustache", t88, sizeof t88}, {"series.js", f47, sizeof f47}, {"service.mustache", t89, sizeof t89}, {"services.mustache", t90, sizeof t90}, {"servicesToCheck.mustache", t91, sizeof t91},
    {"sheet.mustache", t92, sizeof t92}, {"sos.js", f48, sizeof f48}, {"sosContact.mustache", t93, sizeof t93}, {"sosLost.mustache", t94, sizeof t94}, {"status.js", f49, sizeof f49},
    {"streetcoast.js", f50, sizeof f50}, {"streets.js", f51, sizeof f51}, {"streets.json", f52, sizeof f52}, {"streets.lua", f53, sizeof f53}, {"streettile.js", f54, sizeof f54},
    {"strictWays.mustache", t95, sizeof t95}, {"sw.js", f55, sizeof f55}, {"tabs.svg", f56, sizeof f56}, {"tone.js", f57, sizeof f57}, {"tools.mustache", t96, sizeof t96},
    {"tour.css", f58, sizeof f58}, {"tour.mustache", t97, sizeof t97}, {"tour.svg", f59, sizeof f59}, {"trackme.css", f60, sizeof f60}, {"tracks.js", f61, sizeof f61},
    {"tracks.mustache", t98, sizeof t98}, {"turnOn.mustache", t99, sizeof t99}, {"typed.mustache", t100, sizeof t100}, {"users.mustache", t101, sizeof t101}, {"vectortile.js", f62, sizeof f62},
    {"view.js", f63, sizeof f63}, {"waiting.mustache", t102, sizeof t102}, {"watch.css", f64, sizeof f64}, {"watch.js", f65, sizeof f65}, {"watch.mustache", t103, sizeof t103},
    {"watchline.js", f66, sizeof f66}, {"watchlist.js", f67, sizeof f67}, {"watchmap.js", f68, sizeof f68}, {"watchmotion.js", f69, sizeof f69}, {"watchrace.js", f70, sizeof f70},
    {"watchreplay.js", f71, sizeof f71}, {"ways.mustache", t104, sizeof t104}, {"welcome.mustache", t105, sizeof t105}, {"windows.mustache", t106, sizeof t106}, {"workout.js", f72, sizeof f72},
    {"workout.mustache", t107, sizeof t107}, {"workoutCompare.mustache", t108, sizeof t108}, {"workoutDone.mustache", t109, sizeof t109}, {"workoutFriend.mustache", t110, sizeof t110}, {"workoutLive.mustache", t111, sizeof t111},
    {"workoutRecord.mustache", t112, sizeof t112}, {"workoutcurves.js", f73, sizeof f73}, {"workouts.css", f74, sizeof f74}, {"workouts.mustache", t113, sizeof t113}, {"workoutsTrends.mustache", t114, sizeof t114},
    {"worktrack.js", f75, sizeof f75}, {"zones.txt", f76, sizeof f76},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
