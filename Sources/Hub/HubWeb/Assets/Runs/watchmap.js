// The map of a race: the course, and a thousand runners on one canvas.
import { trackmeMap } from "./basemap.js";

/// Drawings a second, at most: enough for the eye, little for the battery.
const rate = 20;
const reach = 22; // pixels that a finger may miss by
/// Numbers of so many beside their dots, at most: those of a crowd cannot be read.
const numbersMax = 150;

export class RaceMap {
  /// `on`: { chosen(bib, or null for none) }
  constructor(element, config, format, colours, on) {
    [this.element, this.config, this.format, this.colours, this.on] = [element, config, format, colours, on];
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    const base = trackmeMap(element, config, format, { colours, options: { zoomAnimation: false } });
    [this.map, this.repaint] = [base.map, base.repaint];
    this.canvas = document.createElement("canvas");
    this.canvas.className = "racers";
    this.canvas.setAttribute("aria-hidden", "true");
    this.map.getContainer().append(this.canvas);
    this.pen = this.canvas.getContext("2d");
    this.scene = [];
    this.isFree = false;
    this.map.on("zoomend viewreset", () => this.project());
    this.map.on("move zoom resize zoomend", () => this.paint());
    this.map.on("dragstart placefound", () => (this.isFree = true));
    this.map.on("click", (event) => this.choose(event.containerPoint));
    element.addEventListener("keydown", () => (this.isFree = true));
    new ResizeObserver(() => {
      this.map.invalidateSize({ animate: false });
      if (!this.isFree) this.whole();
      this.paint();
    }).observe(element);
  }

  /// Draws the way, once.
  setCourse(course, places, splits) {
    this.course = course;
    const line = course.points.map(([lat, lon]) => [lat, lon]), shades = this.colours();
    this.casing = L.polyline(line, { interactive: false, lineJoin: "round", weight: 8 }).addTo(this.map);
    this.line = L.polyline(line, { interactive: false, lineJoin: "round", weight: 3 }).addTo(this.map);
    this.marks = [];
    const mark = (lat, lon, label, isEnd) => {
      const circle = L.circleMarker([lat, lon], { radius: isEnd ? 8 : 5, weight: 2, fillOpacity: 1 }).addTo(this.map);
      const span = document.createElement("span");
      span.textContent = label;
      circle.bindTooltip(span, { direction: "top", offset: [0, -6], className: "racetip" });
      this.marks.push({ circle, isEnd });
    };
    for (const [lat, lon, name] of places) mark(lat, lon, name, false);
    if (line.length > 1) {
      const [first, last] = [line[0], line.at(-1)], isRound = this.map.distance(first, last) < 60;
      mark(...first, this.format.text(isRound ? "startFinish" : "start"), true);
      if (!isRound) mark(...last, this.format.text("finish"), true);
    }
    this.recolour(shades);
    this.whole();
    this.project();
  }

  recolour(shades = this.colours()) {
    this.casing?.setStyle({ color: shades.casing, opacity: 0.9 });
    this.line?.setStyle({ color: shades.muted, opacity: 0.9 });
    for (const { circle, isEnd } of this.marks ?? []) circle.setStyle({ color: shades.text, fillColor: isEnd ? shades.text : shades.card });
    this.sprites = null;
    this.repaint();
    this.paint();
  }

  whole() {
    const bounds = this.casing?.getBounds();
    if (!bounds?.isValid()) return;
    this.isFree = false;
    this.map.fitBounds(bounds, { padding: [28, 40], maxZoom: 17, animate: false });
  }

  /// The way in pixels of this zoom: a runner's place is then one division.
  project() {
    this.pixels = this.course?.points.map(([lat, lon]) => this.map.latLngToLayerPoint([lat, lon])) ?? [];
  }

  /// Somebody's place on the screen.
  point(spot) {
    if (spot.off) return this.map.latLngToContainerPoint(spot.off);
    const [index, share] = this.course.locate(spot.metres), a = this.pixels[index], b = this.pixels[index + 1] ?? a;
    return this.origin.add([a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share]);
  }

  /// `scene`: () → [{ bib, metres, off, state, colour (index from 1 of the followed), isChosen, label }, …], asked for each drawing.
  run(scene) {
    this.scene = scene;
    let before = 0;
    const frame = (time) => {
      requestAnimationFrame(frame);
      // Who wants less motion sees a step each second.
      if (document.hidden || time - before < (this.still.matches ? 1000 : 1000 / rate)) return;
      before = time;
      this.paint();
    };
    requestAnimationFrame(frame);
  }

