// A page that stays open shows an emergency that begins meanwhile, and takes it away when it is over. Times on all pages are those of the
// reader's clock: the hub learns its time zone from a cookie.
import { renew } from "./renew.js";

const every = 60_000;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const cookie = `__Host-trackme-zone=${zone}`;
if (zone && !document.cookie.split("; ").includes(cookie)) {
  document.cookie = `${cookie}; Path=/; Secure; SameSite=Lax; Max-Age=31536000`;
}

const bar = document.getElementById("emergencies");

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch("/emergencies", { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("emergencies");
    // Where the emergency itself is shown, nobody needs the way to it.
    for (const item of fresh.querySelectorAll("p")) if (new URL(item.firstChild.href).pathname === location.pathname) item.remove();
    renew(bar, fresh);
  } catch {
    // The next look may get through; what stands there has its time.
  }
}

if (bar && document.querySelector("form[action='/log-out']")) {
  setInterval(look, every);
  document.addEventListener("visibilitychange", look);
}
