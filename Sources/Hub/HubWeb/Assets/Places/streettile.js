// What of a vector tile is drawn: paths by kind, and names with their places in the world.
import { coastOf } from "./streetcoast.js";

/// In the order in which names get their room, with how they are written.
const places = { city: [0, "town"], town: [1, "town"], village: [2, "town"], suburb: [3, "part"], hamlet: [4, "town"], island: [4, "part"],
  quarter: [5, "part"], peak: [5, "part"], neighbourhood: [6, "part"], locality: [7, "part"], islet: [7, "part"], isolated_dwelling: [8, "part"] };
const streets = { motorway: 10, trunk: 11, primary: 12, secondary: 13, tertiary: 14, minor: 16, walk: 16 };
/// A name turns by so much at most along its street, in radians.
const bendMost = 0.3;
const shortest = 0.02; // of a tile: of a street whose name is kept

export class StreetTile {
  /// `region`: { left, top, right, bottom } in the world.
  constructor({ z, x, y }, layers, region) {
    [this.z, this.x, this.y, this.areas, this.ways, this.names] = [z, x, y, new Map(), new Map(), []];
    this.extent = (layers.road ?? layers.building ?? layers.water ?? layers.coast ?? layers.ground ?? layers.place)?.extent ?? 4096;
    this.isLand = Boolean(layers.road?.features.length || layers.building?.features.length);
    for (const { lines, tags } of layers.ground?.features ?? []) this.ring(tags.k, lines);
    for (const { lines } of layers.water?.features ?? []) this.ring("water", lines);
    for (const { lines } of layers.building?.features ?? []) this.ring("building", lines);
    for (const { lines, tags } of layers.stream?.features ?? []) {
      this.line(tags.k, lines);
      this.street({ ...tags, k: "water" }, lines);
    }
    for (const { lines, tags } of layers.road?.features ?? []) {
      this.line(tags.t ? `${tags.k} tunnel` : tags.k, lines);
      this.street(tags, lines);
    }
    for (const { lines, tags } of layers.place?.features ?? []) this.place(tags, lines);
    const coast = (layers.coast?.features ?? []).flatMap(({ lines }) => lines);
    if (coast.length) this.line("coast", coast);
    const { extent } = this, within = (value) => Math.max(0, Math.min(extent, value * extent));
    this.box = {
      left: within(region.left * 2 ** z - x), right: within(region.right * 2 ** z - x), top: within(region.top * 2 ** z - y),
      bottom: within(region.bottom * 2 ** z - y),
    };
    this.coast = coastOf(coast, this.box);
  }

  ring(kind, lines) {
    if (!this.areas.has(kind)) this.areas.set(kind, new Path2D());
    const path = this.areas.get(kind);
    for (const line of lines) {
      path.moveTo(line[0], line[1]);
      for (let n = 2; n < line.length; n += 2) path.lineTo(line[n], line[n + 1]);
      path.closePath();
    }
  }

  line(kind, lines) {
    if (!this.ways.has(kind)) this.ways.set(kind, new Path2D());
    const path = this.ways.get(kind);
    for (const line of lines) {
      path.moveTo(line[0], line[1]);
      for (let n = 2; n < line.length; n += 2) path.lineTo(line[n], line[n + 1]);
    }
  }

  world(x, y) {
    const width = 2 ** this.z;
    return { x: (this.x + x / this.extent) / width, y: (this.y + y / this.extent) / width };
  }

  place({ k, name, n }, lines) {
    if (!places[k] || !name || !lines.length) return;
    const [order, kind] = places[k], [x, y] = lines[0], written = k === "peak" ? `▲ ${name}${n > 0 ? ` ${Math.round(n)} m` : ""}` : name;
    this.names.push({ kind, name: written, order, rank: n ?? 0, isLarge: k === "city" || k === "town", ...this.world(x, y) });
  }

  /// The straightest stretch of a street has its name.
  street({ k, name, ref }, lines) {
    const written = name ?? (k === "motorway" || k === "trunk" ? ref : null), order = k === "water" ? 15 : streets[k];
    if (!written || order === undefined) return;
    let best = null;
    for (const line of lines) {
      const found = straight(line);
      if (found && !(best?.length >= found.length)) best = found;
    }
    if (!best || best.length < shortest * this.extent) return;
    const { x, y, angle, length } = best;
    this.names.push({ kind: "road", name: written, order, rank: length, angle, length: length / this.extent / 2 ** this.z, ...this.world(x, y) });
  }
}

/// The longest stretch that bends little: its middle, angle (as it is read, from left to right) and length.
function straight(line) {
  let best = null, from = 0;
  const point = (n) => [line[2 * n], line[2 * n + 1]], count = line.length / 2;
  const angleOf = (a, b) => Math.atan2(point(b)[1] - point(a)[1], point(b)[0] - point(a)[0]);
  const take = (a, b) => {
    const [x0, y0] = point(a), [x1, y1] = point(b), length = Math.hypot(x1 - x0, y1 - y0);
    if (length === 0 || best?.length >= length) return;
    let angle = Math.atan2(y1 - y0, x1 - x0);
    if (angle > Math.PI / 2) angle -= Math.PI;
    else if (angle <= -Math.PI / 2) angle += Math.PI;
    best = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, angle, length };
  };
  for (let n = 1; n < count; n++) {
    const turn = Math.abs(angleOf(n - 1, n) - angleOf(from, from + 1));
    if (Math.min(turn, 2 * Math.PI - turn) <= bendMost) continue;
    take(from, n - 1);
    from = n - 1;
  }
  if (count > 1) take(from, count - 1);
  return best;
}
