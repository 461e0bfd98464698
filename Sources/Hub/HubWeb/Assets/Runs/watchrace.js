// A race as the hub's events tell it: who is where, in which order, and how fresh that is. Pure: no page, no clock.

/// As in the hub's rows.
export const groups = ["finished", "running", "incomplete", "notStarted", "didNotFinish", "didNotStart", "disqualified"];
const [finished, running, incomplete, notStarted] = [0, 1, 2, 3];
/// Milliseconds after which a runner's place is not current any more.
export const staleAfter = 15_000;
const nameMax = 80;

/// The way in places and metres from the start.
export class Course {
  /// `points`: [[latitude, longitude, metres from the start], …], ascending.
  constructor(points) {
    this.points = points.filter((point) => Array.isArray(point) && point.length >= 3 && point.every(Number.isFinite));
    this.length = this.points.at(-1)?.[2] ?? 0;
  }

  /// Between which points a distance lies: the first one's index, and the share of the way to the next.
  locate(metres) {
    const { points } = this;
    let low = 0, high = points.length - 1;
    if (high < 1) return [0, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (points[middle][2] <= metres) low = middle;
      else high = middle;
    }
    const wide = points[high][2] - points[low][2];
    return [low, wide > 0 ? Math.min(Math.max((metres - points[low][2]) / wide, 0), 1) : 0];
  }

  at(metres) {
    const [index, share] = this.locate(metres), a = this.points[index], b = this.points[index + 1] ?? a;
    return a ? [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share] : null;
  }
}

export class Race {
  constructor() {
    this.runners = new Map();
    this.seq = null;
    this.t = null;
    /// Rows that could not be read: told, never guessed.
    this.refused = 0;
  }

  /// Takes everything anew.
  snapshot(data) {
    this.runners = new Map();
    [this.seq, this.t] = [data.seq, data.t];
    for (const row of data.rows ?? []) this.row(row);
    this.name(data.names);
  }

  /// Takes what changed. False where an event before this one is missing, or none is known: then a snapshot is needed.
  delta(data) {
    if (this.seq === null || data.seq !== this.seq + 1) return false;
    [this.seq, this.t] = [data.seq, data.t];
    const moved = data.m ?? [];
    for (let index = 0; index + 1 < moved.length; index += 2) {
      const runner = this.runners.get(moved[index]);
      if (!runner || !Number.isFinite(moved[index + 1])) {
        this.refused += 1;
        continue;
      }
      runner.metres += moved[index + 1];
      runner.seen = data.t;
    }
    for (const row of data.r ?? []) this.row(row);
    this.name(data.n);
    for (const bib of data.x ?? []) this.runners.delete(bib);
    return true;
  }

  row(row) {
    if (!Array.isArray(row) || ![8, 10].includes(row.length) || !row.every(Number.isFinite)) {
      this.refused += 1;
      return;
    }
    const [bib, group, place, metres, pace, gap, hr, seen] = row;
    const off = row.length === 10 ? [row[8] / 1e5, row[9] / 1e5] : null;
    const name = this.runners.get(bib)?.name ?? "";
    this.runners.set(bib, { bib, group, place, metres, pace, gap, hr, seen, off, name });
  }

  name(names) {
    for (const [bib, name] of Object.entries(names ?? {})) {
      const runner = this.runners.get(Number(bib));
      if (runner && typeof name === "string") runner.name = name.slice(0, nameMax);
    }
  }
}

/// Whether what is known of a runner is current. `now` is the hub's.
/// "fresh" and "stale" for who is on the way; "waiting" before the start, "over" behind the finish: there nothing has to come.
export function freshness(runner, now) {
  const age = runner.seen > 0 ? Math.max(0, now - runner.seen) : null;
  if (runner.group === notStarted) return { state: "waiting", age };
  if (runner.group !== running && runner.group !== incomplete) return { state: "over", age };
  return { state: age !== null && age <= staleAfter ? "fresh" : "stale", age };
}

/// The order of the list: groups, then places, then who is further.
export function ordered(runners) {
  return [...runners].sort((a, b) =>
    a.group - b.group || (a.place || Infinity) - (b.place || Infinity) || b.metres - a.metres || a.bib - b.bib);
}

const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/// Who fits what was typed: digits are the beginning of a bib number, words are anywhere in the public name.
export function found(runners, typed) {
  const words = fold(typed).split(/\s+/).filter(Boolean).slice(0, 8);
  if (!words.length) return runners;
  const fits = runners.filter((runner) => {
    const name = fold(runner.name), bib = String(runner.bib);
    return words.every((word) => (/^\d+$/.test(word) && bib.startsWith(word)) || name.includes(word));
  });
  // The very number first: somebody typed it off a shirt.
  const isExact = (runner) => String(runner.bib) === words[0];
  return [...fits.filter(isExact), ...fits.filter((runner) => !isExact(runner))];
}

/// How many of which kind there are, for the line above the list.
export function counts(runners, now) {
  const count = { running: 0, finished: 0, waiting: 0, stale: 0, other: 0 };
  for (const runner of runners) {
    if (runner.group === finished) count.finished += 1;
    else if (runner.group === notStarted) count.waiting += 1;
    else if (runner.group === running || runner.group === incomplete) {
      count.running += 1;
      if (freshness(runner, now).state === "stale") count.stale += 1;
    } else count.other += 1;
  }
  return count;
}

// MARK: Following

export const followMax = 20;
const isBib = (bib) => Number.isInteger(bib) && bib > 0 && bib < 1e7;

/// The bib numbers in an address's fragment, as `#follow=12,7`; null where it names none.
export function followed(fragment) {
  const text = new URLSearchParams(fragment.replace(/^#/, "")).get("follow");
  if (text === null) return null;
  return [...new Set(text.split(/[,. ]+/).map(Number).filter(isBib))].slice(0, followMax);
}

export const fragment = (bibs) => (bibs.length ? `#follow=${bibs.join(",")}` : "");

// MARK: Numbers as people read them

/// Seconds as 4:05 or 1:02:03.
export function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds)), two = (value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
