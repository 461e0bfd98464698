// The box's page: hears the box's state, shows it with ages that go on counting, and sends what is pressed.
import { PersonCard } from "./person.js";
import { ago, clock, known, number, put, reason, show, span, t } from "./words.js";

/** The box says something every 3 s at least. After this long without a word it is not believed any more (ms). */
const SILENCE_MAX = 4000;
/** How long the question after "Get help" stands, and how long it takes no answer: a trembling hand presses twice (ms). */
const QUESTION_MAX = 30000, DOUBLE_PRESS = 800;
const ANSWER_MAX = { sync: 40000, standard: 15000 };

const $ = (id) => document.getElementById(id);
const cards = new Map();
let status, heard = moment();
/** Whose call for help is asked about. */
let asked;

function moment() {
  return { steady: performance.now(), wall: Date.now() };
}

/** The steady clock may stand still while the box sleeps, the other may be set: the longer span counts. */
function since(then) {
  return Math.max(performance.now() - then.steady, Date.now() - then.wall, 0);
}

function listen() {
  const source = new EventSource("/events");
  source.onmessage = (event) => take(JSON.parse(event.data));
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 1000);
  };
}

function take(news) {
  // Another version of the agent has another page.
  if (status && status.version !== news.version) return location.reload();
  status = news;
  heard = moment();
  const known = new Set(news.persons.map((person) => person.person));
  for (const [id, card] of cards) {
    if (known.has(id)) continue;
    card.element.remove();
    cards.delete(id);
  }
  for (const id of known) {
    if (cards.has(id)) continue;
    const card = new PersonCard(id, press);
    cards.set(id, card);
    $("persons").append(card.element);
  }
  render();
}

function render() {
  const silence = since(heard), isLost = silence > SILENCE_MAX;
  document.body.classList.toggle("lost", isLost);
  show($("lost"), isLost);
  show($("heard"), isLost && status !== undefined);
  put($("heard"), t("lost.last", { age: span(silence) }));
  show($("connecting"), !status && !isLost);
  if (!status) return;
  const now = status.time + silence, utc = status.utc + silence, isOnly = status.persons.length === 1;
  show($("nobody"), !status.persons.length);
  for (const person of status.persons) cards.get(person.person)?.render(person, { now, utc, isOnly, isLost, hub: status.hub?.address ?? "" });
  // Meanwhile the hub may have gone, or come back.
  if (asked && $("helpDialog").open) sayHelp(asked);
  const questions = status.hub?.questions ?? 0;
  show($("questions"), questions > 0);
  if (questions) put($("questions"), t(questions === 1 ? "questions.one" : "questions.other", { n: number(questions), hub: status.hub.address }));
  show($("box"), true);
  renderBox(now, isLost);
}

function renderBox(now, isLost) {
  const facts = { position: position(now, isLost), waiting: waiting(), hub: hub(now), clock: t(`clock.${status.clock}`), power: power() };
  facts.recording = status.recording ?? "";
  facts.version = status.version;
  for (const [name, text] of Object.entries(facts)) {
    const place = document.querySelector(`[data-box=${name}]`);
    put(place, text);
    show(place.parentElement, text !== "");
  }
}

function position(now, isLost) {
  const place = status.position;
  if (!place) return t("box.position.none");
  const parts = [`${number(place.latitude, 5)} ${number(place.longitude, 5)}`];
  if (place.error !== undefined) parts.push(t("box.position.error", { metres: number(Math.ceil(place.error)) }));
  const known = t(`source.${place.source}`);
  parts.push(known.startsWith("source.") ? place.source : known, `${place.isCurrent && !isLost ? "" : `${t("box.position.old")}: `}${ago(now - place.time)}`);
  return parts.join(" · ");
}

function waiting() {
  const count = status.hub?.waitingSamples ?? status.buffer?.unsentSamples ?? 0;
  return count ? t("box.waiting.some", { n: number(count) }) : t("box.waiting.none");
}

function hub(now) {
  if (!status.hub) return t("box.hub.none");
  const heardOf = status.hub.lastAnswer;
  return [status.hub.address, heardOf === undefined ? t("never") : t("box.hub.heard", { age: span(now - heardOf) })].join(" · ");
}

