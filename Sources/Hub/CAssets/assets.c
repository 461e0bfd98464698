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
#embed "../HubWeb/Assets/groupChoice.mustache"
}, f41[] = {
#embed "../HubWeb/Assets/health.css"
}, f42[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f43[] = {
#embed "../HubWeb/Assets/home.css"
}, f44[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f45[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f46[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f47[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f48[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f49[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f50[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f51[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f52[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f53[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f54[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f55[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f56[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/it.json"
}, f58[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f59[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f61[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f62[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f63[] = {
#embed "../HubWeb/Assets/live.js"
}, f64[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f65[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f66[] = {
#embed "../HubWeb/Assets/map.js"
}, f67[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f68[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f70[] = {
#embed "../HubWeb/Assets/near.js"
}, f71[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f73[] = {
#embed "../HubWeb/Assets/offer.js"
}, f74[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f75[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f76[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f77[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f78[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f81[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f82[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f83[] = {
#embed "../HubWeb/Assets/places.js"
}, f84[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f85[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/plot.js"
}, f88[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f89[] = {
#embed "../HubWeb/Assets/plotread.js"
}, f90[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f91[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f92[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/push.js"
}, f95[] = {
#embed "../HubWeb/Assets/region.mustache"
}, f96[] = {
#embed "../HubWeb/Assets/renew.js"
}, f97[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/ring.js"
}, f101[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f102[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f103[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f104[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f105[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f107[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f108[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f109[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f110[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f111[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f113[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f114[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f115[] = {
#embed "../HubWeb/Assets/runs.css"
}, f116[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f118[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f119[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f120[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f121[] = {
#embed "../HubWeb/Assets/series.js"
}, f122[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f123[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f124[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f125[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f126[] = {
#embed "../HubWeb/Assets/sos.js"
}, f127[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f128[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f129[] = {
#embed "../HubWeb/Assets/status.js"
}, f130[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f131[] = {
#embed "../HubWeb/Assets/streets.js"
}, f132[] = {
#embed "../HubWeb/Assets/streets.json"
}, f133[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f134[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f135[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f136[] = {
#embed "../HubWeb/Assets/sw.js"
}, f137[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f138[] = {
#embed "../HubWeb/Assets/tone.js"
}, f139[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f140[] = {
#embed "../HubWeb/Assets/tour.css"
}, f141[] = {
#embed "../HubWeb/Assets/tour.mustache"
}, f142[] = {
#embed "../HubWeb/Assets/tour.svg"
}, f143[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f144[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f145[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f146[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f147[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f148[] = {
#embed "../HubWeb/Assets/view.js"
}, f149[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f150[] = {
#embed "../HubWeb/Assets/watch.css"
}, f151[] = {
#embed "../HubWeb/Assets/watch.js"
}, f152[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f153[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f154[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f155[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f156[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f157[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f158[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f159[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f160[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f161[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f162[] = {
#embed "../HubWeb/Assets/workout.js"
}, f163[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f164[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f165[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f166[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f167[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f168[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f169[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f170[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f171[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f172[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f173[] = {
#embed "../HubWeb/Assets/worktrack.js"
}, f174[] = {
#embed "../HubWeb/Assets/zones.txt"
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
    {"groupChoice.mustache", f40, sizeof f40}, {"health.css", f41, sizeof f41}, {"health.mustache", f42, sizeof f42}, {"home.css", f43, sizeof f43}, {"home.mustache", f44, sizeof f44},
    {"homeCard.mustache", f45, sizeof f45}, {"homePin.mustache", f46, sizeof f46}, {"homepin.js", f47, sizeof f47}, {"hook.mustache", f48, sizeof f48}, {"hooks.mustache", f49, sizeof f49},
    {"hospital.mustache", f50, sizeof f50}, {"hospitals.mustache", f51, sizeof f51}, {"icon-192.png", f52, sizeof f52}, {"icon-512.png", f53, sizeof f53}, {"icon.svg", f54, sizeof f54},
    {"import.mustache", f55, sizeof f55}, {"importResult.mustache", f56, sizeof f56}, {"it.json", f57, sizeof f57}, {"keyhelp.mustache", f58, sizeof f58}, {"keys.mustache", f59, sizeof f59},
    {"layout.mustache", f60, sizeof f60}, {"ledger.mustache", f61, sizeof f61}, {"link.mustache", f62, sizeof f62}, {"live.js", f63, sizeof f63}, {"live.mustache", f64, sizeof f64},
    {"manifest.webmanifest", f65, sizeof f65}, {"map.js", f66, sizeof f66}, {"mapsearch.js", f67, sizeof f67}, {"menu.mustache", f68, sizeof f68}, {"mydata.mustache", f69, sizeof f69},
    {"near.js", f70, sizeof f70}, {"notice.mustache", f71, sizeof f71}, {"notices.mustache", f72, sizeof f72}, {"offer.js", f73, sizeof f73}, {"oneTime.mustache", f74, sizeof f74},
    {"ownplace.js", f75, sizeof f75}, {"passkey.js", f76, sizeof f76}, {"passkeyButton.mustache", f77, sizeof f77}, {"passkeys.mustache", f78, sizeof f78}, {"people.mustache", f79, sizeof f79},
    {"person.mustache", f80, sizeof f80}, {"phone.mustache", f81, sizeof f81}, {"phoneCode.mustache", f82, sizeof f82}, {"places.js", f83, sizeof f83}, {"places.mustache", f84, sizeof f84},
    {"placesHead.mustache", f85, sizeof f85}, {"placesMap.mustache", f86, sizeof f86}, {"plot.js", f87, sizeof f87}, {"plot.mustache", f88, sizeof f88}, {"plotread.js", f89, sizeof f89},
    {"policy.mustache", f90, sizeof f90}, {"problem.mustache", f91, sizeof f91}, {"protection.mustache", f92, sizeof f92}, {"publish.mustache", f93, sizeof f93}, {"push.js", f94, sizeof f94},
    {"region.mustache", f95, sizeof f95}, {"renew.js", f96, sizeof f96}, {"requests.mustache", f97, sizeof f97}, {"result.mustache", f98, sizeof f98}, {"results.mustache", f99, sizeof f99},
    {"ring.js", f100, sizeof f100}, {"run.mustache", f101, sizeof f101}, {"runCard.mustache", f102, sizeof f102}, {"runCheckIn.mustache", f103, sizeof f103}, {"runCourse.mustache", f104, sizeof f104},
    {"runEnrol.mustache", f105, sizeof f105}, {"runForm.mustache", f106, sizeof f106}, {"runFriends.mustache", f107, sizeof f107}, {"runHead.mustache", f108, sizeof f108}, {"runMine.mustache", f109, sizeof f109},
    {"runNearby.mustache", f110, sizeof f110}, {"runPeople.mustache", f111, sizeof f111}, {"runhome.js", f112, sizeof f112}, {"runmine.js", f113, sizeof f113}, {"runpeople.js", f114, sizeof f114},
    {"runs.css", f115, sizeof f115}, {"runs.mustache", f116, sizeof f116}, {"runsMine.mustache", f117, sizeof f117}, {"scalars.js", f118, sizeof f118}, {"second.mustache", f119, sizeof f119},
    {"security.mustache", f120, sizeof f120}, {"series.js", f121, sizeof f121}, {"service.mustache", f122, sizeof f122}, {"services.mustache", f123, sizeof f123}, {"servicesToCheck.mustache", f124, sizeof f124},
    {"sheet.mustache", f125, sizeof f125}, {"sos.js", f126, sizeof f126}, {"sosContact.mustache", f127, sizeof f127}, {"sosLost.mustache", f128, sizeof f128}, {"status.js", f129, sizeof f129},
    {"streetcoast.js", f130, sizeof f130}, {"streets.js", f131, sizeof f131}, {"streets.json", f132, sizeof f132}, {"streets.lua", f133, sizeof f133}, {"streettile.js", f134, sizeof f134},
    {"strictWays.mustache", f135, sizeof f135}, {"sw.js", f136, sizeof f136}, {"tabs.svg", f137, sizeof f137}, {"tone.js", f138, sizeof f138}, {"tools.mustache", f139, sizeof f139},
    {"tour.css", f140, sizeof f140}, {"tour.mustache", f141, sizeof f141}, {"tour.svg", f142, sizeof f142}, {"trackme.css", f143, sizeof f143}, {"tracks.js", f144, sizeof f144},
    {"tracks.mustache", f145, sizeof f145}, {"turnOn.mustache", f146, sizeof f146}, {"vectortile.js", f147, sizeof f147}, {"view.js", f148, sizeof f148}, {"waiting.mustache", f149, sizeof f149},
    {"watch.css", f150, sizeof f150}, {"watch.js", f151, sizeof f151}, {"watch.mustache", f152, sizeof f152}, {"watchline.js", f153, sizeof f153}, {"watchlist.js", f154, sizeof f154},
    {"watchmap.js", f155, sizeof f155}, {"watchmotion.js", f156, sizeof f156}, {"watchrace.js", f157, sizeof f157}, {"watchreplay.js", f158, sizeof f158}, {"ways.mustache", f159, sizeof f159},
    {"welcome.mustache", f160, sizeof f160}, {"windows.mustache", f161, sizeof f161}, {"workout.js", f162, sizeof f162}, {"workout.mustache", f163, sizeof f163}, {"workoutCompare.mustache", f164, sizeof f164},
    {"workoutDone.mustache", f165, sizeof f165}, {"workoutFriend.mustache", f166, sizeof f166}, {"workoutLive.mustache", f167, sizeof f167}, {"workoutRecord.mustache", f168, sizeof f168}, {"workoutcurves.js", f169, sizeof f169},
    {"workouts.css", f170, sizeof f170}, {"workouts.mustache", f171, sizeof f171}, {"workoutsTrends.mustache", f172, sizeof f172}, {"worktrack.js", f173, sizeof f173}, {"zones.txt", f174, sizeof f174},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
