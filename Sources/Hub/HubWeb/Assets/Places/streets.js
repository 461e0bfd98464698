// Streets, houses, woods and waters out of the hub's own vector tiles, drawn on the ground's canvas. Tiles are 512 pixels wide: zoom 14 of a tile is 15
// of the map. docs/maps.md
import { mixed } from "./groundpen.js";
import { worldX, worldY } from "./groundfile.js";
import { StreetTile } from "./streettile.js";
import { readTile } from "./vectortile.js";

const tilesMax = 160; // kept in memory
const upMost = 5; // levels up from where a tile that is not there yet is drawn
/// From this zoom of tiles on the coast is OpenStreetMap's; before, the ground's is fine enough.
const coastFrom = 10;
/// Pixels at zoom 15 of the map, and the zoom from which an edge is drawn.
const roads = {
  path: [1, 99], rail: [1, 99], service: [2, 15], walk: [2.6, 15], minor: [4, 14], link: [3.5, 14], tertiary: [5, 13], secondary: [5.5, 11],
  primary: [6, 10], trunk: [6.5, 9], motorway: [7, 8],
};
const grounds = ["town", "grass", "park", "wood", "sport", "sand", "rock", "wet", "ice", "square"];

async function fetchTile(version, { z, x, y }) {
  const answer = await fetch(`/tiles/${z}/${x}/${y}.pbf?v=${version}`);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.status === 204 ? null : answer.arrayBuffer();
}

export class Streets {
  /// `facts`: what `/tiles` says. `onChange()`: there is more to draw. `fetch(version, { z, x, y })` → ArrayBuffer, null where there is no such tile.
  constructor(facts, onChange, fetch = fetchTile) {
    [this.facts, this.onChange, this.fetchTile, this.tiles, this.turn] = [facts, onChange, fetch, new Map(), 0];
    const [west, south, east, north] = facts.bounds;
    this.area = { left: worldX(west), top: worldY(north), right: worldX(east), bottom: worldY(south) };
  }

  level(zoom) {
    return Math.max(this.facts.minzoom, Math.min(this.facts.maxzoom, Math.round(zoom) - 1));
  }

  /// The tiles of a view, none where there are none or they would be too small.
  wanted(view, size) {
    if (view.zoom < this.facts.minzoom + 0.5) return [];
    const z = this.level(view.zoom), count = 2 ** z, { left, top, right, bottom } = this.area, found = [];
    const range = (from, to, low, high) => [Math.max(from, low), Math.min(to, high)].map((value) => Math.max(0, Math.min(count - 1, Math.floor(value * count))));
    const [viewLeft, viewTop, viewRight, viewBottom] = [view.x / view.world, view.y / view.world, (view.x + size.x) / view.world, (view.y + size.y) / view.world];
    if (viewRight < left || viewLeft > right || viewBottom < top || viewTop > bottom) return found;
    const [x0, x1] = range(viewLeft, viewRight, left, right), [y0, y1] = range(viewTop, viewBottom, top, bottom);
    for (let x = x0; x <= x1; x++) for (let y = y0; y <= y1; y++) found.push({ z, x, y });
    return found;
  }

  /// Whether a place lies in the region.
  holds({ lat, lng }) {
    const [west, south, east, north] = this.facts.bounds;
    return lat >= south && lat <= north && lng >= west && lng <= east;
  }

  touches(view, size) {
    return this.wanted(view, size).length > 0;
  }

  /// Fetches what a view needs, the middle first.
  want(view, size) {
    const list = this.wanted(view, size), middle = [(view.x + size.x / 2) / view.world, (view.y + size.y / 2) / view.world];
    const far = ({ z, x, y }) => Math.abs((x + 0.5) / 2 ** z - middle[0]) + Math.abs((y + 0.5) / 2 ** z - middle[1]);
    for (const place of list.sort((a, b) => far(a) - far(b))) this.ask(place);
    for (const [key, { turn }] of this.tiles) {
      if (this.tiles.size <= tilesMax) break;
      if (turn < this.turn) this.tiles.delete(key);
    }
    this.turn++;
  }

