// Texts, numbers and times as this reader writes them.

export class Format {
  /// `lang` is the page's language; the reader's own region of that language decides how numbers and times look.
  constructor(lang, texts) {
    this.texts = texts;
    const own = (navigator.languages ?? []).find((tag) => tag.toLowerCase().split("-")[0] === lang);
    this.locale = own ?? lang;
    const time = (options) => new Intl.DateTimeFormat(this.locale, options);
    this.clock = time({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
    this.short = time({ hour: "2-digit", minute: "2-digit" });
    this.day = time({ day: "numeric", month: "short", year: "numeric" });
    this.numbers = new Map();
  }

  /// The text of `key` with its {places} filled; a missing text shows its key, so that it is noticed.
  text(key, values = {}) {
    const text = this.texts[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  }

  number(value, digits = 0) {
    if (!this.numbers.has(digits)) {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      this.numbers.set(digits, new Intl.NumberFormat(this.locale, options));
    }
    return this.numbers.get(digits).format(value);
  }

  percent(value) {
    return new Intl.NumberFormat(this.locale, { style: "percent" }).format(value / 100);
  }

  /// Hours, minutes and seconds, with the day when that is not the day of `now`.
  time(ms, now) {
    const clock = this.clock.format(ms);
    const otherDay = now !== undefined && new Date(ms).toDateString() !== new Date(now).toDateString();
    return otherDay ? `${this.day.format(ms)}, ${clock}` : clock;
  }

  dayAndTime(ms) {
    return `${this.day.format(ms)}, ${this.clock.format(ms)}`;
  }

  age(ms) {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    if (seconds < 60) return this.text("ageSeconds", { n: this.number(seconds) });
    if (seconds < 3600) return this.text("ageMinutes", { n: this.number(Math.floor(seconds / 60)) });
    if (seconds < 48 * 3600) return this.text("ageHours", { n: this.number(Math.floor(seconds / 3600)) });
    return this.text("ageDays", { n: this.number(Math.floor(seconds / 86400)) });
  }

  /// Minutes and seconds for one kilometre, or for another length in metres.
  pace(metresPerSecond, length = 1000) {
    const seconds = Math.round(length / metresPerSecond);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  /// One coordinate as text, for instance 45.47880° N.
  degrees(value, positive, negative, digits) {
    return `${this.number(Math.abs(value), digits)}° ${this.text(value < 0 ? negative : positive)}`;
  }
}
