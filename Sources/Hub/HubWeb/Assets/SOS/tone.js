// Tones of a page. Browsers make no sound before a first tap: a page that wants to be heard says so until then.
let context = null;

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

export const isHeard = () => context?.state === "running";

/** One after the other. */
export function play(notes) {
  if (isHeard()) notes.forEach((hertz, index) => tone(context.currentTime + index * 0.25, hertz, 0.2));
}

/** Tries to be heard now and with each touch; calls `changed` whenever that may have changed. */
export function wakeWithTouch(changed) {
  const wake = () => {
    try {
      context ??= new AudioContext();
    } catch {
      // No sound on this device: the page goes on saying so.
      return changed();
    }
    context.onstatechange = changed;
    context.resume().then(changed, changed);
  };
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, wake);
  wake();
  changed();
}