function power() {
  const percent = status.power.batteryPercent;
  return t(`power.${status.power.source}`) + (percent === undefined ? "" : ` · ${t("battery", { percent: number(percent) })}`);
}

function press(card, button) {
  const action = button.dataset.action, kind = button.dataset.kind;
  // Whoever is asked "are you OK?" has no time for a second question.
  if (action === "help" && "now" in button.dataset) return send(card, { action });
  if (action === "help") return askHelp(card);
  if (action === "pause") return askPause(card);
  if (action === "check-in") return send(card, { action, answer: button.dataset.answer, checkIn: button.dataset.checkIn });
  if (kind) return send(card, { action: "kinds", kinds: { ...card.person.kinds, [kind]: !card.person.kinds[kind] } });
  return send(card, { action });
}

/**
 * Help takes two presses on two places: one press by accident opens a question, and the same finger again hits nothing for a moment.
 * No holding: that is hard for a shaking hand, and for whoever uses a keyboard or a screen reader.
 */
function askHelp(card) {
  const dialog = $("helpDialog"), opened = performance.now();
  asked = card;
  sayHelp(card);
  put($("helpTitle"), cards.size > 1 ? t("help.title.named", { name: card.person.name }) : t("help.title"));
  const expiry = setTimeout(() => {
    dialog.close();
    card.say("weak", t("reply.help.expired"));
  }, QUESTION_MAX);
  $("helpYes").onclick = () => {
    if (performance.now() - opened < DOUBLE_PRESS) return;
    dialog.close();
    send(card, { action: "help" });
  };
  $("helpNo").onclick = () => dialog.close();
  dialog.onclose = () => clearTimeout(expiry);
  dialog.showModal();
  $("helpYes").focus();
}

/** What the call for help does: none is promised that cannot go out. */
function sayHelp(card) {
  put($("helpText"), t(card.person.sos?.reasons.includes("nobodyToCall") ? "sos.nobody" : "help.text"));
}

function askPause(card) {
  const dialog = $("pauseDialog");
  const until = (minutes) => Date.now() + minutes * 60000;
  for (const button of dialog.querySelectorAll("[data-minutes]")) {
    const minutes = Number(button.dataset.minutes), end = document.createElement("small");
    end.textContent = t("pause.until", { time: clock(until(minutes), Date.now()) });
    button.replaceChildren(t("pause.choice", { n: minutes }), end);
    button.onclick = () => {
      dialog.close();
      send(card, { action: "pause", minutes }, { time: clock(until(minutes), Date.now()) });
    };
  }
  $("pauseNo").onclick = () => dialog.close();
  dialog.showModal();
}

async function send(card, request, values = {}) {
  const { action } = request, calls = action === "help";
  card.say("unknown", t("reply.wait"));
  const body = JSON.stringify({ ...request, person: card.id });
  const signal = AbortSignal.timeout(ANSWER_MAX[action] ?? ANSWER_MAX.standard);
  try {
    const answer = await fetch("/act", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
    const reply = await answer.json();
    if (reply.isDone) {
      const alarm = (reply.status ?? status).persons.find((person) => person.person === card.id)?.sos?.alarm;
      const nobody = calls && alarm?.reachesNobody ? t(alarm.isNobodySetUp ? "reply.help.nobodySetUp" : "reply.help.nobody") : "";
      const told = known(reply.words), caution = known(reply.caution);
      const level = nobody ? "broken" : calls || told || caution ? "weak" : "good";
      return card.say(level, nobody || told || t(`reply.${action}`, values), { more: caution, calls });
    }
    const failed = { help: "reply.help.failed", sync: "reply.failed.sync" }[action] ?? "reply.failed";
    const [more, detail] = reason(reply.words, reply.message, reply.advice);
    card.say("broken", t(failed), { more, detail, calls });
  } catch {
    card.say("broken", t(calls ? "reply.help.failed" : "reply.lost"), { calls });
  }
}

for (const link of document.querySelectorAll("nav a")) {
  if (link.lang === document.documentElement.lang) link.setAttribute("aria-current", "true");
}
listen();
setInterval(render, 500);
document.addEventListener("visibilitychange", render);
