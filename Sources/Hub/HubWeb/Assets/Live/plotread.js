// Reads out and zooms the plots that the hub draws, by pointer, touch and keys. Without it picture, table and links remain.

/// Pixels that a pointer moves before it draws a part out, and by which share two fingers do.
const drawn = 10, pinched = 1.25;
/// No part is shorter, in milliseconds: the hub shows nothing finer.
const leastSpan = 600_000;

/// `200,212,96 …`: where each point begins and ends in thousandths of the width, and how far down it is in pixels.
export function parse(text) {
  return (text ?? "").split(" ").filter(Boolean).map((point) => point.split(",").map(Number));
}

/// The index of the point nearest to a place in thousandths of the width; -1 for none.
export function nearest(points, place) {
  let best = -1, distance = Infinity;
  points.forEach(([begin, end], index) => {
    const away = Math.abs((begin + end) / 2 - place);
    if (away < distance) [best, distance] = [index, away];
  });
  return best;
}

/// Whether a place lies where nothing was measured: beyond its nearest point, by more than a finger's breadth.
export function isGap(point, place, slack) {
  return !point || place < point[0] - slack || place > point[1] + slack;
}

/// The instants between two places: the left edge stands at `left` thousandths. nil where that is nothing that could be looked at closer.
export function between(one, other, { from, to, left }) {
  const share = (place) => Math.min(1, Math.max(0, (place - left) / (1000 - left)));
  const [low, high] = [share(Math.min(one, other)), share(Math.max(one, other))];
  const begin = Math.round(from + low * (to - from)), end = Math.round(from + high * (to - from));
  return end > begin && to - from > leastSpan ? { begin, end } : null;
}

/// The half of the plot around a place.
export function half(place, left) {
  const width = (1000 - left) / 4;
  const middle = Math.min(1000 - width, Math.max(left + width, place));
  return [middle - width, middle + width];
}

export class PlotReader {
  /// `text(index)`: what a point says; without it that is what the table of the figure has.
  constructor(figure, svg, text = null) {
    this.figure = figure;
    this.own = text;
    this.svg = svg;
    this.words = figure.querySelector(".plotread");
    this.points = parse(svg.dataset.points);
    this.span = { from: Number(svg.dataset.from), to: Number(svg.dataset.to), left: Number(svg.dataset.left) };
    this.hint = this.words.textContent;
    this.fingers = new Map();
    this.at = -1;
    this.marks = {
      line: this.add("line", { y1: 12, y2: 212 }),
      dot: this.add("circle", { r: 5 }),
      part: this.add("rect", { y: 12, height: 200 }, "chosen"),
    };
    this.words.hidden = false;
    for (const [name, value] of Object.entries({
      role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": this.points.length - 1, "aria-valuenow": 0, "aria-valuetext": this.hint,
    })) svg.setAttribute(name, value);
    this.listen();
  }

  /// Other points, where a picture is drawn anew: what is read stays what it was. `instant(index)`: when a point begins.
  update(points, span, { top, bottom }, instant) {
    this.marks.line.setAttribute("y1", top);
    this.marks.line.setAttribute("y2", bottom);
    this.marks.part.setAttribute("y", top);
    this.marks.part.setAttribute("height", Math.max(0, bottom - top));
    [this.points, this.span, this.instant] = [points, span, instant];
    this.svg.setAttribute("aria-valuemax", Math.max(0, points.length - 1));
    if (this.at < 0) return;
    let index = points.findIndex((_, at) => instant(at) >= this.when);
    if (index < 0) index = points.length - 1;
    if (index >= 0) this.read(index);
    else this.clear();
  }

