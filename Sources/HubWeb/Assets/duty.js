// While a crew is on duty this browser tells the hub where it is, and the page says whether that works.
const every = 5_000;
const told = document.getElementById("dutyPlace");
const texts = document.getElementById("dutyTexts").dataset;
let newest = null;
let sent = 0;

function say(text, time) { told.textContent = time ? text.replace("{time}", new Date(time).toLocaleTimeString(document.documentElement.lang)) : text; }

async function send() {
  if (!newest || newest.timestamp === sent) return;
  const { latitude, longitude, accuracy } = newest.coords;
  const time = Math.round(newest.timestamp);
  try {
    const answer = await fetch("/duty/place", {
      method: "POST", redirect: "error", body: new URLSearchParams({ latitude, longitude, accuracy, time }), signal: AbortSignal.timeout(10_000),
    });
    if (answer.status === 409 || answer.status === 403) return say(texts.ended);
    if (!answer.ok) throw new Error(String(answer.status));
    sent = newest.timestamp;
    say(texts.sent, time);
  } catch {
    say(texts.lost);
  }
}

if ("geolocation" in navigator) {
  navigator.geolocation.watchPosition((place) => { newest = place; }, (error) => say(error.code === 1 ? texts.refused : texts.none),
    { enableHighAccuracy: true, maximumAge: 5_000 });
  setInterval(send, every);
} else say(texts.none);
