// The words of the page, which came with it, and how numbers become words.
const words = JSON.parse(document.getElementById("words").textContent);
const lang = document.documentElement.lang;

export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** The words under a key that the box names; nothing where it names none, or one that this page does not know. */
export function known(key) {
  return Object.hasOwn(words, key) ? t(key) : "";
}

/**
 * Why something is not as it should be: in the reader's language where there are words for it, and what only the box's own English words say.
 * Those of a source name what failed there; the monitor's say the same.
 */
export function reason(key, what, advice) {
  const told = known(key);
  if (!told) return ["", [what, advice].filter(Boolean).join(". ")];
  return [told, key.startsWith("problem.") ? what ?? "" : ""];
}

/** A span of milliseconds in the one unit that says enough. */
export function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return t("age.seconds", { n: seconds });
  if (seconds < 2 * 3600) return t("age.minutes", { n: Math.floor(seconds / 60) });
  if (seconds < 2 * 86400) return t("age.hours", { n: Math.floor(seconds / 3600) });
  return t("age.days", { n: Math.floor(seconds / 86400) });
}

/** When something last was, from now. */
export function ago(milliseconds) {
  return milliseconds < 3000 ? t("now") : t("ago", { age: span(milliseconds) });
}

/** The time of day, with the weekday when it is not today. */
export function clock(utc, now) {
  const far = Math.abs(utc - now) > 20 * 3600 * 1000;
  return new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { hour: "2-digit", minute: "2-digit", ...(far && { weekday: "long" }) }).format(utc);
}

export function number(value, digits = 0) {
  return value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Changes a text only when it is another one, so that a screen reader says it once and nothing flickers. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}
