// Heart rate over time on a canvas: gaps stay gaps, pointer or arrow keys tell single values.
import { heartGap, reading } from "./series.js";
import { code } from "./status.js";

/// Room around the plot in pixels at a font size of 16.
const room = { left: 42, right: 14, top: 12, bottom: 26 };
const timeSteps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].map((seconds) => seconds * 1000);

export class HeartPlot {
  constructor(canvas, format, colours) {
    this.canvas = canvas;
    this.format = format;
    this.colours = colours;
    this.data = { rows: [], first: 0, events: [], from: 0, to: 1 };
    this.cursor = null; // a sample time
    this.margin = room;
    this.listen();
    new ResizeObserver(() => this.request()).observe(canvas.parentElement);
  }

  /// `rows` sorted by time, drawn from index `first`; the axis goes from `from` to `to`. What lies between the last reading
  /// and `to` is a gap like any other.
  show(data) {
    this.data = data;
    this.draw();
  }

  request() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  listen() {
    const point = (event) => this.pointAt(event.offsetX);
    this.canvas.addEventListener("pointermove", point);
    this.canvas.addEventListener("pointerdown", point);
    this.canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.setCursor(null);
    });
    this.canvas.addEventListener("blur", () => this.setCursor(null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  setCursor(time) {
    this.cursor = time;
    this.request();
  }

  pointAt(x) {
    const { from, to } = this.data;
    const { left, right } = this.margin;
    const width = this.canvas.clientWidth - left - right;
    this.setCursor(from + ((x - left) / Math.max(width, 1)) * (to - from));
  }

  key(event) {
    const { rows, first } = this.data;
    if (event.key === "Escape") return this.setCursor(null);
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || rows.length <= first) return;
    event.preventDefault();
    const now = this.cursor === null ? rows.length - 1 : this.nearest(this.cursor);
    const next = Math.min(rows.length - 1, Math.max(first, now + step));
    this.setCursor(rows[next][0]);
  }

  /// The index of the row nearest to `time` among those drawn.
  nearest(time) {
    const { rows, first } = this.data;
    let low = first;
    let high = rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle][0] < time) low = middle + 1;
      else high = middle;
    }
    return low > first && time - rows[low - 1][0] < rows[low][0] - time ? low - 1 : low;
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const shades = this.colours();
    const times = ([side, pixels]) => [side, pixels * shades.scale];
    this.margin = Object.fromEntries(Object.entries(room).map(times));
    const frame = this.frameOf(width, height);
    pen.font = `${12 * shades.scale}px ${shades.font}`;
    const runs = this.runs();
    this.drawGaps(pen, frame, shades, runs);
    this.drawAxes(pen, frame, shades);
    this.drawEvents(pen, frame, shades);
    for (const run of runs) this.drawRun(pen, frame, shades, run);
    this.drawCursor(pen, frame, shades);
  }

  /// The mapping from time and beats per minute to pixels.
  frameOf(width, height) {
    const margin = this.margin;
    const { rows, first, from, to } = this.data;
    let low = Infinity, high = -Infinity;
    for (let i = first; i < rows.length; i++) {
      const bpm = reading(rows[i]);
      if (bpm !== null) [low, high] = [Math.min(low, bpm), Math.max(high, bpm)];
    }
    if (low > high) [low, high] = [60, 120];
    const step = high - low > 150 ? 50 : high - low > 40 ? 20 : 10;
    low = Math.max(0, Math.floor((low - 3) / step) * step);
    high = Math.max(Math.ceil((high + 3) / step) * step, low + 3 * step);
    const right = width - margin.right;
    const bottom = height - margin.bottom;
    return {
      low, high, step, right, bottom, width, left: margin.left, top: margin.top,
      x: (time) => margin.left + ((time - from) / Math.max(to - from, 1)) * (right - margin.left),
      y: (bpm) => bottom - ((bpm - low) / (high - low)) * (bottom - margin.top),
    };
  }

  /// Runs of readings without a gap, as arrays of rows. A row without a reading ends a run.
  runs() {
    const { rows, first } = this.data;
    const runs = [];
    let run = null;
    for (let i = first; i < rows.length; i++) {
      const row = rows[i];
      if (reading(row) === null) {
        run = null;
      } else if (run && row[0] - run[run.length - 1][0] <= heartGap) {
        run.push(row);
      } else {
        runs.push((run = [row]));
      }
    }
    return runs;
  }

  drawGaps(pen, frame, shades, runs) {
    const { to } = this.data;
    const holes = runs.slice(1).map((run, i) => [runs[i][runs[i].length - 1][0], run[0][0]]);
    const last = runs[runs.length - 1];
    if (last) holes.push([last[last.length - 1][0], to]);
    pen.fillStyle = shades.gap;
    for (const [start, end] of holes) {
      if (end - start <= heartGap) continue;
      const x = frame.x(start);
      pen.fillRect(x, frame.top, frame.x(end) - x, frame.bottom - frame.top);
    }
  }

  drawAxes(pen, frame, shades) {
    pen.strokeStyle = shades.grid;
    pen.fillStyle = shades.muted;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let bpm = frame.low; bpm <= frame.high; bpm += frame.step) {
      const y = Math.round(frame.y(bpm)) + 0.5;
      pen.beginPath();
      pen.moveTo(frame.left, y);
      pen.lineTo(frame.right, y);
      pen.stroke();
      pen.fillText(this.format.number(bpm), frame.left - 8, y);
    }
    this.drawTimes(pen, frame, shades);
  }

  drawTimes(pen, frame, shades) {
    const { from, to, rows } = this.data;
    if (!rows.length) return;
    const perPixel = (to - from) / Math.max(frame.right - frame.left, 1);
    const step = timeSteps.find((candidate) => candidate / perPixel >= 84 * shades.scale) ?? timeSteps[timeSteps.length - 1];
    // Whole steps of local time, so that hours and quarters fall on lines.
    const zone = new Date(to).getTimezoneOffset() * 60_000;
    const clock = step < 60_000 ? this.format.clock : this.format.short;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (let time = Math.ceil((from - zone) / step) * step + zone; time <= to; time += step) {
      const x = Math.round(frame.x(time)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, frame.bottom);
      pen.lineTo(x, frame.bottom + 4);
      pen.stroke();
      const label = clock.format(time);
      const half = pen.measureText(label).width / 2;
      if (x - half >= 0 && x + half <= frame.width) pen.fillText(label, x, frame.bottom + 8);
    }
  }

  drawEvents(pen, frame, shades) {
    const { events, from, to } = this.data;
    pen.strokeStyle = shades.warn;
    pen.setLineDash([3, 3]);
    for (const [time, which] of events) {
      if (time < from || time > to || (which !== code.sensorLost && which !== code.paused)) continue;
      const x = Math.round(frame.x(time)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, frame.top);
      pen.lineTo(x, frame.bottom);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /// One run as a line over a soft surface. Of the readings in one pixel column the lowest and the highest are drawn, so that
  /// hours cost as little as minutes and no peak is lost.
  drawRun(pen, frame, shades, run) {
    const points = [];
    let column = null;
    const flush = () => {
      if (!column) return;
      const { x, low, high, upLast } = column;
      if (low === high) points.push([x, frame.y(low)]);
      else points.push([x, frame.y(upLast ? low : high)], [x, frame.y(upLast ? high : low)]);
    };
    for (const [time, bpm] of run) {
      const x = Math.round(frame.x(time) * 2) / 2;
      if (column && column.x === x) {
        if (bpm > column.high) [column.high, column.upLast] = [bpm, true];
        if (bpm < column.low) [column.low, column.upLast] = [bpm, false];
      } else {
        flush();
        column = { x, low: bpm, high: bpm, upLast: true };
      }
    }
    flush();
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.strokeStyle = shades.heart;
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.lineCap = "round";
    if (points.length === 1) pen.lineTo(points[0][0] + 0.01, points[0][1]);
    pen.stroke();
    pen.lineTo(points[points.length - 1][0], frame.bottom);
    pen.lineTo(points[0][0], frame.bottom);
    pen.closePath();
    pen.fillStyle = shades.heartSoft;
    pen.fill();
  }

  drawCursor(pen, frame, shades) {
    const { rows, first, to } = this.data;
    const count = rows.length - first;
    this.canvas.setAttribute("aria-valuemax", String(Math.max(count - 1, 0)));
    if (this.cursor === null || count <= 0) return;
    const index = this.nearest(this.cursor);
    const row = rows[index];
    const inGap = Math.abs(row[0] - this.cursor) > heartGap;
    const time = inGap ? Math.min(this.cursor, to) : row[0];
    const bpm = inGap ? null : reading(row);
    const value = bpm !== null
      ? `${this.format.number(bpm)} ${this.format.text("bpm")}`
      : this.format.text(inGap ? "noSignal" : row[2] === 1 ? "heartNotWorn" : "heartNoReading");
    const text = `${value} · ${this.format.time(time)}`;
    this.canvas.setAttribute("aria-valuenow", String(index - first));
    this.canvas.setAttribute("aria-valuetext", text);
    const x = frame.x(time);
    if (x < frame.left || x > frame.right) return;
    pen.strokeStyle = shades.muted;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, frame.top);
    pen.lineTo(x, frame.bottom);
    pen.stroke();
    if (bpm !== null) {
      pen.fillStyle = shades.heart;
      pen.strokeStyle = shades.card;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, frame.y(bpm), 5, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
    this.drawLabel(pen, frame, shades, text, x);
  }

  drawLabel(pen, frame, shades, text, x) {
    pen.font = `600 ${13 * shades.scale}px ${shades.font}`;
    const width = pen.measureText(text).width + 16;
    const height = 24 * shades.scale;
    const left = Math.min(Math.max(x - width / 2, frame.left), frame.right - width);
    pen.fillStyle = shades.text;
    pen.beginPath();
    pen.roundRect(left, 2, width, height, 6);
    pen.fill();
    pen.fillStyle = shades.card;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(text, left + 8, 2.5 + height / 2);
  }
}
