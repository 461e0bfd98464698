// The way of a workout on the ground. Without script, and where no map can be drawn, the hub's own drawing stands.
import { trackmeMap } from "./basemap.js";
import { Format } from "./format.js";
import { decoded } from "./tracks.js";

const ground = document.getElementById("workGround"), drawing = document.getElementById("workMap");
if (ground && window.L) show();

function show() {
  const config = JSON.parse(document.getElementById("mapConfig").textContent);
  ground.hidden = false;
  drawing?.setAttribute("hidden", "");
  const lines = [], ends = [];
  const { map, colours } = trackmeMap(document.getElementById("map"), config, new Format(config.lang, config.t), { onColours: paint });
  const pieces = JSON.parse(document.getElementById("workTrack").textContent).map(({ bin, line }) => ({ bin, points: decoded(line)[0] ?? [] }));
  const bounds = L.latLngBounds([]);
  const casing = L.polyline(pieces.map((piece) => piece.points), { interactive: false, lineJoin: "round", weight: 8 }).addTo(map);
  for (const { bin, points } of pieces) {
    const line = L.polyline(points, { interactive: false, lineJoin: "round", weight: 4.5, dashArray: bin == null ? "2 8" : null }).addTo(map);
    lines.push({ line, bin });
    bounds.extend(line.getBounds());
  }
  for (const [at, radius] of [[pieces.at(-1)?.points.at(-1), 5], [pieces[0]?.points[0], 7]]) {
    if (at) ends.push(L.circleMarker(at, { radius, weight: 3, fillOpacity: 1, interactive: false }).addTo(map));
  }
  const here = L.circleMarker([0, 0], { radius: 8, weight: 4, fillOpacity: 1, interactive: false });

  function paint() {
    const { bands, muted, casing: under, card, text, heart } = colours();
    casing.setStyle({ color: under, opacity: 0.9 });
    for (const { line, bin } of lines) line.setStyle({ color: bin > 0 ? bands[bin - 1] : muted });
    // A full dot is the end, a ring the start, as on the drawing.
    for (const [index, end] of ends.entries()) end.setStyle({ color: index ? text : card, fillColor: index ? card : text });
    here.setStyle({ color: heart, fillColor: card });
  }
  paint();
  if (bounds.isValid()) map.fitBounds(bounds, { padding: [24, 24], maxZoom: 17, animate: false });

  /// The cursor of the curves.
  document.addEventListener("workcursor", ({ detail: { at } }) => {
    if (at) here.setLatLng(at).addTo(map).bringToFront(); else here.remove();
  });
}
