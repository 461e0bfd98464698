// Runners move smoothly between fixes: on with their pace, and gently towards what the next fix says. Pure: times are handed in.

/// Milliseconds in which two thirds of a difference are made good.
const gentle = 1500;
/// Milliseconds for which somebody is taken to go on. Longer would be a guess.
const aheadMax = 4000;
/// Metres: what is further away was a mistake, or a hole; nobody is seen to fly.
const leap = 250;
/// Metres that somebody may stand ahead of the newest fix, instead of walking back.
const patience = 30;

/// Metres a second: nobody is taken to be faster, not even in a rehearsal at ten times the speed.
const speedMax = 60;

export class Motion {
  constructor(length = Infinity) {
    this.length = length;
    this.tracks = new Map();
  }

  /// A fix became known at `now`. `speed` in metres a second, 0 for who stands.
  set(bib, metres, speed, now) {
    const known = this.tracks.get(bib), shown = known ? this.at(bib, now) : metres;
    const error = Math.abs(shown - metres) > leap ? 0 : shown - metres;
    const isBack = known && metres < known.metres;
    this.tracks.set(bib, { metres, speed, since: now, error, floor: !isBack && error > 0 && error <= patience ? shown : -Infinity });
  }

  /// Metres from the start to show at `now`.
  at(bib, now) {
    const track = this.tracks.get(bib);
    if (!track) return null;
    const passed = Math.max(0, now - track.since);
    const expected = track.metres + (track.speed * Math.min(passed, aheadMax)) / 1000;
    const shown = Math.max(expected + track.error * Math.exp(-passed / gentle), track.floor);
    return Math.min(Math.max(shown, 0), this.length);
  }

  /// Forgets all but these.
  keep(bibs) {
    for (const bib of this.tracks.keys()) if (!bibs.has(bib)) this.tracks.delete(bib);
  }
}

/// Metres a second of a runner of the race, as far as it may be gone on with.
export function speedOf(runner) {
  return runner.group === 1 || runner.group === 2 ? (runner.pace > 0 ? Math.min(1000 / runner.pace, speedMax) : 0) : 0;
}
