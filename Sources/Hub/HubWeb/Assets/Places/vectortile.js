// Reads vector tiles (Mapbox Vector Tile 2.1, which is Protocol Buffers). A tile that is damaged is refused with a RangeError or a TypeError, and never
// reads on without end.

const utf8 = new TextDecoder();
const featuresMax = 200_000, pointsMax = 2_000_000;

class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    [this.bytes, this.at, this.end] = [bytes, at, end];
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number() {
    let value = 0, shift = 1;
    for (let count = 0; count < 10; count++) {
      if (this.at >= this.end) break;
      const byte = this.bytes[this.at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
      shift *= 128;
    }
    throw new RangeError("a number of the tile is cut");
  }

  part() {
    const length = this.number(), from = this.at;
    if (length > this.end - from) throw new RangeError("a part of the tile is cut");
    this.at += length;
    return new Reader(this.bytes, from, this.at);
  }

  text() {
    const { at, end } = this.part();
    return utf8.decode(this.bytes.subarray(at, end));
  }

  skip(type) {
    if (type === 0) this.number();
    else if (type === 1) this.move(8);
    else if (type === 2) this.part();
    else if (type === 5) this.move(4);
    else throw new TypeError("no vector tile");
  }

  move(count) {
    this.at += count;
    if (this.at > this.end) throw new RangeError("a value of the tile is cut");
    return this.at - count;
  }

  /// Calls `take[field]` for each field, which reads the value; others are skipped.
  fields(take) {
    while (this.at < this.end) {
      const key = this.number(), field = Math.floor(key / 8), type = key % 8, read = take[field];
      if (!read) this.skip(type);
      else if (type !== (read.type ?? 2)) throw new TypeError("no vector tile");
      else read.call(take);
    }
  }
}

const zigzag = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);
const plain = (read) => Object.assign(read, { type: 0 });

function value(part) {
  let found = null;
  part.fields({
    1: () => { found = part.text(); },
    2: Object.assign(() => { found = part.view.getFloat32(part.move(4), true); }, { type: 5 }),
    3: Object.assign(() => { found = part.view.getFloat64(part.move(8), true); }, { type: 1 }),
    4: plain(() => { found = part.number(); }),
    5: plain(() => { found = part.number(); }),
    6: plain(() => { found = zigzag(part.number()); }),
    7: plain(() => { found = part.number() !== 0; }),
  });
  return found;
}

/// Lists of points, [x, y, x, y …], in steps of the layer's extent; a ring of a polygon says its first point once.
function geometry(part, type, count) {
  const lines = [];
  let line = null, x = 0, y = 0;
  while (part.at < part.end) {
    const command = part.number(), kind = command % 8, times = Math.floor(command / 8);
    if (kind === 7) { line = null; continue; }
    if (kind !== 1 && kind !== 2) throw new TypeError("no vector tile");
    if (kind === 2 && !line) throw new TypeError("a line of the tile has no beginning");
    for (let n = 0; n < times; n++) {
      if (count.points++ > pointsMax) throw new RangeError("the tile has too many points");
      x += zigzag(part.number());
      y += zigzag(part.number());
      if (kind === 1 && (type === 1 ? !line : true)) lines.push(line = []);
      line.push(x, y);
    }
  }
  return lines;
}

function layer(part, count) {
  const found = { name: "", extent: 4096, features: [] }, keys = [], values = [], raw = [];
  part.fields({
    1: () => { found.name = part.text(); },
    2: () => { raw.push(part.part()); },
    3: () => { keys.push(part.text()); },
    4: () => { values.push(value(part.part())); },
    5: plain(() => { found.extent = part.number(); }),
  });
  if (!(found.extent > 0 && found.extent <= 65_536)) throw new TypeError("no vector tile");
  for (const feature of raw) {
    if (count.features++ > featuresMax) throw new RangeError("the tile has too many features");
    const made = { type: 0, tags: {}, lines: [] };
    let tags = null, shape = null;
    feature.fields({
      2: () => { tags = feature.part(); },
      3: plain(() => { made.type = feature.number(); }),
      4: () => { shape = feature.part(); },
    });
    while (tags && tags.at < tags.end) {
      const key = keys[tags.number()], own = values[tags.number()];
      if (key === undefined || own === undefined) throw new RangeError("a word of the tile is missing");
      made.tags[key] = own;
    }
    if (shape) made.lines = geometry(shape, made.type, count);
    found.features.push(made);
  }
  return found;
}

/// { layer's name: { extent, features: [{ type (1 points, 2 lines, 3 polygons), tags, lines }] } }
export function readTile(buffer) {
  const part = new Reader(new Uint8Array(buffer)), layers = {}, count = { features: 0, points: 0 };
  part.fields({ 3: () => { const made = layer(part.part(), count); layers[made.name] = made; } });
  return layers;
}
