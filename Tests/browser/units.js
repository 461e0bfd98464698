// Checks of the page's pure modules, run inside the page by live_page.py. Calls back with [[name, passed], …].
const done = arguments[arguments.length - 1];
(async () => {
  const { Series, reading, summary, track, distance, speedNow } = await import("/assets/series.js");
  const { heartState, placeState, ageOf } = await import("/assets/status.js");
  const { amount, isTyped, mergeNewest } = await import("/assets/scalars.js");
  const { Format } = await import("/assets/format.js");
  const { parse, nearest, isGap, between, half } = await import("/assets/plotread.js");
  const { points, runs } = await import("/assets/plot.js");
  const { rowsOf } = await import("/assets/feed.js");
  const results = [];
  const check = (name, passed) => results.push([name, Boolean(passed)]);
  const times = (series) => series.rows.map((row) => row[0]).join();

  const hearts = new Series();
  hearts.merge([[1000, 100, 2], [2000, 101, 2], [5000, 104, 2]]);
  check("late samples stand at their place", hearts.merge([[4000, 103, 2], [3000, 102, 2]]) === 2 && times(hearts) === "1000,2000,3000,4000,5000");
  check("a sample that comes twice is there once", hearts.merge([[3000, 102, 2], [5000, 104, 2]]) === 0 && hearts.rows.length === 5);
  check("any order gives the same series", (() => {
    const mixed = new Series();
    for (const row of [...hearts.rows].reverse()) mixed.merge([row]);
    return times(mixed) === times(hearts);
  })());
  check("damaged rows are refused and counted", (() => {
    const damaged = new Series();
    damaged.merge([null, [], ["x", 1], [NaN, 2], [1, 2, 3]]);
    damaged.merge("nothing");
    return damaged.rows.length === 1 && damaged.refused === 4;
  })());
  check("two events of one time are two", (() => {
    const events = new Series(2);
    return events.merge([[10, 2, 0], [10, 6, 0], [10, 2, 0]]) === 2;
  })());
  check("no more than two hours are kept", (() => {
    const long = new Series();
    long.merge(Array.from({ length: 9000 }, (_, i) => [i * 1000, 100, 2]));
    return long.rows.length === 7201 && long.last[0] === 8_999_000;
  })());

  // As `LiveColumnsTests` has them from the hub.
  const steps = [1, 1e7, 1e7, 10, 100, 100, 10, 1];
  const placed = rowsOf([4, [1000, 1000, 0, 500], [454642035, 270, 0, -7], [91899820], null, [250, null, 3], [0], [35], [1]], steps);
  check("columns are rows again", JSON.stringify(placed) === JSON.stringify([
    [1000, 45.4642035, 9.189982, null, 2.5, 0, 3.5, 1], [2000, 45.4642305, 9.189982, null, null, 0, 3.5, 1],
    [3000, 45.4642305, 9.189982, null, 2.53, 0, 3.5, 1], [4500, 45.4642298, 9.189982, null, 2.53, 0, 3.5, 1]]));
  check("no columns are no rows", rowsOf([], [1]).length === 0);

  const beats = [[1000, 60, 2], [1500, 70, 2], [2000, 80, 2], [9000, 90, 2], [9500, 0, 1]], seconds = points(beats, 0, 1000);
  check("a point of the live plot has lowest, highest and mean", seconds.length === 3 && seconds[0].low === 60 && seconds[0].high === 70
    && seconds[0].sum / seconds[0].count === 65 && points(beats, 2, 1000).length === 2 && points([], 0, 1000).length === 0);
  check("over a gap there is no line", runs(seconds, 1000).map((run) => run.length).join() === "2,1" && runs([], 1000).length === 0);

  const plotted = parse("100,150,20 150,200,30 400,450,40"), day = { from: 0, to: 9e6, left: 100 };
  check("the nearest point is read, and a gap is one", nearest(plotted, 160) === 1 && nearest(plotted, 1000) === 2 && nearest([], 3) === -1
    && isGap(plotted[2], 300, 8) && !isGap(plotted[1], 160, 8) && isGap(undefined, 3, 8) && parse("").length === 0);
  const drawn = between(700, 300, day);
  check("a drawn part is of the same instants in either direction", drawn.begin === 2e6 && drawn.end === 6e6
    && between(0, 2000, day).begin === 0 && between(0, 2000, day).end === 9e6 && between(3, 3, day) === null);
  check("what is ten minutes is looked at no closer", between(100, 500, { from: 0, to: 6e5, left: 100 }) === null);
  check("half of the plot lies within it", half(100, 100).join() === "100,550" && half(1000, 100).join() === "550,1000");

  const newest = new Map();
  check("of each kind the newest value is kept", mergeNewest(newest, [[10, 21, 7000], [20, 21, 7250], [5, 22, 1755]]) === 3
    && newest.get(21)[2] === 7250 && mergeNewest(newest, [[15, 21, 7100], [20, 21, 7250], null, ["x", 21, 1], [30, 21]]) === 0);
  const plain = { number: (value, digits) => value.toFixed(digits) };
  check("values have their decimals, unit and second value", amount([1, 21, 7250], { codes: [], secondCodes: [], decimals: 2, unit: "kg" }, plain) === "72.50 kg"
    && amount([1, 29, 121, 79], { codes: [], secondCodes: [], decimals: 0, unit: "mmHg" }, plain) === "121 / 79 mmHg");
  check("values are in the reader's unit", amount([1, 18, 3700], { codes: [], secondCodes: [], decimals: 2, unit: "°F", factor: 1.8, zero: 32, shown: 1 }, plain) === "98.6 °F");
  check("codes have names, and unknown ones their number", amount([1, 30, 1, 0], { codes: ["a", "b"], secondCodes: ["out"], decimals: 0, unit: "" }, plain) === "b, out"
    && amount([1, 30, 9, null], { codes: ["a"], secondCodes: [], decimals: 0, unit: "" }, plain) === "9");
  check("what was typed is told from what a box sent", isTyped({ hr: [], scalars: [[1, 21, 7000, null, null, 1]] })
    && !isTyped({ hr: [[1, 70, 2]], scalars: [[1, 21, 7000, null, null, 1]] }) && !isTyped({ hr: [], scalars: [] }) && !isTyped({ scalars: [[1, 18, 800, null, null, 0]] }));

  check("0 bpm is no heart rate", reading([0, 0, 2]) === null && reading([0, 0, 0]) === null);
  check("without contact there is no heart rate", reading([0, 71, 1]) === null && reading([0, 71, 0]) === 71);
  const some = summary([[0, 0, 1], [1, 60, 2], [2, 90, 2]]);
  check("a summary counts readings only", some.min === 60 && some.max === 90 && some.mean === 75 && summary([[0, 0, 1]]) === null);

  const way = [0, 1, 2, 20, 21].map((second) => [second * 1000, 45 + second / 10_000, 9, null, 3, 0, 4]);
  const pieces = track(way, []);
  check("the track is cut where positions are missing", pieces.holes.length === 1 && pieces.lines.get(-1).length === 2);
  check("21 ten-thousandths of a degree are 233.5 m", Math.abs(distance(way) - 233.5) < 0.2);
  check("standing still adds no distance", distance(way.map((row, i) => [row[0], 45 + (i % 2) * 1e-5, 9])) === 0);
  check("speed is that of the last seconds", speedNow(way) === 3 && speedNow([]) === null);

  const live = (now, received = now) => ({ live: true, now, received, newest: 0 });
  const replay = (now, received, newest) => ({ live: false, now, received, newest });
  const row = [100_000, 140, 2];
  check("a fresh reading is current", heartState(row, [], live(105_000)).state === "current");
  check("after 10 s without data it is not", heartState(row, [], live(110_001)).state === "stale" && heartState(row, [], live(110_001)).bpm === 140);
  check("an old sample that just came is not current", heartState(row, [], live(700_000)).state === "stale");
  check("a sample from the future grows old too", heartState([900_000, 140, 2], [], live(500_000, 480_000)).state === "stale");
  check("recorded samples age by their receipt", ageOf(row, replay(9e11, 9e11 - 3000, 100_000)).age === 3000 && !ageOf(row, replay(9e11, 9e11 - 3000, 100_000)).stale);
  check("a recording that went on without it makes it stale", heartState(row, [], replay(9e11, 9e11, 130_000)).state === "stale");
  check("an unknown time of receipt is not current", heartState(row, [], replay(9e11, null, 100_000)).state === "stale");
  check("without contact: not worn, no number", (() => {
    const found = heartState([100_000, 0, 1], [], live(101_000));
    return found.state === "notWorn" && found.bpm === null;
  })());
  check("a lost sensor is told at once", heartState(row, [[100_500, 2, 0]], live(101_000)).state === "lost");
  check("and is over with the next reading", heartState([101_000, 140, 2], [[100_500, 2, 0]], live(101_500)).state === "current");
  check("a position that no satellite gave says so, however old",
    placeState([100_000, 45, 9, null, null, null, 50, 2], [], live(101_000)).state === "network"
      && placeState([100_000, 45, 9, null, null, null, 20, 1], [], live(4_000_000)).state === "fixed");
  check("a lost position is told", placeState([100_000, 45, 9], [[100_000, 6, 4000]], live(101_000)).state === "lost");
  check("a pause is a state of its own", heartState(row, [[100_500, 7, 0]], live(200_000)).state === "paused");
  check("nothing yet is said", heartState(null, [], live(0)).state === "none");

  const format = new Format("en", { ageSeconds: "{n} s", ageMinutes: "{n} min" });
  check("ages and paces are readable", format.age(59_999) === "59 s" && format.age(60_000) === "1 min" && format.pace(1000 / 299.6) === "5:00");
  done(results);
})().catch((error) => done([[`units.js: ${error}`, false]]));
