"""What streets cost an operator, what a live page weighs after hours, and how long the demo takes from a clean clone on."""
import gzip
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

import health
from processes import Failed, read, run, say

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
HELSINKI = os.path.join(ROOT, ".build/map/Helsinki.osm.pbf")
# Blocks to a side of the made-up town, and copies of Helsinki's middle to a side.
BLOCKS, COPIES = (20, 200, 500), (1, 7, 14)
# What Geofabrik's extract of Italy holds, about: millions of nodes.
ITALY_NODES = 250
# Copies do not share numbers: more than any of OpenStreetMap's.
APART = 20_000_000_000
NUMBER = re.compile(r"(?<=[ ,NM])([nwr])(\d+)")
PLACE = re.compile(r" x(-?[\d.]+) y(-?[\d.]+)")


def copies(opl, side, out):
    """`side` times `side` copies of an extract beside each other, sorted as OPL wants it; returns how many nodes they have."""
    kinds = {"n": [], "w": [], "r": []}
    with open(opl, encoding="utf-8") as lines:
        for line in lines:
            kinds[line[0]].append(line.rstrip("\n"))
    places = [tuple(map(float, found.groups())) for line in kinds["n"] if (found := PLACE.search(line))]
    wide, high = (max(place[axis] for place in places) - min(place[axis] for place in places) for axis in (0, 1))
    with open(out, "w", encoding="utf-8") as file:
        for kind in "nwr":
            for number in range(side * side):
                east, south, more = number % side * wide, number // side * high, number * APART
                for line in kinds[kind]:
                    head, _, rest = line.partition(" ")
                    rest = " " + rest
                    if kind == "n":
                        # To the south: a metre stays a metre, about.
                        rest = PLACE.sub(lambda found: f" x{float(found[1]) + east:.7f} y{float(found[2]) - south:.7f}", rest, count=1)
                    elif more:
                        # Members alone: tags hold text.
                        at = rest.rfind(" N" if kind == "w" else " M")
                        members = NUMBER.sub(lambda found: f"{found[1]}{int(found[2]) + more}", rest[at:])
                        rest = rest[:at] + members
                    file.write(f"{kind}{int(head[1:]) + more}{rest}\n")
    return len(kinds["n"]) * side * side


def nodes(opl):
    with open(opl, encoding="utf-8") as lines:
        return sum(line.startswith("n") for line in lines)


def imported(hub, folder, name, opl, count):
    """Packs and imports an extract: CPU seconds, memory and tiles."""
    pbf, directory = os.path.join(folder, name + ".osm.pbf"), os.path.join(folder, name)
    read(["osmium", "cat", "--no-progress", "--overwrite", "-o", pbf, opl])
    began = time.monotonic()
    used, memory = run([hub, "map", "import", pbf, "--directory", directory])
    took, tiles = time.monotonic() - began, os.path.getsize(os.path.join(directory, "map/streets.mbtiles")) / 1e6
    size = os.path.getsize(pbf) / 1e6
    say(f"{name}: {size:.2f} MB, {count / 1e6:.2f} million nodes: {memory:.0f} MB, {used:.1f} s of CPU within {took:.1f} s, tiles {tiles:.1f} MB")
    shutil.rmtree(directory)
    os.remove(pbf)
    return count / 1e6, memory, used, tiles


def slope(points, value):
    """Of a straight line through points by least squares, and where it begins."""
    mean = [sum(point[index] for point in points) / len(points) for index in (0, value)]
    wide = sum((point[0] - mean[0]) ** 2 for point in points)
    rise = sum((point[0] - mean[0]) * (point[value] - mean[1]) for point in points) / wide
    return rise, mean[1] - rise * mean[0]


def map_import(programs, folder, note):
    """Figures of imports, and of Italy by their slopes: copies of Helsinki's middle where `Tests/map/run` fetched it, else made-up towns."""
    for program in ("tilemaker", "osmium"):
        if not shutil.which(program):
            raise Failed(f"{program} is not installed (Debian: tilemaker osmium-tool)")
    hub, figures, lines = os.path.join(programs, "trackme-hub"), {}, {"made_up": [], "helsinki": []}
    for blocks in BLOCKS:
        opl = os.path.join(folder, "made.opl")
        read(["python3", os.path.join(ROOT, "Tests/map/region.py"), str(blocks), opl])
        lines["made_up"].append(imported(hub, folder, f"made_up_{blocks}", opl, nodes(opl)))
    if os.path.exists(HELSINKI):
        opl, many = os.path.join(folder, "one.opl"), os.path.join(folder, "many.opl")
        read(["osmium", "cat", "--no-progress", "--overwrite", "-f", "opl", "-o", opl, HELSINKI])
        for side in COPIES:
            lines["helsinki"].append(imported(hub, folder, f"helsinki_{side}", many, copies(opl, side, many)))
    else:
        note("no Helsinki.osm.pbf in .build/map: `Tests/map/run` fetches it; Italy follows from made-up towns alone")
    for name, points in lines.items():
        for count, memory, used, tiles in points:
            at = f"map_{name}_{count:.2f}m_nodes".replace(".", "_")
            figures |= {f"{at}_peak_mb": memory, f"{at}_cpu_s": used, f"{at}_tiles_mb": tiles}
    points = lines["helsinki"] or lines["made_up"]
    for key, value, scale in (("peak_gb", 1, 1000), ("cpu_min", 2, 60), ("tiles_gb", 3, 1000)):
        rise, begin = slope(points, value)
        figures[f"map_italy_by_slope_{key}"] = (begin + rise * ITALY_NODES) / scale
    return figures