  paint() {
    if (!this.course || typeof this.scene !== "function") return;
    const size = this.map.getSize(), ratio = Math.min(window.devicePixelRatio || 1, 2), { canvas, pen } = this;
    if (canvas.width !== Math.round(size.x * ratio) || canvas.height !== Math.round(size.y * ratio)) {
      [canvas.width, canvas.height] = [Math.round(size.x * ratio), Math.round(size.y * ratio)];
      this.sprites = null;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.x, size.y);
    this.sprites ??= this.makeSprites(ratio);
    this.origin = this.map.layerPointToContainerPoint([0, 0]);
    this.shown = [];
    const last = [], others = [];
    for (const spot of this.scene()) {
      const { x, y } = this.point(spot);
      if (x < -20 || y < -20 || x > size.x + 20 || y > size.y + 20) continue;
      this.shown.push({ bib: spot.bib, x, y });
      if (spot.colour || spot.isChosen) last.push({ ...spot, x, y });
      else {
        others.push({ bib: spot.bib, state: spot.state, x, y });
        this.stamp(this.sprites[spot.state] ?? this.sprites.fresh, x, y);
      }
    }
    for (const spot of last) {
      if (spot.isChosen) this.stamp(this.sprites.chosen, spot.x, spot.y);
      const name = `${spot.state === "stale" ? "staleMine" : "mine"}${spot.colour}`;
      this.stamp(this.sprites[spot.colour ? name : spot.state] ?? this.sprites.fresh, spot.x, spot.y);
    }
    canvas.dataset.numbers = this.number(others, this.label(last, size), size);
    canvas.dataset.drawn = this.shown.length;
  }

  stamp({ image, wide }, x, y) {
    this.pen.drawImage(image, x - wide / 2, y - wide / 2, wide, wide);
  }

  /// Names of the followed and of who was chosen, none over another one. Returns where they stand.
  label(spots, size) {
    const { pen } = this, shades = this.colours(), high = 17 * shades.scale, taken = [];
    pen.font = `600 ${13 * shades.scale}px ${shades.font}`;
    pen.textBaseline = "middle";
    for (const spot of spots.sort((a, b) => a.y - b.y)) {
      const wide = pen.measureText(spot.label).width + 10, isRight = spot.x + 14 + wide < size.x;
      const left = isRight ? spot.x + 13 : Math.max(spot.x - 13 - wide, 0);
      let top = Math.min(Math.max(spot.y - high / 2, 0), size.y - high);
      while (isTaken(taken, left, top, wide, high)) top += high;
      taken.push({ left, right: left + wide, top, bottom: top + high });
      this.write(spot.label, left, top, wide, high, spot.state === "stale" ? shades.muted : shades.text, shades.card);
    }
    return taken;
  }

  /// Bib numbers of the others, as far as there is room: none over another one, and none of a crowd. Returns how many.
  number(spots, taken, size) {
    if (spots.length > numbersMax) return 0;
    const { pen } = this, shades = this.colours(), high = 14 * shades.scale;
    let count = 0;
    pen.font = `600 ${11 * shades.scale}px ${shades.font}`;
    for (const { bib, state, x, y } of spots) {
      const text = String(bib), wide = pen.measureText(text).width + 6, left = x + 7, top = y - high / 2;
      if (left + wide > size.x || isTaken(taken, left, top, wide, high)) continue;
      taken.push({ left, right: left + wide, top, bottom: top + high });
      this.write(text, left, top, wide, high, state === "fresh" ? shades.text : shades.muted, shades.card);
      count += 1;
    }
    return count;
  }

  write(text, left, top, wide, high, colour, ground) {
    const { pen } = this;
    pen.fillStyle = ground;
    pen.globalAlpha = 0.88;
    pen.fillRect(left, top, wide, high);
    pen.globalAlpha = 1;
    pen.fillStyle = colour;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    pen.fillText(text, left + wide / 2, top + high / 2);
    pen.textAlign = "start";
  }

  makeSprites(ratio) {
    const shades = this.colours(), sprites = {};
    const make = (name, radius, fill, ring, width, dash) => {
      const wide = 2 * (radius + width + 1), image = document.createElement("canvas");
      image.width = image.height = Math.ceil(wide * ratio);
      const pen = image.getContext("2d");
      pen.scale(image.width / wide, image.width / wide);
      pen.beginPath();
      pen.arc(wide / 2, wide / 2, radius, 0, 7);
      pen.fillStyle = fill;
      pen.fill();
      pen.lineWidth = width;
      pen.strokeStyle = ring;
      if (dash) pen.setLineDash(dash);
      pen.stroke();
      sprites[name] = { image, wide };
    };
    make("fresh", 4.5, shades.runner, shades.casing, 1.5);
    make("over", 3.5, shades.text, shades.casing, 1.5);
    make("waiting", 3.5, shades.card, shades.muted, 1.5);
    make("chosen", 12, shades.card, shades.text, 2);
    make("stale", 4, shades.grid, shades.muted, 1.5, [2, 2]);
    shades.bands.forEach((colour, index) => {
      make(`mine${index + 1}`, 7.5, colour, shades.casing, 3);
      make(`staleMine${index + 1}`, 7.5, shades.grid, colour, 3, [3, 3]);
    });
    return sprites;
  }

  choose(point) {
    let best = null, least = reach;
    for (const spot of this.shown ?? []) {
      const distance = Math.hypot(spot.x - point.x, spot.y - point.y);
      if (distance < least) [best, least] = [spot.bib, distance];
    }
    this.on.chosen(best);
  }

  /// Keeps these runners in view until somebody moves the map.
  look(latLngs) {
    if (!latLngs.length) return this.whole();
    this.isFree = true;
    if (latLngs.length === 1) this.map.setView(latLngs[0], Math.max(this.map.getZoom(), 15), { animate: false });
    else this.map.fitBounds(latLngs, { padding: [60, 60], maxZoom: 16, animate: false });
  }
}

/// Whether something stands there already.
function isTaken(taken, left, top, wide, high) {
  return taken.some((other) => left < other.right && left + wide > other.left && top < other.bottom && top + high > other.top);
}
