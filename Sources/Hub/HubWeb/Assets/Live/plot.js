// Heart rate over time on the live page: the picture that the hub draws of readings (HealthDrawing), drawn anew while samples come. plotread.js reads it out.
import { PlotReader } from "./plotread.js";
import { heartGap, reading } from "./series.js";
import { code } from "./status.js";

/// Room around the points in pixels at a font size of 16; left of them a tenth is for the texts of the axis, as in the hub's pictures.
const room = { top: 12, bottom: 28 }, left = 100, most = 1000;
/// Points are as wide as so many pixels, at least.
const pointPixels = 3;
const timeSteps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].map((seconds) => seconds * 1000);

/// Points of equal length with readings in them, the oldest first: { number, low, high, mean, last } each, `number` counted from 1970 in steps.
export function points(rows, first, step) {
  const found = [];
  for (let i = first; i < rows.length; i++) {
    const bpm = reading(rows[i]), number = Math.floor(rows[i][0] / step), last = found.at(-1);
    if (bpm === null) continue;
    if (last?.number === number) {
      Object.assign(last, { low: Math.min(last.low, bpm), high: Math.max(last.high, bpm), sum: last.sum + bpm, count: last.count + 1, last: rows[i] });
    } else found.push({ number, low: bpm, high: bpm, sum: bpm, count: 1, last: rows[i] });
  }
  return found;
}

/// Points between which nothing is missing.
export function runs(found, step) {
  const all = [];
  for (const point of found) {
    const before = all.at(-1)?.at(-1);
    if (before && (point.number - before.number - 1) * step <= heartGap) all.at(-1).push(point);
    else all.push([point]);
  }
  return all;
}

const make = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

export class HeartPlot {
  /// `svg`: in a figure with a line `.plotread`.
  constructor(svg, format, colours) {
    Object.assign(this, { svg, format, colours });
    this.data = { rows: [], first: 0, events: [], from: 0, to: 1 };
    this.axes = svg.appendChild(make("g", { "aria-hidden": "true" }));
    this.area = svg.appendChild(make("svg", { x: 0, width: "100%", preserveAspectRatio: "none" }));
    [this.band, this.mean, this.dots] = ["band", "mean", "mean dots"].map((name) => this.area.appendChild(make("path", { class: name })));
    this.reader = new PlotReader(svg.closest("figure"), svg, (index) => this.text(index));
    new ResizeObserver(() => this.draw()).observe(svg.parentElement);
  }

  /// `rows` sorted by time, drawn from index `first`; the axis goes from `from` to `to`. What lies between the last reading and `to` is a gap like any
  /// other.
  show(data) {
    this.data = data;
    this.draw();
  }

  /// What a point says.
  text(index) {
    const point = this.points[index], { number, text } = { number: (value) => this.format.number(value), text: (key) => this.format.text(key) };
    const value = point.low === point.high ? number(point.low) : `${number(point.low)}–${number(point.high)}`;
    return `${value} ${text("bpm")} · ${this.format.time(point.last[0])}`;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.svg, { rows, first, from, to } = this.data, scale = this.colours().scale;
    if (!width || !height) return;
    // Whole seconds, so that a point stays the same while time goes on.
    const step = Math.max(1000, Math.ceil(((to - from) / (width * (1 - left / most)) * pointPixels) / 1000) * 1000);
    this.points = points(rows, first, step);
    const frame = this.frame(width, height, scale), all = runs(this.points, step);
    this.drawAxes(frame, scale);
    for (const [name, value] of Object.entries({ y: frame.top, height: frame.bottom - frame.top, viewBox: `0 0 ${most} ${frame.bottom - frame.top}` })) {
      this.area.setAttribute(name, value);
    }
    const x = (number) => frame.x(Math.min(to, Math.max(from, number * step))).toFixed(1), y = (bpm) => (frame.y(bpm) - frame.top).toFixed(1);
    const middle = ({ number, sum, count }) => `${frame.x(Math.min(to, Math.max(from, (number + 0.5) * step))).toFixed(1)} ${y(sum / count)}`;
    this.band.setAttribute("d", all.map((run) => `M${x(run[0].number)} ${y(run[0].low)}`
      + run.map((point) => `V${y(point.high)}H${x(point.number + 1)}`).join("")
      + [...run].reverse().map((point) => `V${y(point.low)}H${x(point.number)}`).join("") + "z").join(""));
    this.mean.setAttribute("d", all.filter((run) => run.length > 1).map((run) => `M${run.map(middle).join("L")}`).join(""));
    this.dots.setAttribute("d", all.filter((run) => run.length === 1).map(([point]) => `M${middle(point)}h0`).join(""));
    this.reader.update(this.points.map(({ number, sum, count }) => [Number(x(number)), Number(x(number + 1)), frame.y(sum / count)]),
      { from, to, left }, frame, (index) => this.points[index]?.number * step);
  }

  /// The mapping from time to thousandths of the width, and from beats per minute to pixels.
  frame(width, height, scale) {
    const { from, to } = this.data, values = this.points.flatMap(({ low, high }) => [low, high]);
    let low = values.length ? Math.min(...values) : 60, high = values.length ? Math.max(...values) : 120;
    const step = high - low > 150 ? 50 : high - low > 40 ? 20 : 10, top = room.top * scale, bottom = height - room.bottom * scale;
    low = Math.max(0, Math.floor((low - 3) / step) * step);
    high = Math.max(Math.ceil((high + 3) / step) * step, low + 3 * step);
    return {
      low, high, step, width, height, top, bottom,
      x: (time) => left + ((time - from) / Math.max(to - from, 1)) * (most - left),
      y: (bpm) => Math.round((bottom - ((bpm - low) / (high - low)) * (bottom - top)) * 10) / 10,
    };
  }

  drawAxes(frame, scale) {
    const { from, to, rows, events } = this.data, parts = [];
    for (let bpm = frame.low; bpm <= frame.high; bpm += frame.step) {
      const y = Math.round(frame.y(bpm)) + 0.5;
      parts.push(make("line", { class: "grid", x1: 0, x2: "100%", y1: y, y2: y }), make("text", { x: 0, y: y - 3 }, this.format.number(bpm)));
    }
    const perPixel = (to - from) / (frame.width * (1 - left / most)), step = timeSteps.find((one) => one / perPixel >= 84 * scale) ?? timeSteps.at(-1);
    // Whole steps of local time, so that hours and quarters fall on lines.
    const zone = new Date(to).getTimezoneOffset() * 60_000, clock = step < 60_000 ? this.format.clock : this.format.short;
    for (let time = Math.ceil((from - zone) / step) * step + zone; rows.length && time <= to; time += step) {
      const share = frame.x(time) / 10, x = `${share.toFixed(2)}%`;
      parts.push(make("line", { class: "grid", x1: x, x2: x, y1: frame.top, y2: frame.bottom + 4 }),
        make("text", { x, y: frame.height - 8 * scale, "text-anchor": share > 95 ? "end" : "middle" }, clock.format(time)));
    }
    for (const [time, which] of events) {
      if (time < from || time > to || (which !== code.sensorLost && which !== code.paused)) continue;
      const x = `${(frame.x(time) / 10).toFixed(2)}%`;
      parts.push(make("line", { class: "limit", x1: x, x2: x, y1: frame.top, y2: frame.bottom }));
    }
    this.axes.replaceChildren(...parts);
  }
}