# Live page

MINUTES = (20, 40, 60, 120)
LINKED = re.compile(rb'(?:src|href)="(/assets/[^"]+\.(?:js|css|svg|woff2|png))"')
IMPORTED = re.compile(rb'(?:from|import)\s*\(?\s*"(\./[^"]+\.js)"')


def on_line(browser, path, zipped):
    """The bytes of an answer with its head, and its text."""
    headers = {"cookie": browser.cookie, "accept-language": "en"} | ({"accept-encoding": "gzip"} if zipped else {})
    browser.line.request("GET", path, None, headers)
    answer = browser.line.getresponse()
    body, head = answer.read(), sum(len(name) + len(value) + 4 for name, value in answer.getheaders()) + 17
    if answer.status != 200:
        raise Failed(f"{path}: {answer.status} {body[:300]}")
    packed = answer.getheader("content-encoding") == "gzip"
    return len(body) + head, gzip.decompress(body) if packed else body, packed


def live_weight(programs, folder):
    """KB on the line of the live page with what a person of so many minutes sent, scripts and styles included, tiles not."""
    figures = {}
    for minutes in MINUTES:
        with health.Hub(programs, os.path.join(folder, f"live-{minutes}")) as hub:
            link = hub.demo()
            browser = health.Browser(hub, link["Log in"])
            upload(browser, minutes)
            page = f"/people/{link['Person']}"
            size, text, packed = on_line(browser, page, True)
            rows, recent, recent_packed = on_line(browser, f"{page}/recent?form=columns", True)
            if packed or recent_packed:
                raise Failed("data of a person was compressed")
            waiting, seen, parts = [name.decode() for name in LINKED.findall(text)], set(), {page: size, "recent": rows}
            while waiting:
                path = waiting.pop()
                if path in seen:
                    continue
                seen.add(path)
                parts[path], body, _ = on_line(browser, path, True)
                if path.endswith(".js"):
                    waiting += [urllib.parse.urljoin(path, name.decode()) for name in IMPORTED.findall(body)]
            total = sum(parts.values()) / 1000
            say(f"live page after {minutes} min: {total:.0f} KB, data {rows / 1000:.0f} KB, {len(parts)} answers")
            figures |= {f"live_page_{minutes}_min_kb": total, f"live_page_{minutes}_min_data_kb": rows / 1000}
    return figures


def upload(browser, minutes):
    """A ride that ends now, with a place and a heart rate each second."""
    whole = health.FIT_SECONDS
    try:
        health.FIT_SECONDS = minutes * 60
        file, limit = health.fit(time.time() - minutes * 60), "trackme-bench"
    finally:
        health.FIT_SECONDS = whole
    part = f'--{limit}\r\ncontent-disposition: form-data; name="importFiles"; filename="ride.fit"\r\n'
    body = (part + "content-type: application/octet-stream\r\n\r\n").encode() + file + f"\r\n--{limit}--\r\n".encode()
    status, headers, answer = browser.request("POST", "/data/import", body=body, type=f"multipart/form-data; boundary={limit}")
    path = dict((name.lower(), value) for name, value in headers).get("location")
    if status not in (302, 303) or not path:
        raise Failed(f"a FIT file is not taken: {status} {answer[:300]}")
    while b"<progress" in browser.request("GET", path)[2]:
        time.sleep(0.05)


# Demo

def demo(minutes=40):
    """Seconds of `make demo` in a clean clone until it prints a link that logs somebody in. Builds everything anew."""
    with tempfile.TemporaryDirectory(prefix="trackme-clone.") as folder:
        clone = os.path.join(folder, "trackme")
        read(["git", "clone", "--quiet", ROOT, clone])
        began = time.monotonic()
        process = subprocess.Popen(
            ["make", "-C", clone, "demo"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                if line.startswith("Open: https://"):
                    return {"demo_from_clean_clone_s": time.monotonic() - began}
                if time.monotonic() - began > minutes * 60:
                    break
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        raise Failed("no link was printed: " + "".join(said)[-600:])
