// The list of a race: the followed first, then the ranking, as far as somebody asked for it. Rows are kept and only what changed is written.
import { clock, freshness, groups } from "./watchrace.js";

const step = 50;

export class RaceList {
  /// `on`: { follow(bib), more() }
  constructor(sections, format, on) {
    [this.format, this.on, this.most] = [format, on, step];
    this.parts = sections.map((list) => ({ list, rows: new Map() }));
    this.moreButton = document.getElementById("more");
    this.moreButton.addEventListener("click", () => {
      this.most += step;
      this.on.more();
    });
  }

  /// - mine: the followed; - rest: everybody who fits the search, in order; - tapped: who was chosen on the map; - colours: bib → number from 1.
  show(mine, rest, tapped, colours, now) {
    this.fill(this.parts[0], mine, colours, now);
    this.fill(this.parts[1], rest.slice(0, this.most), colours, now);
    this.fill(this.parts[2], tapped, colours, now);
    const more = Math.max(0, rest.length - this.most);
    this.moreButton.hidden = more === 0;
    if (more) write(this.moreButton, this.format.text("more", { n: this.format.number(Math.min(more, step)), of: this.format.number(more) }));
  }

  fill(part, runners, colours, now) {
    const wanted = new Set(runners.map((runner) => runner.bib));
    for (const [bib, row] of part.rows) {
      if (wanted.has(bib)) continue;
      row.item.remove();
      part.rows.delete(bib);
    }
    let before = null;
    for (const runner of runners) {
      let row = part.rows.get(runner.bib);
      if (!row) part.rows.set(runner.bib, (row = this.make(runner.bib)));
      const next = before ? before.nextSibling : part.list.firstChild;
      // A row that somebody is on is not moved away from under the finger, or out of the focus, unless it has to.
      if (next !== row.item) part.list.insertBefore(row.item, next);
      this.write(row, runner, colours.get(runner.bib) ?? 0, now);
      before = row.item;
    }
  }

  make(bib) {
    const item = document.createElement("li"), row = { item };
    item.className = "wrow";
    const add = (name, tag = "span", parent = item) => {
      const element = document.createElement(tag);
      element.className = `w-${name}`;
      parent.append(element);
      return (row[name] = element);
    };
    for (const name of ["place", "who", "figures", "state"]) add(name);
    for (const name of ["metres", "pace", "gap", "hr"]) add(name, "span", row.figures);
    row.name = document.createElement("b");
    row.bib = document.createElement("span");
    row.bib.className = "w-bib";
    row.who.append(row.name, " ", row.bib);
    add("follow", "button").type = "button";
    row.follow.addEventListener("click", () => this.on.follow(bib));
    return row;
  }

  write(row, runner, colour, now) {
    const { format } = this, fresh = freshness(runner, now), isOn = runner.group < 3;
    const name = runner.name || format.text("bib", { bib: runner.bib });
    set(row.item, "state", fresh.state);
    set(row.item, "colour", colour || "");
    write(row.place, runner.place > 0 ? format.number(runner.place) : "–");
    write(row.name, name);
    write(row.bib, runner.name ? String(runner.bib) : "");
    write(row.metres, isOn && (runner.metres > 0 || runner.group !== 1) ? format.text("km", { km: format.number(runner.metres / 1000, 2) }) : "");
    write(row.pace, runner.pace > 0 && runner.group !== 0 ? format.text("paceOf", { pace: clock(runner.pace) }) : "");
    write(row.gap, runner.gap > 0 ? `+${clock(runner.gap)}` : runner.gap === 0 && runner.place === 1 ? format.text("first") : "");
    write(row.hr, runner.hr > 0 ? format.text("beats", { bpm: runner.hr }) : "");
    write(row.state, this.state(runner, fresh));
    write(row.follow, colour ? "★" : "☆");
    if (row.follow.getAttribute("aria-pressed") !== String(colour > 0)) row.follow.setAttribute("aria-pressed", String(colour > 0));
    const label = format.text("followOne", { name });
    if (row.follow.getAttribute("aria-label") !== label) row.follow.setAttribute("aria-label", label);
  }

  /// What has to be said beside the figures; empty for somebody on the way whose place is current.
  state(runner, fresh) {
    const { format } = this;
    if (runner.off) return [format.text("offCourse"), fresh.state === "stale" ? this.seen(fresh) : ""].filter(Boolean).join(", ");
    if (fresh.state === "stale") return this.seen(fresh);
    return runner.group === 1 ? "" : format.text(groups[runner.group]);
  }

  seen(fresh) {
    return fresh.age === null ? this.format.text("notSeen") : this.format.text("seenAgo", { age: this.format.age(fresh.age) });
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function set(element, name, value) {
  if (value === null) delete element.dataset[name];
  else if (element.dataset[name] !== String(value)) element.dataset[name] = value;
}
