// Everybody in a run, for its organiser: who is still out there as one number and one filter, alarms first, a table and the map.
import { clock, courseMap, kilometres, pin, runTexts as texts } from "./course.js";
import { Format } from "./format.js";

const box = document.getElementById("peopleLive"), body = document.getElementById("liveRows");
const config = JSON.parse(document.getElementById("mapConfig")?.textContent ?? '{"lang":"en","t":{}}');
const format = courseMap?.format ?? new Format(config.lang, config.t);
const rowsMax = 200, marksMax = 1000, quietMax = 20_000;
/// `unread` of the rows are not read from the hub's store yet: whether they are out there is not known. `damaged` more are in no row.
let rows = [], unread = 0, damaged = 0, filter = "all", heard = 0, isOver = false;
const marks = new Map(), lines = new Map();

const put = (field, text) => { if (field.textContent !== text) field.textContent = text; };
/// Not started, or not read yet.
const isUnknown = (row) => row.unread && row.group === 3;
const isWanted = (row) => filter === "all" || (filter === "out" ? row.out || isUnknown(row) : Boolean(row.alarm));
/// Alarms, then who left the course, then who stopped, then who is out there or may be; behind them the others in their order.
const weight = (row) => (row.alarm ? 0 : row.out && row.offCourse > 0 ? 1 : row.out && row.stopped > 0 ? 2 : row.out || isUnknown(row) ? 3 : 4);

function how(row) {
  if (row.alarm) return `${texts.alarm}: ${texts[`alarm_${row.alarm}`] ?? row.alarm}`;
  const said = [isUnknown(row) ? texts.unread : texts[`group_${row.group}`] ?? row.group];
  if (row.out && row.offCourse > 0) said.push(texts.offCourse.replace("{m}", format.number(Math.round(row.offCourse))));
  if (row.out && row.stopped > 0) said.push(texts.stopped.replace("{time}", clock((Date.now() - row.stopped) / 1000)));
  if (row.battery > 0 && row.battery <= 20) said.push(texts.battery.replace("{n}", row.battery));
  return said.join(", ");
}

function line(row) {
  let known = lines.get(row.bib);
  if (!known) {
    known = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    known.append(head, ...Array.from({ length: 6 }, () => document.createElement("td")));
    lines.set(row.bib, known);
  }
  const cells = known.children, age = row.seen ? format.age(Date.now() - row.seen) : "–";
  known.className = row.alarm ? "alarmrow" : "";
  const texted = [
    row.place > 0 ? `${row.bib} (${row.place}.)` : String(row.bib), row.name ?? "", how(row), kilometres(row.metres ?? 0, format),
    row.pace > 0 ? clock(row.pace) : "–", row.hr > 0 ? String(row.hr) : "–", age,
  ];
  texted.forEach((text, index) => put(cells[index], text));
  return known;
}

function draw() {
  const wanted = rows.filter(isWanted).sort((a, b) => weight(a) - weight(b) || (a.place || 1e9) - (b.place || 1e9) || a.bib - b.bib);
  const shown = wanted.slice(0, rowsMax).map(line);
  if (shown.length !== body.children.length || shown.some((row, index) => body.children[index] !== row)) body.replaceChildren(...shown);
  put(document.getElementById("liveMore"), wanted.length > rowsMax ? texts.more.replace("{n}", format.number(wanted.length - rowsMax)) : wanted.length ? "" : texts.nobody);
  const out = format.number(rows.filter((row) => row.out).length);
  put(document.getElementById("outCount"), unread > 0 || damaged > 0 ? texts.atLeast.replace("{n}", out) : out);
  const alarms = rows.filter((row) => row.alarm).length, badge = document.getElementById("alarmCount");
  const missing = document.getElementById("liveDamaged");
  missing.hidden = !damaged;
  put(missing, damaged ? texts.damaged.replace("{n}", format.number(damaged)) : "");
  badge.hidden = !alarms;
  put(badge, texts.alarms.replace("{n}", format.number(alarms)));
  if (courseMap) map(wanted.slice(0, marksMax));
}

function map(wanted) {
  const seen = new Set();
  for (const row of wanted) {
    const at = Number.isFinite(row.lat) && Number.isFinite(row.lon) ? [row.lat, row.lon] : null;
    if (!at || (!row.out && !row.alarm)) continue;
    seen.add(row.bib);
    const kind = row.alarm ? "person" : row.offCourse > 0 ? "off" : "out", name = `${row.bib} ${row.name ?? ""}`;
    let mark = marks.get(row.bib);
    if (mark && mark.kind !== kind) { mark.marker.remove(); mark = null; }
    if (!mark) marks.set(row.bib, mark = { kind, marker: pin(courseMap.map, at, kind, name, !row.alarm) });
    mark.marker.setLatLng(at);
  }
  for (const [bib, { marker }] of marks) if (!seen.has(bib)) { marker.remove(); marks.delete(bib); }
}

function say(text, level) {
  const state = document.getElementById("liveState");
  put(state, text);
  state.dataset.level = level;
}

for (const button of box.querySelectorAll("[data-filter]")) {
  button.addEventListener("click", () => {
    filter = button.dataset.filter;
    for (const other of box.querySelectorAll("[data-filter]")) other.setAttribute("aria-pressed", String(other === button));
    draw();
  });
}
const source = new EventSource(`/runs/${box.dataset.code}/people/events`);
source.addEventListener("people", (event) => {
  ({ rows, unread = 0, damaged = 0 } = JSON.parse(event.data));
  heard = Date.now();
  if (unread > 0) say(texts.reading.replace("{n}", format.number(unread)), "warn"); else say(texts.current, "good");
  draw();
});
source.addEventListener("end", () => { isOver = true; source.close(); say(texts.over, "plain"); });
source.onerror = () => { if (!isOver) say(texts.lost, "bad"); };
setInterval(() => { if (!isOver && heard && Date.now() - heard > quietMax) say(texts.lost, "bad"); }, 5_000);
