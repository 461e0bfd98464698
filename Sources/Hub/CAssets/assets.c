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
#embed "../HubWeb/Assets/groupResult.mustache"
}, f45[] = {
#embed "../HubWeb/Assets/grouparea.js"
}, f46[] = {
#embed "../HubWeb/Assets/groups.css"
}, f47[] = {
#embed "../HubWeb/Assets/groups.mustache"
}, f48[] = {
#embed "../HubWeb/Assets/health.css"
}, f49[] = {
#embed "../HubWeb/Assets/health.mustache"
}, f50[] = {
#embed "../HubWeb/Assets/home.css"
}, f51[] = {
#embed "../HubWeb/Assets/home.mustache"
}, f52[] = {
#embed "../HubWeb/Assets/homeCard.mustache"
}, f53[] = {
#embed "../HubWeb/Assets/homePin.mustache"
}, f54[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f55[] = {
#embed "../HubWeb/Assets/hook.mustache"
}, f56[] = {
#embed "../HubWeb/Assets/hooks.mustache"
}, f57[] = {
#embed "../HubWeb/Assets/hospital.mustache"
}, f58[] = {
#embed "../HubWeb/Assets/hospitals.mustache"
}, f59[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f60[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f61[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f62[] = {
#embed "../HubWeb/Assets/import.mustache"
}, f63[] = {
#embed "../HubWeb/Assets/importResult.mustache"
}, f64[] = {
#embed "../HubWeb/Assets/it.json"
}, f65[] = {
#embed "../HubWeb/Assets/keyhelp.mustache"
}, f66[] = {
#embed "../HubWeb/Assets/keys.mustache"
}, f67[] = {
#embed "../HubWeb/Assets/layout.mustache"
}, f68[] = {
#embed "../HubWeb/Assets/ledger.mustache"
}, f69[] = {
#embed "../HubWeb/Assets/link.mustache"
}, f70[] = {
#embed "../HubWeb/Assets/live.js"
}, f71[] = {
#embed "../HubWeb/Assets/live.mustache"
}, f72[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f73[] = {
#embed "../HubWeb/Assets/map.js"
}, f74[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f75[] = {
#embed "../HubWeb/Assets/menu.mustache"
}, f76[] = {
#embed "../HubWeb/Assets/mydata.mustache"
}, f77[] = {
#embed "../HubWeb/Assets/near.js"
}, f78[] = {
#embed "../HubWeb/Assets/notice.mustache"
}, f79[] = {
#embed "../HubWeb/Assets/notices.mustache"
}, f80[] = {
#embed "../HubWeb/Assets/offer.js"
}, f81[] = {
#embed "../HubWeb/Assets/oneTime.mustache"
}, f82[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f83[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f84[] = {
#embed "../HubWeb/Assets/passkeyButton.mustache"
}, f85[] = {
#embed "../HubWeb/Assets/passkeys.mustache"
}, f86[] = {
#embed "../HubWeb/Assets/people.mustache"
}, f87[] = {
#embed "../HubWeb/Assets/person.mustache"
}, f88[] = {
#embed "../HubWeb/Assets/phone.mustache"
}, f89[] = {
#embed "../HubWeb/Assets/phoneCode.mustache"
}, f90[] = {
#embed "../HubWeb/Assets/places.js"
}, f91[] = {
#embed "../HubWeb/Assets/places.mustache"
}, f92[] = {
#embed "../HubWeb/Assets/placesHead.mustache"
}, f93[] = {
#embed "../HubWeb/Assets/placesMap.mustache"
}, f94[] = {
#embed "../HubWeb/Assets/plot.js"
}, f95[] = {
#embed "../HubWeb/Assets/plot.mustache"
}, f96[] = {
#embed "../HubWeb/Assets/plotread.js"
}, f97[] = {
#embed "../HubWeb/Assets/policy.mustache"
}, f98[] = {
#embed "../HubWeb/Assets/problem.mustache"
}, f99[] = {
#embed "../HubWeb/Assets/protection.mustache"
}, f100[] = {
#embed "../HubWeb/Assets/publish.mustache"
}, f101[] = {
#embed "../HubWeb/Assets/push.js"
}, f102[] = {
#embed "../HubWeb/Assets/region.mustache"
}, f103[] = {
#embed "../HubWeb/Assets/renew.js"
}, f104[] = {
#embed "../HubWeb/Assets/requests.mustache"
}, f105[] = {
#embed "../HubWeb/Assets/result.mustache"
}, f106[] = {
#embed "../HubWeb/Assets/results.mustache"
}, f107[] = {
#embed "../HubWeb/Assets/ring.js"
}, f108[] = {
#embed "../HubWeb/Assets/run.mustache"
}, f109[] = {
#embed "../HubWeb/Assets/runCard.mustache"
}, f110[] = {
#embed "../HubWeb/Assets/runCheckIn.mustache"
}, f111[] = {
#embed "../HubWeb/Assets/runCourse.mustache"
}, f112[] = {
#embed "../HubWeb/Assets/runEnrol.mustache"
}, f113[] = {
#embed "../HubWeb/Assets/runForm.mustache"
}, f114[] = {
#embed "../HubWeb/Assets/runFriends.mustache"
}, f115[] = {
#embed "../HubWeb/Assets/runHead.mustache"
}, f116[] = {
#embed "../HubWeb/Assets/runMine.mustache"
}, f117[] = {
#embed "../HubWeb/Assets/runNearby.mustache"
}, f118[] = {
#embed "../HubWeb/Assets/runPeople.mustache"
}, f119[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f120[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f121[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f122[] = {
#embed "../HubWeb/Assets/runs.css"
}, f123[] = {
#embed "../HubWeb/Assets/runs.mustache"
}, f124[] = {
#embed "../HubWeb/Assets/runsMine.mustache"
}, f125[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f126[] = {
#embed "../HubWeb/Assets/second.mustache"
}, f127[] = {
#embed "../HubWeb/Assets/security.mustache"
}, f128[] = {
#embed "../HubWeb/Assets/series.js"
}, f129[] = {
#embed "../HubWeb/Assets/service.mustache"
}, f130[] = {
#embed "../HubWeb/Assets/services.mustache"
}, f131[] = {
#embed "../HubWeb/Assets/servicesToCheck.mustache"
}, f132[] = {
#embed "../HubWeb/Assets/sheet.mustache"
}, f133[] = {
#embed "../HubWeb/Assets/sos.js"
}, f134[] = {
#embed "../HubWeb/Assets/sosContact.mustache"
}, f135[] = {
#embed "../HubWeb/Assets/sosLost.mustache"
}, f136[] = {
#embed "../HubWeb/Assets/status.js"
}, f137[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f138[] = {
#embed "../HubWeb/Assets/streets.js"
}, f139[] = {
#embed "../HubWeb/Assets/streets.json"
}, f140[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f141[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f142[] = {
#embed "../HubWeb/Assets/strictWays.mustache"
}, f143[] = {
#embed "../HubWeb/Assets/sw.js"
}, f144[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f145[] = {
#embed "../HubWeb/Assets/tone.js"
}, f146[] = {
#embed "../HubWeb/Assets/tools.mustache"
}, f147[] = {
#embed "../HubWeb/Assets/tour.css"
}, f148[] = {
#embed "../HubWeb/Assets/tour.mustache"
}, f149[] = {
#embed "../HubWeb/Assets/tour.svg"
}, f150[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f151[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f152[] = {
#embed "../HubWeb/Assets/tracks.mustache"
}, f153[] = {
#embed "../HubWeb/Assets/turnOn.mustache"
}, f154[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f155[] = {
#embed "../HubWeb/Assets/view.js"
}, f156[] = {
#embed "../HubWeb/Assets/waiting.mustache"
}, f157[] = {
#embed "../HubWeb/Assets/watch.css"
}, f158[] = {
#embed "../HubWeb/Assets/watch.js"
}, f159[] = {
#embed "../HubWeb/Assets/watch.mustache"
}, f160[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f161[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f162[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f163[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f164[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f165[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f166[] = {
#embed "../HubWeb/Assets/ways.mustache"
}, f167[] = {
#embed "../HubWeb/Assets/welcome.mustache"
}, f168[] = {
#embed "../HubWeb/Assets/windows.mustache"
}, f169[] = {
#embed "../HubWeb/Assets/workout.js"
}, f170[] = {
#embed "../HubWeb/Assets/workout.mustache"
}, f171[] = {
#embed "../HubWeb/Assets/workoutCompare.mustache"
}, f172[] = {
#embed "../HubWeb/Assets/workoutDone.mustache"
}, f173[] = {
#embed "../HubWeb/Assets/workoutFriend.mustache"
}, f174[] = {
#embed "../HubWeb/Assets/workoutLive.mustache"
}, f175[] = {
#embed "../HubWeb/Assets/workoutRecord.mustache"
}, f176[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f177[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f178[] = {
#embed "../HubWeb/Assets/workouts.mustache"
}, f179[] = {
#embed "../HubWeb/Assets/workoutsTrends.mustache"
}, f180[] = {
#embed "../HubWeb/Assets/worktrack.js"
}, f181[] = {
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
    {"groupAsk.mustache", f40, sizeof f40}, {"groupCheck.mustache", f41, sizeof f41}, {"groupChoice.mustache", f42, sizeof f42}, {"groupDownloads.mustache", f43, sizeof f43}, {"groupResult.mustache", f44, sizeof f44},
    {"grouparea.js", f45, sizeof f45}, {"groups.css", f46, sizeof f46}, {"groups.mustache", f47, sizeof f47}, {"health.css", f48, sizeof f48}, {"health.mustache", f49, sizeof f49},
    {"home.css", f50, sizeof f50}, {"home.mustache", f51, sizeof f51}, {"homeCard.mustache", f52, sizeof f52}, {"homePin.mustache", f53, sizeof f53}, {"homepin.js", f54, sizeof f54},
    {"hook.mustache", f55, sizeof f55}, {"hooks.mustache", f56, sizeof f56}, {"hospital.mustache", f57, sizeof f57}, {"hospitals.mustache", f58, sizeof f58}, {"icon-192.png", f59, sizeof f59},
    {"icon-512.png", f60, sizeof f60}, {"icon.svg", f61, sizeof f61}, {"import.mustache", f62, sizeof f62}, {"importResult.mustache", f63, sizeof f63}, {"it.json", f64, sizeof f64},
    {"keyhelp.mustache", f65, sizeof f65}, {"keys.mustache", f66, sizeof f66}, {"layout.mustache", f67, sizeof f67}, {"ledger.mustache", f68, sizeof f68}, {"link.mustache", f69, sizeof f69},
    {"live.js", f70, sizeof f70}, {"live.mustache", f71, sizeof f71}, {"manifest.webmanifest", f72, sizeof f72}, {"map.js", f73, sizeof f73}, {"mapsearch.js", f74, sizeof f74},
    {"menu.mustache", f75, sizeof f75}, {"mydata.mustache", f76, sizeof f76}, {"near.js", f77, sizeof f77}, {"notice.mustache", f78, sizeof f78}, {"notices.mustache", f79, sizeof f79},
    {"offer.js", f80, sizeof f80}, {"oneTime.mustache", f81, sizeof f81}, {"ownplace.js", f82, sizeof f82}, {"passkey.js", f83, sizeof f83}, {"passkeyButton.mustache", f84, sizeof f84},
    {"passkeys.mustache", f85, sizeof f85}, {"people.mustache", f86, sizeof f86}, {"person.mustache", f87, sizeof f87}, {"phone.mustache", f88, sizeof f88}, {"phoneCode.mustache", f89, sizeof f89},
    {"places.js", f90, sizeof f90}, {"places.mustache", f91, sizeof f91}, {"placesHead.mustache", f92, sizeof f92}, {"placesMap.mustache", f93, sizeof f93}, {"plot.js", f94, sizeof f94},
    {"plot.mustache", f95, sizeof f95}, {"plotread.js", f96, sizeof f96}, {"policy.mustache", f97, sizeof f97}, {"problem.mustache", f98, sizeof f98}, {"protection.mustache", f99, sizeof f99},
    {"publish.mustache", f100, sizeof f100}, {"push.js", f101, sizeof f101}, {"region.mustache", f102, sizeof f102}, {"renew.js", f103, sizeof f103}, {"requests.mustache", f104, sizeof f104},
    {"result.mustache", f105, sizeof f105}, {"results.mustache", f106, sizeof f106}, {"ring.js", f107, sizeof f107}, {"run.mustache", f108, sizeof f108}, {"runCard.mustache", f109, sizeof f109},
    {"runCheckIn.mustache", f110, sizeof f110}, {"runCourse.mustache", f111, sizeof f111}, {"runEnrol.mustache", f112, sizeof f112}, {"runForm.mustache", f113, sizeof f113}, {"runFriends.mustache", f114, sizeof f114},
    {"runHead.mustache", f115, sizeof f115}, {"runMine.mustache", f116, sizeof f116}, {"runNearby.mustache", f117, sizeof f117}, {"runPeople.mustache", f118, sizeof f118}, {"runhome.js", f119, sizeof f119},
    {"runmine.js", f120, sizeof f120}, {"runpeople.js", f121, sizeof f121}, {"runs.css", f122, sizeof f122}, {"runs.mustache", f123, sizeof f123}, {"runsMine.mustache", f124, sizeof f124},
    {"scalars.js", f125, sizeof f125}, {"second.mustache", f126, sizeof f126}, {"security.mustache", f127, sizeof f127}, {"series.js", f128, sizeof f128}, {"service.mustache", f129, sizeof f129},
    {"services.mustache", f130, sizeof f130}, {"servicesToCheck.mustache", f131, sizeof f131}, {"sheet.mustache", f132, sizeof f132}, {"sos.js", f133, sizeof f133}, {"sosContact.mustache", f134, sizeof f134},
    {"sosLost.mustache", f135, sizeof f135}, {"status.js", f136, sizeof f136}, {"streetcoast.js", f137, sizeof f137}, {"streets.js", f138, sizeof f138}, {"streets.json", f139, sizeof f139},
    {"streets.lua", f140, sizeof f140}, {"streettile.js", f141, sizeof f141}, {"strictWays.mustache", f142, sizeof f142}, {"sw.js", f143, sizeof f143}, {"tabs.svg", f144, sizeof f144},
    {"tone.js", f145, sizeof f145}, {"tools.mustache", f146, sizeof f146}, {"tour.css", f147, sizeof f147}, {"tour.mustache", f148, sizeof f148}, {"tour.svg", f149, sizeof f149},
    {"trackme.css", f150, sizeof f150}, {"tracks.js", f151, sizeof f151}, {"tracks.mustache", f152, sizeof f152}, {"turnOn.mustache", f153, sizeof f153}, {"vectortile.js", f154, sizeof f154},
    {"view.js", f155, sizeof f155}, {"waiting.mustache", f156, sizeof f156}, {"watch.css", f157, sizeof f157}, {"watch.js", f158, sizeof f158}, {"watch.mustache", f159, sizeof f159},
    {"watchline.js", f160, sizeof f160}, {"watchlist.js", f161, sizeof f161}, {"watchmap.js", f162, sizeof f162}, {"watchmotion.js", f163, sizeof f163}, {"watchrace.js", f164, sizeof f164},
    {"watchreplay.js", f165, sizeof f165}, {"ways.mustache", f166, sizeof f166}, {"welcome.mustache", f167, sizeof f167}, {"windows.mustache", f168, sizeof f168}, {"workout.js", f169, sizeof f169},
    {"workout.mustache", f170, sizeof f170}, {"workoutCompare.mustache", f171, sizeof f171}, {"workoutDone.mustache", f172, sizeof f172}, {"workoutFriend.mustache", f173, sizeof f173}, {"workoutLive.mustache", f174, sizeof f174},
    {"workoutRecord.mustache", f175, sizeof f175}, {"workoutcurves.js", f176, sizeof f176}, {"workouts.css", f177, sizeof f177}, {"workouts.mustache", f178, sizeof f178}, {"workoutsTrends.mustache", f179, sizeof f179},
    {"worktrack.js", f180, sizeof f180}, {"zones.txt", f181, sizeof f181},
};

const size_t trackme_asset_count = sizeof assets / sizeof *assets;

const struct trackme_asset *trackme_asset_at(size_t number) { return &assets[number]; }
