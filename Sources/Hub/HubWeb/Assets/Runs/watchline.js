// The line to the hub: a stream of server-sent events, read by fetch, so that the hub's signs of life are seen too.

const retryFirst = 1_000, retryMax = 30_000;
/// The hub says something at least every 10 s. After so long without a byte the line is dead.
const quietMax = 25_000;
/// Answers after which there is nothing more to see.
const over = [401, 403, 404, 410];

/// Cuts a stream of text into events (WHATWG, server-sent events). Comments are left out.
export class Decoder {
  constructor() {
    this.rest = "";
    this.clear();
  }

  clear() {
    [this.event, this.data] = ["message", []];
  }

  /// The events that end in `text`: [{ event, data }, …].
  push(text) {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/), events = [];
    this.rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (this.data.length) events.push({ event: this.event, data: this.data.join("\n") });
        this.clear();
        continue;
      }
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === "event") this.event = value;
      else if (field === "data") this.data.push(value);
    }
    return events;
  }
}

/// How long to wait before the next try: twice as long each time, and not everybody at once.
export function wait(tries, chance = Math.random()) {
  return Math.min(retryFirst * 2 ** tries, retryMax) * (0.75 + chance / 2);
}

export class Line {
  /// `on`: { event(name, data) → false to begin anew, state("connecting" | "connected" | "lost" | "paused"), ended() }
  constructor(url, on) {
    [this.url, this.on] = [url, on];
    [this.tries, this.bytes, this.isOver] = [0, 0, false];
    /// When the last byte came, by this page's steady clock.
    this.heard = performance.now();
  }

  start() {
    this.on.state("connecting");
    this.open();
    setInterval(() => this.look(), 1_000);
    addEventListener("online", () => this.now());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.sleep() : this.now()));
  }

  async open() {
    const turn = (this.turn = {}), abort = (this.abort = new AbortController());
    this.heard = performance.now();
    try {
      const answer = await fetch(this.url, { cache: "no-store", signal: abort.signal, headers: { Accept: "text/event-stream" } });
      if (over.includes(answer.status)) return this.end();
      if (!answer.ok || !answer.body) throw new Error(`the hub answered ${answer.status}`);
      await this.read(answer.body.getReader(), turn);
      throw new Error("the stream ended");
    } catch {
      if (turn === this.turn && !this.isOver && !this.isAsleep) this.again();
    }
  }

  async read(reader, turn) {
    const decoder = new Decoder(), text = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || turn !== this.turn || this.isOver) return;
      this.heard = performance.now();
      this.bytes += value.length;
      for (const { event, data } of decoder.push(text.decode(value, { stream: true }))) {
        if (!this.take(event, data)) {
          reader.cancel().catch(() => {});
          return;
        }
      }
    }
  }

  take(event, data) {
    if (event === "end") {
      this.end();
      return false;
    }
    let parsed;
    try {
      parsed = JSON.parse(data);
    } catch (error) {
      console.error("an event of the hub could not be read", error);
      return false;
    }
    if (this.on.event(event, parsed) === false) return false;
    this.tries = 0;
    this.on.state("connected");
    return true;
  }

  again() {
    this.on.state("lost");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), wait(this.tries));
    this.tries += 1;
  }

  close() {
    clearTimeout(this.timer);
    this.turn = null;
    this.abort?.abort();
  }

  /// Somebody looks again, or the network came back: no waiting.
  now() {
    if (this.isOver) return;
    const isAwake = !this.isAsleep && this.turn && performance.now() - this.heard < quietMax && !this.isWaiting();
    clearTimeout(this.nap);
    if (isAwake) return;
    this.isAsleep = false;
    this.close();
    this.on.state("connecting");
    this.open();
  }

  isWaiting() {
    return this.tries > 0;
  }

  /// Nobody looks: after a minute nothing is fetched any more.
  sleep() {
    clearTimeout(this.nap);
    this.nap = setTimeout(() => {
      if (this.isOver || !document.hidden) return;
      this.isAsleep = true;
      this.close();
      this.on.state("paused");
    }, 60_000);
  }

  look() {
    if (this.isOver || this.isAsleep || !this.turn || performance.now() - this.heard < quietMax) return;
    this.close();
    this.again();
  }

  end() {
    if (this.isOver) return;
    this.isOver = true;
    this.close();
    this.on.ended();
  }
}
