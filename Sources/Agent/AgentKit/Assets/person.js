// One person's card: what the box says of them, in words, colour and shape.
import { renderCheckIns } from "./checkin.js";
import { renderSOS } from "./sos.js";
import { ago, clock, number, put, reason, show, span, t } from "./words.js";

/** Ages above this are told beside the heart rate (ms). */
const FRESH = 5000;
const SHAPES = { good: "good", weak: "weak", broken: "broken", off: "off", unknown: "unknown" };

/** The one thing to say first. `level` is a condition of a link. */
export function mainState(person, isOnly) {
  if (person.pausedUntil !== undefined) return { level: "off", what: t("state.paused"), isPaused: true };
  if (!person.kinds.heartRate) return { level: "off", what: t("state.heartRateOff"), more: t("state.notWatched") };
  if (!person.sensor) return { level: "broken", what: t("state.noSensor"), more: t("state.notWatched") };
  if (person.wearing !== "worn" || !person.isWatched) {
    const level = { charging: "off", away: "off", unknown: "unknown", worn: "weak" }[person.wearing] ?? "broken";
    const what = person.wearing === "worn" ? t("state.notWatched") : t(`wearing.${person.wearing}`);
    return { level, what, more: person.wearing === "worn" ? "" : t("state.notWatched") };
  }
  // Readings come, and nothing follows from them.
  if (person.sos?.reasons?.includes("waitingForReactivation")) return { level: "broken", what: t("state.notWatched") };
  const what = t(isOnly ? "state.watched" : "state.watched.named");
  const holds = person.links.every((link) => link.condition === "good" || link.condition === "off");
  const isOpen = person.sos?.question || (person.sos?.alarm && !["over", "answered"].includes(person.sos.alarm.phase));
  if (isOpen) return { level: "weak", what };
  return holds && !person.notices.length && person.sos?.isProtected !== false ? { level: "good", what } : { level: "weak", what, more: t("state.look") };
}

export class PersonCard {
  constructor(id, act) {
    this.id = id;
    this.act = act;
    this.element = document.getElementById("person").content.firstElementChild.cloneNode(true);
    this.name = this.find(".name");
    this.name.id = `name-${id}`;
    this.element.setAttribute("aria-labelledby", this.name.id);
    for (const button of this.element.querySelectorAll("[data-action], [data-kind]")) {
      // Several persons' buttons have the same words: a screen reader adds the name.
      button.setAttribute("aria-describedby", this.name.id);
      button.addEventListener("click", () => act(this, button));
    }
  }

  find(selector) {
    return this.element.querySelector(selector);
  }

  /** `now` is the box's boot clock, `utc` its time; `isLost`: the box has not answered for a while. */
  render(person, { now, utc, isOnly, isLost, hub }) {
    const result = this.find(".result");
    // What went well is an old state too once the box is silent.
    if (isLost && result.dataset.level === "good") {
      result.replaceChildren();
      delete result.dataset.level;
    }
    this.person = person;
    put(this.name, person.name);
    this.renderState(person, now, utc, isOnly, isLost);
    renderSOS(this, person, now, isOnly, isLost);
    renderCheckIns(this, person, utc, hub, isLost);
    this.renderNotices(person.notices);
    this.renderChain(person, now, isLost);
    const isPaused = person.pausedUntil !== undefined;
    const pause = this.find("[data-action=pause]"), resume = this.find("[data-action=resume]");
    const focused = document.activeElement === (isPaused ? pause : resume);
    show(pause, !isPaused);
    show(resume, isPaused);
    if (focused) (isPaused ? resume : pause).focus();
    for (const button of this.element.querySelectorAll("[data-kind]")) {
      const isOn = person.kinds[button.dataset.kind];
      button.setAttribute("aria-checked", isOn);
      put(button.querySelector("span"), t(isOn ? "on" : "off"));
    }
  }