  add(name, attributes, kind = "cursor") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries({ ...attributes, class: kind, "aria-hidden": "true", visibility: "hidden" })) {
      element.setAttribute(key, value);
    }
    return this.svg.appendChild(element);
  }

  listen() {
    const on = (name, what) => this.svg.addEventListener(name, what);
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.drop(event));
    on("pointerleave", (event) => event.pointerType === "mouse" && !this.fingers.size && this.clear());
    on("keydown", (event) => this.key(event));
    on("focus", () => this.at < 0 && this.svg.matches(":focus-visible") && this.read(this.points.length - 1));
    on("blur", () => this.clear());
  }

  place(event) {
    const bounds = this.svg.getBoundingClientRect();
    return bounds.width > 0 ? Math.min(1000, Math.max(0, ((event.clientX - bounds.left) / bounds.width) * 1000)) : 0;
  }

  // MARK: Reading

  /// The point's row of the table, as the page has it: its heading, and each cell with that of its column.
  text(index) {
    if (this.own) return this.own(index);
    const table = document.getElementById(this.figure.dataset.table);
    const row = table?.tBodies[0]?.rows[index];
    if (!row) return "";
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    return [...row.cells].map((cell, column) => (column ? `${columns[column]} ${cell.textContent}` : cell.textContent)).join(" · ");
  }

  read(index) {
    const point = this.points[index];
    if (!point) return;
    this.at = index;
    this.when = this.instant?.(index);
    const [begin, end, down] = point;
    this.show(this.marks.line, { x1: `${(begin + end) / 20}%`, x2: `${(begin + end) / 20}%` });
    this.show(this.marks.dot, { cx: `${(begin + end) / 20}%`, cy: down });
    this.words.textContent = this.text(index);
    this.svg.setAttribute("aria-valuenow", index);
    this.svg.setAttribute("aria-valuetext", this.words.textContent);
  }

  readAt(place) {
    const index = nearest(this.points, place);
    this.at = -1;
    if (!isGap(this.points[index], place, 8)) return this.read(index);
    this.show(this.marks.line, { x1: `${place / 10}%`, x2: `${place / 10}%` });
    this.hide(this.marks.dot);
    this.words.textContent = this.figure.dataset.gap;
  }

  clear() {
    this.at = -1;
    for (const mark of Object.values(this.marks)) this.hide(mark);
    this.words.textContent = this.hint;
  }

  show(mark, attributes) {
    for (const [name, value] of Object.entries({ ...attributes, visibility: "visible" })) mark.setAttribute(name, value);
  }

  hide(mark) { mark.setAttribute("visibility", "hidden"); }

  // MARK: Zooming

  down(event) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    this.fingers.set(event.pointerId, { first: this.place(event), now: this.place(event), x: event.clientX, type: event.pointerType });
    if (this.fingers.size <= 2) this.svg.setPointerCapture(event.pointerId);
    if (this.fingers.size === 1) this.readAt(this.place(event));
  }

  move(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return event.pointerType === "mouse" ? this.readAt(this.place(event)) : undefined;
    finger.now = this.place(event);
    const part = this.part(event.clientX);
    if (!part) return this.fingers.size === 1 ? this.readAt(finger.now) : undefined;
    this.show(this.marks.part, { x: `${part[0] / 10}%`, width: `${Math.max(0, part[1] - part[0]) / 10}%` });
  }

  /// What a mouse draws over, or two fingers spread: from and to, in thousandths. A single finger reads, and draws nothing.
  part(x) {
    if (!this.figure.dataset.zoom) return null;
    const [one, other] = [...this.fingers.values()];
    if (one && !other) {
      if (one.type !== "mouse" || Math.abs(x - one.x) < drawn) return null;
      return [Math.max(this.span.left, Math.min(one.first, one.now)), Math.max(one.first, one.now)];
    }
    const ratio = this.ratio();
    if (!other || ratio < pinched) return null;
    const middle = (one.first + other.first) / 2, wide = (1000 - this.span.left) / ratio / 2;
    return [Math.max(this.span.left, middle - wide), Math.min(1000, middle + wide)];
  }

  /// How much further apart two fingers are than they were; 1 for fewer.
  ratio() {
    const [one, other] = [...this.fingers.values()];
    if (!other) return 1;
    return Math.max(1, Math.abs(one.now - other.now)) / Math.max(1, Math.abs(one.first - other.first));
  }

  up(event) {
    if (!this.fingers.has(event.pointerId)) return;
    const part = this.part(event.clientX), isWider = this.fingers.size === 2 && this.ratio() < 1 / pinched;
    this.drop(event);
    if (part) this.zoom(...part);
    else if (isWider) this.widen();
  }

  drop(event) {
    // The other finger of a pinch does nothing more either.
    if (this.fingers.delete(event.pointerId)) this.fingers.clear();
    this.hide(this.marks.part);
  }

  /// - `place`: of the page, where it then is.
  zoom(one, other, place = "plotTitle") {
    const part = this.figure.dataset.zoom && between(one, other, this.span);
    if (part) location.assign(`${this.figure.dataset.zoom}&span=hours&begin=${part.begin}&end=${part.end}#${place}`);
  }

  widen(place = "plotTitle") {
    if (this.figure.dataset.out) location.assign(`${this.figure.dataset.out}#${place}`);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.points.length) return;
    const last = this.points.length - 1, now = this.at < 0 ? last : this.at;
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) this.read(Math.min(last, Math.max(0, now + step)));
    else if (event.key === "+" || event.key === "=") {
      this.zoom(...half((this.points[now][0] + this.points[now][1]) / 2, this.span.left), this.figure.id);
    } else if (event.key === "-") this.widen(this.figure.id);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
  }
}

if (typeof document !== "undefined") {
  for (const figure of document.querySelectorAll("figure.plotfigure")) {
    const svg = figure.querySelector("svg[data-points]");
    if (!svg || !svg.dataset.points) continue;
    new PlotReader(figure, svg);
    // Who zoomed by keys goes on by keys. A browser takes the focus away where it scrolls to what the address names, before the page has loaded.
    if (figure.id && location.hash === `#${figure.id}`) {
      addEventListener("load", () => requestAnimationFrame(() => svg.focus({ preventScroll: true })));
    }
  }
}
