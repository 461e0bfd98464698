// Check-ins of runs on one person's card: what is asked, before anybody taps, and what became of the answer.
import { clock, put, show, t } from "./words.js";

const LEVELS = { open: "asked", sending: "weak", late: "broken", accepted: "good", withoutPosition: "broken", refused: "off", notDone: "broken", ended: "off" };

/** `utc` is the box's time; `isLost`: the box has not answered for a while, and nothing here is believed. */
export function renderCheckIns(card, person, utc, hub, isLost) {
  const list = card.find(".checkIns"), items = isLost ? [] : person.checkIns ?? [], ids = items.map((item) => item.id).join();
  if (list.dataset.shown !== ids) {
    list.dataset.shown = ids;
    list.replaceChildren(...items.map((item) => made(card, item)));
  }
  items.forEach((item, index) => render(list.children[index], person, item, utc, hub));
}

function made(card, item) {
  const element = document.getElementById("checkIn").content.firstElementChild.cloneNode(true);
  const title = element.querySelector("h3");
  title.id = `checkIn-${item.id}`;
  element.setAttribute("aria-labelledby", title.id);
  for (const button of element.querySelectorAll("[data-action]")) {
    button.dataset.checkIn = item.id;
    button.setAttribute("aria-describedby", title.id);
    button.addEventListener("click", () => card.act(card, button));
  }
  return element;
}

function render(element, person, item, utc, hub) {
  const isOpen = item.phase === "open", part = (selector) => element.querySelector(selector);
  const kinds = item.kinds.map((kind) => t(`checkIn.kind.${kind}`));
  const values = {
    run: item.run, organiser: item.organiser, code: item.code, hub, purpose: item.purpose,
    kinds: kinds.length === 2 ? t("checkIn.and", { a: kinds[0], b: kinds[1] }) : kinds.join(", "),
    time: clock(item.until, utc), start: clock(item.lapses, utc), answer: item.choice ? t(`checkIn.${item.choice}`) : "",
  };
  element.dataset.level = LEVELS[item.phase];
  put(part("h3"), t("checkIn.title", values));
  put(part(".standing"), isOpen ? "" : t(`checkIn.phase.${item.phase}`, values));
  put(part(".asks"), isOpen ? t("checkIn.asks", values) : item.phase === "notDone" ? t(`checkIn.why.${item.why ?? "other"}`, values) : t(`checkIn.phase.${item.phase}.text`, values));
  put(part(".public"), isOpen ? t("checkIn.public") : "");
  put(part(".purpose"), isOpen ? t("checkIn.purpose", values) : "");
  put(part(".by"), isOpen ? t("checkIn.by", { time: values.start }) : "");
  const isTracked = person.kinds.position && person.pausedUntil === undefined;
  put(part(".off"), !isTracked && ["open", "sending", "withoutPosition"].includes(item.phase) ? t("checkIn.positionOff") : "");
  put(part(".problem"), item.problem ? t("checkIn.problem") : "");
  show(part(".buttons"), isOpen);
}
