"""Reads Natural Earth's polygons out of the Debian package r-cran-rnaturalearthdata, without R and without dpkg."""
import io
import lzma
import struct
import tarfile
import warnings

FOLDER = "usr/lib/R/site-library/rnaturalearthdata/data/Rdata"


def package(path):
    """The lazy-load database of the package's data: (index, bytes)."""
    import rdata
    raw, members, at = open(path, "rb").read(), {}, 8
    if not raw.startswith(b"!<arch>\n"):
        raise SystemExit(f"{path} is no Debian package")
    while at + 60 <= len(raw):  # ar(5)
        name, size = raw[at:at + 16].decode().strip().rstrip("/"), int(raw[at + 48:at + 58])
        members[name] = raw[at + 60:at + 60 + size]
        at += 60 + size + size % 2
    data = next(members[name] for name in members if name.startswith("data.tar"))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        files = {member.name.removeprefix("./"): member for member in tar.getmembers()}
        index, base = (tar.extractfile(files[FOLDER + ext]).read() for ext in (".rdx", ".rdb"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.conversion.convert(rdata.parser.parse_data(index)), base


def variable(natural, name):
    import rdata
    index, base = natural
    offset, length = (int(number) for number in index["variables"][name])
    size, kind = struct.unpack(">Ic", base[offset:offset + 5])
    if kind != b"Z":  # what R calls xz
        raise SystemExit(f"{name} is not compressed as expected")
    raw = lzma.decompress(base[offset + 5:offset + length], lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])
    assert len(raw) == size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdata.parser.parse_data(raw).object


def attribute(object_):
    """The attributes (slots of an S4 object) by name."""
    found, pair = {}, object_.attributes
    while pair is not None and pair.info.type.name == "LIST":
        tag = pair.tag
        while tag.info.type.name == "REF":
            tag = tag.referenced_object
        found[tag.value.value.decode()] = pair.value[0]
        pair = pair.value[1]
    return found


class Shape:
    """A country or a region: rings of (longitude, latitude) in degrees."""

    def __init__(self, name, country, rings):
        self.name, self.country, self.rings = name, country, rings
        self.area = sum(abs(area(ring)) for ring in rings)

    def contains(self, at):
        return sum(inside(ring, at) for ring in self.rings) % 2 == 1

    @property
    def middle(self):
        """The point farthest from the edge of the largest ring, and how far that is, degrees."""
        ring = max(self.rings, key=lambda ring: abs(area(ring)))
        ring = ring[::max(1, len(ring) // 150)] + ring[-1:]
        (west, south), (east, north) = (tuple(f(c[i] for c in ring) for i in (0, 1)) for f in (min, max))
        best, step = (((west + east) / 2, (south + north) / 2), 0.0), 8
        for _ in range(3):
            (cx, cy), wide, high = best[0], east - west, north - south
            for n in range(step * step):
                at = (cx + wide * ((n % step + 0.5) / step - 0.5), cy + high * ((n // step + 0.5) / step - 0.5))
                if inside(ring, at) and (reach := distance(ring, at)) > best[1]:
                    best = (at, reach)
            west, east, south, north = (best[0][0] - wide / 6, best[0][0] + wide / 6, best[0][1] - high / 6, best[0][1] + high / 6)
        return best


def area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) / 2


def inside(ring, at):
    x, y = at
    return sum((a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) for a, b in zip(ring, ring[1:])) % 2 == 1


def distance(ring, at):
    least, (x, y) = float("inf"), at
    for (ax, ay), (bx, by) in zip(ring, ring[1:]):
        dx, dy = bx - ax, by - ay
        share = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy))) if dx or dy else 0.0
        least = min(least, (ax + share * dx - x) ** 2 + (ay + share * dy - y) ** 2)
    return least ** 0.5


def polygons(natural, name):
    """Each country or region with its rings."""
    slots = attribute(variable(natural, name))
    columns = dict(zip((column.value.decode() for column in attribute(slots["data"])["names"].value), slots["data"].value))
    def words(column):
        values = columns[column].value
        # The package has names in the encoding that each is marked with; old ones are Latin-1.
        return [None if value.value is None else decoded(value.value) for value in values]
    names, codes, shapes = words("name"), words("iso_a2"), []
    for index, polygon in enumerate(slots["polygons"].value):
        rings = []
        for part in attribute(polygon)["Polygons"].value:
            values = attribute(part)["coords"].value
            half = len(values) // 2
            rings.append([(float(values[n]), float(values[half + n])) for n in range(half)])
        # Natural Earth has no code for these two in this release.
        code = {"France": "FR", "Norway": "NO"}.get(names[index], codes[index])
        shapes.append(Shape(names[index], code, rings))
    return shapes


def decoded(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
