// Checks of the pure modules of the spectators' page, run inside the page by watch_pages.py. Calls back with [[name, passed], …].
const done = arguments[arguments.length - 1];
(async () => {
  const { Course, Race, clock, counts, followed, found, fragment, freshness, ordered } = await import("/assets/watchrace.js");
  const { Motion, speedOf } = await import("/assets/watchmotion.js");
  const { Replay, metresAt, secondAt } = await import("/assets/watchreplay.js");
  const { Decoder, wait } = await import("/assets/watchline.js");
  const results = [];
  const check = (name, passed) => results.push([name, Boolean(passed)]);

  // Events.
  const race = new Race();
  const row = (bib, group, place, metres, ...more) => [bib, group, place, metres, 300, 0, 0, 1000, ...more];
  check("a delta without a snapshot is not taken", race.delta({ seq: 1, t: 1, m: [] }) === false);
  race.snapshot({ seq: 7, t: 1000, names: { 12: "Ada", 99: "Nobody" }, rows: [row(12, 1, 1, 500), row(3, 1, 2, 400, 4570000, 967000), ["x"], [1, 2]] });
  check("a snapshot is read, and what cannot be read is counted", race.runners.size === 2 && race.refused === 2 && race.runners.get(12).name === "Ada");
  check("off course there is a place", race.runners.get(3).off?.[0] === 45.7 && race.runners.get(12).off === null);
  check("a delta moves, and says when they were seen", race.delta({ seq: 8, t: 2000, m: [12, 3, 3, -2] }) && race.runners.get(12).metres === 503
    && race.runners.get(3).metres === 398 && race.runners.get(12).seen === 2000);
  check("who is not in a delta was not seen in it", (() => {
    const quiet = new Race();
    quiet.snapshot({ seq: 1, t: 2000, rows: [row(12, 1, 1, 500), row(3, 1, 2, 400)] });
    quiet.delta({ seq: 2, t: 30_000, m: [3, 2] });
    return freshness(quiet.runners.get(12), 30_000).state === "stale" && freshness(quiet.runners.get(3), 30_000).state === "fresh";
  })());
  check("whole rows, new names, and who is gone", race.delta({ seq: 9, t: 3000, m: [], r: [row(3, 1, 1, 600), row(4, 3, 0, 0)], n: { 4: "Bruno" }, x: [12] })
    && race.runners.get(3).off === null && race.runners.get(4).name === "Bruno" && !race.runners.has(12));
  check("a row keeps the name", race.delta({ seq: 10, t: 3000, r: [row(4, 1, 2, 9)] }) && race.runners.get(4).name === "Bruno");
  check("a missing event is noticed", race.delta({ seq: 12, t: 4000, m: [3, 5] }) === false && race.runners.get(3).metres === 600);

  // Order, search, freshness.
  const some = [row(1, 1, 2, 900), row(2, 0, 1, 1000), row(3, 3, 0, 0), row(4, 1, 0, 100), row(5, 1, 0, 200)]
    .map(([bib, group, place, metres]) => ({ bib, group, place, metres, seen: 1000, name: ["", "Zoë Märki", "", "Ada O'Hara", ""][bib - 1] }));
  check("finished, then by place, then by distance", ordered(some).map((runner) => runner.bib).join() === "2,1,5,4,3");
  check("names are found without accents, bibs by their beginning", found(some, "zoe MARKI")[0]?.bib === 2 && found(some, "4")[0]?.bib === 4
    && found([{ bib: 12, name: "" }, { bib: 1, name: "" }], "1")[0].bib === 1 && found(some, "").length === 5 && found(some, "zoe 3").length === 0);
  check("after 15 s a runner is not fresh", freshness(some[0], 16_000).state === "fresh" && freshness(some[0], 16_001).state === "stale"
    && freshness({ ...some[0], seen: 0 }, 16_000).state === "stale");
  check("who finished or waits is not stale", freshness(some[1], 9e9).state === "over" && freshness(some[2], 9e9).state === "waiting");
  check("the counts say who is not seen", (() => {
    const n = counts(some, 60_000);
    return n.running === 3 && n.stale === 3 && n.finished === 1 && n.waiting === 1;
  })());
  check("the followed stand in the fragment", followed("#follow=12,7,12,-3,x")?.join() === "12,7" && followed("#other") === null
    && fragment([12, 7]) === "#follow=12,7" && fragment([]) === "" && followed(`#follow=${Array.from({ length: 99 }, (_, i) => i + 1)}`).length === 20);
  check("times are readable", clock(65) === "1:05" && clock(3725.4) === "1:02:05" && clock(-3) === "0:00");

  // The course.
  const course = new Course([[45, 9, 0], [45, 9.1, 100], ["bad"], [45.1, 9.1, 300]]);
  check("a distance is a place", course.length === 300 && Math.abs(course.at(50)[1] - 9.05) < 1e-9 && Math.abs(course.at(200)[0] - 45.05) < 1e-9);
  check("before and behind it are its ends", course.at(-9)[1] === 9 && course.at(999)[0] === 45.1);
  check("an empty course has no place", new Course([]).at(5) === null);

  // Motion.
  const motion = new Motion(1000);
  motion.set(1, 100, 3, 0);
  check("between fixes they go on with their pace", Math.abs(motion.at(1, 1000) - 103) < 1e-9);
  check("but not for ever", motion.at(1, 60_000) === 112);
  motion.set(1, 101, 3, 1000);
  let before = motion.at(1, 1000), isSmooth = Math.abs(before - 103) < 1e-9, isForward = true;
  for (let now = 1000; now <= 5000; now += 50) {
    const here = motion.at(1, now);
    isForward &&= here >= before - 1e-9;
    isSmooth &&= here - before < 0.5;
    before = here;
  }
  check("a fix behind what was shown moves nobody back, and no step is seen", isSmooth && isForward);
  motion.set(1, 700, 3, 6000);
  check("a hole is leapt over", motion.at(1, 6000) === 700);
  motion.set(1, 650, 0, 7000);
  check("a correction backwards is shown", motion.at(1, 7000) > 700 && motion.at(1, 20_000) < 651);
  motion.set(1, 999, 5, 21_000);
  check("nobody runs beyond the finish", motion.at(1, 25_000) === 1000);
  motion.keep(new Set());
  check("who is gone is forgotten", motion.at(1, 0) === null);
  check("only who is on the way goes on", speedOf({ group: 1, pace: 250 }) === 4 && speedOf({ group: 0, pace: 250 }) === 0 && speedOf({ group: 1, pace: 0 }) === 0);

  // Replay.
  const line = [0, 0, 100, 300, 200, 600, 400, 1000];
  check("metres at a second and back", metresAt(line, 150) === 450 && metresAt(line, -1) === null && metresAt(line, 900) === 1000
    && secondAt(line, 450) === 150 && secondAt(line, 1001) === null);
  const replay = new Replay({ from: 5_000_000, to: 5_500_000, names: { 1: "Ada" }, runners: [[1, 5_000_000, line], [2, 5_000_000, [0, 0, 400, 800]], [3, 5_100_000, [100, 0, 300, 650]], [9]] }, 1000);
  const at = (second) => Object.fromEntries(replay.rows(second).map((row) => [row.bib, row]));
  check("unreadable tracks are counted", replay.refused === 1 && replay.seconds === 500);
  check("with waves, the own time at the same distance decides", at(250)[3].place === 1 && at(250)[1].place === 2 && at(250)[2].place === 3);
  check("before their gun they have not started", at(50)[3].group === 3 && at(50)[3].place === 0 && at(50)[1].place === 1);
  check("who is through has finished", at(450)[1].group === 0 && at(450)[2].group === 1 && at(450)[1].place === 1);
  check("who was not seen any more is not fresh", freshness(at(500)[2], 5_500_000).state === "stale");
  check("gaps are those at the same distance", at(200)[2].gap > 0 && at(200)[1].gap >= 0);

  // The stream.
  const decoder = new Decoder();
  check("events come in pieces, with signs of life between", (() => {
    const first = decoder.push(": 1\n\nevent: delta\nda");
    const second = decoder.push("ta: {\"a\":1}\r\n\r\n: 2\n\ndata: x\ndata: y\n\nevent: end\n");
    return first.length === 0 && second.length === 2 && second[0].event === "delta" && second[0].data === '{"a":1}' && second[1].data === "x\ny";
  })());
  check("tries come further and further apart, to half a minute", wait(0, 0.5) === 1000 && wait(2, 0.5) === 4000 && wait(50, 1) <= 37_500);
  done(results);
})().catch((error) => done([[`watch_units.js: ${error.stack}`, false]]));
