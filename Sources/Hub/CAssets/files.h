// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
static const uint8_t f0[] = {
#embed "../HubWeb/Assets/basemap.css"
}, f1[] = {
#embed "../HubWeb/Assets/basemap.js"
}, f2[] = {
#embed "../HubWeb/Assets/boxsetup.js"
}, f3[] = {
#embed "../HubWeb/Assets/callnear.js"
}, f4[] = {
#embed "../HubWeb/Assets/care.js"
}, f5[] = {
#embed "../HubWeb/Assets/colours.js"
}, f6[] = {
#embed "../HubWeb/Assets/course.js"
}, f7[] = {
#embed "../HubWeb/Assets/draw.js"
}, f8[] = {
#embed "../HubWeb/Assets/duty.js"
}, f9[] = {
#embed "../HubWeb/Assets/duty.webmanifest"
}, f10[] = {
#embed "../HubWeb/Assets/emergency.js"
}, f11[] = {
#embed "../HubWeb/Assets/en.json"
}, f12[] = {
#embed "../HubWeb/Assets/feed.js"
}, f13[] = {
#embed "../HubWeb/Assets/format.js"
}, f14[] = {
#embed "../HubWeb/Assets/frame.css"
}, f15[] = {
#embed "../HubWeb/Assets/graticule.js"
}, f16[] = {
#embed "../HubWeb/Assets/ground.js"
}, f17[] = {
#embed "../HubWeb/Assets/groundfile.js"
}, f18[] = {
#embed "../HubWeb/Assets/groundpen.js"
}, f19[] = {
#embed "../HubWeb/Assets/grouparea.js"
}, f20[] = {
#embed "../HubWeb/Assets/groups.css"
}, f21[] = {
#embed "../HubWeb/Assets/health.css"
}, f22[] = {
#embed "../HubWeb/Assets/home.css"
}, f23[] = {
#embed "../HubWeb/Assets/homepin.js"
}, f24[] = {
#embed "../HubWeb/Assets/icon-192.png"
}, f25[] = {
#embed "../HubWeb/Assets/icon-512.png"
}, f26[] = {
#embed "../HubWeb/Assets/icon.svg"
}, f27[] = {
#embed "../HubWeb/Assets/it.json"
}, f28[] = {
#embed "../HubWeb/Assets/live.js"
}, f29[] = {
#embed "../HubWeb/Assets/manifest.webmanifest"
}, f30[] = {
#embed "../HubWeb/Assets/map.js"
}, f31[] = {
#embed "../HubWeb/Assets/mapsearch.js"
}, f32[] = {
#embed "../HubWeb/Assets/near.js"
}, f33[] = {
#embed "../HubWeb/Assets/offer.js"
}, f34[] = {
#embed "../HubWeb/Assets/ownplace.js"
}, f35[] = {
#embed "../HubWeb/Assets/passkey.js"
}, f36[] = {
#embed "../HubWeb/Assets/places.js"
}, f37[] = {
#embed "../HubWeb/Assets/plot.js"
}, f38[] = {
#embed "../HubWeb/Assets/plotread.js"
}, f39[] = {
#embed "../HubWeb/Assets/push.js"
}, f40[] = {
#embed "../HubWeb/Assets/renew.js"
}, f41[] = {
#embed "../HubWeb/Assets/ring.js"
}, f42[] = {
#embed "../HubWeb/Assets/runhome.js"
}, f43[] = {
#embed "../HubWeb/Assets/runmine.js"
}, f44[] = {
#embed "../HubWeb/Assets/runpeople.js"
}, f45[] = {
#embed "../HubWeb/Assets/runs.css"
}, f46[] = {
#embed "../HubWeb/Assets/scalars.js"
}, f47[] = {
#embed "../HubWeb/Assets/series.js"
}, f48[] = {
#embed "../HubWeb/Assets/sos.js"
}, f49[] = {
#embed "../HubWeb/Assets/status.js"
}, f50[] = {
#embed "../HubWeb/Assets/streetcoast.js"
}, f51[] = {
#embed "../HubWeb/Assets/streets.js"
}, f52[] = {
#embed "../HubWeb/Assets/streets.json"
}, f53[] = {
#embed "../HubWeb/Assets/streets.lua"
}, f54[] = {
#embed "../HubWeb/Assets/streettile.js"
}, f55[] = {
#embed "../HubWeb/Assets/sw.js"
}, f56[] = {
#embed "../HubWeb/Assets/tabs.svg"
}, f57[] = {
#embed "../HubWeb/Assets/tone.js"
}, f58[] = {
#embed "../HubWeb/Assets/tour.css"
}, f59[] = {
#embed "../HubWeb/Assets/tour.svg"
}, f60[] = {
#embed "../HubWeb/Assets/trackme.css"
}, f61[] = {
#embed "../HubWeb/Assets/tracks.js"
}, f62[] = {
#embed "../HubWeb/Assets/vectortile.js"
}, f63[] = {
#embed "../HubWeb/Assets/view.js"
}, f64[] = {
#embed "../HubWeb/Assets/watch.css"
}, f65[] = {
#embed "../HubWeb/Assets/watch.js"
}, f66[] = {
#embed "../HubWeb/Assets/watchline.js"
}, f67[] = {
#embed "../HubWeb/Assets/watchlist.js"
}, f68[] = {
#embed "../HubWeb/Assets/watchmap.js"
}, f69[] = {
#embed "../HubWeb/Assets/watchmotion.js"
}, f70[] = {
#embed "../HubWeb/Assets/watchrace.js"
}, f71[] = {
#embed "../HubWeb/Assets/watchreplay.js"
}, f72[] = {
#embed "../HubWeb/Assets/workout.js"
}, f73[] = {
#embed "../HubWeb/Assets/workoutcurves.js"
}, f74[] = {
#embed "../HubWeb/Assets/workouts.css"
}, f75[] = {
#embed "../HubWeb/Assets/worktrack.js"
}, f76[] = {
#embed "../HubWeb/Assets/zones.txt"
};
