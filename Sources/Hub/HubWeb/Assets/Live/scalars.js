// Values that come now and then: of each kind the newest. What a row means says the page's configuration, made of the hub's table of kinds.
// A row is [t, kind, value, second, end, typed]; values are whole numbers in the kind's resolution, or codes.

/// Takes in what is newer of `rows`; says how many kinds got a new value.
export function mergeNewest(newest, rows) {
  if (!Array.isArray(rows)) return 0;
  let added = 0;
  for (const row of rows) {
    if (!Array.isArray(row) || ![row[0], row[1], row[2]].every(Number.isFinite)) continue;
    const old = newest.get(row[1]);
    // Of one instant the later one counts, and is no news when it is the same.
    if (old && (row[0] < old[0] || String(row) === String(old))) continue;
    newest.set(row[1], row);
    added += 1;
  }
  return added;
}

/// Whether all that an event brings was entered by hand.
export function isTyped(data) {
  const has = (rows) => Array.isArray(rows) && rows.length > 0;
  return has(data.scalars) && data.scalars.every((row) => row[5]) && ![data.hr, data.pos, data.events].some(has);
}

/// A row's value with its unit, or the names of its codes.
export function amount(row, kind, format) {
  const number = (value) => format.number(value / 10 ** kind.decimals * (kind.factor ?? 1) + (kind.zero ?? 0), kind.shown ?? kind.decimals);
  const text = (value, codes) => (codes.length ? codes[value] ?? String(value) : number(value));
  const parts = [text(row[2], kind.codes)];
  if (Number.isFinite(row[3] ?? NaN)) parts.push(text(row[3], kind.secondCodes));
  if (kind.codes.length) return parts.join(", ");
  return kind.unit ? `${parts.join(" / ")} ${kind.unit}` : parts.join(" / ");
}
