// A run as spectators see it: the hub's events, or a finished run again, on map and list. No account, no cookie.
import { colourReader } from "./colours.js";
import { Format } from "./format.js";
import { Course, Race, counts, followMax, followed, found, fragment, freshness, ordered } from "./watchrace.js";
import { Line } from "./watchline.js";
import { RaceList } from "./watchlist.js";
import { Motion, speedOf } from "./watchmotion.js";
import { Replay } from "./watchreplay.js";

const config = JSON.parse(document.getElementById("config").textContent);
const element = (id) => document.getElementById(id);
const format = new Format(document.documentElement.lang || "en", config.t ?? {});
const base = `/runs/${config.code}`, memory = `trackme.follow.${config.code}`;
const leaflet = "/vendor/leaflet/leaflet";
/// The list is written anew once a second; smooth is only the map.
const listEvery = 1000;

const race = new Race();
let motion = new Motion(), course = null, map = null, replay = null, line = null;
let clock = null, connection = "connecting", typed = element("q").value, follows = remembered(), lastEvent = null, lastWall = 0, isDue = false;
/// The bib of whom somebody tapped on the map.
let chosen = null;

// MARK: Time

/// The hub's time now. The larger of two local clocks is taken: one stops while the machine sleeps, the other may be set back.
function hubNow() {
  if (replay) return replay.from + second() * 1000;
  if (!clock) return Date.now();
  return clock.utc + Math.max(Date.now() - clock.wall, performance.now() - clock.steady);
}

// MARK: Following

function remembered() {
  const named = followed(location.hash);
  if (named) return named;
  try {
    return followed(`#follow=${localStorage.getItem(memory) ?? ""}`) ?? [];
  } catch {
    return [];
  }
}

function keep() {
  try {
    localStorage.setItem(memory, follows.join(","));
  } catch {
    // Without a memory the address still says it.
  }
  history.replaceState(null, "", location.pathname + location.search + fragment(follows));
}

function follow(bib) {
  if (follows.includes(bib)) follows = follows.filter((other) => other !== bib);
  else if (follows.length < followMax) follows = [...follows, bib];
  else say(format.text("followMax", { n: followMax }));
  keep();
  show();
  map?.paint();
}

addEventListener("hashchange", () => {
  follows = followed(location.hash) ?? follows;
  show();
});

/// What a tap on the map shows: who it is, and how they do; a tap beside everybody, or on the same one again, takes it away.
function choose(bib) {
  chosen = bib === chosen ? null : bib;
  show();
  map?.paint();
}

element("spotClose").addEventListener("click", () => choose(null));

/// Colours of the followed: as many as there are bands, then again from the first.
const colourOf = () => new Map(follows.map((bib, index) => [bib, (index % 5) + 1]));

element("share").addEventListener("click", async () => {
  const url = location.origin + location.pathname + fragment(follows);
  try {
    if (navigator.share) await navigator.share({ title: config.name, url });
    else {
      await navigator.clipboard.writeText(url);
      say(format.text("copied"));
    }
  } catch (error) {
    if (error.name !== "AbortError") say(url);
  }
});

function say(text) {
  element("said").textContent = text;
}

// MARK: What is shown

const runners = () => (replay ? replay.now : [...race.runners.values()]);

function show() {
  isDue = false;
  const all = ordered(runners()), now = hubNow(), colours = colourOf();
  const mine = follows.map((bib) => all.find((runner) => runner.bib === bib)).filter(Boolean);
  const rest = found(all, typed);
  const tapped = all.filter((runner) => runner.bib === chosen);
  list.show(mine, rest, tapped, colours, now);
  element("spotBox").hidden = tapped.length === 0;
  element("mineCard").hidden = follows.length === 0;
  const missing = follows.filter((bib) => !mine.some((runner) => runner.bib === bib));
  element("missing").textContent = missing.length && (race.seq !== null || replay) ? format.text("missing", { bibs: missing.join(", ") }) : "";
  element("none").hidden = rest.length > 0 || (race.seq === null && !replay);
  element("none").textContent = format.text(typed.trim() ? "noneFound" : "nobody");
  const n = counts(all, now), parts = ["running", "finished", "waiting", "other"].filter((kind) => n[kind] > 0);
  const text = parts.map((kind) => format.text(`${kind}Count`, { n: format.number(n[kind]) }));
  if (n.stale) text.push(format.text("staleCount", { n: format.number(n.stale) }));
  element("counts").textContent = text.join(" · ");
  told();
}

