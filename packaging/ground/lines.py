"""Coast and borders out of polygons that share their edges: each edge once, simplified, cut into cells.

An edge of one polygon alone is coast, an edge of two is a border. Coordinates are whole units from here on.
"""
from collections import Counter, defaultdict


def quantised(shapes, unit):
    for shape in shapes:
        for ring in shape.rings:
            whole = [(round(x * unit), round(y * unit)) for x, y in ring]
            yield shape, [point for index, point in enumerate(whole) if index == 0 or point != whole[index - 1]]


def edges(shapes, unit):
    """The edges of all rings in their direction, how many rings each has, and of which countries these are."""
    directed, count, owners = [], Counter(), defaultdict(set)
    for shape, ring in quantised(shapes, unit):
        for a, b in zip(ring, ring[1:]):
            key = (min(a, b), max(a, b))
            directed.append((a, b))
            count[key] += 1
            owners[key].add(shape.country)
    return directed, count, owners


def chains(pairs, nodes=frozenset()):
    """Lines out of edges without direction, cut where other than two of them meet and at `nodes`."""
    around = defaultdict(list)
    for a, b in sorted(pairs):
        around[a].append(b)
        around[b].append(a)
    ends = {point for point, others in around.items() if len(others) != 2 or point in nodes}
    used, found = set(), []
    def walk(a, b):
        line = [a, b]
        used.add((min(a, b), max(a, b)))
        while line[-1] not in ends:
            step = [point for point in around[line[-1]] if (min(point, line[-1]), max(point, line[-1])) not in used]
            if not step:
                break
            used.add((min(step[0], line[-1]), max(step[0], line[-1])))
            line.append(step[0])
        found.append(line)
    for start in sorted(ends) + sorted(set(around) - ends):
        for other in around[start]:
            if (min(start, other), max(start, other)) not in used:
                walk(start, other)
    return found


def borders(shapes, unit, without=()):
    """Lines between two of the shapes. `without`: lines that are drawn already, such as borders of countries between states."""
    _, count, owners = edges(shapes, unit)
    drawn = {(min(a, b), max(a, b)) for line in without for a, b in zip(line, line[1:])}
    inner = {key for key, times in count.items() if times > 1 and key not in drawn and (not without or len(owners[key]) == 1)}
    return chains(inner)


class Land:
    """All land: rings of coast, without the borders in it."""

    def __init__(self, shapes, unit):
        directed, count, _ = edges(shapes, unit)
        coast = [(a, b) for a, b in directed if count[min(a, b), max(a, b)] == 1]
        inner = {key for key, times in count.items() if times > 1}
        # Where a border reaches the coast both keep the point.
        self.nodes = {point for key in inner for point in key} & {point for edge in coast for point in edge}
        following = defaultdict(list)
        for a, b in coast:
            following[a].append(b)
        self.whole = []
        for start, _ in coast:
            while following[start]:
                ring = [start]
                while following[ring[-1]]:
                    ring.append(following[ring[-1]].pop())
                self.whole.append(ring)

    def rings(self, tolerance):
        """Islands smaller than a few tolerances are left out."""
        found = []
        for ring in self.whole:
            wide, high = (max(point[i] for point in ring) - min(point[i] for point in ring) for i in (0, 1))
            if max(wide, high) < 2 * tolerance:
                continue
            simple = simplified_ring(ring, tolerance, self.nodes)
            if len(simple) > 3:
                found.append(simple)
        return found


def simplified_ring(ring, tolerance, nodes):
    if tolerance <= 0:
        return ring
    keep = [0] + [index for index in range(1, len(ring) - 1) if ring[index] in nodes] + [len(ring) - 1]
    if len(keep) == 2:
        # A ring needs a second point to start from: the farthest.
        far = max(range(len(ring)), key=lambda index: (ring[index][0] - ring[0][0]) ** 2 + (ring[index][1] - ring[0][1]) ** 2)
        keep.insert(1, far)
    out = [ring[0]]
    for a, b in zip(keep, keep[1:]):
        out += peucker(ring[a:b + 1], tolerance)[1:]
    return out


def simplified(lines, tolerance):
    return [peucker(line, tolerance) for line in lines] if tolerance > 0 else lines


