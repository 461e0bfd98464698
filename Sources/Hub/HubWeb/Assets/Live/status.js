// What may be said about the last samples now. Pure: the time is an argument.
// A value is current, or it is said since when it is not: nothing old ever passes for current.

export const staleAfter = 10_000;

/// Codes of state events.
export const code = {
  sensorConnected: 1, sensorLost: 2, battery: 3, location: 4, fixAcquired: 5, fixLost: 6, paused: 7, resumed: 8,
};

/// The last event of any of `codes`; null without.
export function lastEvent(events, ...codes) {
  for (let i = events.length - 1; i >= 0; i--) if (codes.includes(events[i][1])) return events[i];
  return null;
}

/// How old a sample is, in milliseconds, and by which clock.
/// Live samples carry the time of measurement, which counts. Recorded times say nothing about now: there it counts when the
/// hub got the sample, and how far the sample lies behind the newest one of the recording.
/// In the answer, `receipt` says that `since` is a time of receipt and not of the recording.
/// `facts`: { live, now (hub's clock), received (hub's clock, null when unknown), newest (sample time of any kind) }
export function ageOf(row, facts) {
  const sinceReceived = facts.received === null ? Infinity : Math.max(0, facts.now - facts.received);
  if (facts.live) {
    const measured = Math.max(0, facts.now - row[0]);
    const age = facts.received === null ? measured : Math.max(measured, sinceReceived);
    return { age, stale: age > staleAfter, since: Math.min(row[0], facts.now - age) };
  }
  const behind = Math.max(0, facts.newest - row[0]);
  if (sinceReceived > staleAfter) return { age: sinceReceived, stale: true, since: facts.received, receipt: true };
  return { age: sinceReceived, stale: behind > staleAfter, since: row[0] };
}

/// The state of a kind: none, current, stale, lost or paused; for heart rates also notWorn and noReading.
export function stateOf(row, events, lostCode, facts) {
  const paused = lastEvent(events, code.paused, code.resumed);
  const isPaused = paused?.[1] === code.paused && (!row || paused[0] >= row[0]);
  if (isPaused) return { state: "paused", since: paused[0], age: row ? ageOf(row, facts).age : null };
  const change = lastEvent(events, lostCode, lostCode - 1);
  const isLost = change?.[1] === lostCode && (!row || change[0] >= row[0]);
  if (!row) return isLost ? { state: "lost", since: change[0], age: null } : { state: "none", age: null };
  const age = ageOf(row, facts);
  if (isLost) return { ...age, state: "lost", since: change[0] };
  return { ...age, state: age.stale ? "stale" : "current" };
}

/// The state of the heart rate; `bpm` is set only where a reading may be shown.
export function heartState(row, events, facts) {
  const found = stateOf(row, events, code.sensorLost, facts);
  if (!row) return { ...found, bpm: null };
  if (row[2] === 1) return { ...found, bpm: null, state: found.state === "current" ? "notWorn" : found.state };
  if (row[1] <= 0) return { ...found, bpm: null, state: found.state === "current" ? "noReading" : found.state };
  return { ...found, bpm: row[1] };
}

/// Positions that no satellite gave say so whatever their age: a box that stands at home tells its place once an hour.
const placeSources = { 1: "fixed", 2: "network" };

export function placeState(row, events, facts) {
  const place = stateOf(row, events, code.fixLost, facts);
  const source = placeSources[row?.[7]];
  return source && place.state !== "paused" ? { ...place, state: source } : place;
}
