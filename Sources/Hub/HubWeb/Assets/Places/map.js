// The map: the track, holes in it, where the person is and how well that is known.
import { trackmeMap } from "./basemap.js";
import { bands, track } from "./series.js";

const startZoom = 16;
const nowhere = [20, 0];

export class LiveMap {
  /// `onFollow(following)` is told when the reader takes the map over or gives it back.
  constructor(element, config, format, colours, onFollow) {
    this.colours = colours;
    this.onFollow = onFollow;
    this.following = true;
    this.placed = false;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    const base = trackmeMap(element, config, format, { colours, options: { scrollWheelZoom: "center", worldCopyJump: true, awaitsPlace: true } });
    [this.map, this.repaint] = [base.map, base.repaint];
    this.prepare();
    this.map.on("dragstart placefound", () => this.follow(false));
    element.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) this.follow(false);
    });
  }

  prepare() {
    const line = (options) => L.polyline([], { interactive: false, lineJoin: "round", ...options }).addTo(this.map);
    this.casing = line({ weight: 8 });
    this.holes = line({ weight: 3, dashArray: "2 8" });
    this.lines = new Map();
    for (let band = -1; band <= bands.length; band++) this.lines.set(band, line({ weight: 4.5 }));
    this.accuracy = L.circle(nowhere, { radius: 0, weight: 1, interactive: false });
    const runner = document.createElement("div");
    this.arrow = document.createElement("div");
    this.arrow.className = "runner-arrow";
    const dot = document.createElement("div");
    dot.className = "runner-dot";
    runner.append(this.arrow, dot);
    const icon = L.divIcon({ className: "runner", html: runner, iconSize: [32, 32], iconAnchor: [16, 16] });
    this.marker = L.marker(nowhere, { icon, interactive: false, keyboard: false });
    this.paint();
  }

  /// Takes the colours anew, for instance when the system went dark.
  paint() {
    const shades = this.colours();
    this.casing.setStyle({ color: shades.casing, opacity: 0.9 });
    this.holes.setStyle({ color: shades.muted });
    for (const [band, line] of this.lines) line.setStyle({ color: band < 0 ? shades.muted : shades.bands[band] });
    this.accuracy.setStyle({ color: shades.runner, fillColor: shades.runner, fillOpacity: 0.12, opacity: 0.5 });
    this.repaint();
  }

  show(positions, hearts) {
    const last = positions[positions.length - 1];
    const { lines, holes } = track(positions, hearts);
    this.casing.setLatLngs([...lines.values()].flat());
    this.holes.setLatLngs(holes);
    for (const [band, line] of this.lines) line.setLatLngs(lines.get(band) ?? []);
    if (last) this.place(last);
    else this.clear();
  }

  /// What the hub has is there: without a place in it, the world is looked at.
  known() {
    if (!this.map.options.awaitsPlace) return;
    this.map.options.awaitsPlace = false;
    this.map.fire("moveend");
  }

  clear() {
    this.marker.remove();
    this.accuracy.remove();
    this.placed = false;
    this.map.setView(nowhere, 1, { animate: false });
  }

  place(row) {
    const here = L.latLng(row[1], row[2]);
    this.marker.setLatLng(here).addTo(this.map);
    this.arrow.hidden = !(row[5] >= 0 && row[4] > 0.5);
    this.arrow.style.transform = `rotate(${row[5] ?? 0}deg)`;
    if (row[6] > 0) this.accuracy.setLatLng(here).setRadius(row[6]).addTo(this.map);
    else this.accuracy.remove();
    if (!this.placed) this.map.setView(here, startZoom, { animate: false });
    else if (this.following) this.keepInView(here);
    this.placed = true;
  }

  /// Moves the map only when the person leaves its middle: a map that creeps all the time is hard to read.
  keepInView(here) {
    const size = this.map.getSize();
    const offset = this.map.latLngToContainerPoint(here).subtract(size.divideBy(2));
    if (Math.abs(offset.x) < size.x / 4 && Math.abs(offset.y) < size.y / 4) return;
    this.map.panTo(here, { animate: !this.still.matches, duration: 0.6 });
  }

  follow(on) {
    this.following = on;
    this.map.options.scrollWheelZoom = on ? "center" : true;
    if (on && this.placed) this.map.setView(this.marker.getLatLng(), Math.max(this.map.getZoom(), 14), { animate: false });
    this.onFollow(on);
  }

  whole() {
    const bounds = this.casing.getBounds();
    if (!bounds.isValid()) return;
    this.follow(false);
    this.map.fitBounds(bounds, { paddingTopLeft: [32, 64], paddingBottomRight: [32, 32], maxZoom: 17, animate: !this.still.matches });
  }
}
