// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t f0[] = {
#embed "../HubWeb/Assets/alarms.mustache"
}, f1[] = {
#embed "../HubWeb/Assets/article.mustache"
}, f2[] = {
#embed "../HubWeb/Assets/basemap.css"
}, f3[] = {
#embed "../HubWeb/Assets/basemap.js"
}, f4[] = {
#embed "../HubWeb/Assets/boxes.mustache"
}, f5[] = {
#embed "../HubWeb/Assets/button.mustache"
}, f6[] = {
#embed "../HubWeb/Assets/callnear.js"
}, f7[] = {
#embed "../HubWeb/Assets/care.js"
}, f8[] = {
#embed "../HubWeb/Assets/care.mustache"
}, f9[] = {
#embed "../HubWeb/Assets/carePerson.mustache"
}, f10[] = {
#embed "../HubWeb/Assets/codes.mustache"
}, f11[] = {
#embed "../HubWeb/Assets/colours.js"
}, f12[] = {
#embed "../HubWeb/Assets/course.js"
}, f13[] = {
#embed "../HubWeb/Assets/download.mustache"
}, f14[] = {
#embed "../HubWeb/Assets/downloads.mustache"
}, f15[] = {
#embed "../HubWeb/Assets/draw.js"
}, f16[] = {
#embed "../HubWeb/Assets/duty.js"
}, f17[] = {
#embed "../HubWeb/Assets/duty.mustache"
}, f18[] = {
#embed "../HubWeb/Assets/duty.webmanifest"
}, f19[] = {
#embed "../HubWeb/Assets/dutyTexts.mustache"
}, f20[] = {
#embed "../HubWeb/Assets/ecg.mustache"
}, f21[] = {
#embed "../HubWeb/Assets/ecgStrip.mustache"
}, f22[] = {
#embed "../HubWeb/Assets/emergencies.mustache"
}, f23[] = {
#embed "../HubWeb/Assets/emergency.js"
}, f24[] = {
#embed "../HubWeb/Assets/en.json"
}, f25[] = {
#embed "../HubWeb/Assets/export.mustache"
}, f26[] = {
#embed "../HubWeb/Assets/feed.js"
}, f27[] = {
#embed "../HubWeb/Assets/field.mustache"
}, f28[] = {
#embed "../HubWeb/Assets/followed.mustache"
}, f29[] = {
#embed "../HubWeb/Assets/followers.mustache"
}, f30[] = {
#embed "../HubWeb/Assets/following.mustache"
}, f31[] = {
#embed "../HubWeb/Assets/form.mustache"
}, f32[] = {
#embed "../HubWeb/Assets/format.js"
}, f33[] = {
#embed "../HubWeb/Assets/frame.css"
}, f34[] = {
#embed "../HubWeb/Assets/graticule.js"
}, f35[] = {
#embed "../HubWeb/Assets/ground.js"
}, f36[] = {
#embed "../HubWeb/Assets/groundfile.js"
}, f37[] = {
#embed "../HubWeb/Assets/groundpen.js"
}, f38[] = {
#embed "../HubWeb/Assets/health.css"
}, f39[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f40[] = {
#embed "../HubWeb/Assets/home.css"
}, f41[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f42[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f43[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f44[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f45[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f46[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f47[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f48[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f49[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f50[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f51[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f52[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f53[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f54[] = {
#embed "../HubWeb/Assets/it.json"
}, f55[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f56[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f58[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f59[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/live.js"
}, f61[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f62[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f63[] = {
#embed "../HubWeb/Assets/map.js"
}, f64[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f65[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f66[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f67[] = {
#embed "../HubWeb/Assets/near.js"
}, f68[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f70[] = {
#embed "../HubWeb/Assets/offer.js"
}, f71[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f73[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f74[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f75[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f76[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f78[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/places.js"
}, f81[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f82[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f83[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f84[] = {
#embed "../HubWeb/Assets/plot.js"
}, f85[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f88[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f89[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/push.js"
}, f91[] = {
#embed "../HubWeb/Assets/renew.js"
}, f92[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f95[] = {
#embed "../HubWeb/Assets/ring.js"
}, f96[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f97[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f101[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f102[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f103[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f104[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f105[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f107[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f108[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f109[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f110[] = {
#embed "../HubWeb/Assets/runs.css"
}, f111[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f113[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f114[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f115[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/series.js"
}, f117[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f118[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f119[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f120[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f121[] = {
#embed "../HubWeb/Assets/sos.js"
}, f122[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f123[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f124[] = {
#embed "../HubWeb/Assets/status.js"
}, f125[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f126[] = {
#embed "../HubWeb/Assets/streets.js"
}, f127[] = {
#embed "../HubWeb/Assets/streets.json"
}, f128[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f129[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f130[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f131[] = {
#embed "../HubWeb/Assets/sw.js"
}, f132[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f133[] = {
#embed "../HubWeb/Assets/tone.js"
}, f134[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f135[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f136[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f137[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f138[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f139[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f140[] = {
#embed "../HubWeb/Assets/view.js"
}, f141[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f142[] = {
#embed "../HubWeb/Assets/watch.css"
}, f143[] = {
#embed "../HubWeb/Assets/watch.js"
}, f144[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f145[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f146[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f147[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f148[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f149[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f150[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f151[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f152[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f153[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f154[] = {
#embed "../HubWeb/Assets/workout.js"
}, f155[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f156[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f157[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f158[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f159[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f160[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f161[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f162[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f163[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f164[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f165[] = {
#embed "../HubWeb/Assets/worktrack.js"
};

static const struct trackme_asset assets[] = {
    {"alarms.mustache", f0, sizeof f0}, {"article.mustache", f1, sizeof f1}, {"basemap.css", f2, sizeof f2},
    {"basemap.js", f3, sizeof f3}, {"boxes.mustache", f4, sizeof f4}, {"button.mustache", f5, sizeof f5},
    {"callnear.js", f6, sizeof f6}, {"care.js", f7, sizeof f7}, {"care.mustache", f8, sizeof f8},
    {"carePerson.mustache", f9, sizeof f9}, {"codes.mustache", f10, sizeof f10}, {"colours.js", f11, sizeof f11},
    {"course.js", f12, sizeof f12}, {"download.mustache", f13, sizeof f13}, {"downloads.mustache", f14, sizeof f14},
    {"draw.js", f15, sizeof f15}, {"duty.js", f16, sizeof f16}, {"duty.mustache", f17, sizeof f17},
    {"duty.webmanifest", f18, sizeof f18}, {"dutyTexts.mustache", f19, sizeof f19}, {"ecg.mustache", f20, sizeof f20},
    {"ecgStrip.mustache", f21, sizeof f21}, {"emergencies.mustache", f22, sizeof f22}, {"emergency.js", f23, sizeof f23},
    {"en.json", f24, sizeof f24}, {"export.mustache", f25, sizeof f25}, {"feed.js", f26, sizeof f26},
    {"field.mustache", f27, sizeof f27}, {"followed.mustache", f28, sizeof f28}, {"followers.mustache", f29, sizeof f29},
    {"following.mustache", f30, sizeof f30}, {"form.mustache", f31, sizeof f31}, {"format.js", f32, sizeof f32},
    {"frame.css", f33, sizeof f33}, {"graticule.js", f34, sizeof f34}, {"ground.js", f35, sizeof f35},
    {"groundfile.js", f36, sizeof f36}, {"groundpen.js", f37, sizeof f37}, {"health.css", f38, sizeof f38},
    {"health.mustache", f39, sizeof f39}, {"home.css", f40, sizeof f40}, {"home.mustache", f41, sizeof f41},
    {"homeCard.mustache", f42, sizeof f42}, {"homePin.mustache", f43, sizeof f43}, {"homepin.js", f44, sizeof f44},
    {"hook.mustache", f45, sizeof f45}, {"hooks.mustache", f46, sizeof f46}, {"hospital.mustache", f47, sizeof f47},
    {"hospitals.mustache", f48, sizeof f48}, {"icon-192.png", f49, sizeof f49}, {"icon-512.png", f50, sizeof f50},
    {"icon.svg", f51, sizeof f51}, {"import.mustache", f52, sizeof f52}, {"importResult.mustache", f53, sizeof f53},
    {"it.json", f54, sizeof f54}, {"keyhelp.mustache", f55, sizeof f55}, {"keys.mustache", f56, sizeof f56},
    {"layout.mustache", f57, sizeof f57}, {"ledger.mustache", f58, sizeof f58}, {"link.mustache", f59, sizeof f59},
    {"live.js", f60, sizeof f60}, {"live.mustache", f61, sizeof f61}, {"manifest.webmanifest", f62, sizeof f62},
    {"map.js", f63, sizeof f63}, {"mapsearch.js", f64, sizeof f64}, {"menu.mustache", f65, sizeof f65},
    {"mydata.mustache", f66, sizeof f66}, {"near.js", f67, sizeof f67}, {"notice.mustache", f68, sizeof f68},
    {"notices.mustache", f69, sizeof f69}, {"offer.js", f70, sizeof f70}, {"oneTime.mustache", f71, sizeof f71},
    {"ownplace.js", f72, sizeof f72}, {"passkey.js", f73, sizeof f73}, {"passkeyButton.mustache", f74, sizeof f74},
    {"passkeys.mustache", f75, sizeof f75}, {"people.mustache", f76, sizeof f76}, {"person.mustache", f77, sizeof f77},
    {"phone.mustache", f78, sizeof f78}, {"phoneCode.mustache", f79, sizeof f79}, {"places.js", f80, sizeof f80},
    {"places.mustache", f81, sizeof f81}, {"placesHead.mustache", f82, sizeof f82}, {"placesMap.mustache", f83, sizeof f83},
    {"plot.js", f84, sizeof f84}, {"plot.mustache", f85, sizeof f85}, {"policy.mustache", f86, sizeof f86},
    {"problem.mustache", f87, sizeof f87}, {"protection.mustache", f88, sizeof f88}, {"publish.mustache", f89, sizeof f89},
    {"push.js", f90, sizeof f90}, {"renew.js", f91, sizeof f91}, {"requests.mustache", f92, sizeof f92},
    {"result.mustache", f93, sizeof f93}, {"results.mustache", f94, sizeof f94}, {"ring.js", f95, sizeof f95},
    {"run.mustache", f96, sizeof f96}, {"runCard.mustache", f97, sizeof f97}, {"runCheckIn.mustache", f98, sizeof f98},
    {"runCourse.mustache", f99, sizeof f99}, {"runEnrol.mustache", f100, sizeof f100}, {"runForm.mustache", f101, sizeof f101},
    {"runFriends.mustache", f102, sizeof f102}, {"runHead.mustache", f103, sizeof f103}, {"runMine.mustache", f104, sizeof f104},
    {"runNearby.mustache", f105, sizeof f105}, {"runPeople.mustache", f106, sizeof f106}, {"runhome.js", f107, sizeof f107},
    {"runmine.js", f108, sizeof f108}, {"runpeople.js", f109, sizeof f109}, {"runs.css", f110, sizeof f110},
    {"runs.mustache", f111, sizeof f111}, {"runsMine.mustache", f112, sizeof f112}, {"scalars.js", f113, sizeof f113},
    {"second.mustache", f114, sizeof f114}, {"security.mustache", f115, sizeof f115}, {"series.js", f116, sizeof f116},
    {"service.mustache", f117, sizeof f117}, {"services.mustache", f118, sizeof f118}, {"servicesToCheck.mustache", f119, sizeof f119},
    {"sheet.mustache", f120, sizeof f120}, {"sos.js", f121, sizeof f121}, {"sosContact.mustache", f122, sizeof f122},
    {"sosLost.mustache", f123, sizeof f123}, {"status.js", f124, sizeof f124}, {"streetcoast.js", f125, sizeof f125},
    {"streets.js", f126, sizeof f126}, {"streets.json", f127, sizeof f127}, {"streets.lua", f128, sizeof f128},
    {"streettile.js", f129, sizeof f129}, {"strictWays.mustache", f130, sizeof f130}, {"sw.js", f131, sizeof f131},
    {"tabs.svg", f132, sizeof f132}, {"tone.js", f133, sizeof f133}, {"tools.mustache", f134, sizeof f134},
    {"trackme.css", f135, sizeof f135}, {"tracks.js", f136, sizeof f136}, {"tracks.mustache", f137, sizeof f137},
    {"turnOn.mustache", f138, sizeof f138}, {"vectortile.js", f139, sizeof f139}, {"view.js", f140, sizeof f140},
    {"waiting.mustache", f141, sizeof f141}, {"watch.css", f142, sizeof f142}, {"watch.js", f143, sizeof f143},
    {"watch.mustache", f144, sizeof f144}, {"watchline.js", f145, sizeof f145}, {"watchlist.js", f146, sizeof f146},
    {"watchmap.js", f147, sizeof f147}, {"watchmotion.js", f148, sizeof f148}, {"watchrace.js", f149, sizeof f149},
    {"watchreplay.js", f150, sizeof f150}, {"ways.mustache", f151, sizeof f151}, {"welcome.mustache", f152, sizeof f152},
    {"windows.mustache", f153, sizeof f153}, {"workout.js", f154, sizeof f154}, {"workout.mustache", f155, sizeof f155},
    {"workoutCompare.mustache", f156, sizeof f156}, {"workoutDone.mustache", f157, sizeof f157}, {"workoutFriend.mustache", f158, sizeof f158},
    {"workoutLive.mustache", f159, sizeof f159}, {"workoutRecord.mustache", f160, sizeof f160}, {"workoutcurves.js", f161, sizeof f161},
    {"workouts.css", f162, sizeof f162}, {"workouts.mustache", f163, sizeof f163}, {"workoutsTrends.mustache", f164, sizeof f164},
    {"worktrack.js", f165, sizeof f165},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
