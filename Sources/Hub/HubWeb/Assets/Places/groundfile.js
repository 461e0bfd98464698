// The file of the ground, as packaging/ground/make writes it: names and the directory, then cells, each fetched when it is looked at; those of the
// coarsest level at once where the world is looked at. docs: packaging/ground/README.md.

const townUnit = 2000, labelUnit = 100; // steps in a degree
const utf8 = new TextDecoder();

class Bytes {
  constructor(buffer, at = 0) {
    [this.bytes, this.at] = [new Uint8Array(buffer), at];
  }

  number() {
    let value = 0, shift = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError("the ground's file is cut");
      value += (byte & 127) * shift;
      if (byte < 128) return value;
      shift *= 128;
    }
  }

  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  text() {
    const length = this.number(), from = this.at;
    this.at += length;
    return utf8.decode(this.bytes.subarray(from, this.at));
  }

  skipText() {
    const length = this.number();
    this.at += length;
  }

  list(read) {
    return Array.from({ length: this.number() }, read);
  }

  /// Where a name stands; null where the file has no shape of the place. `reach`: degrees to its edge.
  label() {
    const reach = this.number() / 10;
    return reach ? { reach, longitude: this.signed() / labelUnit, latitude: this.signed() / labelUnit } : null;
  }
}

