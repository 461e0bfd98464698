// A map of a few marked points: who is in distress, who comes, where help is. The points stand in the page as text; here they are drawn.
import { trackmeMap } from "./basemap.js";
import { Format } from "./format.js";

const section = document.getElementById("mapSection"), element = document.getElementById("map");
const config = JSON.parse(document.getElementById("mapConfig").textContent);
let map = null, isMoved = false;
const marks = new Map();

function start() {
  section.hidden = false;
  ({ map } = trackmeMap(element, config, new Format(config.lang, config.t)));
  for (const name of ["pointerdown", "keydown", "wheel"]) element.addEventListener(name, () => { isMoved = true; }, { passive: true });
}

function mark(point) {
  const { point: kind, lat, lon, error, name } = point.dataset, here = L.latLng(Number(lat), Number(lon)), key = `${kind} ${name}`;
  let known = marks.get(key);
  if (!known) {
    const dot = document.createElement("div");
    dot.className = `pin pin-${kind}`;
    const icon = L.divIcon({ className: "pinbox", html: dot, iconSize: [24, 24], iconAnchor: [12, 12] });
    known = { marker: L.marker(here, { icon, keyboard: false, alt: name }).addTo(map), ring: null };
    const label = document.createElement("span");
    label.textContent = name;
    known.marker.bindTooltip(label, { permanent: !point.dataset.quiet, direction: "top", offset: [0, -12] });
    marks.set(key, known);
  }
  known.marker.setLatLng(here);
  known.ring?.remove();
  known.ring = Number(error) > 0 ? L.circle(here, { radius: Number(error), weight: 1, interactive: false, className: "pinring" }).addTo(map) : null;
  return key;
}

function look() {
  const points = [...document.querySelectorAll("[data-point]")];
  if (!points.length) { section.hidden = true; return; }
  if (!map) start();
  else if (section.hidden) { section.hidden = false; map.invalidateSize(); }
  const shown = new Set(points.map(mark));
  for (const [key, { marker, ring }] of marks) if (!shown.has(key)) { marker.remove(); ring?.remove(); marks.delete(key); }
  const bounds = L.latLngBounds([...marks.values()].map(({ marker }) => marker.getLatLng()));
  // The map is the reader's from the first touch on.
  if (!isMoved) map.fitBounds(bounds, { padding: [44, 44], maxZoom: 16, animate: false });
}

document.addEventListener("looked", look);
look();
