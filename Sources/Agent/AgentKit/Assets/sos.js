// AutomatedSOS on one person's card: the question with its seconds, the alarm with whoever has it, and whether the person is protected.
import { ago, known, put, show, span, t } from "./words.js";

/** Which buttons the panel shows. */
const BUTTONS = {
  question: ["ok", "help"], raised: ["ok", "false-alarm"], calling: ["ok", "false-alarm"], atHub: ["ok", "false-alarm"], handedOver: ["false-alarm"], taken: ["false-alarm"],
  over: ["reactivate", "false-alarm"], answered: ["false-alarm"],
};

/** `now` is the box's boot clock; `isLost`: the box has not answered for a while, and nothing here is believed. */
export function renderSOS(card, person, now, isOnly, isLost) {
  const sos = person.sos, panel = card.find(".sos");
  show(card.find(".guard"), sos !== undefined);
  if (!sos) return show(panel, false);
  const phase = sos.question ? "question" : sos.alarm?.phase;
  show(panel, phase !== undefined && !isLost);
  if (phase) renderPanel(card, panel, phase, person, now, isOnly);
  renderGuard(card, sos, isLost);
  // For a day, also where a box that lost its hub has not heard that it is over.
  const age = now - sos.rhythmAt;
  put(card.find(".rhythm"), age < 86_400_000 && !isLost ? t("sos.rhythm", { age: ago(age) }) : "");
}

function renderPanel(card, panel, phase, person, now, isOnly) {
  const { question, alarm } = person.sos;
  if (panel.dataset.phase !== phase) panel.dataset.phase = phase;
  put(card.find(".sosTitle"), phase === "question" ? t(isOnly ? "sos.question" : "sos.question.named", { name: person.name }) : t(title(phase, person.sos)));
  put(card.find(".sosText"), phase === "question" ? t(`sos.trigger.${question.trigger}`) : caseText(alarm, now));
  put(card.find(".countdown strong"), phase === "question" ? countdown(question, now) : "");
  const reachesNobody = phase !== "question" && alarm.reachesNobody;
  put(card.find(".sosWarn"), reachesNobody ? t(alarm.isNobodySetUp ? "sos.nobodySetUp" : "sos.nobody") : "");
  for (const button of panel.querySelectorAll("[data-action]")) show(button, BUTTONS[phase].includes(button.dataset.action));
  show(panel.querySelector("a"), ["raised", "calling", "atHub"].includes(phase));
  renderCalls(panel.querySelector(".calls"), phase === "question" ? [] : alarm.calls);
}

/** Nobody is called watched who is not. */
function title(phase, sos) {
  if (isHelpless(sos.alarm, phase)) return "sos.phase.helpless";
  return phase === "answered" && !sos.isProtected ? "sos.phase.answered.only" : `sos.phase.${phase}`;
}

/** It is open, and nobody can be called: no page says that a call goes out. */
function isHelpless(alarm, phase) {
  return ["raised", "calling"].includes(phase) && alarm.reachesNobody;
}

function countdown(question, now) {
  const seconds = Math.max(0, Math.ceil((question.answerBy - now) / 1000));
  if (question.tier === "warning") return t("sos.question.warning", { n: seconds });
  return seconds ? t("sos.question.seconds", { n: seconds }) : t("sos.question.now");
}

function caseText(alarm, now) {
  if (alarm.phase === "answered") return t("sos.phase.answered.text", { age: span(Math.max(0, alarm.silentUntil - now)) });
  if (isHelpless(alarm, alarm.phase)) return t("sos.phase.helpless.text");
  const parts = [alarm.phase === "taken" && alarm.owner ? t("sos.phase.taken.by", { name: alarm.owner }) : t(`sos.phase.${alarm.phase}.text`)];
  if (alarm.others) parts.unshift(t("sos.mayAlsoBe", { names: alarm.others.join(", ") }));
  const left = alarm.coming?.arrivalIn;
  if (left !== undefined && alarm.phase !== "over") parts.push(t("sos.coming", { age: span(Math.max(0, left - (now - alarm.comingAt))) }));
  return parts.join(" ");
}

/** The last state of each try. */
function renderCalls(list, calls) {
  const last = new Map();
  for (const call of calls) last.set(`${call.channel} ${call.recipient}`, call);
  const lines = [...last.values()].map((call) => {
    const state = call.isDelivered ? "delivered" : call.state, why = known(`problem.${call.why}`);
    const text = `${t(`sos.call.${call.channel}`, { name: call.recipient })}: ${t(`sos.state.${state}`)}`;
    // A box may know more reasons than this page has words for.
    return why ? [text, why, ""] : [text, call.problem ?? "", "en"];
  });
  const shown = JSON.stringify(lines);
  if (list.dataset.shown === shown) return;
  list.dataset.shown = shown;
  list.replaceChildren(...lines.map(([text, problem, lang]) => {
    const item = document.createElement("li");
    item.textContent = text;
    if (problem) {
      const more = document.createElement("small");
      if (lang) more.lang = lang;
      more.textContent = problem;
      item.append(more);
    }
    return item;
  }));
}

function renderGuard(card, sos, isLost) {
  const guard = card.find(".guard"), isProtected = sos.isProtected && !isLost;
  const weaknesses = sos.isSilent ? [...sos.weaknesses, "notHeard"] : sos.weaknesses;
  guard.dataset.level = isLost ? "broken" : !sos.isProtected ? "broken" : weaknesses.length ? "weak" : "good";
  put(card.find(".guardTitle"), t(isProtected ? "sos.protected" : "sos.notProtected"));
  const elsewhere = sos.elsewhere ? [t(`sos.elsewhere.${sos.elsewhere}`)] : [];
  const lines = isLost ? [t("lost.title")] : [...elsewhere, ...sos.reasons.map((why) => t(`sos.not.${why}`)), ...weaknesses.map((why) => t(`sos.weak.${why}`))];
  const list = card.find(".reasons"), shown = lines.join();
  if (list.dataset.shown !== shown) {
    list.dataset.shown = shown;
    list.replaceChildren(...lines.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }
  const who = [];
  if (sos.contacts.length) who.push(t("sos.contacts", { names: sos.contacts.join(", ") }));
  if (sos.modem) who.push(t("sos.modem", { name: sos.modem }));
  put(card.find(".who"), who.join(" "));
  renderDispute(card, sos.dispute);
  const drill = sos.drill;
  put(card.find(".drillTitle"), drill ? `${t(drill.isOver ? "sos.drill.over" : "sos.drill.running")}. ${t(`sos.drill.hub.${drill.hub ?? "waiting"}`)}` : "");
  renderCalls(card.find(".drillCalls"), drill?.calls ?? []);
}

/** The settings of this box and of a hub that was put back to an older state, while nobody has chosen. */
function renderDispute(card, dispute) {
  show(card.find(".dispute"), dispute !== undefined);
  if (!dispute) return;
  for (const [name, side] of [["Here", dispute.here], ["Hub", dispute.hub]]) {
    const key = `sos.dispute.${name.toLowerCase()}.${side.isOn ? "on" : "off"}`;
    put(card.find(`.dispute${name}`), t(key, { names: side.contacts.join(", ") || t("sos.dispute.nobody") }));
  }
}
