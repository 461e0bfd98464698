// The line to the hub: server-sent events, and after every (re)connection the snapshot again, so that nothing is missing.

/// Answers after which there is nothing more to see for this reader.
const ended = [401, 403, 404, 410];
const retryFirst = 1_000;
const retryMax = 10_000;
/// The hub's heartbeats are comments, which scripts never see. After this long without an event the snapshot is asked for,
/// which tells a quiet person from a dead line.
const quietMax = 20_000;
const answerMax = 8_000;

/// What one step of a column is: of heart rates (time, bpm, contact), and of positions (time, latitude, longitude, altitude, speed, course,
/// error, source).
const heartSteps = [1, 1, 1];
const positionSteps = [1, 1e7, 1e7, 10, 100, 100, 10, 1];

/// Rows out of columns: how many rows, then for each column the differences from the value before, of times from the step before.
export function rowsOf([count = 0, ...columns], steps) {
  const rows = Array.from({ length: count }, () => Array(steps.length).fill(null));
  columns.forEach((column, place) => {
    let value = 0, step = 0;
    for (let i = 0; column && i < count; i++) {
      const difference = column[i] ?? (i < column.length ? null : 0);
      if (difference === null) continue;
      if (place === 0 && i > 0) step += difference;
      value += place === 0 && i > 0 ? step : difference;
      rows[i][place] = value / steps[place];
    }
  });
  return rows;
}

export class Feed {
  /// `on`: { samples(data), snapshot(data) -> number of new samples, newest() -> when the newest row was measured or null,
  /// state("connecting" | "connected" | "lost"), ended() }
  constructor(base, on) {
    this.base = base;
    this.on = on;
    this.retry = retryFirst;
    this.heard = performance.now();
    this.over = false;
    this.fetching = false;
  }

  start() {
    this.on.state("connecting");
    this.open();
    setInterval(() => this.watch(), 2_000);
  }

  open() {
    if (this.over) return;
    // The stream first, then the snapshot: what arrives between the two comes twice and is merged, never not at all.
    this.source = new EventSource(`${this.base}/live`);
    this.source.onopen = () => this.catchUp();
    this.source.addEventListener("samples", (event) => this.take(event));
    // The hub had to leave out events because this line was too slow.
    this.source.addEventListener("missed", () => this.catchUp());
    this.source.addEventListener("end", () => this.end());
    this.source.onerror = () => {
      if (this.over) return;
      this.lost();
      // A browser gives up for good after an HTTP error; a hub that starts again may well answer one for a moment.
      if (this.source.readyState === EventSource.CLOSED) this.again(() => this.reopen());
    };
  }

  reopen() {
    this.source.close();
    this.open();
    this.catchUp();
  }

  again(action) {
    clearTimeout(this.timer);
    this.timer = setTimeout(action, this.retry * (0.75 + Math.random() / 2));
    this.retry = Math.min(this.retry * 2, retryMax);
  }

  take(event) {
    this.heard = performance.now();
    try {
      this.on.samples(JSON.parse(event.data));
    } catch (error) {
      console.error("an event of the hub could not be read", error);
    }
  }

  /// Fetches the snapshot. `quiet`: the stream has been silent; when there is news all the same, the stream is dead.
  async catchUp(quiet = false) {
    if (this.over) return;
    if (this.fetching) {
      // The one on its way may be from before the stream opened.
      this.once = true;
      return;
    }
    this.fetching = true;
    this.once = false;
    try {
      const options = { cache: "no-store", signal: AbortSignal.timeout(answerMax) };
      // Who only looks whether there is news has the rest.
      const since = quiet ? this.on.newest() : null;
      const answer = await fetch(`${this.base}/recent?form=columns${since === null ? "" : `&since=${since}`}`, options);
      if (ended.includes(answer.status)) return this.end();
      if (!answer.ok) throw new Error(`the hub answered ${answer.status}`);
      const data = await answer.json();
      if (this.over) return;
      this.heard = performance.now();
      [data.hr, data.pos] = [rowsOf(data.hr, heartSteps), rowsOf(data.pos, positionSteps)];
      const added = this.on.snapshot(data);
      if (this.source.readyState === EventSource.OPEN) {
        this.retry = retryFirst;
        this.on.state("connected");
      }
      if (quiet && added > 0) this.reopen();
    } catch {
      this.lost();
      this.again(() => (this.source.readyState === EventSource.CLOSED ? this.reopen() : this.catchUp()));
    } finally {
      this.fetching = false;
    }
    if (this.once) this.catchUp();
  }

  watch() {
    if (!this.over && performance.now() - this.heard > quietMax) this.catchUp(true);
  }

  lost() {
    if (!this.over) this.on.state("lost");
  }

  end() {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.timer);
    this.source.close();
    this.on.ended();
  }
}
