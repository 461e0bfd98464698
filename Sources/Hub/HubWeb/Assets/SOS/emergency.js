// A page that stays open shows an emergency that begins meanwhile, and takes it away when it is over. Times on all pages are those of the
// reader's clock: the hub learns its time zone from a cookie.
import { renew } from "./renew.js";

const every = 60_000;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const cookie = `__Host-trackme-zone=${zone}`;
if (zone && !document.cookie.split("; ").includes(cookie)) {
  document.cookie = `${cookie}; Path=/; Secure; SameSite=Lax; Max-Age=31536000`;
}

// An age of a time is right when the page comes; on a page that stays open the time itself stands.
setTimeout(() => {
  for (const time of document.querySelectorAll("time[title]")) time.textContent = time.title;
}, 5 * 60_000);

let bar = document.getElementById("emergencies");
const isFramed = bar !== null;

// Pages without the site's head do not say whether somebody is logged in: the last one with it does. Spectators ask for nothing.
const memory = "trackme-member";
function member(isOne) {
  try {
    if (isOne === undefined) return localStorage.getItem(memory) === "1";
    if (isOne) localStorage.setItem(memory, "1");
    else localStorage.removeItem(memory);
  } catch {
    // A browser that keeps nothing shows the bar on the other pages.
  }
  return isOne ?? false;
}

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/emergencies", { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (answer.type === "opaqueredirect") member(false);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("emergencies");
    // Where the emergency itself is shown, nobody needs the way to it.
    for (const item of fresh.querySelectorAll("p")) if (new URL(item.firstChild.href).pathname === location.pathname) item.remove();
    renew(bar, fresh);
  } catch {
    // The next look may get through; what stands there has its time.
  }
}

if (isFramed) member("member" in document.body.dataset);
if (member()) {
  if (!isFramed) {
    bar = document.createElement("div");
    bar.id = "emergencies";
    document.querySelector("main").before(bar);
    look();
  }
  setInterval(look, every);
  document.addEventListener("visibilitychange", look);
}
