// Somebody needs help, and nobody can be called: a tone calls whoever is near, until the case is over, somebody can be called, or somebody here
// ends it. Whoever telephones 112 from this page needs it quiet.
import { isHeard, play, wakeWithTouch } from "./tone.js";

const part = document.getElementById("callNear"), stop = part.querySelector("button"), silent = part.querySelector(".warnline");
const every = 1_500, quiet = "trackme-quiet";
let incident = null, calling = null, isAwake = false;

const isQuiet = () => sessionStorage.getItem(quiet) === incident;

function call() {
  play([960, 770, 960, 770]);
  navigator.vibrate?.([600, 150, 600]);
}

function look() {
  incident = document.querySelector("[data-call-near]")?.dataset.callNear ?? null;
  const calls = incident !== null && !isQuiet();
  if (calls && !isAwake) {
    isAwake = true;
    wakeWithTouch(look);
  }
  part.hidden = incident === null;
  stop.hidden = !calls;
  silent.hidden = !calls || isHeard();
  if (calls && !calling) {
    call();
    calling = setInterval(call, every);
  } else if (!calls && calling) {
    clearInterval(calling);
    calling = null;
    navigator.vibrate?.(0);
  }
}

function hush() {
  if (incident !== null) sessionStorage.setItem(quiet, incident);
  look();
}

document.addEventListener("looked", look);
document.addEventListener("click", ({ target }) => { if (target.closest("a[href='tel:112']")) hush(); });
stop.addEventListener("click", hush);
look();
