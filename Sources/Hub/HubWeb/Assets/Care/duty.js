// While a crew is on duty this browser tells the hub where it is, and the page says whether that works. It asks the device again and again, so
// that the place of an ambulance that stands still is as new as that of one on its way.
const told = document.getElementById("dutyPlace");
const texts = document.getElementById("dutyTexts").dataset;
const calm = 5_000, busy = 2_000, lostAfter = 20_000;
let found = performance.now(), sent = 0, sending = false, lock = null;

const isBusy = () => document.querySelector("[data-mine]") !== null;

function say(text, isBad, time) {
  const shown = time ? text.replace("{time}", new Date(time).toLocaleTimeString(document.documentElement.lang)) : text;
  told.className = isBad ? "summary-box" : "small";
  told.setAttribute("role", isBad ? "alert" : "status");
  if (told.textContent !== shown) told.textContent = shown;
}

async function send(place) {
  if (sending || place.timestamp === sent) return;
  sending = true;
  const { latitude, longitude, accuracy } = place.coords;
  const time = Math.round(place.timestamp);
  try {
    const answer = await fetch("/duty/place", {
      method: "POST", redirect: "error", body: new URLSearchParams({ latitude, longitude, accuracy, time }), signal: AbortSignal.timeout(10_000),
    });
    if (answer.status === 409 || answer.status === 403) return say(texts.ended, true);
    if (!answer.ok) throw new Error(String(answer.status));
    sent = place.timestamp;
    say(texts.sent, false, time);
  } catch {
    say(texts.lost, true);
  } finally {
    sending = false;
  }
}

function look() {
  navigator.geolocation.getCurrentPosition((place) => {
    // What the device knew long ago is no place of now.
    if (Date.now() - place.timestamp > lostAfter) return say(texts.none, true);
    found = performance.now();
    send(place);
  }, (error) => {
    if (error.code === 1) say(texts.refused, true);
    else if (performance.now() - found > lostAfter) say(texts.none, true);
  }, { enableHighAccuracy: true, maximumAge: 1_000, timeout: 10_000 });
}

/// On the way the screen stays on: a page in a pocket is asked nothing.
async function stayAwake() {
  if (!isBusy() || lock || document.hidden) return;
  try {
    lock = await navigator.wakeLock?.request("screen") ?? null;
    lock?.addEventListener("release", () => { lock = null; });
  } catch {
    // The phone saves its battery: no harm but a dark screen.
  }
}

if ("geolocation" in navigator) {
  let last = -Infinity;
  const step = () => {
    const now = performance.now();
    if (now - last < (isBusy() ? busy : calm) - 100) return;
    last = now;
    look();
    stayAwake();
  };
  step();
  setInterval(step, 1_000);
} else say(texts.none, true);
