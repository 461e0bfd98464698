// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.h"
#include "templates.h"

static const struct trackme_asset assets[] = {
    {"alarms.mustache", t0, sizeof t0}, {"article.mustache", t1, sizeof t1}, {"basemap.css", f0, sizeof f0}, {"basemap.js", f1, sizeof f1}, {"boxSetUp.mustache", t2, sizeof t2},
    {"boxes.mustache", t3, sizeof t3}, {"boxsetup.js", f2, sizeof f2}, {"button.mustache", t4, sizeof t4}, {"callnear.js", f3, sizeof f3}, {"care.js", f4, sizeof f4},
    {"care.mustache", t5, sizeof t5}, {"carePerson.mustache", t6, sizeof t6}, {"codes.mustache", t7, sizeof t7}, {"colours.js", f5, sizeof f5}, {"course.js", f6, sizeof f6},
    {"download.mustache", t8, sizeof t8}, {"downloads.mustache", t9, sizeof t9}, {"draw.js", f7, sizeof f7}, {"duty.js", f8, sizeof f8}, {"duty.mustache", t10, sizeof t10},
    {"duty.webmanifest", f9, sizeof f9}, {"dutyTexts.mustache", t11, sizeof t11}, {"ecg.mustache", t12, sizeof t12}, {"ecgStrip.mustache", t13, sizeof t13}, {"emergencies.mustache", t14, sizeof t14},
    {"emergency.js", f10, sizeof f10}, {"en.json", f11, sizeof f11}, {"export.mustache", t15, sizeof t15}, {"feed.js", f12, sizeof f12}, {"field.mustache", t16, sizeof t16},
    {"followed.mustache", t17, sizeof t17}, {"followers.mustache", t18, sizeof t18}, {"following.mustache", t19, sizeof t19}, {"form.mustache", t20, sizeof t20}, {"format.js", f13, sizeof f13},
    {"frame.css", f14, sizeof f14}, {"graticule.js", f15, sizeof f15}, {"ground.js", f16, sizeof f16}, {"groundfile.js", f17, sizeof f17}, {"groundpen.js", f18, sizeof f18},
    {"groupAsk.mustache", t21, sizeof t21}, {"groupCheck.mustache", t22, sizeof t22}, {"groupChoice.mustache", t23, sizeof t23}, {"groupDownloads.mustache", t24, sizeof t24}, {"groupFootprint.mustache", t25, sizeof t25},
    {"groupResult.mustache", t26, sizeof t26}, {"grouparea.js", f19, sizeof f19}, {"groups.css", f20, sizeof f20}, {"groups.mustache", t27, sizeof t27}, {"health.css", f21, sizeof f21},
    {"health.mustache", t28, sizeof t28}, {"home.css", f22, sizeof f22}, {"home.mustache", t29, sizeof t29}, {"homeCard.mustache", t30, sizeof t30}, {"homePin.mustache", t31, sizeof t31},
    {"homepin.js", f23, sizeof f23}, {"hook.mustache", t32, sizeof t32}, {"hooks.mustache", t33, sizeof t33}, {"hospital.mustache", t34, sizeof t34}, {"hospitals.mustache", t35, sizeof t35},
    {"icon-192.png", f24, sizeof f24}, {"icon-512.png", f25, sizeof f25}, {"icon.svg", f26, sizeof f26}, {"import.mustache", t36, sizeof t36}, {"importResult.mustache", t37, sizeof t37},
    {"it.json", f27, sizeof f27}, {"keyhelp.mustache", t38, sizeof t38}, {"keys.mustache", t39, sizeof t39}, {"layout.mustache", t40, sizeof t40}, {"ledger.mustache", t41, sizeof t41},
    {"link.mustache", t42, sizeof t42}, {"live.js", f28, sizeof f28}, {"live.mustache", t43, sizeof t43}, {"manifest.webmanifest", f29, sizeof f29}, {"map.js", f30, sizeof f30},
    {"mapsearch.js", f31, sizeof f31}, {"menu.mustache", t44, sizeof t44}, {"mydata.mustache", t45, sizeof t45}, {"near.js", f32, sizeof f32}, {"notice.mustache", t46, sizeof t46},
    {"notices.mustache", t47, sizeof t47}, {"offer.js", f33, sizeof f33}, {"oneTime.mustache", t48, sizeof t48}, {"ownplace.js", f34, sizeof f34}, {"passkey.js", f35, sizeof f35},
    {"passkeyButton.mustache", t49, sizeof t49}, {"passkeys.mustache", t50, sizeof t50}, {"people.mustache", t51, sizeof t51}, {"person.mustache", t52, sizeof t52}, {"phone.mustache", t53, sizeof t53},
    {"phoneCode.mustache", t54, sizeof t54}, {"places.js", f36, sizeof f36}, {"places.mustache", t55, sizeof t55}, {"placesHead.mustache", t56, sizeof t56}, {"placesMap.mustache", t57, sizeof t57},
    {"plot.js", f37, sizeof f37}, {"plot.mustache", t58, sizeof t58}, {"plotread.js", f38, sizeof f38}, {"policy.mustache", t59, sizeof t59}, {"problem.mustache", t60, sizeof t60},
    {"protection.mustache", t61, sizeof t61}, {"publish.mustache", t62, sizeof t62}, {"push.js", f39, sizeof f39}, {"region.mustache", t63, sizeof t63}, {"renew.js", f40, sizeof f40},
    {"requests.mustache", t64, sizeof t64}, {"result.mustache", t65, sizeof t65}, {"results.mustache", t66, sizeof t66}, {"ring.js", f41, sizeof f41}, {"run.mustache", t67, sizeof t67},
    {"runCard.mustache", t68, sizeof t68}, {"runCheckIn.mustache", t69, sizeof t69}, {"runCourse.mustache", t70, sizeof t70}, {"runEnrol.mustache", t71, sizeof t71}, {"runForm.mustache", t72, sizeof t72},
    {"runFriends.mustache", t73, sizeof t73}, {"runHead.mustache", t74, sizeof t74}, {"runMine.mustache", t75, sizeof t75}, {"runNearby.mustache", t76, sizeof t76}, {"runPeople.mustache", t77, sizeof t77},
    {"runhome.js", f42, sizeof f42}, {"runmine.js", f43, sizeof f43}, {"runpeople.js", f44, sizeof f44}, {"runs.css", f45, sizeof f45}, {"runs.mustache", t78, sizeof t78},
    {"runsMine.mustache", t79, sizeof t79}, {"scalars.js", f46, sizeof f46}, {"second.mustache", t80, sizeof t80}, {"security.mustache", t81, sizeof t81}, {"series.js", f47, sizeof f47},
    {"service.mustache", t82, sizeof t82}, {"services.mustache", t83, sizeof t83}, {"servicesToCheck.mustache", t84, sizeof t84}, {"sheet.mustache", t85, sizeof t85}, {"sos.js", f48, sizeof f48},
    {"sosContact.mustache", t86, sizeof t86}, {"sosLost.mustache", t87, sizeof t87}, {"status.js", f49, sizeof f49}, {"streetcoast.js", f50, sizeof f50}, {"streets.js", f51, sizeof f51},
    {"streets.json", f52, sizeof f52}, {"streets.lua", f53, sizeof f53}, {"streettile.js", f54, sizeof f54}, {"strictWays.mustache", t88, sizeof t88}, {"sw.js", f55, sizeof f55},
    {"tabs.svg", f56, sizeof f56}, {"tone.js", f57, sizeof f57}, {"tools.mustache", t89, sizeof t89}, {"tour.css", f58, sizeof f58}, {"tour.mustache", t90, sizeof t90},
    {"tour.svg", f59, sizeof f59}, {"trackme.css", f60, sizeof f60}, {"tracks.js", f61, sizeof f61}, {"tracks.mustache", t91, sizeof t91}, {"turnOn.mustache", t92, sizeof t92},
    {"vectortile.js", f62, sizeof f62}, {"view.js", f63, sizeof f63}, {"waiting.mustache", t93, sizeof t93}, {"watch.css", f64, sizeof f64}, {"watch.js", f65, sizeof f65},
    {"watch.mustache", t94, sizeof t94}, {"watchline.js", f66, sizeof f66}, {"watchlist.js", f67, sizeof f67}, {"watchmap.js", f68, sizeof f68}, {"watchmotion.js", f69, sizeof f69},
    {"watchrace.js", f70, sizeof f70}, {"watchreplay.js", f71, sizeof f71}, {"ways.mustache", t95, sizeof t95}, {"welcome.mustache", t96, sizeof t96}, {"windows.mustache", t97, sizeof t97},
    {"workout.js", f72, sizeof f72}, {"workout.mustache", t98, sizeof t98}, {"workoutCompare.mustache", t99, sizeof t99}, {"workoutDone.mustache", t100, sizeof t100}, {"workoutFriend.mustache", t101, sizeof t101},
    {"workoutLive.mustache", t102, sizeof t102}, {"workoutRecord.mustache", t103, sizeof t103}, {"workoutcurves.js", f73, sizeof f73}, {"workouts.css", f74, sizeof f74}, {"workouts.mustache", t104, sizeof t104},
    {"workoutsTrends.mustache", t105, sizeof t105}, {"worktrack.js", f75, sizeof f75}, {"zones.txt", f76, sizeof f76},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
