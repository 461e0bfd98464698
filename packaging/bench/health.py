"""What the pages of somebody's health cost the hub: a month, a year and ten years of a heart rate each second, which go the way that a
box's samples go (`trackme-fleet history --each-second`): sent, merged, rolled up by a hub that runs."""
import contextlib
import http.client
import json
import math
import os
import sqlite3
import ssl
import struct
import time
import urllib.parse

from processes import Failed, HubProcess, read, run, say

# Nothing is overwritten: ten years at 1 Hz take about 200 MB, rolled up and sealed.
QUOTA = 2_000_000_000
REQUESTS, WARM = 20, 2
DAYS = {"month": 30, "year": 365, "ten_years": 3650}
DAY = 86_400


class Hub(HubProcess):
    """A hub with the person of the demonstration."""

    start_max, end_max, settings = 60, 120, {"HUB_QUOTA": str(QUOTA)}

    def __init__(self, programs, directory):
        self.series = os.path.join(directory, "series.sqlite")
        super().__init__(programs, directory)
        self.context = ssl.create_default_context(cafile=os.path.join(directory, "ca.pem"))

    def demo(self):
        """The person, and links that log in as them and as a relative who looks after them."""
        course = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "demo/race.gpx")
        said = self.command("demo", "--course", course, "--state", self.state)
        return dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)

    def ask(self, sql, *values):
        with contextlib.closing(sqlite3.connect(f"file:{self.series}?mode=ro", uri=True, timeout=60)) as db:
            return db.execute(sql, values).fetchone()[0]

    def fill(self, days):
        """Sends so many days. Returns what sending, merging and rolling up came to."""
        self.demo()
        before = self.cpu
        sent = json.loads(read([self.fleet, "history", "--each-second", "--days", str(days), "--state", self.state]))["samples"]
        taken = self.cpu - before
        self.stop()
        merging, _ = run([self.hub, "merge", "--directory", self.directory])
        raw, began = self.ask("SELECT sum(length(envelope)) FROM block"), time.monotonic()
        self.start()
        self.rolled_up()
        rolling, took = self.cpu, time.monotonic() - began
        rows = self.ask("SELECT sum(length(envelope) + 16) FROM rollup")
        say(f"{days} days, {sent} samples: ingest {taken:.1f} s of CPU, merging {merging:.1f}, rolling up {rolling:.1f} within {took:.0f} s")
        return {
            "samples": sent, "ingest_cpu_s_per_million": taken / sent * 1e6, "merge_cpu_s_per_million": merging / sent * 1e6,
            "rollup_cpu_s_per_million": rolling / sent * 1e6, "raw_bytes_per_sample": raw / sent, "rollup_bytes_per_sample": rows / sent}

    def rolled_up(self):
        """Waits until nothing is due but the hours that are not long over."""
        deadline, last = time.monotonic() + 3600, None
        while left := self.ask("SELECT count(*) FROM rollup_due WHERE last < ?", int(time.time() - 900) // 3600):
            if time.monotonic() > deadline:
                raise Failed(f"{left} hours are still to be rolled up after an hour")
            if left != last and left % 10_000 < 500:
                say(f"{left} to roll up")
            last = left
            time.sleep(0.2)

    def settled(self):
        """Waits until the hub has nothing to do, such as looking for workouts; returns CPU seconds until then."""
        began, before = self.cpu, -1.0
        while (now := self.cpu) - before > 0.05:
            before = now
            time.sleep(3)
        return now - began


class Browser:
    """One connection, kept, of somebody who is logged in."""

    def __init__(self, hub, link):
        self.hub, self.cookie = hub, "__Host-trackme-zone=UTC"
        self.line = http.client.HTTPSConnection("127.0.0.1", hub.port, context=hub.context, timeout=600)
        _, headers, _ = self.request("POST", urllib.parse.urlsplit(link).path, form={"x": "1"})
        cookies = [value.split(";")[0] for name, value in headers if name.lower() == "set-cookie"]
        if not any("session" in cookie for cookie in cookies):
            raise Failed("nobody can log in by the link of the demo")
        self.cookie += "; " + "; ".join(cookies)

    def request(self, method, path, form=None, body=None, type="application/x-www-form-urlencoded"):
        headers = {"cookie": self.cookie, "accept-language": "en"}
        body = urllib.parse.urlencode(form) if form else body
        if body:
            headers |= {"content-type": type, "origin": f"https://127.0.0.1:{self.hub.port}"}
        self.line.request(method, path, body, headers)
        answer = self.line.getresponse()
        return answer.status, answer.getheaders(), answer.read()

    def timed(self, path):
        """p50 and p95 in ms over REQUESTS, CPU ms of the hub for each, and the last body."""
        times = []
        for number in range(WARM + REQUESTS):
            if number == WARM:
                before = self.hub.cpu
            began = time.perf_counter()
            status, _, body = self.request("GET", path)
            if number >= WARM:
                times.append((time.perf_counter() - began) * 1e3)
            if status != 200:
                raise Failed(f"{path}: {status} {body[:300]}")
        times.sort()
        return times[len(times) // 2], times[math.ceil(len(times) * 0.95) - 1], (self.hub.cpu - before) / REQUESTS * 1e3, body


def pages(hub, name, days):
    """What the pages cost of somebody with so many days."""
    link = hub.demo()
    browser, figures = Browser(hub, link["Log in"]), {}
    today = time.time() // DAY * DAY

    def date(ago):
        return time.strftime("%Y-%m-%d", time.gmtime(today - ago * DAY))

    health = "/health?kind=heart_rate"
    spans = {
        "home": "/home", "day": f"{health}&span=day&day={date(1)}", "week": f"{health}&from={date(7)}&to={date(1)}",
        "month": f"{health}&from={date(29)}&to={date(0)}", "year": f"{health}&from={date(364)}&to={date(0)}", "all": f"{health}&span=all"}
    for page, path in spans.items():
        if page == "year" and days < 365:
            continue
        middle, slow, used, body = browser.timed(path)
        if page not in ("home",) and b"healthplot" not in body:
            raise Failed(f"{path} shows no plot")
        say(f"{name}: {page:6} p50 {middle:7.1f}, p95 {slow:7.1f} ms, {used:7.1f} ms of CPU, {len(body)} bytes")
        figures |= {f"health_{name}_{page}_p50_ms": middle, f"health_{name}_{page}_p95_ms": slow, f"health_{name}_{page}_cpu_ms": used}
    return figures, link, date(1)


def json_of_a_day(hub, link, day):
    """A day as JSON over TLS, as a relative downloads it, and what SQLite's own functions take to write the same samples."""
    browser = Browser(hub, link["Relative"])
    path = f"/care/person/{link['Person']}/health/download?kind=heart_rate&span=day&day={day}&format=json"
    rounds = {}
    for _ in range(3):
        middle, slow, used, body = browser.timed(path)
        for key, value in {"p50": middle, "p95": slow, "cpu": used, **sqlite()}.items():
            rounds.setdefault(key, []).append(value)
    samples = body.count(b'{"time":"2')
    if samples != DAY:
        raise Failed(f"a day as JSON has {samples} samples, and not {DAY}: {body[:300]}")
    least = {key: min(values) for key, values in rounds.items()}
    say(f"a day as JSON: {least}, {len(body)} bytes")
    return {
        "json_day_p50_ms": least["p50"], "json_day_p95_ms": least["p95"], "json_day_cpu_ms": least["cpu"],
        "json_day_sqlite_arrays_p50_ms": least["arrays"], "json_day_sqlite_objects_p50_ms": least["objects"],
        "json_day_to_sqlite": least["p50"] / least["arrays"]}


FIT_SECONDS, FIT_EPOCH = 4 * 3600, 631_065_600
# Number, bytes and base type of each field; the timestamp first.
FIT_RECORD = ((253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (2, 2, 0x84), (3, 1, 2), (4, 1, 2), (5, 4, 0x86), (6, 2, 0x84))
FIT_SESSION = ((253, 4, 0x86), (2, 4, 0x86), (5, 1, 0), (7, 4, 0x86))


def fit(begin):
    """A ride of four hours as a watch records it, a second after the other: place, height, heart rate, cadence, distance and speed."""
    def definition(local, number, fields):
        return bytes((0x40 | local, 0, 0, number & 255, number >> 8, len(fields))) + bytes(byte for field in fields for byte in field)

    start = int(begin) - FIT_EPOCH
    data = bytearray(definition(0, 0, ((0, 1, 0), (1, 2, 0x84), (4, 4, 0x86))) + struct.pack("<BBHI", 0, 4, 255, start))
    data += definition(1, 20, FIT_RECORD)
    for second in range(FIT_SECONDS):
        angle = second / 900 * 2 * math.pi
        place = (45.6 + 0.02 * math.sin(angle), 9.6 + 0.03 * math.cos(angle))
        place, height = [int(degrees * (1 << 31) / 180) for degrees in place], int((700 + 50 * math.sin(angle / 3)) * 5)
        data += struct.pack("<BIiiHBBIH", 1, start + second, *place, height, 125 + second % 37, 80 + second % 9, second * 800, 8000)
    data += definition(2, 18, FIT_SESSION) + struct.pack("<BIIBI", 2, start + FIT_SECONDS, start, 2, FIT_SECONDS * 1000)
    whole = struct.pack("<BBHI4sH", 14, 16, 2132, len(data), b".FIT", 0) + bytes(data)
    return whole + struct.pack("<H", fit_crc(whole))


def fit_crc(data):
    table = (0, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400)
    crc = 0
    for byte in data:
        for nibble in (byte & 15, byte >> 4):
            crc = (crc >> 4) ^ table[crc & 15] ^ table[nibble]
    return crc


def import_fit(hub):
    """Seconds from the upload of such a file until its page says what became of it, the middle of five; and CPU of the hub for each."""
    # Each link works once.
    browser, took, before = Browser(hub, hub.demo()["Log in"]), [], hub.cpu
    for number in range(5):
        file, limit = fit(time.time() // DAY * DAY - (4000 + number) * DAY), "trackme-bench"
        part = f'--{limit}\r\ncontent-disposition: form-data; name="importFiles"; filename="ride-{number}.fit"\r\n'
        body = (part + "content-type: application/octet-stream\r\n\r\n").encode() + file + f"\r\n--{limit}--\r\n".encode()
        began = time.perf_counter()
        status, headers, answer = browser.request("POST", "/data/import", body=body, type=f"multipart/form-data; boundary={limit}")
        path = dict((name.lower(), value) for name, value in headers).get("location")
        if status not in (302, 303) or not path:
            raise Failed(f"a FIT file is not taken: {status} {answer[:300]}")
        while b"<progress" in (page := browser.request("GET", path)[2]):
            time.sleep(0.01)
        took.append(time.perf_counter() - began)
        if page.count(f"{FIT_SECONDS:,}".encode()) < 2:
            raise Failed(f"a FIT file of four hours is not whole: {page[-1500:]}")
    used = (hub.cpu - before) / len(took)
    say(f"a FIT file of four hours: {sorted(took)} s, {used:.2f} s of CPU")
    return {"fit_4h_import_s": sorted(took)[len(took) // 2], "fit_4h_import_cpu_s": used}


def sqlite():
    """p50 in ms of json_group_array over as many samples in memory, as arrays and as objects."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE sample(time INTEGER PRIMARY KEY, bpm INTEGER NOT NULL)")
    db.executemany("INSERT INTO sample VALUES(?, ?)", ((1_795_392_000_000 + second * 1000, 60 + second % 80) for second in range(DAY)))
    found = {}
    for name, row in (("arrays", "json_array(time, bpm)"), ("objects", "json_object('time', time, 'bpm', bpm)")):
        took = []
        for _ in range(REQUESTS):
            began = time.perf_counter()
            db.execute(f"SELECT json_group_array({row}) FROM sample WHERE time BETWEEN ? AND ?", (0, 1 << 60)).fetchone()
            took.append((time.perf_counter() - began) * 1e3)
        found[name] = sorted(took)[REQUESTS // 2]
    db.close()
    return found


def health(programs, folder, wanted):
    """All figures of the lengths that are wanted."""
    figures = {}
    for name in wanted:
        with Hub(programs, os.path.join(folder, f"health-{name}")) as hub:
            filled = hub.fill(DAYS[name])
            figures |= {f"health_{name}_{key}": value for key, value in filled.items()}
            figures[f"health_{name}_settled_cpu_s"] = hub.settled()
            found, link, day = pages(hub, name, DAYS[name])
            figures |= found
            if name == "month":
                figures |= json_of_a_day(hub, link, day) | import_fit(hub)
    return figures
