// The map of a run's course: the line, where it starts and ends, its kilometres and places. Others put people on it.
import { trackmeMap } from "./basemap.js";
import { Format } from "./format.js";

const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/// The map of an element in this page's colours and language.
export function siteMap(element, config, onColours = () => {}) {
  const format = new Format(config.lang, config.t);
  return { ...trackmeMap(element, config, format, { onColours }), format };
}

/// A named mark; `kind` is the second half of its class.
export function pin(map, at, kind, name, isQuiet = false) {
  const dot = document.createElement("div");
  dot.className = `pin pin-${kind}`;
  const marker = L.marker(at, { icon: L.divIcon({ className: "pinbox", html: dot, iconSize: [24, 24], iconAnchor: [12, 12] }), keyboard: false, alt: name });
  const label = document.createElement("span");
  label.textContent = name;
  return marker.addTo(map).bindTooltip(label, { permanent: !isQuiet, direction: "top", offset: [0, -12] });
}

function start(course, config, texts) {
  const box = document.getElementById("courseBox");
  box.hidden = false;
  document.getElementById("courseSketch").remove();
  const parts = [];
  const paint = () => {
    const shades = shown.colours();
    parts[0].setStyle({ color: shades.casing });
    parts[1].setStyle({ color: shades.runner });
  };
  const shown = siteMap(document.getElementById("map"), config, () => paint());
  const { map } = shown;
  for (const weight of [8, 4]) parts.push(L.polyline(course.points, { weight, interactive: false, lineJoin: "round", opacity: 0.9 }).addTo(map));
  paint();
  for (const split of course.splits) {
    L.circleMarker(split.at, { radius: 4, weight: 2, color: "#fff", fillColor: shown.colours().runner, fillOpacity: 1 }).addTo(map).bindTooltip(String(split.text));
  }
  for (const place of course.places) pin(map, place.at, "place", place.name, true);
  const ends = [course.points[0], course.points[course.points.length - 1]];
  pin(map, ends[1], "finish", texts.finish ?? "", true);
  pin(map, ends[0], "start", texts.start ?? "", true);
  map.fitBounds(parts[1].getBounds(), { padding: [28, 28], animate: false });
  return shown;
}

const course = read("courseData"), config = read("mapConfig");
export const runTexts = read("runTexts") ?? {};
/// { map, colours, format } of the page's course; null where there is none.
export const courseMap = course && config && document.getElementById("courseBox") && window.L ? start(course, config, runTexts) : null;

export const kilometres = (metres, format) => metres < 1000 ? `${Math.round(metres)} m` : `${format.number(metres / 1000, 2)} km`;
/// Seconds as `1:02:03`.
export function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds)), two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
