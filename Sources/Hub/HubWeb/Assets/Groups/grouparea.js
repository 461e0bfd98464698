// Draws the area of a question about a group: a tap sets the middle of a circle, and a second one its radius, or each tap a corner of a polygon. The fields
// hold what is drawn, and can be typed as well. Places that a question became stand on the same map.
import { pin, siteMap } from "./course.js";

const section = document.getElementById("areaSection"), element = document.getElementById("map");
const [circle, radius, polygon] = ["circle", "radius", "polygon"].map((id) => document.getElementById(id));
const [drawCircle, drawPolygon, drawNothing] = ["drawCircle", "drawPolygon", "drawNothing"].map((id) => document.getElementById(id));

const point = (text) => {
  const parts = text.trim().replace(", ", " ").split(/[ ;]+/), two = parts.length === 1 ? text.trim().split(",") : parts;
  const numbers = two.map((part) => Number(part.replace(",", ".")));
  const [lat, lon] = numbers;
  return numbers.length === 2 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? L.latLng(lat, lon) : null;
};
const written = ({ lat, lng }) => `${lat.toFixed(5)}, ${lng.toFixed(5)}`;

if (window.L && circle) {
  section.hidden = false;
  let mode = null, shape = null, corners = [];
  const { map, colours } = siteMap(element, JSON.parse(document.getElementById("mapConfig").textContent));
  const points = [...document.querySelectorAll("[data-point]")].map(({ dataset }) => {
    const at = L.latLng(Number(dataset.lat), Number(dataset.lon));
    pin(map, at, dataset.point, dataset.name, true);
    return at;
  });

  const choose = (next) => {
    mode = mode === next ? null : next;
    drawCircle.setAttribute("aria-pressed", String(mode === "circle"));
    drawPolygon.setAttribute("aria-pressed", String(mode === "polygon"));
  };

  // What stands in the fields, on the map.
  function show() {
    shape?.remove();
    const middle = circle.value.trim() ? point(circle.value) : null, metres = Number(radius.value.replace(",", ".")) * 1000;
    const drawn = [];
    if (middle) drawn.push(metres > 0 ? L.circle(middle, { radius: metres }) : L.circleMarker(middle, { radius: 6 }));
    corners = polygon.value.split("\n").filter((line) => line.trim()).map(point).filter(Boolean);
    if (corners.length) drawn.push(corners.length > 2 ? L.polygon(corners) : corners.length > 1 ? L.polyline(corners) : L.circleMarker(corners[0], { radius: 6 }));
    shape = L.featureGroup(drawn);
    shape.setStyle({ color: colours().runner, weight: 2, fillOpacity: 0.15, interactive: false });
    shape.addTo(map);
  }

  map.on("click", ({ latlng }) => {
    const at = latlng.wrap(), middle = circle.value.trim() ? point(circle.value) : null;
    if (mode === "polygon") polygon.value = [...corners, at].map(written).join("\n");
    else if (mode === "circle" && middle && !radius.value.trim()) radius.value = (map.distance(middle, at) / 1000).toFixed(1);
    else if (mode === "circle") [circle.value, radius.value] = [written(at), ""];
    else return;
    show();
  });
  drawCircle.addEventListener("click", () => choose("circle"));
  drawPolygon.addEventListener("click", () => choose("polygon"));
  drawNothing.addEventListener("click", () => {
    [circle.value, radius.value, polygon.value] = ["", "", ""];
    show();
  });
  for (const field of [circle, radius, polygon]) field.addEventListener("change", show);
  show();
  const bounds = points.length ? L.latLngBounds(points) : shape.getBounds();
  if (bounds.isValid()) map.fitBounds(bounds, { padding: [32, 32], maxZoom: 12, animate: false });
  else map.setView([42.5, 12.5], 5, { animate: false });
}
