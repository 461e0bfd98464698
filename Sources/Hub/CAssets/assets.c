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
#embed "../HubWeb/Assets/boxSetUp.mustache"
}, f5[] = {
#embed "../HubWeb/Assets/boxes.mustache"
}, f6[] = {
#embed "../HubWeb/Assets/boxsetup.js"
}, f7[] = {
#embed "../HubWeb/Assets/button.mustache"
}, f8[] = {
#embed "../HubWeb/Assets/callnear.js"
}, f9[] = {
#embed "../HubWeb/Assets/care.js"
}, f10[] = {
#embed "../HubWeb/Assets/care.mustache"
}, f11[] = {
#embed "../HubWeb/Assets/carePerson.mustache"
}, f12[] = {
#embed "../HubWeb/Assets/codes.mustache"
}, f13[] = {
#embed "../HubWeb/Assets/colours.js"
}, f14[] = {
#embed "../HubWeb/Assets/course.js"
}, f15[] = {
#embed "../HubWeb/Assets/download.mustache"
}, f16[] = {
#embed "../HubWeb/Assets/downloads.mustache"
}, f17[] = {
#embed "../HubWeb/Assets/draw.js"
}, f18[] = {
#embed "../HubWeb/Assets/duty.js"
}, f19[] = {
#embed "../HubWeb/Assets/duty.mustache"
}, f20[] = {
#embed "../HubWeb/Assets/duty.webmanifest"
}, f21[] = {
#embed "../HubWeb/Assets/dutyTexts.mustache"
}, f22[] = {
#embed "../HubWeb/Assets/ecg.mustache"
}, f23[] = {
#embed "../HubWeb/Assets/ecgStrip.mustache"
}, f24[] = {
#embed "../HubWeb/Assets/emergencies.mustache"
}, f25[] = {
#embed "../HubWeb/Assets/emergency.js"
}, f26[] = {
#embed "../HubWeb/Assets/en.json"
}, f27[] = {
#embed "../HubWeb/Assets/export.mustache"
}, f28[] = {
#embed "../HubWeb/Assets/feed.js"
}, f29[] = {
#embed "../HubWeb/Assets/field.mustache"
}, f30[] = {
#embed "../HubWeb/Assets/followed.mustache"
}, f31[] = {
#embed "../HubWeb/Assets/followers.mustache"
}, f32[] = {
#embed "../HubWeb/Assets/following.mustache"
}, f33[] = {
#embed "../HubWeb/Assets/form.mustache"
}, f34[] = {
#embed "../HubWeb/Assets/format.js"
}, f35[] = {
#embed "../HubWeb/Assets/frame.css"
}, f36[] = {
#embed "../HubWeb/Assets/graticule.js"
}, f37[] = {
#embed "../HubWeb/Assets/ground.js"
}, f38[] = {
#embed "../HubWeb/Assets/groundfile.js"
}, f39[] = {
#embed "../HubWeb/Assets/groundpen.js"
}, f40[] = {
#embed "../HubWeb/Assets/health.css"
}, f41[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f42[] = {
#embed "../HubWeb/Assets/home.css"
}, f43[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f44[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f45[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f46[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f47[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f48[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f49[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f50[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f51[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f52[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f53[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f54[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f55[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f56[] = {
#embed "../HubWeb/Assets/it.json"
}, f57[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f58[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f59[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f61[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f62[] = {
#embed "../HubWeb/Assets/live.js"
}, f63[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f64[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f65[] = {
#embed "../HubWeb/Assets/map.js"
}, f66[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f67[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f68[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/near.js"
}, f70[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f71[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/offer.js"
}, f73[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f74[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f75[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f76[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f78[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f81[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f82[] = {
#embed "../HubWeb/Assets/places.js"
}, f83[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f84[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f85[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/plot.js"
}, f87[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f88[] = {
#embed "../HubWeb/Assets/plotread.js"
}, f89[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f91[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f92[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/push.js"
}, f94[] = {
#embed "../HubWeb/Assets/region.mustache"
}, f95[] = {
#embed "../HubWeb/Assets/renew.js"
}, f96[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f97[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/ring.js"
}, f100[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f101[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f102[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f103[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f104[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f105[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f107[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f108[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f109[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f110[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f111[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f112[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f113[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f114[] = {
#embed "../HubWeb/Assets/runs.css"
}, f115[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f118[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f119[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f120[] = {
#embed "../HubWeb/Assets/series.js"
}, f121[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f122[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f123[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f124[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f125[] = {
#embed "../HubWeb/Assets/sos.js"
}, f126[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f127[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f128[] = {
#embed "../HubWeb/Assets/status.js"
}, f129[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f130[] = {
#embed "../HubWeb/Assets/streets.js"
}, f131[] = {
#embed "../HubWeb/Assets/streets.json"
}, f132[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f133[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f134[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f135[] = {
#embed "../HubWeb/Assets/sw.js"
}, f136[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f137[] = {
#embed "../HubWeb/Assets/tone.js"
}, f138[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f139[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f140[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f141[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f142[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f143[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f144[] = {
#embed "../HubWeb/Assets/view.js"
}, f145[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f146[] = {
#embed "../HubWeb/Assets/watch.css"
}, f147[] = {
#embed "../HubWeb/Assets/watch.js"
}, f148[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f149[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f150[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f151[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f152[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f153[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f154[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f155[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f156[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f157[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f158[] = {
#embed "../HubWeb/Assets/workout.js"
}, f159[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f160[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f161[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f162[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f163[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f164[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f165[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f166[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f167[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f168[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f169[] = {
#embed "../HubWeb/Assets/worktrack.js"
};

static const struct trackme_asset assets[] = {
    {"alarms.mustache", f0, sizeof f0}, {"article.mustache", f1, sizeof f1}, {"basemap.css", f2, sizeof f2}, {"basemap.js", f3, sizeof f3}, {"boxSetUp.mustache", f4, sizeof f4},
    {"boxes.mustache", f5, sizeof f5}, {"boxsetup.js", f6, sizeof f6}, {"button.mustache", f7, sizeof f7}, {"callnear.js", f8, sizeof f8}, {"care.js", f9, sizeof f9},
    {"care.mustache", f10, sizeof f10}, {"carePerson.mustache", f11, sizeof f11}, {"codes.mustache", f12, sizeof f12}, {"colours.js", f13, sizeof f13}, {"course.js", f14, sizeof f14},
    {"download.mustache", f15, sizeof f15}, {"downloads.mustache", f16, sizeof f16}, {"draw.js", f17, sizeof f17}, {"duty.js", f18, sizeof f18}, {"duty.mustache", f19, sizeof f19},
    {"duty.webmanifest", f20, sizeof f20}, {"dutyTexts.mustache", f21, sizeof f21}, {"ecg.mustache", f22, sizeof f22}, {"ecgStrip.mustache", f23, sizeof f23}, {"emergencies.mustache", f24, sizeof f24},
    {"emergency.js", f25, sizeof f25}, {"en.json", f26, sizeof f26}, {"export.mustache", f27, sizeof f27}, {"feed.js", f28, sizeof f28}, {"field.mustache", f29, sizeof f29},
    {"followed.mustache", f30, sizeof f30}, {"followers.mustache", f31, sizeof f31}, {"following.mustache", f32, sizeof f32}, {"form.mustache", f33, sizeof f33}, {"format.js", f34, sizeof f34},
    {"frame.css", f35, sizeof f35}, {"graticule.js", f36, sizeof f36}, {"ground.js", f37, sizeof f37}, {"groundfile.js", f38, sizeof f38}, {"groundpen.js", f39, sizeof f39},
    {"health.css", f40, sizeof f40}, {"health.mustache", f41, sizeof f41}, {"home.css", f42, sizeof f42}, {"home.mustache", f43, sizeof f43}, {"homeCard.mustache", f44, sizeof f44},
    {"homePin.mustache", f45, sizeof f45}, {"homepin.js", f46, sizeof f46}, {"hook.mustache", f47, sizeof f47}, {"hooks.mustache", f48, sizeof f48}, {"hospital.mustache", f49, sizeof f49},
    {"hospitals.mustache", f50, sizeof f50}, {"icon-192.png", f51, sizeof f51}, {"icon-512.png", f52, sizeof f52}, {"icon.svg", f53, sizeof f53}, {"import.mustache", f54, sizeof f54},
    {"importResult.mustache", f55, sizeof f55}, {"it.json", f56, sizeof f56}, {"keyhelp.mustache", f57, sizeof f57}, {"keys.mustache", f58, sizeof f58}, {"layout.mustache", f59, sizeof f59},
    {"ledger.mustache", f60, sizeof f60}, {"link.mustache", f61, sizeof f61}, {"live.js", f62, sizeof f62}, {"live.mustache", f63, sizeof f63}, {"manifest.webmanifest", f64, sizeof f64},
    {"map.js", f65, sizeof f65}, {"mapsearch.js", f66, sizeof f66}, {"menu.mustache", f67, sizeof f67}, {"mydata.mustache", f68, sizeof f68}, {"near.js", f69, sizeof f69},
    {"notice.mustache", f70, sizeof f70}, {"notices.mustache", f71, sizeof f71}, {"offer.js", f72, sizeof f72}, {"oneTime.mustache", f73, sizeof f73}, {"ownplace.js", f74, sizeof f74},
    {"passkey.js", f75, sizeof f75}, {"passkeyButton.mustache", f76, sizeof f76}, {"passkeys.mustache", f77, sizeof f77}, {"people.mustache", f78, sizeof f78}, {"person.mustache", f79, sizeof f79},
    {"phone.mustache", f80, sizeof f80}, {"phoneCode.mustache", f81, sizeof f81}, {"places.js", f82, sizeof f82}, {"places.mustache", f83, sizeof f83}, {"placesHead.mustache", f84, sizeof f84},
    {"placesMap.mustache", f85, sizeof f85}, {"plot.js", f86, sizeof f86}, {"plot.mustache", f87, sizeof f87}, {"plotread.js", f88, sizeof f88}, {"policy.mustache", f89, sizeof f89},
    {"problem.mustache", f90, sizeof f90}, {"protection.mustache", f91, sizeof f91}, {"publish.mustache", f92, sizeof f92}, {"push.js", f93, sizeof f93}, {"region.mustache", f94, sizeof f94},
    {"renew.js", f95, sizeof f95}, {"requests.mustache", f96, sizeof f96}, {"result.mustache", f97, sizeof f97}, {"results.mustache", f98, sizeof f98}, {"ring.js", f99, sizeof f99},
    {"run.mustache", f100, sizeof f100}, {"runCard.mustache", f101, sizeof f101}, {"runCheckIn.mustache", f102, sizeof f102}, {"runCourse.mustache", f103, sizeof f103}, {"runEnrol.mustache", f104, sizeof f104},
    {"runForm.mustache", f105, sizeof f105}, {"runFriends.mustache", f106, sizeof f106}, {"runHead.mustache", f107, sizeof f107}, {"runMine.mustache", f108, sizeof f108}, {"runNearby.mustache", f109, sizeof f109},
    {"runPeople.mustache", f110, sizeof f110}, {"runhome.js", f111, sizeof f111}, {"runmine.js", f112, sizeof f112}, {"runpeople.js", f113, sizeof f113}, {"runs.css", f114, sizeof f114},
    {"runs.mustache", f115, sizeof f115}, {"runsMine.mustache", f116, sizeof f116}, {"scalars.js", f117, sizeof f117}, {"second.mustache", f118, sizeof f118}, {"security.mustache", f119, sizeof f119},
    {"series.js", f120, sizeof f120}, {"service.mustache", f121, sizeof f121}, {"services.mustache", f122, sizeof f122}, {"servicesToCheck.mustache", f123, sizeof f123}, {"sheet.mustache", f124, sizeof f124},
    {"sos.js", f125, sizeof f125}, {"sosContact.mustache", f126, sizeof f126}, {"sosLost.mustache", f127, sizeof f127}, {"status.js", f128, sizeof f128}, {"streetcoast.js", f129, sizeof f129},
    {"streets.js", f130, sizeof f130}, {"streets.json", f131, sizeof f131}, {"streets.lua", f132, sizeof f132}, {"streettile.js", f133, sizeof f133}, {"strictWays.mustache", f134, sizeof f134},
    {"sw.js", f135, sizeof f135}, {"tabs.svg", f136, sizeof f136}, {"tone.js", f137, sizeof f137}, {"tools.mustache", f138, sizeof f138}, {"trackme.css", f139, sizeof f139},
    {"tracks.js", f140, sizeof f140}, {"tracks.mustache", f141, sizeof f141}, {"turnOn.mustache", f142, sizeof f142}, {"vectortile.js", f143, sizeof f143}, {"view.js", f144, sizeof f144},
    {"waiting.mustache", f145, sizeof f145}, {"watch.css", f146, sizeof f146}, {"watch.js", f147, sizeof f147}, {"watch.mustache", f148, sizeof f148}, {"watchline.js", f149, sizeof f149},
    {"watchlist.js", f150, sizeof f150}, {"watchmap.js", f151, sizeof f151}, {"watchmotion.js", f152, sizeof f152}, {"watchrace.js", f153, sizeof f153}, {"watchreplay.js", f154, sizeof f154},
    {"ways.mustache", f155, sizeof f155}, {"welcome.mustache", f156, sizeof f156}, {"windows.mustache", f157, sizeof f157}, {"workout.js", f158, sizeof f158}, {"workout.mustache", f159, sizeof f159},
    {"workoutCompare.mustache", f160, sizeof f160}, {"workoutDone.mustache", f161, sizeof f161}, {"workoutFriend.mustache", f162, sizeof f162}, {"workoutLive.mustache", f163, sizeof f163}, {"workoutRecord.mustache", f164, sizeof f164},
    {"workoutcurves.js", f165, sizeof f165}, {"workouts.css", f166, sizeof f166}, {"workouts.mustache", f167, sizeof f167}, {"workoutsTrends.mustache", f168, sizeof f168}, {"worktrack.js", f169, sizeof f169},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
