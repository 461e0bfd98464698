// A finished run again: who was where at any second, from replay.json: [bib, gun (UTC ms), [second, metres, …]], seconds since `from`. Pure.

/// Seconds over which a pace is taken.
const window = 60;
/// Seconds without a point after which somebody was not seen.
const silent = 60;
const [finishedGroup, runningGroup, notStartedGroup] = [0, 1, 3];

/// The index of the last point at or before `wanted`; -1 before all. `line` is flat: s, m, s, m, …
function last(line, wanted, part) {
  let low = -1, high = line.length / 2;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (line[middle * 2 + part] <= wanted) low = middle;
    else high = middle;
  }
  return low;
}

function between(line, index, wanted, from, to) {
  const a = index * 2, b = a + 2;
  const wide = line[b + from] - line[a + from];
  return wide > 0 ? line[a + to] + ((line[b + to] - line[a + to]) * (wanted - line[a + from])) / wide : line[a + to];
}

/// Metres at a second; null before the first point.
export function metresAt(line, second) {
  const index = last(line, second, 0), count = line.length / 2;
  if (index < 0) return null;
  return index + 1 < count ? between(line, index, second, 0, 1) : line[index * 2 + 1];
}

/// The second at which so many metres were reached; null where that never was.
export function secondAt(line, metres) {
  const count = line.length / 2;
  if (!count || metres > line[count * 2 - 1]) return null;
  const index = last(line, metres, 1);
  if (index < 0) return line[0];
  return index + 1 < count ? between(line, index, metres, 1, 0) : line[index * 2];
}

export class Replay {
  constructor(data, length) {
    [this.from, this.to, this.length] = [data.from, data.to, length];
    this.seconds = Math.max(0, Math.round((data.to - data.from) / 1000));
    this.runners = (data.runners ?? []).filter((row) => Array.isArray(row?.[2]) && row[2].length >= 2 && row[2].every(Number.isFinite))
      .map(([bib, gun, line]) => ({ bib, gun: (gun - data.from) / 1000, line, name: data.names?.[bib] ?? "", end: line.at(-2), whole: line.at(-1) >= length - 1 }));
    this.refused = (data.runners ?? []).length - this.runners.length;
    this.byBib = new Map(this.runners.map((runner) => [runner.bib, runner]));
  }

  /// Metres to show at a second, between its points.
  at(bib, second) {
    const runner = this.byBib.get(bib);
    return runner ? Math.max(metresAt(runner.line, second) ?? 0, 0) : null;
  }

  /// Everybody at a second, as rows of the race.
  rows(second) {
    const rows = this.runners.map((runner) => this.row(runner, second));
    const ranked = rows.filter((row) => row.group !== notStartedGroup);
    const front = ranked.reduce((best, row) => (!best || row.metres > best.metres || (row.metres === best.metres && row.own < best.own) ? row : best), null);
    for (const row of ranked) row.behind = front ? this.behind(row, front) : 0;
    ranked.sort((a, b) => a.group - b.group || a.behind - b.behind || a.bib - b.bib);
    ranked.forEach((row, index) => {
      row.place = index && row.group === ranked[index - 1].group && row.behind === ranked[index - 1].behind ? ranked[index - 1].place : index + 1;
      row.gap = Math.round(row.behind - ranked[0].behind);
    });
    return rows;
  }

  row(runner, second) {
    const { bib, line, gun, name } = runner, metres = metresAt(line, second);
    const isOver = runner.whole && second >= runner.end, index = last(line, second, 0);
    const row = { bib, name, place: 0, gap: -1, hr: 0, off: null, pace: 0, metres: 0, seen: 0, group: notStartedGroup, own: 0 };
    if (metres === null || (metres <= 0 && second <= gun)) return row;
    const before = Math.max(second - window, line[0]), way = metres - (metresAt(line, before) ?? 0);
    const isBetween = index + 1 < line.length / 2 && line[index * 2 + 2] - line[index * 2] <= silent;
    const seen = isBetween || isOver ? second : Math.min(second, line[index * 2]);
    return {
      ...row, metres, seen: this.from + seen * 1000, group: isOver ? finishedGroup : runningGroup,
      pace: !isOver && way > 5 && second > before ? Math.round(((second - before) * 1000) / way) : 0,
      own: (isOver ? runner.end : second) - gun,
    };
  }

  /// Seconds of the own time after the front-most runner at the same distance.
  behind(row, front) {
    const leader = this.byBib.get(front.bib), there = secondAt(leader.line, row.metres);
    return row.own - ((there ?? leader.gun) - leader.gun);
  }
}