/// How good the line is, and since when nothing came.
function told() {
  const badge = element("connection"), age = lastEvent === null ? null : performance.now() - lastEvent;
  const level = { connected: "good", connecting: "warn", paused: "warn", lost: "bad", over: "plain", replay: "plain" }[connection];
  badge.dataset.level = level;
  badge.textContent = format.text(connection);
  const isQuiet = ["lost", "connecting", "paused"].includes(connection) && age !== null && age > 3000;
  element("banner").hidden = !isQuiet && race.refused === 0;
  const text = isQuiet ? format.text("quiet", { time: format.time(lastWall) }) : race.refused ? format.text("refused") : "";
  if (element("banner").textContent !== text) element("banner").textContent = text;
  element("weight").textContent = format.text("weight", { kb: format.number(Math.round(weight() / 1000)) });
}

/// Bytes that this page took so far, as the browser counts them.
function weight() {
  const files = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return files.reduce((sum, file) => sum + (file.name.endsWith("/events") ? 0 : file.transferSize || 0), 0) + (line?.bytes ?? 0);
}

/// Everybody on the map, asked for each drawing.
function* scene() {
  const now = hubNow(), steady = performance.now(), colours = colourOf();
  for (const runner of runners()) {
    if (runner.group > 3 || (runner.group === 3 && !runner.seen)) continue;
    const metres = replay ? replay.at(runner.bib, second()) : motion.at(runner.bib, steady);
    const label = runner.name ? `${runner.name} ${runner.bib}` : format.text("bib", { bib: runner.bib });
    yield { bib: runner.bib, metres: metres ?? runner.metres, off: runner.off, state: freshness(runner, now).state, colour: colours.get(runner.bib) ?? 0, isChosen: runner.bib === chosen, label };
  }
}

/// The map is heavier than all the rest: the list does not wait for it.
function loadMap() {
  const style = document.createElement("link"), script = document.createElement("script");
  [style.rel, style.href] = ["stylesheet", `${leaflet}.css`];
  [script.src, script.async] = [`${leaflet}.min.js`, true];
  script.onload = async () => {
    const { RaceMap } = await import("./watchmap.js");
    element("mapEmpty").hidden = true;
    const colours = colourReader(() => map?.recolour());
    map = new RaceMap(element("map"), config, format, colours, { chosen: choose });
    map.setCourse(course, config.places ?? [], []);
    map.run(scene);
  };
  script.onerror = () => (element("mapEmpty").textContent = format.text("noMap"));
  // Before the own sheet, which says how its parts look here.
  document.head.prepend(style);
  document.head.append(script);
}

element("whole").addEventListener("click", () => map?.whole());
element("lookMine").addEventListener("click", () => {
  const spots = runners().filter((runner) => follows.includes(runner.bib)).map((runner) => runner.off ?? course?.at(motion.at(runner.bib, performance.now()) ?? runner.metres));
  map?.look(spots.filter(Boolean));
});
element("q").addEventListener("input", () => {
  typed = element("q").value;
  show();
});
element("search").addEventListener("submit", (event) => event.preventDefault());
const list = new RaceList([element("mine"), element("rows"), element("spot")], format, { follow, more: () => show() });

// MARK: Live

function event(name, data) {
  if (name === "snapshot") race.snapshot(data);
  else if (name === "delta") {
    if (!race.delta(data)) return false;
  } else return true;
  clock = { utc: data.t, wall: Date.now(), steady: performance.now() };
  [lastEvent, lastWall] = [clock.steady, clock.wall];
  move();
  if (!isDue) {
    isDue = true;
    setTimeout(show, name === "snapshot" ? 0 : listEvery);
  }
  return true;
}

