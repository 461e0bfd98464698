// While a case of the reader's own is open, their phone tells the hub where it is, so that whoever comes finds them; the page says whether it works.
const told = document.getElementById("ownPlace");
const texts = told.dataset, every = 5_000;
let sending = false;

function say(text, isBad) {
  told.hidden = !text;
  told.className = isBad ? "summary-box" : "small";
  if (told.textContent !== text) told.textContent = text;
}

async function send({ coords: { latitude, longitude, accuracy }, timestamp }) {
  try {
    const answer = await fetch("/protection/place", {
      method: "POST", redirect: "error", body: new URLSearchParams({ latitude, longitude, accuracy, time: Math.round(timestamp) }),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.status !== 409 && !answer.ok) throw new Error(String(answer.status));
    say(answer.ok ? texts.sent : "", false);
  } catch {
    say(texts.lost, true);
  }
  sending = false;
}

function look() {
  if (!document.querySelector("[data-own-case]")) return say("", false);
  if (sending) return;
  if (!navigator.geolocation) return say(texts.none, true);
  sending = true;
  navigator.geolocation.getCurrentPosition(send, (error) => {
    sending = false;
    say(error.code === 1 ? texts.refused : texts.none, true);
  }, { enableHighAccuracy: true, maximumAge: 2_000, timeout: 10_000 });
}

document.addEventListener("looked", look);
setInterval(look, every);
look();
