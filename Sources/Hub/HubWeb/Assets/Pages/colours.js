// The style sheet's colours and sizes for what is drawn by hand, read again when the system's colour scheme changes.

export function colourReader(onChange) {
  let shades = null;
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", () => {
    shades = null;
    onChange();
  });
  // The root's font size changes with the width.
  addEventListener("resize", () => (shades = null));
  return () => {
    shades ??= read();
    return shades;
  };
}

function read() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: value("text"), muted: value("muted"), card: value("card"), grid: value("grid"), gap: value("gap"),
    heart: value("heart"), heartSoft: value("heart-soft"), warn: value("warn"), runner: value("runner"),
    casing: value("casing"), map: value("map"), bands: [1, 2, 3, 4, 5].map((n) => value(`band${n}`)),
    font: getComputedStyle(document.body).fontFamily, scale: parseFloat(style.fontSize) / 16,
  };
}
