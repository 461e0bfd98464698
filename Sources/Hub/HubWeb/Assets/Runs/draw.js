// Drawing a course: a click adds a point, dragging moves one, and all of it works by buttons and keys too. The line goes with the form in a
// hidden field; the hub alone says whether it can be run.
import { kilometres, pin, runTexts as texts, siteMap } from "./course.js";

const form = document.getElementById("runForm"), field = document.getElementById("drawn"), length = document.getElementById("drawLength");
const element = document.getElementById("map"), cross = document.getElementById("drawCross"), laps = document.getElementById("runLaps");
const config = JSON.parse(document.getElementById("mapConfig").textContent);
/// So many can be undone.
const undoMax = 200;
/// Points within view get a handle as long as they are no more than these: a recording has tens of thousands.
const handlesMax = 150;
const unit = 1e7, scale = (value) => Math.round(value * unit);

const read = (text) => text.split(";").filter(Boolean).map((part) => part.split(",").map(Number));
const degrees = ([lat, lon]) => [lat / unit, lon / unit];

let points = read(field.value), past = [], future = [], chosen = points.length - 1, picking = null;

document.getElementById("drawing").hidden = false;
const shown = siteMap(element, config, () => paint()), { map, format } = shown;
// Two quick clicks are two points.
map.doubleClickZoom.disable();
const casing = L.polyline([], { weight: 8, interactive: false }).addTo(map);
const line = L.polyline([], { weight: 4, bubblingMouseEvents: false }).addTo(map);
const touch = L.polyline([], { weight: 22, opacity: 0, bubblingMouseEvents: false }).addTo(map);
const handles = L.layerGroup().addTo(map);
const placeMarks = L.layerGroup().addTo(map);

function paint() {
  const shades = shown.colours();
  casing.setStyle({ color: shades.casing, opacity: 0.9 });
  line.setStyle({ color: shades.runner });
}

/// What is drawn is also what is sent.
function show() {
  const latLngs = points.map(degrees);
  casing.setLatLngs(latLngs);
  line.setLatLngs(latLngs);
  touch.setLatLngs(latLngs);
  field.value = points.map((point) => point.join(",")).join(";");
  const metres = latLngs.slice(1).reduce((sum, at, index) => sum + map.distance(latLngs[index], at), 0);
  const rounds = Math.max(1, Math.floor(Number(laps.value)) || 1);
  length.textContent = texts.length.replace("{n}", format.number(points.length)).replace("{km}", kilometres(metres, format))
    + (rounds > 1 ? ` ${texts.laps.replace("{n}", format.number(rounds)).replace("{km}", kilometres(metres * rounds, format))}` : "")
    + (chosen >= 0 && points.length ? ` ${texts.chosen.replace("{n}", format.number(chosen + 1))}` : "");
  showHandles();
  buttons();
}

function showHandles() {
  handles.clearLayers();
  const bounds = map.getBounds().pad(0.1);
  const near = points.map((point, index) => index).filter((index) => bounds.contains(degrees(points[index])));
  const wanted = near.length <= handlesMax ? near : [0, points.length - 1, chosen].filter((index, at, all) => near.includes(index) && all.indexOf(index) === at);
  for (const index of wanted) handles.addLayer(handle(index));
}

function handle(index) {
  const dot = document.createElement("div");
  dot.className = "handle";
  dot.dataset.at = index === chosen ? "chosen" : index === 0 ? "start" : index === points.length - 1 ? "end" : "";
  dot.dataset.point = String(index);
  const icon = L.divIcon({ className: "handlebox", html: dot, iconSize: [32, 32], iconAnchor: [16, 16] });
  const marker = L.marker(degrees(points[index]), { icon, draggable: true, keyboard: false, bubblingMouseEvents: false });
  marker.on("click", () => (picking === null ? choose(index) : pick(L.latLng(degrees(points[index])))));
  marker.on("dragstart", () => { chosen = index; });
  marker.on("drag", ({ latlng }) => {
    const moved = points.map(degrees);
    moved[index] = [latlng.lat, latlng.lng];
    line.setLatLngs(moved);
  });
  marker.on("dragend", () => {
    const { lat, lng } = marker.getLatLng().wrap();
    change((all) => { all[index] = [scale(lat), scale(lng)]; }, index);
  });
  return marker;
}

function choose(index) {
  chosen = Math.min(Math.max(index, 0), points.length - 1);
  if (points.length && !map.getBounds().contains(degrees(points[chosen]))) map.panTo(degrees(points[chosen]), { animate: false });
  show();
}

/// Everything that changes the line goes through here, so that all of it can be undone.
function change(work, next) {
  past.push({ points: points.map((point) => [...point]), chosen });
  if (past.length > undoMax) past.shift();
  future = [];
  work(points);
  chosen = Math.min(next ?? points.length - 1, points.length - 1);
  show();
}

function step(from, to) {
  if (!from.length) return;
  to.push({ points, chosen });
  ({ points, chosen } = from.pop());
  show();
}

