"""Writes a made-up region as OSM's OPL text: a coast with an island, a lake with an island, a river, a motorway with a bridge across the lake, woods, a
town of streets in blocks with houses, a hospital, a pharmacy. Nothing of it exists.

region.py BLOCKS FILE.opl: BLOCKS to the side of the town, of 100 m each. `osmium cat FILE.opl -o FILE.osm.pbf` packs it.
"""
import math
import sys

WEST, SOUTH = 9.0, 45.0
LAT = 0.0009  # 100 m
LON = LAT / math.cos(math.radians(SOUTH))


class Region:
    def __init__(self, blocks):
        self.blocks, self.nodes, self.ways, self.relations = blocks, [], [], []

    def node(self, x, y, **tags):
        """x blocks east and y blocks north of the town's south-west corner."""
        self.nodes.append(f"n{len(self.nodes) + 1} v1 T{text(tags)} x{WEST + x * LON:.7f} y{SOUTH + y * LAT:.7f}")
        return len(self.nodes)

    def way(self, nodes, **tags):
        self.ways.append(f"w{len(self.ways) + 1} v1 T{text(tags)} N{','.join(f'n{node}' for node in nodes)}")
        return len(self.ways)

    def line(self, points, **tags):
        return self.way([self.node(x, y) for x, y in points], **tags)

    def ring(self, points, **tags):
        nodes = [self.node(x, y) for x, y in points]
        return self.way(nodes + nodes[:1], **tags)

    def area(self, outer, inner, **tags):
        ways = [(self.ring(outer), "outer"), (self.ring(inner), "inner")]
        members = ",".join(f"w{way}@{role}" for way, role in ways)
        self.relations.append(f"r{len(self.relations) + 1} v1 T{text({'type': 'multipolygon', **tags})} M{members}")

    def make(self):
        n = self.blocks
        # Water is on the right of a coastline, land on the left.
        self.line([(x / 4 - n, -3 + math.sin(x / 9)) for x in range(12 * n)], natural="coastline")
        self.ring(circle(n / 2, -8, 2), natural="coastline", name="Isola Finta")
        self.area(circle(n + 8, n / 2, 5), circle(n + 8, n / 2, 1), natural="water", name="Lago Finto")
        self.line([(n + 8, n / 2 + 5 + y) for y in range(n)], waterway="river", name="Fiume Finto")
        self.ring([(-9, 0), (-2, 0), (-2, n), (-9, n)], landuse="forest")
        self.line([(x, n + 3) for x in range(-n, 2 * n)], highway="motorway", ref="A99", oneway="yes")
        self.line([(n, n / 2), (n + 2, n / 2)], highway="primary", name="Via del Lago")
        self.line([(n + 2, n / 2), (n + 14, n / 2)], highway="primary", name="Via del Lago", bridge="yes")
        for row in range(n + 1):
            kind = "secondary" if row % 10 == 0 else "residential"
            crossings = [self.node(x, row) for x in range(n + 1)]
            self.way(crossings, highway=kind, name=f"Via Orizzontale {row}")
            self.line([(row, y + 0.001) for y in range(n + 1)], highway=kind, name=f"Via Verticale {row}")
        for x in range(n):
            for y in range(n):
                for dx, dy in ((0.15, 0.15), (0.6, 0.15), (0.15, 0.6), (0.6, 0.6)):
                    left, low = x + dx, y + dy
                    self.ring([(left, low), (left + 0.25, low), (left + 0.25, low + 0.2), (left, low + 0.2)], building="yes")
        self.ring([(1.1, 1.1), (1.9, 1.1), (1.9, 1.9), (1.1, 1.9)], amenity="hospital", name="Ospedale Finto", emergency="yes")
        self.node(2.5, 2.5, amenity="pharmacy", name="Farmacia Finta", phone="+39 000 000000")
        self.node(n / 2, n / 2, place="town", name="Cittafinta", population="9000")
        self.node(n / 2, n + 6, natural="peak", name="Monte Finto", ele="812")
        return "\n".join(self.nodes + self.ways + self.relations) + "\n"


def circle(x, y, radius):
    """Against the clock."""
    return [(x + radius * math.cos(a * math.pi / 20), y + radius * math.sin(a * math.pi / 20)) for a in range(40)]


def text(tags):
    return ",".join(f"{key.replace('_', ':')}={value.replace(' ', '%20%')}" for key, value in tags.items())


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(Region(int(sys.argv[1])).make())
