"""A made-up race on the contract of spectators' pages (course.json, events, replay.json), for watch_pages.py: the page's scripts alone, no hub.

By hand: python3 Tests/browser/race_server.py [RUNNERS [PORT]], then open the address that it prints.
"""
import json
import math
import random
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Hub/HubWeb/Assets"
LEAFLET = Path("/usr/share/javascript/leaflet")
TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png"}
CODE = "RACE42"
FIRST = "Ada Bruno Clara Dario Elena Fausto Giulia Hans Ivo Jana Karl Lucia Marta Nils Olga Paolo Rosa Sami Teresa Ugo Vera Zoë".split()
LAST = "Alfa Bianchi Conti Duval Esposito Ferri Grün Hugo Iten Keller Longo Märki Neri Orsi Pace Rossi Sala Tassi Urso Verdi".split()
FINISHED, RUNNING, NOT_STARTED = 0, 1, 3
POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'"


class Runner:
    def __init__(self, bib, chance):
        self.bib, self.speed = bib, max(1.8, chance.gauss(3.1, 0.45))
        self.name = f"{chance.choice(FIRST)} {chance.choice(LAST)}" if bib % 9 else ""
        self.hr = chance.randint(130, 185) if bib % 3 == 0 else 0
        self.phase, self.row, self.metres, self.seen = chance.random() * 6, None, 0, 0

    def at(self, second, length):
        """Metres after so many seconds of the race."""
        return int(min(max(second, 0) * self.speed + 12 * math.sin(second / 40 + self.phase), length))


class Race:
    """Bib 5 is beside the course, 7 has sent nothing for two minutes, 8 has not started."""

    def __init__(self, count, state="live"):
        chance = random.Random(7)
        self.runners = [Runner(bib, chance) for bib in range(1, count + 1)]
        self.state, self.lock, self.cuts, self.skips = state, threading.Lock(), 0, 0
        self.hidden, self.is_over, self.is_quiet = set(), False, False
        self.points = self.course()
        self.length, self.began, self.seq = int(self.points[-1][2]), time.time() - 1500, 100
        self.duration = 4200

    @staticmethod
    def course():
        """Two laps of a bent ring near Bergamo, 5 km each."""
        points, metres, old = [], 0, None
        for step in range(2 * 120 + 1):
            angle = step / 120 * 2 * math.pi
            far = 690 + 160 * math.sin(3 * angle) + 60 * math.cos(5 * angle)
            here = (45.7 + far * math.sin(angle) / 111_320, 9.67 + far * math.cos(angle) / 111_320 / math.cos(math.radians(45.7)))
            if old:
                metres += math.hypot((here[0] - old[0]) * 111_320, (here[1] - old[1]) * 111_320 * math.cos(math.radians(45.7)))
            points.append([round(here[0], 5), round(here[1], 5), round(metres)])
            old = here
        return points

    def course_json(self):
        places = [[*self.points[40][:2], "Fontana", "water"], [*self.points[85][:2], "<b>Ristoro</b>", "food"]]
        return {"code": CODE, "name": "Made-up ten", "starts": int(self.began * 1000), "ends": int(self.began * 1000) + 14_400_000,
                "state": self.state, "timeZone": "Europe/Rome", "length": self.length, "points": self.points, "splits": [], "places": places}

    def rows(self, now):
        second, rows = now - self.began, {}
        for runner in self.runners:
            if runner.bib in self.hidden:
                continue
            silent = 140 if runner.bib == 7 else 0
            metres = 0 if runner.bib == 8 else runner.at(second - silent, self.length)
            group = NOT_STARTED if runner.bib == 8 else FINISHED if metres >= self.length else RUNNING
            pace = round(1000 / runner.speed) if group == RUNNING else 0
            rows[runner.bib] = [runner.bib, group, 0, metres, pace, -1, runner.hr, int((now - silent) * 1000) if runner.bib != 8 else 0]
        order = sorted((row for row in rows.values() if row[1] < 2), key=lambda row: (-row[3], row[0]))
        for place, row in enumerate(order, 1):
            row[2], row[5] = place, int((order[0][3] - row[3]) / 3.2)
        if 5 in rows:
            spot = self.points[100]
            rows[5] += [round((spot[0] + 0.004) * 1e5), round((spot[1] + 0.004) * 1e5)]
        return rows

    def names(self, bibs):
        return {str(runner.bib): runner.name for runner in self.runners if runner.bib in bibs and runner.name}

    def replay(self):
        runners, start = [], int(self.began * 1000)
        for runner in self.runners:
            line = [0, 0]
            for second in range(15, self.duration, 15):
                metres = runner.at(second, self.length)
                line += [second, metres]
                if metres >= self.length:
                    break
            runners.append([runner.bib, start, line])
        return {"from": start, "to": start + self.duration * 1000, "names": self.names(set(range(10_000))), "runners": runners}