/// Mercator, 0 to 1 from west to east and from north to south.
export const worldX = (longitude) => (longitude + 180) / 360;
export function worldY(latitude) {
  const sine = Math.sin(Math.max(-85.06, Math.min(85.06, latitude)) * Math.PI / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

export class GroundFile {
  /// `fetchPart(name)` → ArrayBuffer, of `index`, of `VERSION-world` and of `VERSION-NUMBER`.
  static async load(fetchPart) {
    return new GroundFile(await fetchPart("index"), fetchPart);
  }

  constructor(index, fetchPart) {
    const view = new DataView(index);
    if (utf8.decode(index.slice(0, 8)) !== "TMGROUND" || view.getUint32(8, true) !== 1) throw new TypeError("not a ground of this version");
    this.fetchPart = fetchPart;
    this.version = view.getUint32(20, true).toString(16).padStart(8, "0");
    const bytes = new Bytes(index, 24);
    this.credits = bytes.list(() => bytes.text());
    this.countries = bytes.list(() => ({ code: bytes.text(), name: bytes.text(), label: bytes.label() }));
    this.regions = bytes.list(() => ({ country: bytes.number(), name: bytes.text(), label: bytes.label() }));
    let number = 0;
    this.levels = bytes.list(() => {
      const level = { zoom: bytes.number(), degrees: bytes.number(), unit: bytes.number(), overlap: bytes.number(), cells: new Map() };
      let index = -1;
      for (let count = bytes.number(); count > 0; count--) {
        index += bytes.number() + 1;
        level.cells.set(index, { level, index, number: number++, length: bytes.number(), content: null, isAsked: false });
      }
      return level;
    });
  }

  /// Fetches the coarsest level once, as one part.
  async fetchWorld() {
    if (this.isWorldAsked) return false;
    this.isWorldAsked = true;
    try {
      const buffer = await this.fetchPart(`${this.version}-world`);
      let at = 0;
      for (const cell of this.levels[0].cells.values()) {
        cell.content ??= new Cell(cell, buffer, at);
        at += cell.length;
      }
      return true;
    } catch {
      this.isWorldAsked = false;
      return false;
    }
  }

  /// The cells of a level between longitudes and latitudes; those that the file has nothing of are left out.
  within(level, west, south, east, north) {
    const columns = 360 / level.degrees, rows = 180 / level.degrees, found = [];
    const [left, right] = [west, east].map((value) => Math.floor((value + 180) / level.degrees));
    const [bottom, top] = [south, north].map((value) => Math.max(0, Math.min(rows - 1, Math.floor((value + 90) / level.degrees))));
    for (let column = left; column <= Math.min(right, left + columns - 1); column++) {
      for (let row = bottom; row <= top; row++) {
        const cell = level.cells.get(row * columns + ((column % columns) + columns) % columns);
        if (cell) found.push(cell);
      }
    }
    return found;
  }

  /// Fetches a cell once; one that failed is asked for again when the map moves.
  async fetch(cell) {
    if (cell.content || cell.isAsked) return false;
    cell.isAsked = true;
    try {
      cell.content = new Cell(cell, await this.fetchPart(`${this.version}-${cell.number}`), 0);
      return true;
    } catch {
      cell.isAsked = false;
      return false;
    }
  }
}

/// What is in a cell: towns at once, lines when they are drawn.
export class Cell {
  constructor({ level, index }, buffer, at) {
    const columns = 360 / level.degrees;
    [this.level, this.buffer, this.at] = [level, buffer, at];
    [this.west, this.south] = [(index % columns) * level.degrees - 180, Math.floor(index / columns) * level.degrees - 90];
    [this.east, this.north] = [this.west + level.degrees, this.south + level.degrees];
    // Paths count from the corner in pixels of this zoom: whole degrees would be too coarse for single floats, and the world too large.
    this.scale = 2 ** (9 + level.zoom);
    [this.x, this.y] = [worldX(this.west), worldY(this.north)];
    [this.width, this.height] = [worldX(this.east) - this.x, worldY(this.south) - this.y];
    const bytes = new Bytes(buffer, at);
    if (level.unit) for (let kind = 0; kind < 3; kind++) this.skip(bytes);
    this.towns = this.readTowns(bytes);
  }

  skip(bytes) {
    for (let lines = bytes.number(); lines > 0; lines--) {
      for (let count = 2 * bytes.number(); count > 0; count--) bytes.number();
    }
  }

  readTowns(bytes) {
    return bytes.list(() => {
      const longitude = bytes.number() / townUnit + this.west, latitude = bytes.number() / townUnit + this.south;
      const size = bytes.bytes[bytes.at++], country = bytes.number(), region = bytes.number() - 1, name = bytes.text();
      for (let others = bytes.number(); others > 0; others--) bytes.skipText();
      return {
        name, longitude, latitude, x: worldX(longitude), y: worldY(latitude), country, region, isCapital: size % 2 === 1,
        population: 500 * 2 ** ((size >> 1) / 8),
      };
    });
  }

  /// { land, coast, borders, regions }: paths from the cell's north-west corner.
  get paths() {
    if (this.known) return this.known;
    const bytes = new Bytes(this.buffer, this.at), [land, coast, borders, regions] = [0, 1, 2, 3].map(() => new Path2D());
    const { unit, overlap, degrees } = this.level, edge = degrees * unit + 2 * overlap;
    const read = (draw) => {
      for (let lines = bytes.number(); lines > 0; lines--) {
        let x = 0, y = 0, from = null;
        const first = {};
        const count = bytes.number();
        for (let n = 0; n < count; n++) {
          x += bytes.signed();
          y += bytes.signed();
          const at = {
            x, y, px: (worldX((x - overlap) / unit + this.west) - this.x) * this.scale,
            py: (worldY((y - overlap) / unit + this.south) - this.y) * this.scale,
          };
          if (n === 0) Object.assign(first, at);
          draw(from, at);
          from = at;
        }
        if (count > 1) draw(from, first, true);
      }
    };
    // An edge of the cell is no coast.
    const isCut = (a, b) => (a.x === b.x && (a.x === 0 || a.x === edge)) || (a.y === b.y && (a.y === 0 || a.y === edge));
    let isDown = false;
    read((from, to, isLast) => {
      if (!from) { land.moveTo(to.px, to.py); isDown = false; return; }
      if (isLast) land.closePath(); else land.lineTo(to.px, to.py);
      if (isCut(from, to)) { isDown = false; return; }
      if (!isDown) coast.moveTo(from.px, from.py);
      coast.lineTo(to.px, to.py);
      isDown = true;
    });
    for (const path of [borders, regions]) {
      read((from, to, isLast) => {
        if (isLast) return;
        if (from) path.lineTo(to.px, to.py); else path.moveTo(to.px, to.py);
      });
    }
    return (this.known = { land, coast, borders, regions });
  }
}