  async ask(place) {
    const key = `${place.z}/${place.x}/${place.y}`, known = this.tiles.get(key);
    if (known) {
      // The oldest stand first.
      this.tiles.delete(key);
      this.tiles.set(key, known);
      known.turn = this.turn;
      return;
    }
    const entry = { turn: this.turn, tile: null };
    this.tiles.set(key, entry);
    try {
      const buffer = await this.fetchTile(this.facts.version, place);
      entry.tile = new StreetTile(place, buffer ? readTile(buffer) : {}, this.area);
      this.onChange();
    } catch {
      // Asked for again when the map moves.
      this.tiles.delete(key);
    }
  }

  tile(z, x, y) {
    return this.tiles.get(`${z}/${x}/${y}`)?.tile ?? null;
  }

  // MARK: Drawing

  /// What stands for the tiles of a view: each tile, or a part of one above it, which is as wide as `share` of it.
  stand(view, size) {
    const found = [];
    for (const { z, x, y } of this.wanted(view, size)) {
      for (let up = 0; up <= upMost && up <= z; up++) {
        const tile = this.tile(z - up, x >> up, y >> up);
        if (!tile) continue;
        found.push({ tile, z, x, y, up });
        break;
      }
    }
    return found;
  }

  /// `view`: as the ground has it. `isSea(x, y)`: whether the ground has sea at a place of the world.
  draw(pen, view, size, ratio, colours, isSea) {
    const parts = this.stand(view, size), shades = this.palette(colours), scaleOf = new Map();
    if (!parts.length) return;
    const each = (paint) => {
      for (const { tile, z, x, y, up } of parts) {
        const width = view.world / 2 ** z, whole = view.world / 2 ** tile.z, [left, top] = [x * width - view.x, y * width - view.y];
        const scale = whole / tile.extent;
        pen.save();
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        if (up) {
          pen.beginPath();
          pen.rect(left, top, width, width);
          pen.clip();
        }
        pen.setTransform(scale * ratio, 0, 0, scale * ratio, (tile.x * whole - view.x) * ratio, (tile.y * whole - view.y) * ratio);
        paint(tile, scale);
        pen.restore();
      }
    };
    const fill = (kind, colour) => each((tile) => {
      const path = tile.areas.get(kind);
      if (!path) return;
      pen.fillStyle = colour;
      pen.fill(path, "evenodd");
    });
    const stroke = (kind, colour, width, dash = []) => each((tile, scale) => {
      const path = tile.ways.get(kind);
      if (!path || width <= 0) return;
      [pen.strokeStyle, pen.lineWidth, pen.lineJoin, pen.lineCap] = [colour, width / scale, "round", dash.length ? "butt" : "round"];
      pen.setLineDash(dash.map((value) => value / scale));
      pen.stroke(path);
    });
    each((tile) => this.back(pen, tile, shades, isSea));
    for (const kind of grounds) fill(kind, shades[kind]);
    fill("water", shades.water);
    const zoom = view.zoom;
    for (const [kind, width] of [["stream", zoom > 14 ? 1.4 : 0.8], ["canal", zoom > 13 ? 2 : 1], ["river", 0.6 * 1.35 ** Math.max(0, zoom - 10) + 0.6]]) stroke(kind, shades.water, Math.min(8, width));
    if (zoom >= coastFrom + 1) stroke("coast", shades.shore, 1);
    if (zoom >= 14.5) fill("building", shades.building);
    const width = (kind) => roads[kind][0] * (zoom >= 15 ? 1.42 ** (zoom - 15) : 1.27 ** (zoom - 15));
    for (const [kind, [, from]] of Object.entries(roads)) if (zoom >= from) stroke(kind, shades.edge, width(kind) + 1.6);
    for (const kind of Object.keys(roads)) {
      if (kind === "path") stroke(kind, shades.path, Math.min(2, 0.8 * 1.15 ** (zoom - 15)), [4, 2.5]);
      else if (kind === "rail") {
        stroke(kind, shades.rail, zoom >= 15 ? 2 : 1);
        if (zoom >= 15) stroke(kind, shades.road, 1, [6, 6]);
      } else stroke(kind, shades[kind] ?? shades.road, Math.max(0.7, width(kind)));
      stroke(`${kind} tunnel`, shades.tunnel, kind === "path" || kind === "rail" ? 0.8 : Math.max(0.7, width(kind)), [4, 3]);
    }
  }

