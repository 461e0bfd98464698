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
#embed "../HubWeb/Assets/groupAsk.mustache"
}, f41[] = {
#embed "../HubWeb/Assets/groupCheck.mustache"
}, f42[] = {
#embed "../HubWeb/Assets/groupChoice.mustache"
}, f43[] = {
#embed "../HubWeb/Assets/groupDownloads.mustache"
}, f44[] = {
#embed "../HubWeb/Assets/groupFootprint.mustache"
}, f45[] = {
#embed "../HubWeb/Assets/groupResult.mustache"
}, f46[] = {
#embed "../HubWeb/Assets/grouparea.js"
}, f47[] = {
#embed "../HubWeb/Assets/groups.css"
}, f48[] = {
#embed "../HubWeb/Assets/groups.mustache"
}, f49[] = {
#embed "../HubWeb/Assets/health.css"
}, f50[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f51[] = {
#embed "../HubWeb/Assets/home.css"
}, f52[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f53[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f54[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f55[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f56[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f58[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f59[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f60[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f61[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f62[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f63[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f64[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f65[] = {
#embed "../HubWeb/Assets/it.json"
}, f66[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f67[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f68[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f70[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f71[] = {
#embed "../HubWeb/Assets/live.js"
}, f72[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f73[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f74[] = {
#embed "../HubWeb/Assets/map.js"
}, f75[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f76[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f78[] = {
#embed "../HubWeb/Assets/near.js"
}, f79[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f81[] = {
#embed "../HubWeb/Assets/offer.js"
}, f82[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f83[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f84[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f85[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f88[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f89[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f91[] = {
#embed "../HubWeb/Assets/places.js"
}, f92[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f95[] = {
#embed "../HubWeb/Assets/plot.js"
}, f96[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f97[] = {
#embed "../HubWeb/Assets/plotread.js"
}, f98[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f101[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f102[] = {
#embed "../HubWeb/Assets/push.js"
}, f103[] = {
#embed "../HubWeb/Assets/region.mustache"
}, f104[] = {
#embed "../HubWeb/Assets/renew.js"
}, f105[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f107[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f108[] = {
#embed "../HubWeb/Assets/ring.js"
}, f109[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f110[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f111[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f113[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f114[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f115[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f118[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f119[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f120[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f121[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f122[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f123[] = {
#embed "../HubWeb/Assets/runs.css"
}, f124[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f125[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f126[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f127[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f128[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f129[] = {
#embed "../HubWeb/Assets/series.js"
}, f130[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f131[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f132[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f133[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f134[] = {
#embed "../HubWeb/Assets/sos.js"
}, f135[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f136[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f137[] = {
#embed "../HubWeb/Assets/status.js"
}, f138[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f139[] = {
#embed "../HubWeb/Assets/streets.js"
}, f140[] = {
#embed "../HubWeb/Assets/streets.json"
}, f141[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f142[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f143[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f144[] = {
#embed "../HubWeb/Assets/sw.js"
}, f145[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f146[] = {
#embed "../HubWeb/Assets/tone.js"
}, f147[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f148[] = {
#embed "../HubWeb/Assets/tour.css"
}, f149[] = {
#embed "../HubWeb/Assets/tour.mustache"
}, f150[] = {
#embed "../HubWeb/Assets/tour.svg"
}, f151[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f152[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f153[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f154[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f155[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f156[] = {
#embed "../HubWeb/Assets/view.js"
}, f157[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f158[] = {
#embed "../HubWeb/Assets/watch.css"
}, f159[] = {
#embed "../HubWeb/Assets/watch.js"
}, f160[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f161[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f162[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f163[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f164[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f165[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f166[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f167[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f168[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f169[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f170[] = {
#embed "../HubWeb/Assets/workout.js"
}, f171[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f172[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f173[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f174[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f175[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f176[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f177[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f178[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f179[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f180[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f181[] = {
#embed "../HubWeb/Assets/worktrack.js"
}, f182[] = {
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
    {"groupAsk.mustache", f40, sizeof f40}, {"groupCheck.mustache", f41, sizeof f41}, {"groupChoice.mustache", f42, sizeof f42}, {"groupDownloads.mustache", f43, sizeof f43}, {"groupFootprint.mustache", f44, sizeof f44},
    {"groupResult.mustache", f45, sizeof f45}, {"grouparea.js", f46, sizeof f46}, {"groups.css", f47, sizeof f47}, {"groups.mustache", f48, sizeof f48}, {"health.css", f49, sizeof f49},
    {"health.mustache", f50, sizeof f50}, {"home.css", f51, sizeof f51}, {"home.mustache", f52, sizeof f52}, {"homeCard.mustache", f53, sizeof f53}, {"homePin.mustache", f54, sizeof f54},
    {"homepin.js", f55, sizeof f55}, {"hook.mustache", f56, sizeof f56}, {"hooks.mustache", f57, sizeof f57}, {"hospital.mustache", f58, sizeof f58}, {"hospitals.mustache", f59, sizeof f59},
    {"icon-192.png", f60, sizeof f60}, {"icon-512.png", f61, sizeof f61}, {"icon.svg", f62, sizeof f62}, {"import.mustache", f63, sizeof f63}, {"importResult.mustache", f64, sizeof f64},
    {"it.json", f65, sizeof f65}, {"keyhelp.mustache", f66, sizeof f66}, {"keys.mustache", f67, sizeof f67}, {"layout.mustache", f68, sizeof f68}, {"ledger.mustache", f69, sizeof f69},
    {"link.mustache", f70, sizeof f70}, {"live.js", f71, sizeof f71}, {"live.mustache", f72, sizeof f72}, {"manifest.webmanifest", f73, sizeof f73}, {"map.js", f74, sizeof f74},
    {"mapsearch.js", f75, sizeof f75}, {"menu.mustache", f76, sizeof f76}, {"mydata.mustache", f77, sizeof f77}, {"near.js", f78, sizeof f78}, {"notice.mustache", f79, sizeof f79},
    {"notices.mustache", f80, sizeof f80}, {"offer.js", f81, sizeof f81}, {"oneTime.mustache", f82, sizeof f82}, {"ownplace.js", f83, sizeof f83}, {"passkey.js", f84, sizeof f84},
    {"passkeyButton.mustache", f85, sizeof f85}, {"passkeys.mustache", f86, sizeof f86}, {"people.mustache", f87, sizeof f87}, {"person.mustache", f88, sizeof f88}, {"phone.mustache", f89, sizeof f89},
    {"phoneCode.mustache", f90, sizeof f90}, {"places.js", f91, sizeof f91}, {"places.mustache", f92, sizeof f92}, {"placesHead.mustache", f93, sizeof f93}, {"placesMap.mustache", f94, sizeof f94},
    {"plot.js", f95, sizeof f95}, {"plot.mustache", f96, sizeof f96}, {"plotread.js", f97, sizeof f97}, {"policy.mustache", f98, sizeof f98}, {"problem.mustache", f99, sizeof f99},
    {"protection.mustache", f100, sizeof f100}, {"publish.mustache", f101, sizeof f101}, {"push.js", f102, sizeof f102}, {"region.mustache", f103, sizeof f103}, {"renew.js", f104, sizeof f104},
    {"requests.mustache", f105, sizeof f105}, {"result.mustache", f106, sizeof f106}, {"results.mustache", f107, sizeof f107}, {"ring.js", f108, sizeof f108}, {"run.mustache", f109, sizeof f109},
    {"runCard.mustache", f110, sizeof f110}, {"runCheckIn.mustache", f111, sizeof f111}, {"runCourse.mustache", f112, sizeof f112}, {"runEnrol.mustache", f113, sizeof f113}, {"runForm.mustache", f114, sizeof f114},
    {"runFriends.mustache", f115, sizeof f115}, {"runHead.mustache", f116, sizeof f116}, {"runMine.mustache", f117, sizeof f117}, {"runNearby.mustache", f118, sizeof f118}, {"runPeople.mustache", f119, sizeof f119},
    {"runhome.js", f120, sizeof f120}, {"runmine.js", f121, sizeof f121}, {"runpeople.js", f122, sizeof f122}, {"runs.css", f123, sizeof f123}, {"runs.mustache", f124, sizeof f124},
    {"runsMine.mustache", f125, sizeof f125}, {"scalars.js", f126, sizeof f126}, {"second.mustache", f127, sizeof f127}, {"security.mustache", f128, sizeof f128}, {"series.js", f129, sizeof f129},
    {"service.mustache", f130, sizeof f130}, {"services.mustache", f131, sizeof f131}, {"servicesToCheck.mustache", f132, sizeof f132}, {"sheet.mustache", f133, sizeof f133}, {"sos.js", f134, sizeof f134},
    {"sosContact.mustache", f135, sizeof f135}, {"sosLost.mustache", f136, sizeof f136}, {"status.js", f137, sizeof f137}, {"streetcoast.js", f138, sizeof f138}, {"streets.js", f139, sizeof f139},
    {"streets.json", f140, sizeof f140}, {"streets.lua", f141, sizeof f141}, {"streettile.js", f142, sizeof f142}, {"strictWays.mustache", f143, sizeof f143}, {"sw.js", f144, sizeof f144},
    {"tabs.svg", f145, sizeof f145}, {"tone.js", f146, sizeof f146}, {"tools.mustache", f147, sizeof f147}, {"tour.css", f148, sizeof f148}, {"tour.mustache", f149, sizeof f149},
    {"tour.svg", f150, sizeof f150}, {"trackme.css", f151, sizeof f151}, {"tracks.js", f152, sizeof f152}, {"tracks.mustache", f153, sizeof f153}, {"turnOn.mustache", f154, sizeof f154},
    {"vectortile.js", f155, sizeof f155}, {"view.js", f156, sizeof f156}, {"waiting.mustache", f157, sizeof f157}, {"watch.css", f158, sizeof f158}, {"watch.js", f159, sizeof f159},
    {"watch.mustache", f160, sizeof f160}, {"watchline.js", f161, sizeof f161}, {"watchlist.js", f162, sizeof f162}, {"watchmap.js", f163, sizeof f163}, {"watchmotion.js", f164, sizeof f164},
    {"watchrace.js", f165, sizeof f165}, {"watchreplay.js", f166, sizeof f166}, {"ways.mustache", f167, sizeof f167}, {"welcome.mustache", f168, sizeof f168}, {"windows.mustache", f169, sizeof f169},
    {"workout.js", f170, sizeof f170}, {"workout.mustache", f171, sizeof f171}, {"workoutCompare.mustache", f172, sizeof f172}, {"workoutDone.mustache", f173, sizeof f173}, {"workoutFriend.mustache", f174, sizeof f174},
    {"workoutLive.mustache", f175, sizeof f175}, {"workoutRecord.mustache", f176, sizeof f176}, {"workoutcurves.js", f177, sizeof f177}, {"workouts.css", f178, sizeof f178}, {"workouts.mustache", f179, sizeof f179},
    {"workoutsTrends.mustache", f180, sizeof f180}, {"worktrack.js", f181, sizeof f181}, {"zones.txt", f182, sizeof f182},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
