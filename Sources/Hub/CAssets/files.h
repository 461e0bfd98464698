// Made by packaging/assets, from the names in Sources/Hub/HubWeb/Assets.
static const uint8_t f0[] = {
#embed "../HubWeb/Assets/Places/basemap.css"
}, f1[] = {
#embed "../HubWeb/Assets/Places/basemap.js"
}, f2[] = {
#embed "../HubWeb/Assets/OwnData/boxsetup.js"
}, f3[] = {
#embed "../HubWeb/Assets/SOS/callnear.js"
}, f4[] = {
#embed "../HubWeb/Assets/Care/care.js"
}, f5[] = {
#embed "../HubWeb/Assets/Pages/colours.js"
}, f6[] = {
#embed "../HubWeb/Assets/Runs/course.js"
}, f7[] = {
#embed "../HubWeb/Assets/Runs/draw.js"
}, f8[] = {
#embed "../HubWeb/Assets/Care/duty.js"
}, f9[] = {
#embed "../HubWeb/Assets/Care/duty.webmanifest"
}, f10[] = {
#embed "../HubWeb/Assets/SOS/emergency.js"
}, f11[] = {
#embed "../HubWeb/Assets/en.json"
}, f12[] = {
#embed "../HubWeb/Assets/Live/feed.js"
}, f13[] = {
#embed "../HubWeb/Assets/Pages/format.js"
}, f14[] = {
#embed "../HubWeb/Assets/Pages/frame.css"
}, f15[] = {
#embed "../HubWeb/Assets/Places/graticule.js"
}, f16[] = {
#embed "../HubWeb/Assets/Places/ground.js"
}, f17[] = {
#embed "../HubWeb/Assets/Places/groundfile.js"
}, f18[] = {
#embed "../HubWeb/Assets/Places/groundpen.js"
}, f19[] = {
#embed "../HubWeb/Assets/Groups/grouparea.js"
}, f20[] = {
#embed "../HubWeb/Assets/Groups/groups.css"
}, f21[] = {
#embed "../HubWeb/Assets/History/health.css"
}, f22[] = {
#embed "../HubWeb/Assets/Home/home.css"
}, f23[] = {
#embed "../HubWeb/Assets/SOS/homepin.js"
}, f24[] = {
#embed "../HubWeb/Assets/Pages/icon-192.png"
}, f25[] = {
#embed "../HubWeb/Assets/Pages/icon-512.png"
}, f26[] = {
#embed "../HubWeb/Assets/Pages/icon.svg"
}, f27[] = {
#embed "../HubWeb/Assets/it.json"
}, f28[] = {
#embed "../HubWeb/Assets/Live/live.js"
}, f29[] = {
#embed "../HubWeb/Assets/Pages/manifest.webmanifest"
}, f30[] = {
#embed "../HubWeb/Assets/Places/map.js"
}, f31[] = {
#embed "../HubWeb/Assets/Places/mapsearch.js"
}, f32[] = {
#embed "../HubWeb/Assets/Places/near.js"
}, f33[] = {
#embed "../HubWeb/Assets/SOS/offer.js"
}, f34[] = {
#embed "../HubWeb/Assets/SOS/ownplace.js"
}, f35[] = {
#embed "../HubWeb/Assets/Accounts/passkey.js"
}, f36[] = {
#embed "../HubWeb/Assets/Places/places.js"
}, f37[] = {
#embed "../HubWeb/Assets/Live/plot.js"
}, f38[] = {
#embed "../HubWeb/Assets/Live/plotread.js"
}, f39[] = {
#embed "../HubWeb/Assets/Notices/push.js"
}, f40[] = {
#embed "../HubWeb/Assets/SOS/renew.js"
}, f41[] = {
#embed "../HubWeb/Assets/SOS/ring.js"
}, f42[] = {
#embed "../HubWeb/Assets/Runs/runhome.js"
}, f43[] = {
#embed "../HubWeb/Assets/Runs/runmine.js"
}, f44[] = {
#embed "../HubWeb/Assets/Runs/runpeople.js"
}, f45[] = {
#embed "../HubWeb/Assets/Runs/runs.css"
}, f46[] = {
#embed "../HubWeb/Assets/Live/scalars.js"
}, f47[] = {
#embed "../HubWeb/Assets/Live/series.js"
}, f48[] = {
#embed "../HubWeb/Assets/SOS/sos.js"
}, f49[] = {
#embed "../HubWeb/Assets/Live/status.js"
}, f50[] = {
#embed "../HubWeb/Assets/Places/streetcoast.js"
}, f51[] = {
#embed "../HubWeb/Assets/Places/streets.js"
}, f52[] = {
#embed "../HubWeb/Assets/Places/streets.json"
}, f53[] = {
#embed "../HubWeb/Assets/Places/streets.lua"
}, f54[] = {
#embed "../HubWeb/Assets/Places/streettile.js"
}, f55[] = {
#embed "../HubWeb/Assets/Notices/sw.js"
}, f56[] = {
#embed "../HubWeb/Assets/Pages/tabs.svg"
}, f57[] = {
#embed "../HubWeb/Assets/SOS/tone.js"
}, f58[] = {
#embed "../HubWeb/Assets/Accounts/tour.css"
}, f59[] = {
#embed "../HubWeb/Assets/Accounts/tour.svg"
}, f60[] = {
#embed "../HubWeb/Assets/Pages/trackme.css"
}, f61[] = {
#embed "../HubWeb/Assets/Workouts/tracks.js"
}, f62[] = {
#embed "../HubWeb/Assets/Places/vectortile.js"
}, f63[] = {
#embed "../HubWeb/Assets/Live/view.js"
}, f64[] = {
#embed "../HubWeb/Assets/Runs/watch.css"
}, f65[] = {
#embed "../HubWeb/Assets/Runs/watch.js"
}, f66[] = {
#embed "../HubWeb/Assets/Runs/watchline.js"
}, f67[] = {
#embed "../HubWeb/Assets/Runs/watchlist.js"
}, f68[] = {
#embed "../HubWeb/Assets/Runs/watchmap.js"
}, f69[] = {
#embed "../HubWeb/Assets/Runs/watchmotion.js"
}, f70[] = {
#embed "../HubWeb/Assets/Runs/watchrace.js"
}, f71[] = {
#embed "../HubWeb/Assets/Runs/watchreplay.js"
}, f72[] = {
#embed "../HubWeb/Assets/Runs/workout.js"
}, f73[] = {
#embed "../HubWeb/Assets/Workouts/workoutcurves.js"
}, f74[] = {
#embed "../HubWeb/Assets/Workouts/workouts.css"
}, f75[] = {
#embed "../HubWeb/Assets/Workouts/worktrack.js"
}, f76[] = {
#embed "../HubWeb/Assets/Places/zones.txt"
};
