// The ways of many workouts and days on one map. They stand in the page as a list; here they are drawn.
import { trackmeMap } from "./basemap.js";
import { Format } from "./format.js";

/// Pieces of an encoded way: polylines of 1e-5 degrees with a space between two. → [[latitude, longitude], …] for each piece.
export function decoded(text) {
  return text.split(" ").filter(Boolean).map((piece) => {
    const points = [], last = [0, 0];
    let at = 0;
    const step = () => {
      let value = 0, shift = 0, byte;
      do {
        byte = piece.charCodeAt(at++) - 63;
        value |= (byte & 31) << shift;
        shift += 5;
      } while (byte >= 32);
      return value & 1 ? ~(value >> 1) : value >> 1;
    };
    while (at < piece.length) {
      last[0] += step();
      last[1] += step();
      // By the shorter way, also over 180 degrees.
      const before = points.at(-1)?.[1] ?? last[1] / 1e5, turn = last[1] / 1e5 - before;
      points.push([last[0] / 1e5, before + turn - 360 * Math.round(turn / 360)]);
    }
    return points;
  });
}

const section = typeof document === "undefined" ? null : document.getElementById("tracksMap");
if (section && window.L) show();

function show() {
  section.hidden = false;
  const element = document.getElementById("map"), chosen = document.getElementById("trackChosen");
  const config = JSON.parse(document.getElementById("mapConfig").textContent), tracks = [];
  const { map, colours } = trackmeMap(element, config, new Format(config.lang, config.t), {
    options: { renderer: L.canvas({ tolerance: 8, padding: 0.5 }) }, onColours: () => { for (const track of tracks) track.paint(false); },
  });
  const shade = (kind) => {
    const { bands, muted } = colours();
    return { walking: bands[0], cycling: bands[2], running: bands[4], day: bands[1] }[kind] ?? muted;
  };
  const bounds = L.latLngBounds([]);
  let here = null;

  // The oldest first, so that the newest lies on top.
  for (const entry of [...document.querySelectorAll("#tracks [data-line]")].reverse()) {
    const line = L.polyline(decoded(entry.dataset.line), { lineJoin: "round", bubblingMouseEvents: false }).addTo(map);
    const paint = (isChosen) => {
      line.setStyle({ color: shade(entry.dataset.kind), weight: isChosen ? 6 : 3, opacity: isChosen ? 1 : 0.7 });
      if (isChosen) line.bringToFront();
    };
    const choose = () => {
      here?.paint(false);
      here = { paint };
      paint(true);
      chosen.replaceChildren(...[...entry.childNodes].map((node) => node.cloneNode(true)));
    };
    paint(false);
    tracks.push({ paint });
    bounds.extend(line.getBounds());
    line.on("click", choose);
    line.on("mouseover", () => paint(true));
    line.on("mouseout", () => { if (here?.paint !== paint) paint(false); });
    entry.addEventListener("focusin", choose);
  }
  if (bounds.isValid()) map.fitBounds(bounds, { padding: [24, 24], maxZoom: 15, animate: false });
}
