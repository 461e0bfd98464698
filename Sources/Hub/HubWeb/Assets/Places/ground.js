// The ground of a map without tiles: land and sea, borders, and towns by their names, on one canvas behind everything else.
import { GroundFile, worldX, worldY } from "./groundfile.js";
import { along, eased, lettered, mixed, mixedRGB, occupy } from "./groundpen.js";

/// From here on the coast is too coarse to tell the shore from the water: it fades, and is gone at the second.
export const fades = [10, 12];
const easing = 250; // milliseconds of Leaflet's zoom
const slow = 8; // milliseconds of a drawing that is not made for each step of a zoom

/// Names on the whole are few: so many people a town has at least, by zoom.
const least = [2e7, 1.2e7, 7e6, 3e6, 1e6, 6e5, 3e5, 1.2e5, 5e4, 15e3, 4e3];

export async function fetchPart(name) {
  const answer = await fetch(`/ground/${name}`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.arrayBuffer();
}

/// Null where the hub has no streets, and then nothing of what draws them is fetched.
async function loadStreets(onChange) {
  try {
    const answer = await fetch("/tiles"), facts = answer.ok ? await answer.json() : {};
    return facts.version ? new (await import("./streets.js")).Streets(facts, onChange) : null;
  } catch {
    return null;
  }
}

/// A Leaflet layer. `onLoad(file)`: the file is there, and `streets` where the hub has any; `onFail()`: there is none.
export function ground(format, colours, { onLoad = () => {}, onFail = () => {}, fetch = fetchPart, streets = loadStreets } = {}) {
  const Layer = L.Layer.extend({
    onAdd(map) {
      this.canvas = document.createElement("canvas");
      this.canvas.className = "ground";
      this.canvas.setAttribute("aria-hidden", "true");
      map.getContainer().prepend(this.canvas);
      this.pen = this.canvas.getContext("2d", { alpha: false });
      // Opaque and unpainted it would be black until the file is there.
      this.pen.fillStyle = colours().map;
      this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
      this.names = new Intl.DisplayNames([format.locale], { type: "region", fallback: "none" });
      [this.labels, this.picture, this.parts] = [null, null, 0];
      this.load();
    },
    onRemove() {
      cancelAnimationFrame(this.frame);
      this.canvas.remove();
    },
    getEvents() {
      return { move: this.draw, zoom: this.draw, viewreset: this.draw, resize: this.draw, moveend: this.settle, zoomanim: this.animate };
    },

    async load() {
      try {
        [this.file, this.streets] = await Promise.all([GroundFile.load(fetch), streets(() => this._map && this.later())]);
      } catch {
        this.canvas.remove();
        return onFail();
      }
      onLoad(this.file);
      this.settle();
    },

    // MARK: what is looked at

    /// The view: pixels of the whole world, and where its north-west corner is.
    view() {
      const { min } = this._map.getPixelBounds();
      return { zoom: this._map.getZoom(), world: 256 * 2 ** this._map.getZoom(), x: min.x, y: min.y };
    },

    settle() {
      if (!this.file || !this._map) return;
      this.isZooming = false;
      this.draw();
      this.streets?.want(this.view(), this._map.getSize());
      const zoom = Math.round(this._map.getZoom()), shown = this.file.levels.filter((level) => level.zoom <= zoom);
      const come = (isNew) => {
        if (!isNew || !this._map) return;
        this.later();
        this._map.fire("groundload");
      };
      // Of the world everything coarse is wanted at once. A map that waits for its place does not ask for it.
      if (shown.length > 1) for (const level of shown) for (const cell of this.cells(level)) this.file.fetch(cell).then(come);
      else if (!this._map.options.awaitsPlace) this.file.fetchWorld().then(come);
    },

    cells(level) {
      const bounds = this._map.getBounds();
      return this.file.within(level, bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth());
    },

    later() {
      this.labels = null;
      this.parts++;
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.draw());
    },

    /// Follows Leaflet's zoom drawing by drawing, so that nothing is blurred or empty.
    animate({ center, zoom }) {
      if (!this.file) return;
      const from = this.view(), corner = this._map.project(center, zoom).subtract(this._map.getSize().divideBy(2));
      const to = { zoom, world: 256 * 2 ** zoom, x: corner.x, y: corner.y }, start = performance.now();
      cancelAnimationFrame(this.frame);
      this.isZooming = true;
      const step = (now) => {
        const time = Math.max(0, Math.min(1, (now - start) / easing)), share = eased(time);
        const part = (key) => from[key] + (to[key] - from[key]) * share, world = part("world");
        this.paint({ zoom: Math.log2(world / 256), world, x: part("x"), y: part("y") }, zoom);
        if (time < 1) this.frame = requestAnimationFrame(step); else this.isZooming = false;
      };
      step(start);
    },

    draw() {
      if (!this.file || !this._map || this._map._animatingZoom) return;
      this.paint(this.view(), Math.round(this._map.getZoom()));
    },

    /// Takes the colours anew.
    recolour() {
      this.sprites = this.shades = null;
      this.draw();
    },

    // MARK: drawing

    palette() {
      const { shades } = this, now = colours();
      if (shades?.from === now) return shades;
      this.labels = this.sprites = null;
      return (this.shades = {
        from: now, land: now.map, sea: mixed(now.map, now.runner, 0.16), coast: mixed(now.map, now.runner, 0.45), border: mixed(now.map, now.muted, 0.6),
        region: mixed(now.map, now.muted, 0.3), town: now.text, minor: now.muted, halo: now.map,
      });
    },

    paint(view, labelZoom) {
      const size = this._map.getSize(), ratio = Math.min(window.devicePixelRatio || 1, 3), { canvas, pen } = this;
      const [width, height] = [Math.round(size.x * ratio), Math.round(size.y * ratio)];
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
      if (this.ratio !== ratio) [this.ratio, this.sprites] = [ratio, null];
      const shades = this.palette(), strength = Math.max(0, Math.min(1, (fades[1] - view.zoom) / (fades[1] - fades[0])));
      // The world again to the left and right of itself.
      const copies = (at, width, draw) => {
        for (let n = Math.floor(at.x / at.world); n <= Math.floor((at.x + width) / at.world); n++) draw({ ...at, x: at.x - n * at.world });
      };
      this.lay(view, size, shades, strength, copies);
      this.place(labelZoom, view, size);
      copies(view, size.x, (copy) => this.write(copy, size));
    },

    /// Lays the shapes down: from a picture a little larger than the map as long as it covers the view, anew where it does not.
    lay(view, size, shades, strength, copies) {
      if (!strength && !this.streets?.touches(view, size)) {
        this.pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        this.pen.fillStyle = shades.land;
        this.pen.fillRect(0, 0, size.x, size.y);
        return;
      }
      const { ratio } = this, known = this.picture, isSame = known?.shades === shades && known.ratio === ratio && known.parts === this.parts;
      const scale = isSame ? view.world / known.view.world : 0, left = isSame ? known.view.x * scale - view.x : 0, top = isSame ? known.view.y * scale - view.y : 0;
      const covers = left <= 0 && top <= 0 && left + known?.size.x * scale >= size.x && top + known?.size.y * scale >= size.y;
      // Between two zooms a picture that took long is stretched; one that did not is drawn for each step.
      const isBetween = this.isZooming && isSame && known.took > slow;
      if (!isBetween && !(isSame && scale === 1 && covers)) {
        this.draft(view, size, shades, strength, copies);
        this.lay(view, size, shades, strength, copies);
        return;
      }
      const pen = this.pen;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = mixedRGB(shades.from.map, shades.sea, strength);
      pen.fillRect(0, 0, size.x, size.y);
      pen.drawImage(known.canvas, left, top, known.size.x * scale, known.size.y * scale);
    },

    draft(view, size, shades, strength, copies) {
      // Between zooms nothing is moved: no margin.
      const start = performance.now(), margin = this.isZooming ? 0 : Math.round(Math.max(size.x, size.y) / 4), { ratio } = this;
      const wide = L.point(size.x + 2 * margin, size.y + 2 * margin), at = { ...view, x: view.x - margin, y: view.y - margin };
      const canvas = this.picture?.canvas ?? document.createElement("canvas"), front = this.pen;
      const [width, height] = [Math.round(wide.x * ratio), Math.round(wide.y * ratio)];
      if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
      this.pen = canvas.getContext("2d", { alpha: false });
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.pen.fillStyle = mixedRGB(shades.from.map, shades.sea, strength);
      this.pen.fillRect(0, 0, wide.x, wide.y);
      if (strength) copies(at, wide.x, (copy) => this.shapes(copy, wide, shades, strength));
      copies(at, wide.x, (copy) => this.streets?.draw(this.pen, copy, wide, ratio, shades.from, (x, y) => this.isSea(x, y)));
      this.pen = front;
      this.picture = { canvas, view: at, size: wide, shades, ratio, parts: this.parts, took: performance.now() - start };
    },

    shapes(view, size, shades, strength) {
      const { pen, ratio } = this, lined = this.file.levels.filter((level) => level.unit);
      const isShown = ({ content: cell }) => {
        const left = cell.x * view.world - view.x, top = cell.y * view.world - view.y;
        return left < size.x && top < size.y && left + cell.width * view.world > 0 && top + cell.height * view.world > 0;
      };
      const fine = lined.filter((level) => level.zoom <= view.zoom + 0.5).at(-1) ?? lined[0];
      let isWhole = true;
      const loaded = [...fine.cells.values()].filter((cell) => {
        if (cell.content) return isShown(cell);
        isWhole &&= !this.touches(cell, view, size);
        return false;
      });
      const coarse = isWhole ? [] : [...lined[0].cells.values()].filter((cell) => cell.content && isShown(cell));
      const put = (cell, draw) => {
        const { content } = cell, scale = (view.world / content.scale) * ratio;
        pen.setTransform(scale, 0, 0, scale, (content.x * view.world - view.x) * ratio, (content.y * view.world - view.y) * ratio);
        draw(content, scale / ratio);
      };
      const land = (cells, isOver) => {
        for (const cell of cells) put(cell, (content) => {
          if (isOver) {
            pen.fillStyle = mixedRGB(shades.from.map, shades.sea, strength);
            pen.fillRect(0, 0, content.width * content.scale, content.height * content.scale);
          }
          pen.fillStyle = shades.land;
          pen.fill(content.paths.land);
        });
      };
      const strokes = (cells) => {
        pen.lineJoin = "bevel";
        for (const [kind, colour, width] of [["regions", shades.region, 0.8], ["coast", shades.coast, 0.9], ["borders", shades.border, view.zoom < 5 ? 0.8 : 1.2]]) {
          if (kind === "regions" && view.zoom < 4) continue;
          pen.strokeStyle = mixedRGB(shades.from.map, colour, strength);
          for (const cell of cells) put(cell, (content, scale) => {
            pen.lineWidth = width / scale;
            pen.stroke(content.paths[kind]);
          });
        }
      };
      land(coarse, false);
      strokes(coarse);
      land(loaded, coarse.length > 0);
      strokes(loaded);
    },

    /// Whether a cell that is not there yet is looked at.
    touches({ level, index }, view, size) {
      const columns = 360 / level.degrees, west = (index % columns) * level.degrees - 180, south = Math.floor(index / columns) * level.degrees - 90;
      return worldX(west) * view.world - view.x < size.x && worldX(west + level.degrees) * view.world - view.x > 0
        && worldY(south + level.degrees) * view.world - view.y < size.y && worldY(south) * view.world - view.y > 0;
    },

    // MARK: names

    /// Which names stand at a zoom: larger places first, none over another. Placed for a wide
    /// window around the view, so little jumps when the map moves.
    place(zoom, view, size) {
      const key = Math.max(0, Math.min(zoom, 18)), step = 1024 / (256 * 2 ** key);
      const middle = [(view.x + size.x / 2) / view.world, (view.y + size.y / 2) / view.world].map((value) => Math.round(value / step));
      // As far around as a move may go before the next step, and a screen more.
      const reach = [size.x, size.y].map((value) => (Math.ceil(value / 1024) + 1) * step);
      if (this.labels?.zoom === key && String(this.labels.middle) === String(middle) && String(this.labels.reach) === String(reach)) return;
      const [x, y] = [middle[0] * step, middle[1] * step], isIn = (label) => {
        const east = label.x - x - Math.round(label.x - x);
        return Math.abs(east) <= reach[0] && Math.abs(label.y - y) <= reach[1];
      };
      const world = 256 * 2 ** key, taken = new Map(), found = [];
      const add = (label) => {
        const sprite = this.sprite(label), x = label.x * world, y = label.y * world;
        if (label.kind === "road") {
          if (label.length * world > sprite.text && occupy(taken, along(x, y, label.angle, sprite))) found.push({ ...label, sprite, side: 0 });
          return;
        }
        for (const side of label.kind === "town" ? [1, -1] : [0]) {
          const left = side === 0 ? x - sprite.width / 2 : side > 0 ? x - 5 : x + 5 - sprite.width;
          const box = [left - 3, y - sprite.height / 2, left + sprite.width + 3, y + sprite.height / 2];
          if (!occupy(taken, [box])) continue;
          found.push({ ...label, sprite, side });
          return;
        }
      };
      for (const label of [...this.wanted(key), ...this.streets?.names(key) ?? []]) if (isIn(label)) add(label);
      this.labels = { zoom: key, middle, reach, found };
    },

    wanted(zoom) {
      const { countries, regions, levels } = this.file, degree = 256 * 2 ** zoom / 360, list = [];
      const area = (kind, name, label, from, to) => {
        if (!label || !name || zoom < from || zoom > to || label.reach * degree < 16) return;
        list.push({ kind, name, x: worldX(label.longitude), y: worldY(label.latitude), rank: label.reach });
      };
      for (const { code, name, label } of countries) area("country", this.names.of(code) ?? name, label, 2, 6);
      list.sort((a, b) => b.rank - a.rank);
      const towns = [], few = least[zoom] ?? 0;
      for (const level of levels) {
        if (level.zoom > zoom) continue;
        for (const { content } of level.cells.values()) {
          for (const town of content?.towns ?? []) {
            if (this.streets?.hasNames(zoom, town.x, town.y)) continue;
            if (town.population < few && !(town.isCapital && town.population * 4 >= few)) continue;
            towns.push({ kind: "town", name: town.name, x: town.x, y: town.y, rank: town.population * (town.isCapital ? 4 : 1), town, isLarge: town.population >= Math.max(6 * few, 20_000) });
          }
        }
      }
      towns.sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1));
      list.push(...towns);
      for (const { name, label } of regions) area("region", name, label, 5, 8);
      return list;
    },

    /// A name as a picture: writing it anew for each drawing costs ten times as much.
    sprite({ kind, name, isLarge, town }) {
      this.sprites ??= new Map();
      const key = `${kind}${isLarge ? 1 : 0}${town?.isCapital ? 1 : 0} ${name}`;
      if (!this.sprites.has(key)) this.sprites.set(key, lettered({ kind, name, isLarge, town }, this.palette(), format.locale, this.ratio));
      return this.sprites.get(key);
    },

    write(view, size) {
      const { pen, ratio } = this, shades = this.palette();
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      for (const { x, y, kind, side, angle, sprite } of this.labels.found) {
        const px = x * view.world - view.x, py = y * view.world - view.y;
        if (px < -200 || py < -20 || px > size.x + 200 || py > size.y + 20) continue;
        if (kind === "road") {
          this.turned(sprite, px, py, angle);
          continue;
        }
        const left = side === 0 ? px - sprite.text / 2 : side > 0 ? px + 4 : px - 4 - sprite.text;
        // On whole dots, or letters blur.
        pen.drawImage(sprite.image, Math.round(left * ratio) / ratio, Math.round((py - sprite.height / 2) * ratio) / ratio, sprite.image.width / ratio, sprite.image.height / ratio);
        if (kind !== "town") continue;
        pen.beginPath();
        if (sprite.isCapital) pen.rect(px - 3, py - 3, 6, 6); else pen.arc(px, py, 2.5, 0, 7);
        [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [shades.town, shades.halo, 1.5];
        pen.stroke();
        pen.fill();
      }
    },

    /// A name along its street.
    turned(sprite, px, py, angle) {
      const { pen, ratio } = this, cosine = Math.cos(angle) * ratio, sine = Math.sin(angle) * ratio;
      pen.setTransform(cosine, sine, -sine, cosine, px * ratio, py * ratio);
      pen.drawImage(sprite.image, -sprite.text / 2, -sprite.height / 2, sprite.image.width / ratio, sprite.image.height / ratio);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    },

    // MARK: what is near

    /// Whether the ground has the sea there, to within a kilometre or two; what is not there yet is land.
    isSea(x, y) {
      for (const cell of this.file.levels[0].cells.values()) {
        if (!this.touches(cell, { world: 1, x, y }, { x: 0, y: 0 })) continue;
        const { content } = cell;
        if (!content) return false;
        const [left, top] = [x - content.x, y - content.y];
        this.probe ??= document.createElement("canvas").getContext("2d");
        return !this.probe.isPointInPath(content.paths.land, left * content.scale, top * content.scale);
      }
      return true;
    },

    /// The town that a place belongs to, as far as the cells around it are there: { name, metres }; null without any within 50 km.
    near(at) {
      if (!this.file) return null;
      let best = null;
      for (const level of this.file.levels) {
        for (const cell of this.file.within(level, at.lng - 0.6, at.lat - 0.5, at.lng + 0.6, at.lat + 0.5)) {
          for (const town of cell.content?.towns ?? []) {
            const metres = this._map.distance(at, [town.latitude, town.longitude]);
            if (metres < 50_000 && !(best?.metres <= metres)) best = { name: town.name, metres };
          }
        }
      }
      return best;
    },
  });
  return new Layer();
}
