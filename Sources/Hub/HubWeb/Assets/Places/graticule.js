// A map without tiles: lines of latitude and longitude with their degrees, on one canvas behind the track.

const aim = 130; // pixels between lines, about

/// The step in degrees of the series 1, 2, 5, 10 … that comes next to `wanted`.
function step(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= wanted) ?? 10;
  return factor * power;
}

export function graticule(format, colours) {
  const Layer = L.Layer.extend({
    onAdd(map) {
      this.canvas = document.createElement("canvas");
      this.canvas.className = "graticule";
      this.canvas.setAttribute("aria-hidden", "true");
      map.getContainer().prepend(this.canvas);
      this.draw();
    },
    onRemove() {
      this.canvas.remove();
    },
    getEvents() {
      return { move: this.draw, zoom: this.draw, viewreset: this.draw, resize: this.draw, zoomend: this.draw };
    },
    draw() {
      const map = this._map;
      if (!map) return;
      const size = map.getSize();
      const ratio = window.devicePixelRatio || 1;
      this.canvas.width = Math.round(size.x * ratio);
      this.canvas.height = Math.round(size.y * ratio);
      const pen = this.canvas.getContext("2d");
      pen.scale(ratio, ratio);
      const shades = colours();
      pen.strokeStyle = shades.grid;
      pen.fillStyle = shades.muted;
      pen.lineWidth = 1;
      pen.font = `${11 * shades.scale}px ${shades.font}`;
      const bounds = map.getBounds();
      this.meridians(pen, map, bounds, size);
      this.parallels(pen, map, bounds, size);
    },
    meridians(pen, map, bounds, size) {
      const [west, east] = [bounds.getWest(), bounds.getEast()];
      const gap = step(((east - west) * aim) / Math.max(size.x, 1));
      const digits = Math.max(0, -Math.floor(Math.log10(gap) + 1e-9));
      pen.textAlign = "left";
      pen.textBaseline = "bottom";
      for (let n = Math.ceil(west / gap); n * gap <= east; n++) {
        const x = Math.round(map.latLngToContainerPoint([bounds.getNorth(), n * gap]).x) + 0.5;
        pen.beginPath();
        pen.moveTo(x, 0);
        pen.lineTo(x, size.y);
        pen.stroke();
        const wrapped = L.Util.wrapNum(n * gap, [-180, 180], true);
        const label = format.degrees(wrapped, "east", "west", digits);
        // Not under the scale in the left corner, and not cut by the edge.
        if (x > 130 && x + 8 + pen.measureText(label).width < size.x) pen.fillText(label, x + 4, size.y - 4);
      }
    },
    parallels(pen, map, bounds, size) {
      const [south, north] = [Math.max(bounds.getSouth(), -85), Math.min(bounds.getNorth(), 85)];
      const gap = step(((north - south) * aim) / Math.max(size.y, 1));
      const digits = Math.max(0, -Math.floor(Math.log10(gap) + 1e-9));
      pen.textAlign = "right";
      pen.textBaseline = "bottom";
      for (let n = Math.ceil(south / gap); n * gap <= north; n++) {
        const y = Math.round(map.latLngToContainerPoint([n * gap, bounds.getWest()]).y) + 0.5;
        pen.beginPath();
        pen.moveTo(0, y);
        pen.lineTo(size.x, y);
        pen.stroke();
        if (y > 80 && y < size.y - 24) pen.fillText(format.degrees(n * gap, "north", "south", digits), size.x - 5, y - 3);
      }
    },
  });
  return new Layer();
}