def filled(template, model):
    """As much of Mustache as watch.mustache uses."""
    def value(name):
        if name == ".":
            return model.get(".")
        found = model
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def section(match):
        kind, name, inner = match.groups()
        found = value(name)
        if kind == "^":
            return "" if found else filled(inner, model)
        entries = found if isinstance(found, list) else [found] if found else []
        return "".join(filled(inner, {**model, **(entry if isinstance(entry, dict) else {}), ".": entry}) for entry in entries)

    text = re.sub(r"\{\{([#^])([\w.]+)\}\}(.*?)\{\{/\2\}\}", section, template, flags=re.S)
    escape = lambda found: str(found if found is not None else "").replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    text = re.sub(r"\{\{\{([\w.]+)\}\}\}", lambda match: str(value(match[1])), text)
    return re.sub(r"\{\{([\w.]+)\}\}", lambda match: escape(value(match[1])), text)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json", status=200):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, text in (("Content-Type", kind), ("Content-Length", len(body)), ("Content-Security-Policy", POLICY), ("Cache-Control", "no-store")):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def file(self, path):
        if path.is_file() and path.suffix in TYPES:
            return self.answer(path.read_bytes(), TYPES[path.suffix])
        return self.answer("", "text/plain", 404)

    def do_GET(self):
        race, path = self.server.race, self.path.split("?")[0]
        if path.startswith("/assets/"):
            return self.file(next(ASSETS.glob(f"*/{Path(path).name}"), ASSETS / "none"))
        if path.startswith("/vendor/leaflet/"):
            return self.file(LEAFLET / path.removeprefix("/vendor/leaflet/"))
        if path.startswith("/ground/"):
            # No ground: the page's map has its graticule then.
            return self.answer("", "application/octet-stream")
        if path == "/tiles":
            return self.answer("{}")
        if path == f"/runs/{CODE}/live":
            return self.answer(self.page(), "text/html; charset=utf-8")
        if path == f"/runs/{CODE}/course.json":
            return self.answer(json.dumps(race.course_json()))
        if path == f"/runs/{CODE}/replay.json":
            return self.answer(json.dumps(race.replay()))
        if path == f"/runs/{CODE}/events":
            return self.events()
        return self.answer("", "text/plain", 404)

    def page(self):
        lang = "it" if self.headers.get("Accept-Language", "").startswith("it") else "en"
        texts = json.loads((ASSETS / f"{lang}.json").read_text())
        config = {"code": CODE, "name": "Made-up ten", "state": self.server.race.state, "t": {**texts["live"], **texts["watch"]}}
        model = {
            "lang": lang, "t": texts, "name": "Made-up ten", "when": "22 November 2026, 10:00 CET", "code": CODE, "isLive": True, "isTable": True,
            "scripts": ["watchrace.js", "watchline.js", "watchlist.js", "watchmotion.js", "watchreplay.js", "colours.js", "format.js"],
            "rows": [{"place": "1", "runner": "Ada, 1"}], "languages": [], "config": json.dumps(config).replace("</", "<\\/"),
        }
        return filled((ASSETS / "Runs/watch.mustache").read_text(), model)

    def send(self, name, data):
        self.chunk(f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n")

    def chunk(self, text):
        body = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        self.wfile.flush()

    def events(self):
        race = self.server.race
        if race.is_over is None:
            return self.answer("", "text/plain", 503)
        self.send_response(200)
        for name, text in (("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"), ("Cache-Control", "no-store")):
            self.send_header(name, text)
        self.end_headers()
        cuts, skips, seq = race.cuts, race.skips, race.seq
        now = time.time()
        old = race.rows(now)
        try:
            self.send("snapshot", {"seq": seq, "t": int(now * 1000), "names": race.names(old), "rows": list(old.values())})
            while race.cuts == cuts:
                time.sleep(1)
                if race.is_over:
                    self.send("end", {})
                    break
                if race.is_quiet:
                    continue
                now, seq = time.time(), seq + 1
                rows = race.rows(now)
                moved, changed = [], []
                for bib, row in rows.items():
                    before = old.get(bib)
                    if before is None or before[1] != row[1] or len(row) != len(before) or (bib + seq) % 5 == 0:
                        changed.append(row)
                    elif bib not in (7, 8):
                        moved += [bib, row[3] - before[3]]
                if race.skips != skips:
                    skips, seq = race.skips, seq + 1
                new = race.names(set(rows) - set(old))
                gone = sorted(set(old) - set(rows))
                self.send("delta", {"seq": seq, "t": int(now * 1000), "m": moved, "r": changed, "n": new, "x": gone})
                old = rows
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
        self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, race, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.race = race
        self.url = f"http://127.0.0.1:{self.server_port}/runs/{CODE}/live"
        threading.Thread(target=self.serve_forever, daemon=True).start()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    print(Server(Race(numbers[0] if numbers else 200), numbers[1] if len(numbers) > 1 else 0).url, flush=True)
    while True:
        time.sleep(60)
