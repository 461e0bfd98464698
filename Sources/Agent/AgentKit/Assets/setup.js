// Setting up a box: leads through what the box says its stage is. Nothing is decided here.
import { known, put, show, t } from "./words.js";

const part = (id) => document.getElementById(id);
const stages = ["open", "asking", "compare", "waiting", "offered", "enrolled", "closed"];
/// Milliseconds between two looks.
const pause = 1500;
/// What came with the link: code, fingerprint and hub. It leaves the address bar, so that nobody reads it over a shoulder or in the history.
const fragment = location.hash.slice(1);
if (fragment) history.replaceState(null, "", location.pathname + location.search);
// A link that is opened where the page is shown already.
addEventListener("hashchange", () => location.reload());
let words = "", isNamed = false, isBusy = false;

const read = async (path, body) => {
  const answer = await fetch(path, {
    cache: "no-store",
    ...(body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (answer.status === 403 || answer.status === 421) return { stage: "closed" };
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};

const tell = (text) => {
  put(part("problem"), text);
  show(part("problem"), text !== "");
};

const showState = (state) => {
  for (const stage of stages) show(part(stage), stage === state.stage);
  show(part("left"), state.minutes !== undefined);
  put(part("left"), t("setUp.left", { n: state.minutes ?? 0 }));
  if (state.stage === "closed") return tell("");
  if (!isNamed) {
    isNamed = true;
    for (const id of ["linkedName", "typedName"]) part(id).value = state.name;
  }
  words = state.words ?? "";
  if (state.offers) showOffers(state.offers);
  for (const place of document.querySelectorAll(".keyWords")) put(place, words);
  tell(state.problem || state.message ? known(state.problem) || state.message : "");
};

const act = async (path, body) => {
  try { showState(await read(path, body)); } catch { tell(t("setUp.unread")); }
};

// MARK: - Settings of an earlier box

const line = (offered) => {
  const value = known(`${offered.words}.${offered.value}`) || offered.value;
  const text = `${known(offered.words) || offered.words}: ${value}`;
  return offered.not ? `${text} – ${t(offered.not)}` : text;
};

const showOffers = (offers) => {
  const text = JSON.stringify(offers);
  if (part("offers").dataset.shown === text) return;
  part("offers").dataset.shown = text;
  part("offers").replaceChildren(...offers.flatMap(({ box, items }, offer) => {
    const title = document.createElement("h3"), list = document.createElement("ul"), button = document.createElement("button");
    title.textContent = box;
    // What is not taken over comes last.
    const sorted = [...items.filter((item) => !item.not), ...items.filter((item) => item.not)];
    list.replaceChildren(...sorted.map((item) => Object.assign(document.createElement("li"), { textContent: line(item) })));
    button.textContent = t("setUp.take");
    button.className = "ok";
    button.setAttribute("aria-label", `${t("setUp.take")}: ${box}`);
    button.addEventListener("click", () => act("/take", { offer }));
    return [title, list, button];
  }));
};

part("takeNone").addEventListener("click", () => act("/take", {}));

// MARK: - The hub

const hubOfLink = () => {
  const parts = fragment.split(".");
  return parts.length > 2 ? parts.slice(2).join(".") : "";
};

show(part("linked"), hubOfLink() !== "");
show(part("typed"), hubOfLink() === "");
put(part("linkedHub"), hubOfLink());
for (const link of document.querySelectorAll("nav a")) if (fragment) link.hash = fragment;

part("linked").addEventListener("submit", (event) => {
  event.preventDefault();
  act("/begin", { link: fragment, name: part("linkedName").value.trim() });
});
part("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  act("/begin", { hub: part("hub").value.trim(), code: part("code").value.trim(), name: part("typedName").value.trim() });
});
part("same").addEventListener("click", () => act("/confirm", { words }));
for (const id of ["different", "giveUp"]) part(id).addEventListener("click", () => act("/refuse", {}));
part("finish").addEventListener("click", async () => {
  await act("/finish", {});
  showState({ stage: "closed" });
});

// MARK: - The sensors

const item = (text, buttons) => {
  const row = document.createElement("li"), line = document.createElement("p");
  line.textContent = text;
  row.append(line, ...buttons.map(([label, body]) => {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", () => sensors(body));
    return button;
  }));
  return row;
};

const battery = (sensor) => (sensor.batteryPercent === undefined ? [] : [t("battery", { percent: sensor.batteryPercent })]);

const sensors = async (body) => {
  if (isBusy) return;
  isBusy = true;
  put(part("told"), t(body.action === "sensors-scan" ? "setUp.scanning" : "setUp.working"));
  try {
    const reply = await read("/sensors", body);
    if (reply.stage) return showState(reply);
    if (!reply.isDone) return put(part("told"), known(reply.words) || [reply.message, reply.advice].filter(Boolean).join(". "));
    if (!reply.found) return put(part("told"), t("setUp.taken"));
    put(part("told"), reply.found.length ? t("setUp.choose") : t("setUp.none"));
    part("found").replaceChildren(...reply.found.map((sensor) => {
      const parts = [sensor.name ?? sensor.address, ...battery(sensor), ...(sensor.signal === undefined ? [] : [`${sensor.signal} dBm`])];
      if (sensor.unsupported) return item([...parts, sensor.unsupported].join(" · "), []);
      const action = sensor.besides ? "sensors-add" : "sensors-use";
      return item(parts.join(" · "), [[t(sensor.besides ? "setUp.add" : "setUp.use"), { action, address: sensor.address }]]);
    }));
  } catch {
    put(part("told"), t("setUp.unread"));
  } finally {
    isBusy = false;
  }
};

const said = (sensor) => {
  if (sensor.heartRate !== undefined) return t("setUp.works", { bpm: sensor.heartRate });
  if (sensor.isConnected) return t("setUp.connected");
  return sensor.problem ?? t("setUp.searching");
};

const showChosen = (list) => {
  show(part("starting"), false);
  const text = JSON.stringify(list);
  if (part("chosen").dataset.shown === text) return;
  part("chosen").dataset.shown = text;
  part("chosen").replaceChildren(...list.map((sensor) => {
    const parts = [sensor.name ?? sensor.address, said(sensor), ...battery(sensor)];
    return item(parts.join(" · "), [[t("setUp.forget"), { action: "sensors-forget", address: sensor.address }]]);
  }));
};

part("scan").addEventListener("click", () => sensors({ action: "sensors-scan" }));

const look = async () => {
  try {
    const state = await read("/state");
    showState(state);
    if (state.stage === "closed") return;
    if (state.stage === "enrolled") {
      const answer = await fetch("/sensors", { cache: "no-store" });
      if (answer.ok) showChosen((await answer.json()).sensors);
    }
  } catch {
    tell(t("setUp.unread"));
  }
  setTimeout(look, pause);
};
look();