  /// Land and sea, where the ground's own coast is too coarse.
  back(pen, tile, shades, isSea) {
    if (tile.z < coastFrom) return;
    const { left, top, right, bottom } = tile.box;
    pen.fillStyle = this.isWet(tile, isSea) ? shades.sea : shades.land;
    pen.fillRect(left, top, right - left, bottom - top);
    if (!tile.coast.sea) return;
    pen.fillStyle = shades.sea;
    pen.fill(tile.coast.sea, "evenodd");
  }

  /// Whether a tile without a coast is all sea: as the nearest tile with one has it on that side, then as what is on it tells, then as the ground does.
  isWet(tile, isSea) {
    if (tile.coast.sea) return false;
    const seen = new Set([`${tile.x}/${tile.y}`]), list = [tile];
    for (let at = 0; at < list.length && at < 100; at++) {
      const { z, x, y } = list[at];
      for (const [dx, dy, corner] of [[1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 3]]) {
        const next = this.tile(z, x + dx, y + dy), key = `${x + dx}/${y + dy}`;
        if (!next || seen.has(key)) continue;
        seen.add(key);
        // Corners from the north-west clockwise: the one that both tiles have.
        if (next.coast.corners) return next.coast.corners[corner];
        if (next.isLand) return false;
        list.push(next);
      }
    }
    return !tile.isLand && isSea((tile.x + 0.5) / 2 ** tile.z, (tile.y + 0.5) / 2 ** tile.z);
  }

  palette(colours) {
    if (this.shades?.from === colours) return this.shades;
    const { map, text, muted, runner } = colours, isDark = parseInt(map.slice(1, 3), 16) < 100, green = "#3f8f4a", warm = "#d08a2a";
    const hex = (rgb) => `#${rgb.match(/\d+/g).map((value) => Number(value).toString(16).padStart(2, "0")).join("")}`;
    const road = isDark ? hex(mixed(map, text, 0.2)) : "#ffffff", major = hex(mixed(road, warm, isDark ? 0.22 : 0.3));
    return (this.shades = {
      from: colours, land: map, sea: mixed(map, runner, 0.22), water: mixed(map, runner, 0.22), shore: mixed(map, runner, 0.45), road,
      town: mixed(map, muted, 0.05), grass: mixed(map, green, 0.1), park: mixed(map, green, 0.16), wood: mixed(map, green, 0.22),
      sport: mixed(map, green, 0.26), sand: mixed(map, warm, 0.12), rock: mixed(map, muted, 0.1), wet: mixed(map, runner, 0.08),
      ice: mixed(map, runner, 0.04), square: mixed(map, muted, 0.1), building: mixed(map, muted, isDark ? 0.26 : 0.2), edge: mixed(map, muted, isDark ? 0.12 : 0.34),
      path: mixed(map, muted, 0.7), rail: mixed(map, muted, 0.6), tunnel: mixed(map, muted, 0.25), motorway: mixed(road, warm, 0.5),
      trunk: mixed(road, warm, 0.38), primary: major, secondary: hex(mixed(road, warm, 0.14)), walk: mixed(map, road, 0.6),
    });
  }

  // MARK: Names

  /// Whether the names of towns at a place come from a tile.
  hasNames(zoom, x, y) {
    const z = this.level(zoom);
    return zoom >= 11 && Boolean(this.tile(z, Math.floor(x * 2 ** z), Math.floor(y * 2 ** z))?.names.length);
  }

  /// Those of all tiles of a zoom, the most important first; from 11 on, where the ground's towns end.
  names(zoom) {
    if (zoom < 11) return [];
    const z = this.level(zoom), found = [];
    for (const { tile } of this.tiles.values()) if (tile?.z === z) found.push(...tile.names);
    return found.sort((a, b) => a.order - b.order || b.rank - a.rank);
  }
}
