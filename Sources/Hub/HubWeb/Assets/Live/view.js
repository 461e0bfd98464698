// Puts the state into the page's elements.
import { amount } from "./scalars.js";
import { bands, distance, speedNow, summary } from "./series.js";
import { code, heartState, lastEvent, placeState } from "./status.js";

const eventsShown = 6;
/// Below this a pace is meaningless: the person stands or strolls.
const paceSpeedMin = 0.7;
const said = [code.sensorConnected, code.sensorLost, code.fixAcquired, code.fixLost, code.paused, code.resumed];

export class View {
  constructor(format, colours, map, plot, redraw, kinds, units = { length: 1000, height: 1 }) {
    // `units`: metres of one unit of distance and of height.
    Object.assign(this, { format, colours, map, plot, kinds, units });
    this.minutes = 20;
    this.seen = {};
    this.element = (id) => document.getElementById(id);
    for (const button of document.querySelectorAll("[data-minutes]")) {
      button.addEventListener("click", () => {
        this.minutes = Number(button.dataset.minutes);
        for (const other of document.querySelectorAll("[data-minutes]")) {
          other.setAttribute("aria-pressed", String(other === button));
        }
        redraw();
      });
    }
    if (map) this.legend();
  }

  /// Sets a text only when it changed: screen readers speak what is set, and layout costs.
  set(id, text) {
    const element = this.element(id);
    if (element.textContent !== text) element.textContent = text;
  }

  show(state, now) {
    const newest = Math.max(state.hearts.last?.[0] ?? 0, state.positions.last?.[0] ?? 0);
    const facts = { live: state.provenance === "live", now, newest };
    const events = state.events.rows;
    const heart = heartState(state.hearts.last, events, { ...facts, received: state.receivedHeart });
    const place = placeState(state.positions.last, events, { ...facts, received: state.receivedPosition });
    this.showTop(state, heart, place, now);
    if (this.plot) {
      this.showHeart(state, heart, now);
      this.showPlot(state, heart, now);
    }
    if (this.map) this.showPlace(state, place, now);
    if (this.element("values")) this.showValues(state.scalars, now);
    if (this.element("events")) this.showEvents(events, now);
    document.body.dataset.ended = String(state.ended);
  }

  showTop(state, heart, place, now) {
    // A phone that gives no satellite's position is heard all the same.
    const isHeard = place.state === "network" && !place.stale;
    const current = isHeard || [heart.state, place.state].some((one) => one === "current" || one === "notWorn" || one === "noReading");
    const empty = !state.hearts.last && !state.positions.last;
    const recorded = state.provenance !== null && state.provenance !== "live";
    const badge = this.element("provenance");
    badge.hidden = !recorded;
    badge.dataset.level = "warn";
    if (recorded) this.set("provenance", this.format.text(state.provenance));
    const newest = Math.max(state.hearts.last?.[0] ?? 0, state.positions.last?.[0] ?? 0);
    this.set("recorded", recorded && newest ? this.format.text("recordedAt", { time: this.format.dayAndTime(newest) }) : "");

    let [level, key] = ["good", recorded ? "connected" : "live"];
    if (state.ended) [level, key] = ["bad", "accessEnded"];
    else if (state.connection === "lost") [level, key] = ["bad", "hubLostShort"];
    else if (state.connection === "connecting") [level, key] = ["plain", "connecting"];
    else if (empty) [level, key] = ["plain", "noDataYet"];
    else if (!current) [level, key] = ["bad", "noSignal"];
    this.element("connection").dataset.level = level;
    this.set("connection", this.format.text(key));

    const banner = this.element("banner");
    if (state.ended) this.set("banner", this.format.text("accessEndedText"));
    else if (state.connection === "lost") this.set("banner", this.hubLost(state, now));
    banner.hidden = !(state.ended || state.connection === "lost");
  }

  hubLost(state, now) {
    if (state.received === null) return this.format.text("hubLostShort");
    return this.format.text("hubLost", { time: this.format.time(state.received, now) });
  }

  since(key, found, now) {
    return this.format.text(key, { time: this.format.time(found.since, now) });
  }

  age(state, found) {
    if (found.age === null || !Number.isFinite(found.age)) return "";
    const key = state.provenance === "live" ? "measuredAgo" : "receivedAgo";
    return this.format.text(key, { age: this.format.age(found.age) });
  }

  showHeart(state, heart, now) {
    const texts = {
      none: () => this.format.text("heartNone"), current: () => this.format.text("heartCurrent"),
      notWorn: () => this.format.text("heartNotWorn"), noReading: () => this.format.text("heartNoReading"),
      stale: () => this.since(heart.receipt ? "nothingReceivedSince" : "noSignalSince", heart, now),
      lost: () => this.since("sensorLost", heart, now),
      paused: () => this.since("paused", heart, now),
    };
    this.element("heart").dataset.state = heart.state;
    this.set("bpm", heart.bpm === null ? "–" : this.format.number(heart.bpm));
    this.element("bpm").dataset.empty = String(heart.bpm === null);
    this.set("heartState", texts[heart.state]());
    this.set("heartAge", this.age(state, heart));
    const battery = lastEvent(state.events.rows, code.battery);
    this.set("battery", battery ? this.format.text("battery", { percent: this.format.percent(battery[2]) }) : "");
    this.set("statCurrent", heart.state === "current" ? this.format.number(heart.bpm) : "–");
  }

