// The sea of a tile out of its coastlines, as OpenStreetMap has them: the water is on the right.

/// `lines`: [x, y, x, y …]; `box`: the part of the tile that lies in the region. Answers { sea: a path to be filled "evenodd", null without a coast;
/// corners: for the box's north-west, north-east, south-east and south-west corner whether it lies in the sea, null where that is not known }.
export function coastOf(lines, box) {
  const runs = [], rings = [];
  for (const line of joined(lines)) {
    const isRing = line.length > 6 && line[0] === line.at(-2) && line[1] === line.at(-1);
    const inside = clipped(line, box);
    if (isRing && inside.length === 1 && inside[0].length === line.length) rings.push(line);
    else runs.push(...(isRing ? healed(inside) : inside));
  }
  const whole = runs.map((run) => drawnOut(run, box));
  if (!whole.length && !rings.length) return { sea: null, corners: null };
  const sea = new Path2D();
  const corners = whole.length ? around(sea, whole, box) : ocean(sea, rings, box);
  for (const ring of rings) follow(sea, ring, true);
  return { sea, corners };
}

function follow(path, line, isFirst) {
  if (isFirst) path.moveTo(line[0], line[1]);
  for (let n = isFirst ? 2 : 0; n < line.length; n += 2) path.lineTo(line[n], line[n + 1]);
  if (isFirst) path.closePath();
}

/// Lines end to end.
export function joined(lines) {
  const starts = new Map(), left = new Set(lines.filter((line) => line.length > 3)), made = [], ends = new Set();
  const key = (x, y) => `${x},${y}`;
  for (const line of left) {
    starts.set(key(line[0], line[1]), line);
    ends.add(key(line.at(-2), line.at(-1)));
  }
  const grow = (line) => {
    const whole = [...line];
    left.delete(line);
    for (;;) {
      const next = starts.get(key(whole.at(-2), whole.at(-1)));
      if (!next || !left.has(next)) break;
      left.delete(next);
      whole.push(...next.slice(2));
    }
    made.push(whole);
  };
  for (const line of [...left]) if (left.has(line) && !ends.has(key(line[0], line[1]))) grow(line);
  while (left.size) grow(left.values().next().value);
  return made;
}

/// The parts of a line in the box.
export function clipped(line, box) {
  const parts = [];
  let part = null;
  for (let n = 2; n < line.length; n += 2) {
    const cut = segment(line[n - 2], line[n - 1], line[n], line[n + 1], box);
    if (!cut) { part = null; continue; }
    const [x0, y0, x1, y1] = cut;
    if (!part || part.at(-2) !== x0 || part.at(-1) !== y0) parts.push(part = [x0, y0]);
    if (x1 !== x0 || y1 !== y0) part.push(x1, y1);
    if (x1 !== line[n] || y1 !== line[n + 1]) part = null;
  }
  return parts.filter((found) => found.length > 3);
}

/// Liang and Barsky.
function segment(x0, y0, x1, y1, { left, top, right, bottom }) {
  const dx = x1 - x0, dy = y1 - y0;
  let from = 0, to = 1;
  for (const [step, gap] of [[-dx, x0 - left], [dx, right - x0], [-dy, y0 - top], [dy, bottom - y0]]) {
    if (step === 0) { if (gap < 0) return null; continue; }
    const at = gap / step;
    if (step < 0) { if (at > to) return null; from = Math.max(from, at); } else { if (at < from) return null; to = Math.min(to, at); }
  }
  // What is cut lies on the edge itself, whatever floating point makes of it.
  const edge = (value, low, high) => (Math.abs(value - low) < 1e-6 ? low : Math.abs(value - high) < 1e-6 ? high : value);
  const cut = (at) => [edge(x0 + at * dx, left, right), edge(y0 + at * dy, top, bottom)];
  return [...(from === 0 ? [x0, y0] : cut(from)), ...(to === 1 ? [x1, y1] : cut(to))];
}

/// A ring that leaves the tile begins somewhere: its last part goes on with its first.
function healed(parts) {
  if (parts.length < 2) return parts;
  const [first, last] = [parts[0], parts.at(-1)];
  if (first[0] !== last.at(-2) || first[1] !== last.at(-1)) return parts;
  return [[...last, ...first.slice(2)], ...parts.slice(1, -1)];
}

