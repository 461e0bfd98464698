// Sets where somebody lives: a tap on the map, a drag of the pin, or the place of this device fills in the two numbers, which the form sends.
import { pin, siteMap } from "./course.js";

const latitude = document.getElementById("homeLatitude"), longitude = document.getElementById("homeLongitude");
const section = document.getElementById("homeSection"), element = document.getElementById("map");
const here = document.getElementById("homeHere"), button = here.querySelector("button"), told = here.querySelector("p");
let map = null, marker = null;

const typed = () => {
  const [lat, lon] = [latitude, longitude].map(({ value }) => value.trim() === "" ? NaN : Number(value.replace(",", ".")));
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? L.latLng(lat, lon) : null;
};

function show(at, zoom) {
  if (!marker) {
    marker = pin(map, at, "home", element.dataset.name);
    marker.dragging?.enable();
    marker.on("dragend", () => set(marker.getLatLng()));
  } else marker.setLatLng(at);
  if (zoom) map.setView(at, Math.max(map.getZoom(), zoom), { animate: false });
}

function set(at, zoom) {
  const wrapped = at.wrap();
  latitude.value = wrapped.lat.toFixed(6);
  longitude.value = wrapped.lng.toFixed(6);
  if (map) show(wrapped, zoom);
}

if (window.L) {
  section.hidden = false;
  map = siteMap(element, JSON.parse(document.getElementById("mapConfig").textContent)).map;
  map.on("click", ({ latlng }) => set(latlng));
  const known = typed();
  if (known) show(known, 16);
  for (const field of [latitude, longitude]) {
    field.addEventListener("change", () => {
      const at = typed();
      if (at) show(at, 14);
    });
  }
}

if (navigator.geolocation && window.isSecureContext) {
  here.hidden = false;
  button.addEventListener("click", () => {
    button.disabled = true;
    told.hidden = true;
    const say = (text, name) => {
      button.disabled = false;
      [told.textContent, told.className, told.hidden] = [text, name, false];
    };
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      [latitude.value, longitude.value] = [coords.latitude.toFixed(6), coords.longitude.toFixed(6)];
      if (map) show(L.latLng(coords.latitude, coords.longitude), 16);
      say(here.dataset.done, "good");
    }, () => say(here.dataset.failed, "error"), { enableHighAccuracy: true, maximumAge: 10_000, timeout: 15_000 });
  });
}
