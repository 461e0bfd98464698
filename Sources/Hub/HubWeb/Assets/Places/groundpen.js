// What is drawn by hand on a map's canvas shares: colours between colours, the pace of a zoom, names and room for them.

const parts = (colour) => {
  const hex = colour.replace("#", ""), full = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
  return [0, 2, 4].map((from) => parseInt(full.slice(from, from + 2), 16));
};
/// `share` of the second colour over the first.
export const mixed = (first, second, share) => {
  const [a, b] = [parts(first), parts(second)];
  return `rgb(${a.map((value, index) => Math.round(value + (b[index] - value) * share)).join(",")})`;
};

/// A name as a picture, with a halo.
export function lettered({ kind, name, isLarge, town }, shades, locale, ratio) {
  const { scale, font } = shades.from, isPlace = kind === "town" || kind === "road" || kind === "part";
  const pixels = ({ town: isLarge ? 13 : 11.5, country: 12, road: 10.5 }[kind] ?? 11) * scale;
  const image = document.createElement("canvas"), pen = image.getContext("2d"), written = kind === "country" ? name.toLocaleUpperCase(locale) : name;
  const style = `${kind === "region" ? "italic " : ""}${isLarge || kind === "country" ? "600" : "500"} ${pixels}px ${font}`;
  pen.font = style;
  if (!isPlace && "letterSpacing" in pen) pen.letterSpacing = `${0.08 * pixels}px`;
  const width = pen.measureText(written).width + 8, height = pixels * 1.4 + 4;
  [image.width, image.height] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  pen.scale(ratio, ratio);
  pen.font = style;
  if (!isPlace && "letterSpacing" in pen) pen.letterSpacing = `${0.08 * pixels}px`;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  [pen.lineWidth, pen.strokeStyle, pen.fillStyle] = [3, shades.halo, kind === "town" ? (isLarge ? shades.town : mixed(shades.from.text, shades.from.muted, 0.5)) : shades.minor];
  pen.strokeText(written, 4, height / 2);
  pen.fillText(written, 4, height / 2);
  const dot = 5;
  return { image, text: width, width: kind === "town" ? width + 2 * dot : width, height, isCapital: town?.isCapital };
}

/// Leaflet's transition, cubic-bezier(0, 0, 0.25, 1), at a time of 0 to 1.
export function eased(time) {
  let low = 0, high = 1;
  for (let n = 0; n < 14; n++) {
    const t = (low + high) / 2, x = 0.75 * t * t * (1 - t) + t * t * t;
    if (x < time) low = t; else high = t;
  }
  return 3 * low * low * (1 - low) + low * low * low;
}

/// Boxes of pixels, [left, top, right, bottom], on a coarse grid of those that are taken; false, with none taken, when one of them meets another.
export function occupy(taken, boxes) {
  const size = 64, wanted = [];
  for (const box of boxes) {
    const [left, top, right, bottom] = box;
    for (let column = Math.floor(left / size); column <= Math.floor(right / size); column++) {
      for (let row = Math.floor(top / size); row <= Math.floor(bottom / size); row++) {
        const key = `${column},${row}`;
        for (const other of taken.get(key) ?? []) if (left < other[2] && right > other[0] && top < other[3] && bottom > other[1]) return false;
        wanted.push([key, box]);
      }
    }
  }
  for (const [key, box] of wanted) {
    if (taken.has(key)) taken.get(key).push(box); else taken.set(key, [box]);
  }
  return true;
}

/// Boxes along a name that is turned.
export function along(x, y, angle, { text, height }) {
  const step = height * 0.7, count = Math.max(1, Math.round(text / step)), half = height * 0.45;
  return Array.from({ length: count }, (_, n) => {
    const at = (n + 0.5) * (text / count) - text / 2, px = x + at * Math.cos(angle), py = y + at * Math.sin(angle);
    return [px - half, py - half, px + half, py + half];
  });
}

/// As `mixed`, of a colour that is mixed already.
export function mixedRGB(first, second, share) {
  if (share >= 1) return second;
  const a = parts(first), b = second.match(/\d+/g).map(Number);
  return `rgb(${a.map((value, index) => Math.round(value + (b[index] - value) * share)).join(",")})`;
}