/// A line that ends in the box, as at the edge of an extract, goes on to the box's edge: to the nearest one where that is close, otherwise straight on.
function drawnOut(run, box) {
  const way = (x, y, fromX, fromY) => (place(x, y, box) === null ? [outOf(x, y, x - fromX, y - fromY, box)] : []);
  const back = Math.min(run.length, 12), [x0, y0, x1, y1] = [run[0], run[1], run.at(-2), run.at(-1)];
  return [...way(x0, y0, run[back - 2], run[back - 1]), [...run], ...way(x1, y1, run.at(-back), run.at(1 - back))].flat();
}

function outOf(x, y, dx, dy, { left, top, right, bottom }) {
  const close = 0.1 * Math.max(right - left, bottom - top);
  const sides = [[x - left, left, y], [right - x, right, y], [y - top, x, top], [bottom - y, x, bottom]].sort((a, b) => a[0] - b[0]);
  if (sides[0][0] <= close || (dx === 0 && dy === 0)) return sides[0].slice(1);
  const toX = dx > 0 ? (right - x) / dx : dx < 0 ? (left - x) / dx : Infinity, toY = dy > 0 ? (bottom - y) / dy : dy < 0 ? (top - y) / dy : Infinity;
  return toX < toY ? [dx > 0 ? right : left, y + toX * dy] : [x + toY * dx, dy > 0 ? bottom : top];
}

/// How far along the edge a point is, clockwise from the north-west corner, 0 to 4; null within.
function place(x, y, { left, top, right, bottom }) {
  if (y === top) return (x - left) / (right - left);
  if (x === right) return 1 + (y - top) / (bottom - top);
  if (y === bottom) return 2 + (right - x) / (right - left);
  return x === left ? 3 + (bottom - y) / (bottom - top) : null;
}

/// Water is on the right of a line: clockwise from where it leaves the tile, up to where the next one comes in.
function around(path, runs, box) {
  const { left, top, right, bottom } = box, corner = [[left, top], [right, top], [right, bottom], [left, bottom]];
  const entries = runs.map((run) => ({ run, at: place(run[0], run[1], box), isUsed: false })).sort((a, b) => a.at - b.at);
  const after = (at) => entries.find((entry) => entry.at >= at) ?? entries[0];
  for (const entry of entries) {
    if (entry.isUsed) continue;
    let now = entry, isFirst = true;
    for (let count = 0; count <= entries.length; count++) {
      now.isUsed = true;
      if (isFirst) path.moveTo(now.run[0], now.run[1]);
      for (let n = isFirst ? 2 : 0; n < now.run.length; n += 2) path.lineTo(now.run[n], now.run[n + 1]);
      isFirst = false;
      const out = place(now.run.at(-2), now.run.at(-1), box), next = after(out);
      const to = next.at >= out ? next.at : next.at + 4;
      for (let at = Math.floor(out) + 1; at < to; at++) path.lineTo(...corner[at % 4]);
      if (next.isUsed) break;
      now = next;
    }
    path.closePath();
  }
  const marks = runs.flatMap((run) => [{ at: place(run[0], run[1], box), isEntry: true }, { at: place(run.at(-2), run.at(-1), box), isEntry: false }]);
  marks.sort((a, b) => a.at - b.at);
  // Before a line comes in there is sea.
  return [0, 1, 2, 3].map((at) => (marks.find((mark) => mark.at >= at) ?? marks[0]).isEntry);
}

/// Islands alone, or a lagoon alone: a ring goes against the clock around land.
function ocean(path, rings, { left, top, right, bottom }) {
  const largest = rings.map(area).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0), isSea = largest < 0;
  if (isSea) path.rect(left, top, right - left, bottom - top);
  return [isSea, isSea, isSea, isSea];
}

/// Where y goes down: positive for clockwise.
function area(ring) {
  let sum = 0;
  for (let n = 2; n < ring.length; n += 2) sum += ring[n - 2] * ring[n + 1] - ring[n] * ring[n - 1];
  return sum / 2;
}