const known = new Map();

/// Tells the motion what is new.
function move() {
  const now = performance.now();
  motion.keep(race.runners);
  for (const runner of race.runners.values()) {
    // A row that only has another pace is no new fix.
    const fix = `${runner.metres} ${runner.seen}`;
    if (known.get(runner.bib) === fix && motion.at(runner.bib, now) !== null) continue;
    known.set(runner.bib, fix);
    motion.set(runner.bib, runner.metres, freshness(runner, hubNow()).state === "fresh" ? speedOf(runner) : 0, now);
  }
}

function live() {
  line = new Line(`${base}/events`, {
    event,
    state(next) {
      if (connection === next) return;
      connection = next;
      told();
    },
    ended() {
      connection = "over";
      element("overBox").hidden = false;
      show();
    },
  });
  line.start();
  setInterval(show, listEvery);
}

// MARK: A finished run again

let played = 0, playing = null, speed = 20;

function second() {
  return playing === null ? played : Math.min(replay.seconds, played + ((performance.now() - playing) / 1000) * speed);
}

function toggle(isOn) {
  [played, playing] = [second(), null];
  if (isOn && played >= replay.seconds) played = 0;
  if (isOn) playing = performance.now();
  element("play").setAttribute("aria-pressed", String(isOn));
  element("play").textContent = format.text(isOn ? "pause" : "play");
}

function tick() {
  if (playing !== null && second() >= replay.seconds) toggle(false);
  const now = Math.floor(second()), slider = element("slider");
  if (document.activeElement !== slider || playing !== null) slider.value = now;
  const text = `${format.time(replay.from + now * 1000)}`;
  element("moment").textContent = text;
  slider.setAttribute("aria-valuetext", text);
  replay.now = replay.rows(now);
  show();
}

async function watchAgain() {
  connection = "replay";
  const answer = await fetch(`${base}/replay.json`);
  if (!answer.ok) throw new Error(`the hub answered ${answer.status}`);
  const loaded = new Replay(await answer.json(), course?.length ?? Infinity);
  if (!loaded.runners.length) throw new Error("nobody published a track");
  loaded.now = [];
  replay = loaded;
  race.refused = loaded.refused;
  element("replay").hidden = false;
  element("slider").max = replay.seconds;
  element("slider").addEventListener("input", () => {
    [played, playing] = [Number(element("slider").value), playing === null ? null : performance.now()];
    tick();
    map?.paint();
  });
  element("play").addEventListener("click", () => {
    toggle(playing === null);
    tick();
  });
  element("speed").addEventListener("change", () => {
    [played, playing] = [second(), playing === null ? null : performance.now()];
    speed = Number(element("speed").value);
  });
  // The whole race is short enough to begin with its most interesting part; a still page begins where everybody is.
  played = Math.round(replay.seconds / 2);
  toggle(false);
  tick();
  setInterval(() => playing !== null && tick(), 500);
}

async function start() {
  element("plain")?.remove();
  for (const id of ["board", "share"]) element(id).hidden = false;
  element("search").querySelector("button").hidden = true;
  keep();
  told();
  try {
    const answer = await fetch(`${base}/course.json`);
    if (!answer.ok) throw new Error(`the hub answered ${answer.status}`);
    const data = await answer.json();
    course = new Course(data.points ?? []);
    config.places = data.places ?? [];
    motion = new Motion(course.length || Infinity);
  } catch (error) {
    console.warn("no course", error);
    element("mapEmpty").textContent = format.text("noMap");
  }
  if (config.state === "finished") {
    try {
      await watchAgain();
    } catch (error) {
      console.info("no replay", error);
      connection = "over";
      element("none").textContent = format.text("noReplay");
      element("none").hidden = false;
      told();
    }
  } else if (config.state === "cancelled") {
    connection = "over";
    element("none").textContent = format.text("cancelled");
    element("none").hidden = false;
    told();
  } else live();
  if (course?.points.length > 1) loadMap();
}

start();