/// Behind the chosen point: drawing goes on at the end, and in the middle where a point is chosen there.
function add(latlng) {
  const { lat, lng } = latlng.wrap(), at = points.length ? chosen + 1 : 0;
  change((all) => { all.splice(at, 0, [scale(lat), scale(lng)]); }, at);
}

const work = {
  undo: () => step(past, future),
  redo: () => step(future, past),
  add: () => add(map.getCenter()),
  previous: () => choose(chosen - 1),
  next: () => choose(chosen + 1),
  move: () => { const { lat, lng } = map.getCenter().wrap(); change((all) => { all[chosen] = [scale(lat), scale(lng)]; }, chosen); },
  remove: () => change((all) => { all.splice(chosen, 1); }, Math.max(0, chosen - 1)),
  close: () => change((all) => { all.push([...all[0]]); }),
  back: () => change((all) => { all.push(...all.slice(0, -1).reverse().map((point) => [...point])); }),
  clear: () => change((all) => { all.length = 0; }),
  here: () => navigator.geolocation?.getCurrentPosition(
    ({ coords }) => map.setView([coords.latitude, coords.longitude], 15, { animate: false }), () => { length.textContent = texts.noPlace; }, { timeout: 15_000 }),
};

function buttons() {
  const few = points.length === 0, can = {
    undo: past.length, redo: future.length, add: true, previous: chosen > 0, next: chosen < points.length - 1, move: !few, remove: !few,
    close: points.length > 2 && String(points[0]) !== String(points.at(-1)), back: points.length > 1, clear: !few, here: Boolean(navigator.geolocation),
  };
  for (const button of document.querySelectorAll("[data-draw]")) button.disabled = !can[button.dataset.draw];
}

for (const button of document.querySelectorAll("[data-draw]")) button.addEventListener("click", () => work[button.dataset.draw]());

map.on("click", ({ latlng }) => {
  if (picking !== null) return pick(latlng);
  add(latlng);
});
/// A click on the line puts a point between its neighbours.
for (const part of [line, touch]) part.on("click", ({ latlng }) => {
  if (picking !== null) return pick(latlng);
  const here = map.latLngToLayerPoint(latlng), at = points.map((point) => map.latLngToLayerPoint(degrees(point)));
  let best = Infinity, index = at.length - 1;
  for (let n = 1; n < at.length; n++) {
    const away = L.LineUtil.pointToSegmentDistance(here, at[n - 1], at[n]);
    if (away < best) [best, index] = [away, n];
  }
  const { lat, lng } = latlng.wrap();
  change((all) => { all.splice(index, 0, [scale(lat), scale(lng)]); }, index);
});
map.on("moveend zoomend", showHandles);

element.addEventListener("keydown", (event) => {
  const key = event.ctrlKey || event.metaKey ? `ctrl ${event.key.toLowerCase()}` : event.key;
  const name = { Enter: "add", Delete: "remove", Backspace: "remove", "ctrl z": "undo", "ctrl y": "redo" }[key];
  if (!name) return;
  event.preventDefault();
  const button = document.querySelector(`[data-draw="${name}"]`);
  if (!button.disabled) work[name]();
});
element.addEventListener("focus", () => { cross.hidden = false; });
element.addEventListener("blur", () => { cross.hidden = true; });
laps.addEventListener("input", show);

// MARK: places

function pick(latlng) {
  const { lat, lng } = latlng.wrap(), where = document.getElementById(`placeWhere${picking}`);
  where.value = `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
  picking = null;
  for (const button of document.querySelectorAll("[data-pick]")) button.setAttribute("aria-pressed", "false");
  showPlaces();
  show();
  where.focus();
}

function showPlaces() {
  placeMarks.clearLayers();
  for (const row of document.querySelectorAll(".placerow")) {
    const number = row.dataset.row, where = document.getElementById(`placeWhere${number}`).value.match(/^\s*(-?[\d.]+)[\s,;]+(-?[\d.]+)\s*$/);
    if (where) placeMarks.addLayer(pin(map, [Number(where[1]), Number(where[2])], "place", document.getElementById(`placeName${number}`).value, true));
  }
}

for (const button of document.querySelectorAll("[data-pick]")) {
  button.hidden = false;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    picking = button.getAttribute("aria-pressed") === "true" ? null : button.dataset.pick;
    for (const other of document.querySelectorAll("[data-pick]")) other.setAttribute("aria-pressed", String(other.dataset.pick === picking));
    if (picking !== null) { element.scrollIntoView({ block: "center" }); length.textContent = texts.pick; }
  });
}
form.addEventListener("input", (event) => { if (/^place(Where|Name)/.test(event.target.name ?? "")) showPlaces(); });

paint();
if (points.length) map.fitBounds(L.latLngBounds(points.map(degrees)), { padding: [28, 28], animate: false });
else map.setView([44.5, 10.5], 6, { animate: false });
show();
showPlaces();
