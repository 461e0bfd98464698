// An alarm that waits for an answer is heard and felt, and one that is over is told by another sound.
import { isHeard, play, wakeWithTouch } from "./tone.js";

const silent = document.getElementById("ringSilent");
const title = document.title;
const every = 1_500, told = "trackme-told";
let ringing = null;

function ring() {
  play([880, 1320, 880, 1320]);
  navigator.vibrate?.([400, 150, 400]);
  document.title = document.title === title ? `(!) ${title}` : title;
}

function look() {
  const waits = document.querySelector("[data-ring]");
  if (waits && !ringing) {
    ring();
    ringing = setInterval(ring, every);
  } else if (!waits && ringing) {
    clearInterval(ringing);
    ringing = null;
    navigator.vibrate?.(0);
    document.title = title;
  }
  for (const over of document.querySelectorAll("[data-over]")) {
    // Once for each, also when the page is opened anew.
    const known = (sessionStorage.getItem(told) ?? "").split(" ");
    if (known.includes(over.dataset.over)) continue;
    sessionStorage.setItem(told, [...known.slice(-20), over.dataset.over].join(" "));
    play([660, 440, 330]);
    navigator.vibrate?.([800]);
  }
}

document.addEventListener("looked", look);
wakeWithTouch(() => { silent.hidden = isHeard(); });
look();