  renderState(person, now, utc, isOnly, isLost) {
    const state = isLost ? { level: "broken", what: t("lost.title") } : mainState(person, isOnly);
    const panel = this.find(".state");
    if (panel.dataset.level !== state.level) {
      panel.dataset.level = state.level;
      this.find(".shape use").setAttribute("href", `#${SHAPES[state.level]}`);
    }
    put(this.find(".what"), state.what);
    const hasRate = person.heartRate !== undefined && person.isWatched && !state.isPaused && !isLost;
    const age = now - (person.heartRateTime ?? now);
    show(this.find(".pulse"), hasRate);
    if (hasRate) put(this.find(".number"), String(person.heartRate));
    this.find(".pulse").classList.toggle("old", age > FRESH);
    const more = [];
    if (state.isPaused) {
      more.push(t("state.paused.more", { time: clock(person.pausedUntil, utc), age: span(Math.max(0, person.pausedUntil - utc)) }));
    }
    if (hasRate && age > FRESH) more.push(t("measured", { age: span(age) }));
    if (state.more) more.push(state.more);
    put(this.find(".more"), more.join(" · "));
  }

  renderNotices(notices) {
    const list = this.find(".notices");
    if (list.dataset.shown === notices.join()) return;
    list.dataset.shown = notices.join();
    list.replaceChildren(...notices.map((notice) => {
      const item = document.createElement("li"), title = document.createElement("strong"), text = document.createElement("span");
      title.textContent = t(`notice.${notice}.title`);
      text.textContent = t(`notice.${notice}.text`);
      item.append(title, text);
      return item;
    }));
  }

  renderChain(person, now, isLost) {
    const list = this.find(".chain"), names = person.links.map((link) => link.name).join();
    if (list.dataset.shown !== names) {
      list.dataset.shown = names;
      list.replaceChildren(...person.links.map((link) => row(link.name)));
    }
    person.links.forEach((link, index) => {
      const item = list.children[index], condition = isLost ? "unknown" : link.condition;
      if (item.dataset.level !== condition) {
        item.dataset.level = condition;
        item.querySelector("use").setAttribute("href", `#${SHAPES[condition]}`);
      }
      put(item.querySelector(".condition"), t(`condition.${condition}`));
      const never = condition === "off" || condition === "unknown" ? "" : t("never");
      put(item.querySelector(".age"), link.lastGood === undefined ? never : ago(now - link.lastGood));
      const [why, own] = isLost ? ["", ""] : reason(link.why, link.detail, link.advice);
      put(item.querySelector(".why"), why);
      put(item.querySelector(".own"), own);
    });
    const strap = person.sensor;
    const facts = strap ? [t("strap", { name: strap.name ?? strap.address })] : [];
    if (strap?.batteryPercent !== undefined) facts.push(t("battery", { percent: number(strap.batteryPercent) }));
    const others = (person.otherSensors ?? []).map((sensor) => otherSensor(sensor, now, isLost));
    put(this.find(".strap"), [facts.join(", "), ...others].filter(Boolean).join(" · "));
  }

  /** What became of a press. The box's own words, `detail`, are English; the page says so to whoever reads it aloud. */
  say(level, text, { more = "", detail = "", calls = false } = {}) {
    const result = this.find(".result");
    result.dataset.level = level;
    result.replaceChildren(...[text, more, detail].filter(Boolean).map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    if (detail) result.lastElementChild.lang = "en";
    if (calls) {
      const phone = document.createElement("a");
      phone.className = "button";
      phone.href = "tel:112";
      phone.textContent = t("call112");
      result.append(phone);
    }
  }
}

/** What is measured beside the heart rate: a sensor that is silent says nothing of its wearer. */
function otherSensor(sensor, now, isLost) {
  const values = [];
  if (sensor.temperature !== undefined) values.push(t("other.temperature", { degrees: number(sensor.temperature / 100, 1) }));
  if (sensor.cadence !== undefined) values.push(t("other.cadence", { n: number(sensor.cadence) }));
  const isKnown = sensor.temperature !== undefined || sensor.cadence !== undefined;
  if (sensor.kind && !isKnown) {
    const decimals = (sensor.value.split(".")[1] ?? "").length;
    values.push(t(`other.${sensor.kind}`, { value: number(+sensor.value, decimals), second: number(sensor.second ?? 0) }));
  }
  const isSilent = isLost || !values.length;
  const told = isSilent ? t("other.silent") : `${values.join(", ")} (${ago(now - sensor.time)})`;
  return `${sensor.name ?? sensor.address}: ${told}`;
}

function row(name) {
  const item = document.createElement("li");
  item.innerHTML =
    '<svg aria-hidden="true"><use href="#unknown"/></svg><span class="link"></span><span class="condition"></span>' +
    '<span class="age"></span><span class="detail why"></span><span class="detail own" lang="en"></span>';
  item.querySelector(".link").textContent = t(`link.${name}`);
  return item;
}
