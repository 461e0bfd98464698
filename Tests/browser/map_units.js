// Checks of the maps' pure modules, run inside the page by live_page.py: vector tiles, also damaged ones, and the sea out of coastlines.
// Calls back with [[name, passed], …].
const done = arguments[arguments.length - 1];
(async () => {
  const { readTile } = await import("/assets/vectortile.js");
  const { coastOf, joined, clipped } = await import("/assets/streetcoast.js");
  const { StreetTile } = await import("/assets/streettile.js");
  const { Streets } = await import("/assets/streets.js");
  const results = [];
  const check = (name, passed) => results.push([name, Boolean(passed)]);

  // Protocol Buffers by hand: a road with two words, and a house.
  const number = (value) => (value < 128 ? [value] : [(value % 128) + 128, ...number(Math.floor(value / 128))]);
  const part = (field, bytes) => [...number(field * 8 + 2), ...number(bytes.length), ...bytes];
  const text = (field, words) => part(field, [...new TextEncoder().encode(words)]);
  const zig = (values) => values.flatMap((value) => number(value < 0 ? -2 * value - 1 : 2 * value));
  const feature = (type, tags, geometry) => part(2, [...part(2, tags), 24, type, ...part(4, geometry)]);
  const road = feature(2, [0, 0, 1, 1], [9, ...zig([10, 20]), 18, ...zig([4000, 0, 0, -5])]);
  const house = feature(3, [], [9, ...zig([0, 0]), 26, ...zig([10, 0, 0, 10, -10, 0]), 15]);
  const layer = (name, features, words = []) => part(3, [...text(1, name), ...features, ...words, 40, ...number(4096)]);
  const words = [...text(3, "k"), ...text(3, "name"), ...part(4, text(1, "primary")), ...part(4, text(1, "Via Finta"))];
  const good = [...layer("road", road, words), ...layer("building", house)];
  const read = (bytes) => readTile(new Uint8Array(bytes).buffer);
  const tile = read(good);
  check("a tile is read: layers, words, lines and rings", tile.road.features[0].tags.name === "Via Finta" && tile.road.extent === 4096
    && tile.road.features[0].lines.join() === "10,20,4010,20,4010,15" && tile.building.features[0].lines.join() === "0,0,10,0,10,10,0,10");
  check("an empty tile has no layers", Object.keys(read([])).length === 0);

  let state = 0x5eed, readOnes = 0, refused = 0, others = 0;
  const random = (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * bound);
  };
  const begun = performance.now();
  for (let n = 0; n < 5000; n++) {
    const bytes = [...good];
    for (let count = random(5); count >= 0; count--) bytes[random(bytes.length)] = random(256);
    try {
      read(n % 3 ? bytes : bytes.slice(0, random(bytes.length)));
      readOnes++;
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) refused++; else others++;
    }
  }
  check("5,000 damaged tiles are read or refused, and soon", readOnes > 100 && refused > 100 && others === 0 && performance.now() - begun < 20_000);

  const box = { left: 0, top: 0, right: 100, bottom: 100 }, pen = document.createElement("canvas").getContext("2d");
  const wet = (coast, x, y) => pen.isPointInPath(coast.sea, x, y, "evenodd");
  const across = coastOf([[-10, 50, 50, 50], [50, 50, 110, 50]], box);
  check("south of a coast to the east there is sea", wet(across, 50, 90) && !wet(across, 50, 10) && across.corners.join() === "false,false,true,true");
  const back = coastOf([[110, 50, -10, 50]], box);
  check("and north of one to the west", wet(back, 50, 10) && !wet(back, 50, 90) && back.corners.join() === "true,true,false,false");
  const island = coastOf([[40, 40, 40, 60, 60, 60, 60, 40, 40, 40]], box);
  check("around an island there is sea", wet(island, 10, 10) && !wet(island, 50, 50) && island.corners.join() === "true,true,true,true");
  const bay = coastOf([[-5, 30, 50, 30], [50, 30, 50, -5], [20, 60, 20, 70, 30, 70, 30, 60, 20, 60]], box);
  check("a corner of land and an island leave the rest to the sea", !wet(bay, 10, 10) && wet(bay, 80, 80) && !wet(bay, 25, 65)
    && bay.corners.join() === "false,true,true,true");
  const cut = coastOf([[5, 50, 60, 50, 95, 50]], box);
  check("a coast that ends at the edge of an extract is drawn on", wet(cut, 50, 90) && !wet(cut, 50, 10));
  check("without a coast nothing is known", coastOf([], box).sea === null && coastOf([], box).corners === null);
  check("lines are joined end to end, and cut at the edge", joined([[5, 5, 9, 9], [1, 1, 5, 5]]).join() === "1,1,5,5,9,9"
    && clipped([-50, 50, 150, 50, 150, 60, -50, 60], box).map(String).join(" ") === "0,50,100,50 100,60,0,60");

  const region = { left: 0, top: 0, right: 1, bottom: 1 };
  const { names } = new StreetTile({ z: 0, x: 0, y: 0 }, tile, region);
  check("a street has its name along its straightest stretch", names.length === 1 && names[0].name === "Via Finta" && Math.abs(names[0].angle) < 0.01);
  const facts = { version: "1", minzoom: 7, maxzoom: 14, bounds: [9, 45, 9.2, 45.1], credit: "" };
  const streets = new Streets(facts, () => {}, async () => { throw new Error("503"); });
  const view = (zoom, lon) => ({ zoom, world: 256 * 2 ** zoom, x: ((lon + 180) / 360) * 256 * 2 ** zoom, y: 0.3589 * 256 * 2 ** zoom });
  check("tiles are those of the region, a zoom below that of the map", streets.wanted(view(15, 9.05), { x: 300, y: 300 }).every(({ z }) => z === 14)
    && streets.wanted(view(15, 20), { x: 300, y: 300 }).length === 0 && streets.wanted(view(5, 9.05), { x: 300, y: 300 }).length === 0);
  await streets.ask({ z: 14, x: 1, y: 1 });
  check("a tile that did not come is asked for again", streets.tiles.size === 0);
  done(results);
})().catch((error) => done([[`map_units.js: ${error}`, false]]));
