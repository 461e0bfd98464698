// One person's live page: takes what the feed brings, decides once a quarter second what is true now, and shows that.
// A page shows what its reader may see: sections of other kinds are not there.
import { colourReader } from "./colours.js";
import { Feed } from "./feed.js";
import { Format } from "./format.js";
import { LiveMap } from "./map.js";
import { HeartPlot } from "./plot.js";
import { isTyped, mergeNewest } from "./scalars.js";
import { Series } from "./series.js";
import { View } from "./view.js";

const config = JSON.parse(document.getElementById("config").textContent);
// Without scripts a table stands where these sections are.
document.getElementById("lastValues")?.remove();
document.getElementById("board").hidden = false;
const format = new Format(document.documentElement.lang || "en", config.t ?? {});
/// At 10 samples a second a redraw for each would only cost battery.
const drawEvery = 250;
/// How long live data keep their place when other data (a replay, a drill) arrive beside them.
const liveHolds = 60_000;

const state = {
  hearts: new Series(), positions: new Series(), events: new Series(2), scalars: new Map(),
  provenance: null, connection: "connecting", ended: false, isTold: false,
  receivedHeart: null, receivedPosition: null, received: null, clock: null,
};

/// The hub's time now. The larger of two local clocks is taken: one stops while the machine sleeps, the other may be set back.
function hubNow() {
  if (!state.clock) return Date.now();
  const { utc, wall, steady } = state.clock;
  return utc + Math.max(Date.now() - wall, performance.now() - steady);
}

function setClock(utc) {
  if (Number.isFinite(utc)) state.clock = { utc, wall: Date.now(), steady: performance.now() };
}

function reset(provenance) {
  state.hearts = new Series();
  state.positions = new Series();
  state.events = new Series(2);
  state.scalars = new Map();
  state.receivedHeart = state.receivedPosition = state.received = null;
  state.provenance = provenance;
}

/// Samples of two provenances are never drawn as one: live data win while they are fresh, and nothing fresh gives way to an import, which is
/// of the past. Otherwise the newcomer takes over.
function admits(provenance) {
  if (!provenance || provenance === state.provenance) return true;
  const fresh = state.received !== null && hubNow() - state.received < liveHolds;
  if (fresh && (state.provenance === "live" || provenance === "import")) return false;
  const first = state.provenance === null;
  reset(provenance);
  if (!first) feed.catchUp();
  return true;
}

/// Merges rows and notes for each kind when the hub got its newest row. Says how many were new.
function merge(data, received) {
  const heart = state.hearts.last?.[0] ?? -Infinity;
  const position = state.positions.last?.[0] ?? -Infinity;
  const added = state.hearts.merge(data.hr) + state.positions.merge(data.pos) + state.events.merge(data.events)
    + mergeNewest(state.scalars, data.scalars);
  if ((state.hearts.last?.[0] ?? -Infinity) > heart) state.receivedHeart = received;
  if ((state.positions.last?.[0] ?? -Infinity) > position) state.receivedPosition = received;
  // What was typed does not say that a box is heard.
  if (received !== null && !isTyped(data)) state.received = Math.max(state.received ?? 0, received);
  schedule();
  return added;
}

const feed = new Feed(location.pathname.replace(/\/+$/, ""), {
  samples(data) {
    setClock(data.utc);
    if (admits(data.provenance)) merge(data, Number.isFinite(data.utc) ? data.utc : hubNow());
  },
  snapshot(data) {
    setClock(data.utc);
    state.isTold = true;
    if (!admits(data.provenance)) return 0;
    const { hr, pos, received = null } = data.last ?? {};
    // The last values first: they may be older than the period that the snapshot covers.
    return merge({ hr: hr ? [hr] : [], pos: pos ? [pos] : [] }, received) + merge(data, received);
  },
  newest() {
    const times = [state.hearts, state.positions, state.events].map((series) => series.last?.[0]).filter(Number.isFinite);
    return times.length ? Math.max(...times) : null;
  },
  state(connection) {
    state.connection = connection;
    schedule();
  },
  ended() {
    reset(null);
    state.ended = true;
    schedule();
  },
});

const colours = colourReader(() => {
  map?.paint();
  schedule();
});
const followButton = document.getElementById("follow");
const map = followButton && new LiveMap(document.getElementById("map"), config, format, colours, (following) => {
  followButton.setAttribute("aria-pressed", String(following));
});
followButton?.addEventListener("click", () => map.follow(true));
document.getElementById("whole")?.addEventListener("click", () => map.whole());
const picture = document.getElementById("plot");
const plot = picture && new HeartPlot(picture, format, colours);
const view = new View(format, colours, map, plot, () => schedule(), config.kinds ?? [], config.units);

let waiting = false;
let drawn = 0;

/// Asks for one drawing, however many samples come until then.
function schedule() {
  if (waiting) return;
  waiting = true;
  const wait = Math.max(0, drawEvery - (performance.now() - drawn));
  setTimeout(() => requestAnimationFrame(() => {
    waiting = false;
    drawn = performance.now();
    view.show(state, hubNow());
    // Behind the drawing: a place that came with it is on the map by then.
    if (state.isTold) map?.known();
  }), wait);
}

// Ages grow without any event.
setInterval(schedule, 1000);
schedule();
feed.start();
