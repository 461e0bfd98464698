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
#embed "../HubWeb/Assets/graticule.js"
}, f33[] = {
#embed "../HubWeb/Assets/ground.js"
}, f34[] = {
#embed "../HubWeb/Assets/groundfile.js"
}, f35[] = {
#embed "../HubWeb/Assets/health.css"
}, f36[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f37[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f38[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f39[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f40[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f41[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f42[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f43[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f44[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f45[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f46[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f47[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f48[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f49[] = {
#embed "../HubWeb/Assets/it.json"
}, f50[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f51[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f52[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f53[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f54[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f55[] = {
#embed "../HubWeb/Assets/live.js"
}, f56[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f58[] = {
#embed "../HubWeb/Assets/map.js"
}, f59[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/near.js"
}, f61[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f62[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f63[] = {
#embed "../HubWeb/Assets/offer.js"
}, f64[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f65[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f66[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f67[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f68[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f70[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f71[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f73[] = {
#embed "../HubWeb/Assets/places.js"
}, f74[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f75[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f76[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/plot.js"
}, f78[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f81[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f82[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f83[] = {
#embed "../HubWeb/Assets/push.js"
}, f84[] = {
#embed "../HubWeb/Assets/renew.js"
}, f85[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f88[] = {
#embed "../HubWeb/Assets/ring.js"
}, f89[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f91[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f92[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f95[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f96[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f97[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f101[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f102[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f103[] = {
#embed "../HubWeb/Assets/runs.css"
}, f104[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f105[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f107[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f108[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f109[] = {
#embed "../HubWeb/Assets/series.js"
}, f110[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f111[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f113[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f114[] = {
#embed "../HubWeb/Assets/sos.js"
}, f115[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/status.js"
}, f118[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f119[] = {
#embed "../HubWeb/Assets/sw.js"
}, f120[] = {
#embed "../HubWeb/Assets/tone.js"
}, f121[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f122[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f123[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f124[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f125[] = {
#embed "../HubWeb/Assets/view.js"
}, f126[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f127[] = {
#embed "../HubWeb/Assets/watch.css"
}, f128[] = {
#embed "../HubWeb/Assets/watch.js"
}, f129[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f130[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f131[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f132[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f133[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f134[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f135[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f136[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f137[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f138[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f139[] = {
#embed "../HubWeb/Assets/workout.js"
}, f140[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f141[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f142[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f143[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f144[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f145[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f146[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f147[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f148[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f149[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f150[] = {
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
    {"form.mustache", f30, sizeof f30}, {"format.js", f31, sizeof f31}, {"graticule.js", f32, sizeof f32},
    {"ground.js", f33, sizeof f33}, {"groundfile.js", f34, sizeof f34}, {"health.css", f35, sizeof f35},
    {"health.mustache", f36, sizeof f36}, {"home.mustache", f37, sizeof f37}, {"homePin.mustache", f38, sizeof f38},
    {"homepin.js", f39, sizeof f39}, {"hook.mustache", f40, sizeof f40}, {"hooks.mustache", f41, sizeof f41},
    {"hospital.mustache", f42, sizeof f42}, {"hospitals.mustache", f43, sizeof f43}, {"icon-192.png", f44, sizeof f44},
    {"icon-512.png", f45, sizeof f45}, {"icon.svg", f46, sizeof f46}, {"import.mustache", f47, sizeof f47},
    {"importResult.mustache", f48, sizeof f48}, {"it.json", f49, sizeof f49}, {"keyhelp.mustache", f50, sizeof f50},
    {"keys.mustache", f51, sizeof f51}, {"layout.mustache", f52, sizeof f52}, {"ledger.mustache", f53, sizeof f53},
    {"link.mustache", f54, sizeof f54}, {"live.js", f55, sizeof f55}, {"live.mustache", f56, sizeof f56},
    {"manifest.webmanifest", f57, sizeof f57}, {"map.js", f58, sizeof f58}, {"mydata.mustache", f59, sizeof f59},
    {"near.js", f60, sizeof f60}, {"notice.mustache", f61, sizeof f61}, {"notices.mustache", f62, sizeof f62},
    {"offer.js", f63, sizeof f63}, {"oneTime.mustache", f64, sizeof f64}, {"ownplace.js", f65, sizeof f65},
    {"passkey.js", f66, sizeof f66}, {"passkeyButton.mustache", f67, sizeof f67}, {"passkeys.mustache", f68, sizeof f68},
    {"people.mustache", f69, sizeof f69}, {"person.mustache", f70, sizeof f70}, {"phone.mustache", f71, sizeof f71},
    {"phoneCode.mustache", f72, sizeof f72}, {"places.js", f73, sizeof f73}, {"places.mustache", f74, sizeof f74},
    {"placesHead.mustache", f75, sizeof f75}, {"placesMap.mustache", f76, sizeof f76}, {"plot.js", f77, sizeof f77},
    {"plot.mustache", f78, sizeof f78}, {"policy.mustache", f79, sizeof f79}, {"problem.mustache", f80, sizeof f80},
    {"protection.mustache", f81, sizeof f81}, {"publish.mustache", f82, sizeof f82}, {"push.js", f83, sizeof f83},
    {"renew.js", f84, sizeof f84}, {"requests.mustache", f85, sizeof f85}, {"result.mustache", f86, sizeof f86},
    {"results.mustache", f87, sizeof f87}, {"ring.js", f88, sizeof f88}, {"run.mustache", f89, sizeof f89},
    {"runCard.mustache", f90, sizeof f90}, {"runCheckIn.mustache", f91, sizeof f91}, {"runCourse.mustache", f92, sizeof f92},
    {"runEnrol.mustache", f93, sizeof f93}, {"runForm.mustache", f94, sizeof f94}, {"runFriends.mustache", f95, sizeof f95},
    {"runHead.mustache", f96, sizeof f96}, {"runMine.mustache", f97, sizeof f97}, {"runNearby.mustache", f98, sizeof f98},
    {"runPeople.mustache", f99, sizeof f99}, {"runhome.js", f100, sizeof f100}, {"runmine.js", f101, sizeof f101},
    {"runpeople.js", f102, sizeof f102}, {"runs.css", f103, sizeof f103}, {"runs.mustache", f104, sizeof f104},
    {"runsMine.mustache", f105, sizeof f105}, {"scalars.js", f106, sizeof f106}, {"second.mustache", f107, sizeof f107},
    {"security.mustache", f108, sizeof f108}, {"series.js", f109, sizeof f109}, {"service.mustache", f110, sizeof f110},
    {"services.mustache", f111, sizeof f111}, {"servicesToCheck.mustache", f112, sizeof f112}, {"sheet.mustache", f113, sizeof f113},
    {"sos.js", f114, sizeof f114}, {"sosContact.mustache", f115, sizeof f115}, {"sosLost.mustache", f116, sizeof f116},
    {"status.js", f117, sizeof f117}, {"strictWays.mustache", f118, sizeof f118}, {"sw.js", f119, sizeof f119},
    {"tone.js", f120, sizeof f120}, {"trackme.css", f121, sizeof f121}, {"tracks.js", f122, sizeof f122},
    {"tracks.mustache", f123, sizeof f123}, {"turnOn.mustache", f124, sizeof f124}, {"view.js", f125, sizeof f125},
    {"waiting.mustache", f126, sizeof f126}, {"watch.css", f127, sizeof f127}, {"watch.js", f128, sizeof f128},
    {"watch.mustache", f129, sizeof f129}, {"watchline.js", f130, sizeof f130}, {"watchlist.js", f131, sizeof f131},
    {"watchmap.js", f132, sizeof f132}, {"watchmotion.js", f133, sizeof f133}, {"watchrace.js", f134, sizeof f134},
    {"watchreplay.js", f135, sizeof f135}, {"ways.mustache", f136, sizeof f136}, {"welcome.mustache", f137, sizeof f137},
    {"windows.mustache", f138, sizeof f138}, {"workout.js", f139, sizeof f139}, {"workout.mustache", f140, sizeof f140},
    {"workoutCompare.mustache", f141, sizeof f141}, {"workoutDone.mustache", f142, sizeof f142}, {"workoutFriend.mustache", f143, sizeof f143},
    {"workoutLive.mustache", f144, sizeof f144}, {"workoutRecord.mustache", f145, sizeof f145}, {"workoutcurves.js", f146, sizeof f146},
    {"workouts.css", f147, sizeof f147}, {"workouts.mustache", f148, sizeof f148}, {"workoutsTrends.mustache", f149, sizeof f149},
    {"worktrack.js", f150, sizeof f150},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
