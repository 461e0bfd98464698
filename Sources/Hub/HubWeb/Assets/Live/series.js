// The samples of one person as this page holds them: sorted by sample time, each once, whatever order they came in.
// Rows are arrays as the hub sends them; the first element is the sample time in UTC milliseconds.

export const heartGap = 5_000;
export const positionGap = 10_000;
/// How much is kept: what the hub's snapshot reaches back.
const keep = 2 * 3600_000;
const rowsMax = 80_000;

export class Series {
  /// `fields`: how many leading elements make a row's identity (events have two: time and code).
  constructor(fields = 1) {
    this.fields = fields;
    this.rows = [];
    this.refused = 0;
  }

  get last() {
    return this.rows.length ? this.rows[this.rows.length - 1] : null;
  }

  compare(a, b) {
    for (let i = 0; i < this.fields; i++) if (a[i] !== b[i]) return a[i] - b[i];
    return 0;
  }

  /// Adds what is new of `rows`; says how many that were.
  merge(rows) {
    if (!Array.isArray(rows)) return 0;
    let added = 0;
    const late = [];
    for (const row of rows) {
      if (!Array.isArray(row) || !Number.isFinite(row[0]) || !Number.isFinite(row[1])) {
        this.refused += 1;
      } else if (!this.last || this.compare(row, this.last) > 0) {
        this.rows.push(row);
        added += 1;
      } else {
        late.push(row);
      }
    }
    if (late.length) added += this.insert(late);
    this.trim();
    return added;
  }

  insert(late) {
    const before = this.rows.length;
    // Sorting is stable, so of two rows with one identity the one that was here first stays.
    const all = this.rows.concat(late).sort((a, b) => this.compare(a, b));
    this.rows = all.filter((row, i) => i === 0 || this.compare(row, all[i - 1]) !== 0);
    return this.rows.length - before;
  }

  trim() {
    if (!this.rows.length) return;
    const first = Math.max(this.indexFrom(this.last[0] - keep), this.rows.length - rowsMax);
    if (first > 0) this.rows.splice(0, first);
  }

  /// The index of the first row at or after `time`; the row count when there is none.
  indexFrom(time) {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle][0] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/// The beats per minute of a heart-rate row, or null when the row is no reading: 0 is what straps send without a pulse,
/// and without skin contact a number means nothing.
export function reading(row) {
  return row[1] > 0 && row[2] !== 1 ? row[1] : null;
}

/// Minimum, mean and maximum of the readings in rows[from ..< to]; null when there is none.
export function summary(rows, from = 0, to = rows.length) {
  let count = 0, sum = 0, min = Infinity, max = -Infinity;
  for (let i = from; i < to; i++) {
    const bpm = reading(rows[i]);
    if (bpm === null) continue;
    count += 1;
    sum += bpm;
    min = Math.min(min, bpm);
    max = Math.max(max, bpm);
  }
  return count ? { count, min, max, mean: sum / count } : null;
}

const radians = Math.PI / 180;

/// Metres between two position rows on a sphere of the earth's mean radius.
export function metres(a, b) {
  const dLat = (b[1] - a[1]) * radians;
  const dLon = (b[2] - a[2]) * radians;
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(a[1] * radians) * Math.cos(b[1] * radians) * Math.sin(dLon / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(h)));
}

/// Metres along the track. Counted in steps of at least 3 m, so that the jitter of somebody who stands still adds nothing;
/// positions known worse than 50 m are left out.
export function distance(rows) {
  let total = 0;
  let anchor = null;
  for (const row of rows) {
    if (row[6] > 50) continue;
    if (!anchor) anchor = row;
    const step = metres(anchor, row);
    if (step < 3) continue;
    total += step;
    anchor = row;
  }
  return total;
}

/// Metres per second now: the mean of the last 10 s of the track, as measured or else from the way made; null without.
export function speedNow(rows) {
  const last = rows[rows.length - 1];
  if (!last) return null;
  let first = rows.length - 1;
  while (first > 0 && last[0] - rows[first - 1][0] <= 10_000) first -= 1;
  const recent = rows.slice(first);
  const measured = recent.map((row) => row[4]).filter((value) => Number.isFinite(value));
  if (measured.length) return measured.reduce((sum, value) => sum + value, 0) / measured.length;
  const seconds = (last[0] - recent[0][0]) / 1000;
  return seconds > 0 ? distance(recent) / seconds : null;
}

/// Lower bounds in bpm of the bands that colour the track; the first band is what lies below the first bound.
export const bands = [110, 130, 150, 170];

/// The band of a heart rate, 0 ... bands.length; -1 without a reading.
export function band(bpm) {
  if (bpm === null) return -1;
  let index = 0;
  while (index < bands.length && bpm >= bands[index]) index += 1;
  return index;
}

/// Cuts the track into lines of one band each and into holes (more than 10 s without a position).
/// Returns { lines: Map(band -> [[[lat, lon], …], …]), holes: [[[lat, lon], [lat, lon]], …] }.
export function track(positions, hearts) {
  const lines = new Map();
  const holes = [];
  let line = null;
  let lineBand = null;
  let h = 0;
  for (let i = 0; i < positions.length; i++) {
    const row = positions[i];
    const point = [row[1], row[2]];
    while (h + 1 < hearts.length && hearts[h + 1][0] <= row[0]) h += 1;
    const heart = hearts[h];
    const here = heart && Math.abs(heart[0] - row[0]) <= heartGap ? band(reading(heart)) : -1;
    const before = i > 0 ? positions[i - 1] : null;
    const hole = before && row[0] - before[0] > positionGap;
    if (hole) holes.push([[before[1], before[2]], point]);
    if (!line || hole || here !== lineBand) {
      // A new colour starts where the old one ended, else there would be slits between them.
      line = before && !hole ? [[before[1], before[2]], point] : [point];
      lineBand = here;
      if (!lines.has(here)) lines.set(here, []);
      lines.get(here).push(line);
    } else {
      line.push(point);
    }
  }
  return { lines, holes };
}
