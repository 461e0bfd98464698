// An alarm that waits for an answer is heard and felt, and one that is over is told by another sound. Browsers make no sound before a first tap:
// the page says so.
const silent = document.getElementById("ringSilent");
const title = document.title;
const every = 1_500, told = "trackme-told";
let context = null, ringing = null;

function tone(at, hertz, seconds) {
  const wave = context.createOscillator(), loudness = context.createGain();
  wave.type = "square";
  wave.frequency.value = hertz;
  loudness.gain.setValueAtTime(0.4, at);
  loudness.gain.setValueAtTime(0, at + seconds);
  wave.connect(loudness).connect(context.destination);
  wave.start(at);
  wave.stop(at + seconds);
}

function play(notes) {
  if (context?.state !== "running") return;
  notes.forEach((hertz, index) => tone(context.currentTime + index * 0.25, hertz, 0.2));
}

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

function say() { silent.hidden = context?.state === "running"; }

function wake() {
  try {
    context ??= new AudioContext();
  } catch {
    // No sound on this device: the page goes on saying so.
    return say();
  }
  context.onstatechange = say;
  context.resume().then(say, say);
}

document.addEventListener("looked", look);
for (const name of ["pointerdown", "keydown"]) addEventListener(name, wake);
wake();
say();
look();