  showPlace(state, place, now) {
    const texts = {
      none: () => this.format.text("noPositionYet"), current: () => this.format.text("placeCurrent"),
      stale: () => this.since(place.receipt ? "nothingReceivedSince" : "noSignalSince", place, now),
      lost: () => this.since("positionLost", place, now),
      fixed: () => this.format.text("placeFixed"),
      network: () => this.format.text("placeNetwork"),
      paused: () => this.since("paused", place, now),
    };
    const rows = state.positions.rows;
    const last = state.positions.last;
    this.element("place").dataset.state = place.state;
    this.set("placeState", texts[place.state]());
    this.set("placeAge", this.age(state, place));
    this.element("mapEmpty").hidden = last !== null;
    this.element("legend").hidden = last === null || !state.hearts.rows.length;
    for (const id of ["follow", "whole"]) this.element(id).disabled = last === null;
    const mark = `${rows.length} ${last?.[0]} ${rows[0]?.[0]} ${state.hearts.rows.length}`;
    if (mark === this.seen.track) return this.showMoving(place);
    this.seen.track = mark;
    this.map.show(rows, state.hearts.rows);
    this.set("coordinates", last ? this.coordinates(last) : "");
    this.set("distance", last ? this.format.number(distance(rows) / this.units.length, 2) : "–");
    this.set("altitude", Number.isFinite(last?.[3] ?? NaN) ? this.format.number(last[3] / this.units.height) : "–");
    this.seen.speed = speedNow(rows);
    this.showMoving(place);
  }

  /// Speed and pace are of now or not at all.
  showMoving(place) {
    const speed = place.state === "current" ? this.seen.speed : null;
    this.set("speed", speed === null || speed === undefined ? "–" : this.format.number(speed * 3600 / this.units.length, 1));
    this.set("pace", speed >= paceSpeedMin ? this.format.pace(speed, this.units.length) : "–");
  }

  coordinates(row) {
    const lat = this.format.degrees(row[1], "north", "south", 5);
    const lon = this.format.degrees(row[2], "east", "west", 5);
    return row[6] > 0 ? `${lat}, ${lon} ± ${this.format.number(Math.ceil(row[6]))} m` : `${lat}, ${lon}`;
  }

  showPlot(state, heart, now) {
    const series = state.hearts;
    const live = state.provenance === "live";
    const newest = Math.max(series.last?.[0] ?? 0, state.positions.last?.[0] ?? 0);
    const to = live ? Math.max(newest, now) : newest || now;
    const start = series.rows[0]?.[0] ?? to - 300_000;
    const from = this.minutes ? Math.max(to - this.minutes * 60_000, Math.min(start, to - 60_000)) : Math.min(start, to - 60_000);
    const first = series.indexFrom(from);
    const found = summary(series.rows, first);
    const value = (number) => (found ? this.format.number(number) : "–");
    this.set("statMin", value(found?.min));
    this.set("statMean", value(found?.mean));
    this.set("statMax", value(found?.max));
    this.element("plotEmpty").hidden = found !== null;
    this.set("plotEmpty", this.format.text(series.rows.length ? "noHeartRateHere" : "heartNone"));
    const data = this.element("plot").dataset;
    [data.samples, data.positions] = [String(series.rows.length), String(state.positions.rows.length)];
    this.plot.show({ rows: series.rows, first, events: state.events.rows, from, to });
  }

  showEvents(events, now) {
    const rows = events.filter((row) => said.includes(row[1])).slice(-eventsShown).reverse();
    const mark = rows.map((row) => `${row[0]}/${row[1]}`).join();
    this.element("noEvents").hidden = rows.length > 0;
    if (mark === this.seen.events) return;
    this.seen.events = mark;
    this.element("events").replaceChildren(...rows.map((row) => {
      const item = document.createElement("li");
      const time = document.createElement("time");
      time.dateTime = new Date(row[0]).toISOString();
      time.textContent = this.format.time(row[0]);
      const what = document.createElement("span");
      what.textContent = this.format.text(`event${row[1]}`);
      item.dataset.code = String(row[1]);
      item.append(time, what);
      return item;
    }));
  }

  /// The newest value of each scalar kind, in the order of the table of kinds. Ages are left alone until they read otherwise.
  showValues(scalars, now) {
    const shown = this.kinds.filter((kind) => scalars.has(kind.kind)).map((kind) => {
      const row = scalars.get(kind.kind);
      const ago = this.format.text("measuredAgo", { age: this.format.age(now - (row[4] ?? row[0])) });
      return [kind, amount(row, kind, this.format), row[5] ? `${this.format.text("typed")}, ${ago}` : ago];
    });
    const mark = shown.map(([kind, value, ago]) => `${kind.kind} ${value} ${ago}`).join();
    this.element("values").hidden = shown.length === 0;
    if (mark === this.seen.values) return;
    this.seen.values = mark;
    this.element("valueList").replaceChildren(...shown.map(([kind, value, ago]) => {
      const item = document.createElement("div");
      item.dataset.kind = String(kind.kind);
      const add = (tag, text, className) => {
        const element = document.createElement(tag);
        element.textContent = text;
        if (className) element.className = className;
        item.append(element);
      };
      add("dt", kind.name);
      add("dd", value);
      add("dd", ago, "age");
      return item;
    }));
  }

  legend() {
    const legend = this.element("legend");
    const label = document.createElement("span");
    label.textContent = this.format.text("legend");
    legend.append(label);
    const between = bands.slice(0, -1).map((from, i) => `${from}–${bands[i + 1] - 1}`);
    const names = [`< ${bands[0]}`, ...between, `≥ ${bands[bands.length - 1]}`];
    names.forEach((name, i) => {
      const item = document.createElement("span");
      item.className = "key";
      item.dataset.band = String(i + 1);
      item.textContent = name;
      legend.append(item);
    });
    const none = document.createElement("span");
    none.className = "key";
    none.textContent = this.format.text("legendNone");
    legend.append(none);
  }
}