def peucker(line, tolerance):
    """Douglas and Peucker's: no point that was left out is farther than `tolerance` from the line."""
    kept, open_ = {0, len(line) - 1}, [(0, len(line) - 1)]
    while open_:
        first, last = open_.pop()
        (ax, ay), (bx, by) = line[first], line[last]
        dx, dy = bx - ax, by - ay
        length, most, at = dx * dx + dy * dy, tolerance * tolerance, None
        for index in range(first + 1, last):
            px, py = line[index][0] - ax, line[index][1] - ay
            share = max(0.0, min(1.0, (px * dx + py * dy) / length)) if length else 0.0
            away = (px - share * dx) ** 2 + (py - share * dy) ** 2
            if away > most:
                most, at = away, index
        if at is not None:
            kept.add(at)
            open_ += [(first, at), (at, last)]
    return [line[index] for index in sorted(kept)]


# MARK: cells

def half(ring, axis, bound, keeps_more):
    """Sutherland and Hodgman's: the part of a ring on one side."""
    out = []
    for a, b in zip(ring, ring[1:] + ring[:1]):
        is_in, will = ((p[axis] >= bound) if keeps_more else (p[axis] <= bound) for p in (a, b))
        if is_in:
            out.append(a)
        if is_in != will:
            share, other = (bound - a[axis]) / (b[axis] - a[axis]), 1 - axis
            cut = [0, 0]
            cut[axis], cut[other] = bound, round(a[other] + share * (b[other] - a[other]))
            out.append(tuple(cut))
    return [point for index, point in enumerate(out) if index == 0 or point != out[index - 1]]


class Grid:
    """Square cells of `size` units; what is in one counts from its corner, less the overlap."""

    def __init__(self, size, degrees_unit, overlap):
        self.size, self.overlap = size, overlap
        self.west, self.south = 180 * degrees_unit, 90 * degrees_unit
        self.columns, self.rows = 2 * self.west // size, 2 * self.south // size

    def span(self, values, axis):
        """The cells that these may be in, the overlap counted."""
        origin, count = (self.west, self.columns) if axis == 0 else (self.south, self.rows)
        low, high = (min(values) - self.overlap + origin) // self.size, (max(values) + self.overlap + origin) // self.size
        return range(max(0, low), min(count - 1, high) + 1)

    def corner(self, column, row):
        return column * self.size - self.west, row * self.size - self.south

    def cell(self, point):
        return (min(self.columns - 1, (point[0] + self.west) // self.size), min(self.rows - 1, (point[1] + self.south) // self.size))


def cells_of_rings(rings, grid):
    """{cell: rings}, each cut at the edges of the cell."""
    found, size, over = defaultdict(list), grid.size, grid.overlap
    for ring in rings:
        open_ring = ring[:-1] if ring[0] == ring[-1] else ring
        for column in grid.span([x for x, _ in open_ring], 0):
            west, _ = grid.corner(column, 0)
            strip = half(half(open_ring, 0, west - over, True), 0, west + size + over, False)
            if len(strip) < 3:
                continue
            for row in grid.span([y for _, y in strip], 1):
                _, south = grid.corner(column, row)
                part = half(half(strip, 1, south - over, True), 1, south + size + over, False)
                if len(part) > 2 and part[0] == part[-1]:
                    part.pop()
                if len(part) > 2:
                    found[row * grid.columns + column].append([(x - west + over, y - south + over) for x, y in part])
    return found


def cells_of_lines(lines, grid):
    """{cell: lines}; an edge that crosses cells is in each of them."""
    found, over = defaultdict(list), grid.overlap
    for line in lines:
        open_ = {}
        for a, b in zip(line, line[1:]):
            (ca, ra), (cb, rb) = grid.cell(a), grid.cell(b)
            touched = {(c, r) for c in range(min(ca, cb), max(ca, cb) + 1) for r in range(min(ra, rb), max(ra, rb) + 1)}
            for gone in [key for key in open_ if key not in touched]:
                del open_[gone]
            for key in sorted(touched):
                west, south = grid.corner(*key)
                # Zero stays the corner of what is kept: a line may reach a little beyond.
                at, to = ((p[0] - west + over, p[1] - south + over) for p in (a, b))
                if key in open_:
                    open_[key].append(to)
                else:
                    open_[key] = [at, to]
                    found[key[1] * grid.columns + key[0]].append(open_[key])
    return found
