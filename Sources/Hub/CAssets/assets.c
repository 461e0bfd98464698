// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t f0[] = {
#embed "../HubWeb/Assets/alarms.mustache"
}, f1[] = {
#embed "../HubWeb/Assets/article.mustache"
}, f2[] = {
#embed "../HubWeb/Assets/basemap.js"
}, f3[] = {
#embed "../HubWeb/Assets/boxes.mustache"
}, f4[] = {
#embed "../HubWeb/Assets/button.mustache"
}, f5[] = {
#embed "../HubWeb/Assets/callnear.js"
}, f6[] = {
#embed "../HubWeb/Assets/care.js"
}, f7[] = {
#embed "../HubWeb/Assets/care.mustache"
}, f8[] = {
#embed "../HubWeb/Assets/carePerson.mustache"
}, f9[] = {
#embed "../HubWeb/Assets/codes.mustache"
}, f10[] = {
#embed "../HubWeb/Assets/colours.js"
}, f11[] = {
#embed "../HubWeb/Assets/course.js"
}, f12[] = {
#embed "../HubWeb/Assets/download.mustache"
}, f13[] = {
#embed "../HubWeb/Assets/downloads.mustache"
}, f14[] = {
#embed "../HubWeb/Assets/draw.js"
}, f15[] = {
#embed "../HubWeb/Assets/duty.js"
}, f16[] = {
#embed "../HubWeb/Assets/duty.mustache"
}, f17[] = {
#embed "../HubWeb/Assets/duty.webmanifest"
}, f18[] = {
#embed "../HubWeb/Assets/dutyTexts.mustache"
}, f19[] = {
#embed "../HubWeb/Assets/ecg.mustache"
}, f20[] = {
#embed "../HubWeb/Assets/ecgStrip.mustache"
}, f21[] = {
#embed "../HubWeb/Assets/emergencies.mustache"
}, f22[] = {
#embed "../HubWeb/Assets/emergency.js"
}, f23[] = {
#embed "../HubWeb/Assets/en.json"
}, f24[] = {
#embed "../HubWeb/Assets/export.mustache"
}, f25[] = {
#embed "../HubWeb/Assets/feed.js"
}, f26[] = {
#embed "../HubWeb/Assets/field.mustache"
}, f27[] = {
#embed "../HubWeb/Assets/followed.mustache"
}, f28[] = {
#embed "../HubWeb/Assets/followers.mustache"
}, f29[] = {
#embed "../HubWeb/Assets/following.mustache"
}, f30[] = {
#embed "../HubWeb/Assets/form.mustache"
}, f31[] = {
#embed "../HubWeb/Assets/format.js"
}, f32[] = {
#embed "../HubWeb/Assets/frame.css"
}, f33[] = {
#embed "../HubWeb/Assets/graticule.js"
}, f34[] = {
#embed "../HubWeb/Assets/ground.js"
}, f35[] = {
#embed "../HubWeb/Assets/groundfile.js"
}, f36[] = {
#embed "../HubWeb/Assets/health.css"
}, f37[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f38[] = {
#embed "../HubWeb/Assets/home.css"
}, f39[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f40[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f41[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f42[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f43[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f44[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f45[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f46[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f47[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f48[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f49[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f50[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f51[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f52[] = {
#embed "../HubWeb/Assets/it.json"
}, f53[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f54[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f55[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f56[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f58[] = {
#embed "../HubWeb/Assets/live.js"
}, f59[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f61[] = {
#embed "../HubWeb/Assets/map.js"
}, f62[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f63[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f64[] = {
#embed "../HubWeb/Assets/near.js"
}, f65[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f66[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f67[] = {
#embed "../HubWeb/Assets/offer.js"
}, f68[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f70[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f71[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f73[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f74[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f75[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f76[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/places.js"
}, f78[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f81[] = {
#embed "../HubWeb/Assets/plot.js"
}, f82[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f83[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f84[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f85[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/push.js"
}, f88[] = {
#embed "../HubWeb/Assets/renew.js"
}, f89[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f91[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f92[] = {
#embed "../HubWeb/Assets/ring.js"
}, f93[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f95[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f96[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f97[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f101[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f102[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f103[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f104[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f105[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f106[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f107[] = {
#embed "../HubWeb/Assets/runs.css"
}, f108[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f109[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f110[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f111[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f113[] = {
#embed "../HubWeb/Assets/series.js"
}, f114[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f115[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f118[] = {
#embed "../HubWeb/Assets/sos.js"
}, f119[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f120[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f121[] = {
#embed "../HubWeb/Assets/status.js"
}, f122[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f123[] = {
#embed "../HubWeb/Assets/sw.js"
}, f124[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f125[] = {
#embed "../HubWeb/Assets/tone.js"
}, f126[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f127[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f128[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f129[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f130[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f131[] = {
#embed "../HubWeb/Assets/view.js"
}, f132[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f133[] = {
#embed "../HubWeb/Assets/watch.css"
}, f134[] = {
#embed "../HubWeb/Assets/watch.js"
}, f135[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f136[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f137[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f138[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f139[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f140[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f141[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f142[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f143[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f144[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f145[] = {
#embed "../HubWeb/Assets/workout.js"
}, f146[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f147[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f148[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f149[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f150[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f151[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f152[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f153[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f154[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f155[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f156[] = {
#embed "../HubWeb/Assets/worktrack.js"
};

static const struct trackme_asset assets[] = {
    {"alarms.mustache", f0, sizeof f0}, {"article.mustache", f1, sizeof f1}, {"basemap.js", f2, sizeof f2},
    {"boxes.mustache", f3, sizeof f3}, {"button.mustache", f4, sizeof f4}, {"callnear.js", f5, sizeof f5},
    {"care.js", f6, sizeof f6}, {"care.mustache", f7, sizeof f7}, {"carePerson.mustache", f8, sizeof f8},
    {"codes.mustache", f9, sizeof f9}, {"colours.js", f10, sizeof f10}, {"course.js", f11, sizeof f11},
    {"download.mustache", f12, sizeof f12}, {"downloads.mustache", f13, sizeof f13}, {"draw.js", f14, sizeof f14},
    {"duty.js", f15, sizeof f15}, {"duty.mustache", f16, sizeof f16}, {"duty.webmanifest", f17, sizeof f17},
    {"dutyTexts.mustache", f18, sizeof f18}, {"ecg.mustache", f19, sizeof f19}, {"ecgStrip.mustache", f20, sizeof f20},
    {"emergencies.mustache", f21, sizeof f21}, {"emergency.js", f22, sizeof f22}, {"en.json", f23, sizeof f23},
    {"export.mustache", f24, sizeof f24}, {"feed.js", f25, sizeof f25}, {"field.mustache", f26, sizeof f26},
    {"followed.mustache", f27, sizeof f27}, {"followers.mustache", f28, sizeof f28}, {"following.mustache", f29, sizeof f29},
    {"form.mustache", f30, sizeof f30}, {"format.js", f31, sizeof f31}, {"frame.css", f32, sizeof f32},
    {"graticule.js", f33, sizeof f33}, {"ground.js", f34, sizeof f34}, {"groundfile.js", f35, sizeof f35},
    {"health.css", f36, sizeof f36}, {"health.mustache", f37, sizeof f37}, {"home.css", f38, sizeof f38},
    {"home.mustache", f39, sizeof f39}, {"homeCard.mustache", f40, sizeof f40}, {"homePin.mustache", f41, sizeof f41},
    {"homepin.js", f42, sizeof f42}, {"hook.mustache", f43, sizeof f43}, {"hooks.mustache", f44, sizeof f44},
    {"hospital.mustache", f45, sizeof f45}, {"hospitals.mustache", f46, sizeof f46}, {"icon-192.png", f47, sizeof f47},
    {"icon-512.png", f48, sizeof f48}, {"icon.svg", f49, sizeof f49}, {"import.mustache", f50, sizeof f50},
    {"importResult.mustache", f51, sizeof f51}, {"it.json", f52, sizeof f52}, {"keyhelp.mustache", f53, sizeof f53},
    {"keys.mustache", f54, sizeof f54}, {"layout.mustache", f55, sizeof f55}, {"ledger.mustache", f56, sizeof f56},
    {"link.mustache", f57, sizeof f57}, {"live.js", f58, sizeof f58}, {"live.mustache", f59, sizeof f59},
    {"manifest.webmanifest", f60, sizeof f60}, {"map.js", f61, sizeof f61}, {"menu.mustache", f62, sizeof f62},
    {"mydata.mustache", f63, sizeof f63}, {"near.js", f64, sizeof f64}, {"notice.mustache", f65, sizeof f65},
    {"notices.mustache", f66, sizeof f66}, {"offer.js", f67, sizeof f67}, {"oneTime.mustache", f68, sizeof f68},
    {"ownplace.js", f69, sizeof f69}, {"passkey.js", f70, sizeof f70}, {"passkeyButton.mustache", f71, sizeof f71},
    {"passkeys.mustache", f72, sizeof f72}, {"people.mustache", f73, sizeof f73}, {"person.mustache", f74, sizeof f74},
    {"phone.mustache", f75, sizeof f75}, {"phoneCode.mustache", f76, sizeof f76}, {"places.js", f77, sizeof f77},
    {"places.mustache", f78, sizeof f78}, {"placesHead.mustache", f79, sizeof f79}, {"placesMap.mustache", f80, sizeof f80},
    {"plot.js", f81, sizeof f81}, {"plot.mustache", f82, sizeof f82}, {"policy.mustache", f83, sizeof f83},
    {"problem.mustache", f84, sizeof f84}, {"protection.mustache", f85, sizeof f85}, {"publish.mustache", f86, sizeof f86},
    {"push.js", f87, sizeof f87}, {"renew.js", f88, sizeof f88}, {"requests.mustache", f89, sizeof f89},
    {"result.mustache", f90, sizeof f90}, {"results.mustache", f91, sizeof f91}, {"ring.js", f92, sizeof f92},
    {"run.mustache", f93, sizeof f93}, {"runCard.mustache", f94, sizeof f94}, {"runCheckIn.mustache", f95, sizeof f95},
    {"runCourse.mustache", f96, sizeof f96}, {"runEnrol.mustache", f97, sizeof f97}, {"runForm.mustache", f98, sizeof f98},
    {"runFriends.mustache", f99, sizeof f99}, {"runHead.mustache", f100, sizeof f100}, {"runMine.mustache", f101, sizeof f101},
    {"runNearby.mustache", f102, sizeof f102}, {"runPeople.mustache", f103, sizeof f103}, {"runhome.js", f104, sizeof f104},
    {"runmine.js", f105, sizeof f105}, {"runpeople.js", f106, sizeof f106}, {"runs.css", f107, sizeof f107},
    {"runs.mustache", f108, sizeof f108}, {"runsMine.mustache", f109, sizeof f109}, {"scalars.js", f110, sizeof f110},
    {"second.mustache", f111, sizeof f111}, {"security.mustache", f112, sizeof f112}, {"series.js", f113, sizeof f113},
    {"service.mustache", f114, sizeof f114}, {"services.mustache", f115, sizeof f115}, {"servicesToCheck.mustache", f116, sizeof f116},
    {"sheet.mustache", f117, sizeof f117}, {"sos.js", f118, sizeof f118}, {"sosContact.mustache", f119, sizeof f119},
    {"sosLost.mustache", f120, sizeof f120}, {"status.js", f121, sizeof f121}, {"strictWays.mustache", f122, sizeof f122},
    {"sw.js", f123, sizeof f123}, {"tabs.svg", f124, sizeof f124}, {"tone.js", f125, sizeof f125},
    {"tools.mustache", f126, sizeof f126}, {"trackme.css", f127, sizeof f127}, {"tracks.js", f128, sizeof f128},
    {"tracks.mustache", f129, sizeof f129}, {"turnOn.mustache", f130, sizeof f130}, {"view.js", f131, sizeof f131},
    {"waiting.mustache", f132, sizeof f132}, {"watch.css", f133, sizeof f133}, {"watch.js", f134, sizeof f134},
    {"watch.mustache", f135, sizeof f135}, {"watchline.js", f136, sizeof f136}, {"watchlist.js", f137, sizeof f137},
    {"watchmap.js", f138, sizeof f138}, {"watchmotion.js", f139, sizeof f139}, {"watchrace.js", f140, sizeof f140},
    {"watchreplay.js", f141, sizeof f141}, {"ways.mustache", f142, sizeof f142}, {"welcome.mustache", f143, sizeof f143},
    {"windows.mustache", f144, sizeof f144}, {"workout.js", f145, sizeof f145}, {"workout.mustache", f146, sizeof f146},
    {"workoutCompare.mustache", f147, sizeof f147}, {"workoutDone.mustache", f148, sizeof f148}, {"workoutFriend.mustache", f149, sizeof f149},
    {"workoutLive.mustache", f150, sizeof f150}, {"workoutRecord.mustache", f151, sizeof f151}, {"workoutcurves.js", f152, sizeof f152},
    {"workouts.css", f153, sizeof f153}, {"workouts.mustache", f154, sizeof f154}, {"workoutsTrends.mustache", f155, sizeof f155},
    {"worktrack.js", f156, sizeof f156},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
