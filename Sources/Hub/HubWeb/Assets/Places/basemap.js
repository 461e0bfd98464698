// The map that all pages have: tiles where the operator set some, otherwise the ground that comes with the hub, and a graticule where that says nothing.
import { colourReader } from "./colours.js";
import { fades, ground } from "./ground.js";
import { graticule } from "./graticule.js";
import { placeSearch } from "./mapsearch.js";

const wholeWorld = [[20, 0], 1];

/// `config`: { tiles, attribution, units: { length, name } }. `options`: Leaflet’s, where a page wants others. `onColours()` is told when the colour
/// scheme changed.
/// `isSearched`: whether places can be looked for; the map fires `placefound` when the reader went to one.
/// Answers { map, colours, repaint }.
export function trackmeMap(element, config, format, { options = {}, colours = null, onColours = () => {}, isSearched = true } = {}) {
  style();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = L.map(element, {
    zoomControl: false, preferCanvas: true, zoomAnimation: !calm, fadeAnimation: !calm, inertia: !calm, attributionControl: false,
    // The element is watched below: Leaflet's own watch of the window comes late.
    trackResize: false, ...options,
  });
  const layers = { base: null, net: null };
  const repaint = () => { layers.base?.recolour(); layers.net?.draw(); };
  const read = colours ?? colourReader(() => { repaint(); onColours(); });
  map.setView(...wholeWorld);
  L.control.zoom({ zoomInTitle: format.text("zoomIn"), zoomOutTitle: format.text("zoomOut") }).addTo(map);
  if (isSearched) placeSearch(format, { onFound: () => map.fire("placefound") }).addTo(map);
  const units = config.units ?? { length: 1000, name: "km" };
  L.control.scale(units.length > 1000 ? { metric: false } : { imperial: false }).addTo(map);
  if (config.tiles) tiles(map, config);
  else withGround(map, format, read, layers, units);
  new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(element);
  return { map, colours: read, repaint };
}

/// The maps' own style, which no page has to know of.
function style() {
  const href = "/assets/basemap.css";
  if (document.querySelector(`link[href="${href}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
}

function tiles(map, config) {
  const credit = document.createElement("span");
  credit.textContent = config.attribution ?? "";
  L.control.attribution({ prefix: false }).addTo(map);
  L.tileLayer(config.tiles, { maxZoom: 19, attribution: credit.innerHTML }).addTo(map);
}

function withGround(map, format, colours, layers, units) {
  const net = layers.net = graticule(format, colours);
  let hasGround = true;
  const show = () => {
    const isNeeded = (!hasGround || map.getZoom() >= fades[0] + 1) && !layers.base?.streets?.holds(map.getCenter().wrap());
    if (isNeeded !== map.hasLayer(net)) isNeeded ? net.addTo(map) : net.remove();
  };
  map.on("moveend", show);
  layers.base = ground(format, colours, {
    onLoad: () => { note(map, format, layers.base, units); show(); },
    onFail: () => { hasGround = false; layers.base = null; show(); },
  }).addTo(map);
  show();
}

/// Where else the place can be looked at, as the reader chooses. A geo link (RFC 5870) opens the phone's own maps; where nothing takes one it would do
/// nothing at all.
const ways = [
  ...(/Android/.test(navigator.userAgent) ? [{ key: "groundOpen", address: (y, x, zoom) => `geo:${y},${x}?z=${zoom}&q=${y},${x}` }] : []),
  ...(/iPhone|iPad|Macintosh/.test(navigator.userAgent) ? [{ key: "groundOpen", address: (y, x, zoom) => `https://maps.apple.com/?ll=${y},${x}&q=${y},${x}&z=${zoom}` }] : []),
  { key: "groundOpenStreetMap", address: (y, x, zoom) => `https://www.openstreetmap.org/?mlat=${y}&mlon=${x}#map=${zoom}/${y}/${x}` },
];

/// From this width on a map has room for the whole note.
const wide = 640;

/// The corner's line, which says whose data these are. It unfolds: near, also which town that is, why there are no streets, and a way to them.
function note(map, format, base, units) {
  const box = document.createElement("details"), head = document.createElement("summary");
  const [near, streets, open, credit] = ["p", "p", "p", "p"].map((name) => document.createElement(name));
  box.className = "groundnote";
  box.open = map.getSize().x >= wide;
  const links = ways.map(({ key, address }) => {
    const link = Object.assign(document.createElement("a"), { target: "_blank", rel: "noreferrer", textContent: format.text(key) });
    open.append(open.hasChildNodes() ? " · " : "", link);
    return { link, address };
  });
  streets.textContent = format.text("groundStreets");
  const own = base.streets;
  credit.textContent = `${own ? `${own.facts.credit} · ` : ""}Natural Earth · GeoNames CC BY 4.0`;
  credit.title = base.file.credits.join("\n");
  head.textContent = own ? "© OpenStreetMap" : "Natural Earth · GeoNames";
  box.append(head, near, streets, open, credit);
  const link = () => {
    const { lat, lng } = map.getCenter().wrap(), [y, x] = [lat, lng].map((value) => value.toFixed(5)), zoom = Math.round(map.getZoom());
    for (const { link, address } of links) link.href = address(y, x, zoom);
  };
  const show = () => {
    const isClose = map.getZoom() >= fades[1], town = isClose ? base.near(map.getCenter().wrap()) : null;
    open.hidden = !isClose;
    streets.hidden = !isClose || (own?.holds(map.getCenter().wrap()) ?? false);
    near.hidden = !town;
    if (isClose) link();
    if (!town) return;
    const away = town.metres / units.length;
    near.textContent = format.text("groundNear", { town: town.name, distance: `${format.number(away, away < 10 ? 1 : 0)} ${units.name}` });
  };
  L.DomEvent.disableClickPropagation(box);
  const Corner = L.Control.extend({ options: { position: "bottomright" }, onAdd: () => box });
  new Corner().addTo(map);
  map.on("moveend groundload", show);
  show();
}
