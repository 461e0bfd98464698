// Keeps what a page says of an emergency up to date: the hub says that something changed, and the page asks for itself again. It asks every few
// seconds as well, but for one that shows nothing yet and whose line is open, and says when the line or the hub is lost: what nobody renews must
// not look new.
import { renew } from "./renew.js";

const every = 5_000, calm = 6, silentMax = 12_000, again = 3_000;
const lost = document.getElementById("sosLost");
// Where the page lives: after a form that was refused, its address is the form's.
const path = document.querySelector("[data-look]").dataset.look;
let source = null, heard = 0, line = true, hub = true, asking = false, more = false, turn = null, looks = 0;

function tell() {
  const text = hub ? lost.dataset.line : lost.dataset.hub;
  if (lost.textContent !== text) lost.textContent = text;
  lost.hidden = line && hub;
}

async function look() {
  if (asking) { more = true; return; }
  asking = true;
  try {
    // What a phone in a pocket loads, nobody has seen.
    const headers = document.hidden ? { "X-Unseen": "1" } : {};
    const answer = await fetch(path, { headers, redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    // Logged out, not allowed any more, or over: the page itself says which.
    if (answer.type === "opaqueredirect" || [401, 403, 410].includes(answer.status)) { location.assign(path); return; }
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of fresh.querySelectorAll("[data-look]")) renew(document.getElementById(part.id), part);
    hub = true;
    document.dispatchEvent(new Event("looked"));
  } catch {
    hub = false;
  } finally {
    asking = false;
  }
  tell();
  if (more) { more = false; look(); }
}

function hears() {
  heard = performance.now();
  line = true;
  tell();
}

function open() {
  source?.close();
  heard = performance.now();
  source = new EventSource(`${path}/events`);
  source.addEventListener("open", hears);
  source.addEventListener("alive", hears);
  source.addEventListener("changed", ({ data }) => {
    hears();
    const { after, within, offers } = JSON.parse(data);
    if (offers.length) document.dispatchEvent(new CustomEvent("offered", { detail: offers }));
    // Where thousands of pages were woken at once, each waits for its turn: messages to people leave first.
    turn ??= setTimeout(() => { turn = null; look(); }, after + Math.random() * within);
  });
  source.addEventListener("error", () => {
    line = false;
    tell();
    // The browser comes back by itself, but not from an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(open, again);
  });
}

open();
setInterval(() => {
  looks += 1;
  if (!line || !hub || !document.querySelector("[data-calm]") || looks % calm === 0) look();
}, every);
setInterval(() => {
  if (performance.now() - heard < silentMax) return;
  line = false;
  tell();
  open();
}, 1_000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
