"""Mutated requests against a real hub over TLS, each made of its own number: FROM=1000000 COUNT=1000000 Tests/attack/run mutate

The seeds are real requests: each route of the table of who may ask for what, and each form of each page that somebody of the cast can reach, as its page
would send it; what boxes send; and programs' requests. What goes wrong with number N says N; FROM=N COUNT=1 sends it again.
"""
# proves DATA-3, DATA-11: no mutated request makes the hub answer with a fault of its own, end, grow, stop answering others, or show somebody else's data
import collections
import datetime
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from cast import MARKERS, ROOT, Cast, Hub, Line, request
from forms import Forms

FROM, COUNT = int(os.environ.get("FROM", "0")), int(os.environ.get("COUNT", "100000"))
WORKERS = int(os.environ.get("WORKERS", "2"))
SLOW_MAX = float(os.environ.get("SLOW_MAX", "2"))  # seconds until an answer begins
MEMORY_MAX = int(os.environ.get("MEMORY_MAX", "300")) << 20  # more than after the first requests
PAGES_MAX = 150
NOTED_MIN = 100_000
DONE = ROOT / "docs/mutated-requests.md"
WHO = ["stranger", "person", "relative", "demo", "operator", "organisation", "program", "box"]
# These end the cast itself.
LEFT_OUT = re.compile(r"^/(log-out|security/sessions)")
SPICE = [b"\0", b"%", b"%zz", b"%00", b"&", b"=", b"+", b"\xef\xbb\xbf", b'"', b"'", b"<script>", b"\\u0000", b"\\ud800", b"[" * 2000, b'{"a":' * 500, b"1e999", b"-0",
         b"-1", b"0", b"9223372036854775808", b"18446744073709551615", b"NaN", b"null", b"true", b"../../etc/passwd", b"..%2f..%2f", b"|", b",,,", b"9999-99-99",
         b"2026-02-30", b"0000-00-00", b"99999999999999999999", b"\xff", b"\xc3", b"\xed\xa0\x80", "é".encode(), "\u202e".encode(), "𝔘".encode(), b"' OR 1=1--",
         b"${7*7}", b"{{7*7}}", b"%s%n", b"\r\nX: y", b"A" * 70_000, b" ", b"", b"en", b"P1D", b"-P1D", b"45.7", b"181", b"1e308", b"@", b"a@b", b"https://[::1]/"]
FIELDS = [b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip", b"Content-Length: 0", b"Content-Length: 5", b"Content-Length: -1", b"Host: elsewhere.example",
          b"Expect: 100-continue", b"Range: bytes=0-0", b"Range: bytes=5-2,-1", b"Content-Encoding: gzip", b"Accept-Encoding: gzip, br", b"Accept: application/json",
          b"Accept-Language: " + b"x-y," * 300, b"Cookie: " + b"a=b;" * 500, b"Authorization: Bearer x", b"Authorization: Basic ====", b"If-None-Match: *",
          b"Last-Event-ID: 99999999999999999999", b"X-Forwarded-For: 1.1.1.1", b"Forwarded: for=\"_x\"", b"Upgrade: websocket\r\nConnection: Upgrade", b"Connection: close",
          b"Content-Type: multipart/form-data; boundary=x", b"Content-Type: application/json", b"Content-Type: text/plain; charset=utf-16", b"TE: trailers", b"Origin: null",
          b"Sec-Fetch-Site: cross-site", b"X" * 9000 + b": y", b"Time-Zone: Nowhere/Land"]
METHODS = ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND", "X" * 40]
JSON = {
    "/api/v1/consents": {"email": "ada@example.org", "kinds": ["heart-rate"], "purpose": "Study", "term": {"days": 7}}, "/api/v1/webhooks": {"url": "https://hooks.example.org/in"},
    "/api/v1/entries": {"kind": "weight", "value": 61.5, "time": "2026-11-21T16:00:00Z"}, "/sync/v1/enrolment": {"code": "AAAA1000", "publicKey": "00", "name": "x"},
    "/sync/v1/box": {"condition": {}}, "/sync/v1/sos": {"records": []}, "/sync/v1/check-ins": {"checkIns": []}, "/log-in/passkey": {"id": "x", "response": {}},
    "/notices/devices": {"endpoint": "https://push.example.org/x", "keys": {"p256dh": "x", "auth": "y"}}, "/owntracks": {"_type": "location", "lat": 45.7, "lon": 9.6, "tst": 1800000000},
    "/sync/v1/pairing": {"code": "AAAA1000", "commitment": "00"}, "/sos-rooms/answer": {"case": "x", "answer": "taken"},
}


class Seed:
    """A request as somebody would send it. `fields` is a form or a query, `body` what is neither."""

    def __init__(self, method, path, fields=(), body=None, kind=None):
        self.method, self.path, self.fields, self.body, self.kind = method, path, list(fields), body, kind


def table():
    """Method and pattern of each route, out of the table of who may ask for what."""
    found = set()
    for file in (ROOT / "Tests/HubWebTests/Access").glob("AccessTable*.swift"):
        found |= set(re.findall(r"^\s+(GET|POST|PUT|DELETE)\s+(/\S*)", file.read_text(), re.M))
    return sorted(found)


def forms(browser, pages):
    """The forms of all pages that somebody reaches, and the pages' own addresses."""
    waiting, seen, found = list(pages), set(), {}
    while waiting and len(seen) < PAGES_MAX:
        path = waiting.pop(0)
        key = re.sub(r"[0-9a-f]{32}|\d+|=[^&]*", "N", path)
        if key in seen or LEFT_OUT.match(path):
            continue
        seen.add(key)
        answer = browser.send("GET", path)
        split = urllib.parse.urlsplit(path)
        found[("GET", key)] = Seed("GET", split.path, urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        if answer.status != 200 or "html" not in (answer.header("content-type") or ""):
            continue
        page = Forms(answer.body.decode(errors="replace"), path)
        waiting += page.links
        for method, action, fields in page.forms:
            if not LEFT_OUT.match(action):
                found[(method, re.sub(r"[0-9a-f]{32}|\d+", "N", action), tuple(name for name, _ in fields))] = Seed(method, action, fields)
    return [found[key] for key in sorted(found, key=str)]


def corpus(cast):
    """For each of the cast the seeds, in an order that a hub of the same commit repeats."""
    token, bodies = cast.token()
    routes = [Seed(method, path, body=None if method in ("GET", "DELETE") else json.dumps(JSON.get(path, {})).encode(),
                   kind="application/json" if path in JSON else "application/x-www-form-urlencoded") for method, path in table() if not LEFT_OUT.match(path)]
    starts = ["/home", "/more", "/people", "/", "/health", "/runs", "/boxes", "/data", "/ledger", "/followers", "/profile", "/security", "/protection", "/runs/new", "/sign-up",
              "/sign-up/person", "/sign-up/organisation", "/sign-up/caregiver", "/log-in", "/forgotten", "/claim", "/crew", "/operator/ways", "/operator/maintenance", "/runs/mine", "/requests", "/organisation/keys", "/organisation/webhooks/new", "/publish/new", "/hospital",
              "/groups/ask", "/organisation/people"]
    found = {}
    for who in WHO:
        if who == "box":
            sync = [Seed("POST", "/sync/v1/segments", body=body, kind="application/vnd.trackme.segments") for body in bodies]
            found[who] = sync * 2 + [seed for seed in routes if seed.path.startswith(("/sync", "/people", "/api", "/oauth2"))]
        elif who == "program":
            found[who] = [seed for seed in routes if seed.path.startswith("/api")]
        else:
            pages = forms(cast.session(who), starts)
            found[who] = pages * (1 + len(routes) // max(1, len(pages))) + routes
    return found, token


class Mutator:
    """Everything about request number N follows from N."""

    def __init__(self, number, seeds, ids):
        self.random = random.Random(number)
        self.who = self.random.choice(WHO)
        self.seed, self.ids = self.random.choice(seeds[self.who]), ids

    def value(self, value):
        pick = self.random.random
        if pick() < 0.5:
            return value
        if pick() < 0.3:
            return self.random.choice(self.ids)
        text = value.encode("utf-8", "surrogateescape")
        return self.bytes(text, 300).decode("utf-8", "surrogateescape")

    def bytes(self, data, longest):
        out = bytearray(data)
        for _ in range(self.random.randint(1, 4)):
            at, how = self.random.randint(0, len(out)), self.random.randrange(5)
            if how == 0:
                out[at:at] = self.random.choice(SPICE)
            elif how == 1:
                del out[at:at + self.random.randint(0, 8)]
            elif how == 2 and out:
                out[at % len(out)] ^= 1 << self.random.randrange(8)
            elif how == 3:
                there = self.random.randint(0, len(out))
                out[at:at] = out[there:there + self.random.choice([12, longest])]
            else:
                del out[at:]
        return bytes(out)

    def path(self):
        def part(found):
            return urllib.parse.quote(self.value(self.random.choice(self.ids)), safe="", errors="surrogateescape")
        path = re.sub(r"\{\w+\}|\*\*", part, self.seed.path)
        if self.random.random() < 0.1:
            pieces = path.split("/")
            at = self.random.randrange(len(pieces))
            pieces[at] = urllib.parse.quote(self.value(pieces[at]), safe="%?=&", errors="surrogateescape")
            path = "/".join(pieces)
        return path or "/"

    def form(self):
        fields = [(name, self.value(value)) for name, value in self.seed.fields]
        how = self.random.random()
        if fields and how < 0.1:
            fields.pop(self.random.randrange(len(fields)))
        elif fields and how < 0.2:
            fields.append(self.random.choice(fields))
        elif how < 0.22:
            fields += [("a", "b")] * 3000
        elif how < 0.3:
            fields.append((self.random.choice(["back", "kind", "span", "from", "to", "lang", "page", "before", "search", "id", "format", "days", "cursor"]), self.value("1")))
        return urllib.parse.urlencode(fields, errors="surrogateescape")

    def make(self, headers):
        """The bytes of the request, whether it is one for HEAD, and whether its head was damaged."""
        seed, chance = self.seed, self.random.random
        method, path, body, headers = seed.method, self.path(), seed.body, list(headers)
        if body is not None and seed.kind != "application/x-www-form-urlencoded":
            body = self.bytes(body, 4000) if chance() < 0.8 else body
        elif method == "GET":
            query = self.form()
            path += ("&" if "?" in path else "?") + query if query else ""
        else:
            body = self.form().encode()
            body = self.bytes(body, 300) if chance() < 0.2 else body
        if body is not None:
            headers.append(("Content-Type", seed.kind or "application/x-www-form-urlencoded"))
        if chance() < 0.05:
            method = self.random.choice(METHODS)
        raw = request(method, path, headers, body if body is not None else (b"" if method != "GET" else None))
        damaged = False
        if chance() < 0.08:
            line, rest = raw.split(b"\r\n", 1)
            raw, damaged = line + b"\r\n" + self.random.choice(FIELDS) + b"\r\n" + rest, True
        if chance() < 0.02:
            head, rest = raw.split(b"\r\n\r\n", 1)
            raw, damaged = self.bytes(head, 300) + b"\r\n\r\n" + rest, True
        return raw, method == "HEAD", damaged


class Worker:
    """Every WORKERS-th request, and what came of them."""

    def __init__(self, cast, seeds, token, turn):
        self.cast, self.seeds, self.token, self.turn = cast, seeds, token, turn
        self.statuses, self.wrong, self.slowest = collections.Counter(), [], (0.0, None)
        self.people = {}
        self.program = (cast.hub.home / "program.token").read_text()
        self.line = Line(cast.hub.port, cast.hub.is_secure)

    def headers(self, who):
        if who == "box":
            return [("Authorization", f"Bearer {self.token}"), ("TrackMe-Protocol", "1")]
        if who == "program":
            return [("Authorization", f"Bearer {self.program}")]
        if who not in self.people:
            self.people[who] = self.cast.session(who)
        return self.people[who].fields()

    def renew(self):
        """Sessions that a request ended begin again; the hub answers others meanwhile."""
        self.program = (self.cast.hub.home / "program.token").read_text()
        self.token = json.loads((self.cast.hub.home / "box.json").read_text())["token"]
        answer = self.line.ask(request("GET", "/healthz"))
        if answer is None or answer.status != 200:
            self.wrong.append("the hub does not answer /healthz")
        for who, browser in list(self.people.items()):
            if who != "stranger" and browser.send("GET", "/home").status != 200:
                del self.people[who]

    def run(self, answers):
        try:
            for number in range(FROM + self.turn, FROM + COUNT, WORKERS):
                self.one(number)
                if number // WORKERS % 500 == 499:
                    self.renew()
                if len(self.wrong) > 20:
                    break
            self.renew()
        except Exception as error:  # what could not even be asked is told
            self.wrong.append(f"{type(error).__name__}: {error}")
        answers.put((self.statuses, self.wrong, self.slowest))

    def one(self, number):
        mutator = Mutator(number, self.seeds, self.cast.ids)
        raw, is_head, damaged = mutator.make(self.headers(mutator.who))
        # A damaged head may promise more than comes: the hub waits for it then.
        answer = self.line.ask(raw, timeout=1 if damaged else 20, is_head=is_head)
        if damaged:
            self.line.close()
        if answer is None:
            self.statuses["none" if damaged else "no answer"] += 1
            if not damaged:
                self.wrong.append(f"{number}: no answer: {mutator.who} {raw[:200]!r}")
            return
        self.statuses[answer.status] += 1
        if answer.seconds > self.slowest[0]:
            self.slowest = (answer.seconds, number)
        said = f"{number}: {answer.status}: {mutator.who} {raw[:200]!r}"
        # Documented: too much at once says when to come again; a coding of transfer that the hub does not know, and CONNECT.
        is_busy = answer.status == 503 and answer.header("retry-after")
        if answer.status >= 500 and not is_busy and not (answer.status == 501 and (damaged or raw.startswith(b"CONNECT "))):
            self.wrong.append(said)
        if answer.seconds > SLOW_MAX and not is_busy:
            self.wrong.append(f"{said}: after {answer.seconds:.1f} s")
        if any(marker in answer.body or marker in answer.head for marker in MARKERS):
            self.wrong.append(f"somebody else's data: {said}")


TOKEN_SECONDS = 2700  # a token is an hour's


def watched(hub, cast, workers):
    """Waits for the workers, and renews the box's token; the most memory that the hub had beyond what it had when it was warm."""
    warm = most = 0
    began = renewed = time.monotonic()
    while any(worker.is_alive() for worker in workers):
        time.sleep(0.5)
        if hub.process.poll() is not None:
            break
        if time.monotonic() - renewed > TOKEN_SECONDS:
            cast.token()
            cast.program()
            renewed = time.monotonic()
        now = hub.memory()
        if time.monotonic() - began > 10:
            warm = warm or now
            most = max(most, now)
    return max(0, most - warm)


def note(row):
    """Adds a line to the table of what was done, where enough was."""
    if COUNT >= NOTED_MIN:
        DONE.write_text(DONE.read_text().rstrip("\n") + "\n" + row + "\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(Path(folder))
        try:
            cast = Cast(hub)
            seeds, token = corpus(cast)
            print(f"{sum(map(len, seeds.values()))} seeds; numbers {FROM} to {FROM + COUNT - 1} by {WORKERS} workers", flush=True)
            answers, began = multiprocessing.Queue(), time.monotonic()
            workers = [multiprocessing.Process(target=Worker(cast, seeds, token, turn).run, args=(answers,)) for turn in range(WORKERS)]
            for worker in workers:
                worker.start()
            grown = watched(hub, cast, workers)
            statuses, wrong, slowest = collections.Counter(), [], (0.0, None)
            for _ in workers:
                some = answers.get(timeout=120)
                statuses, wrong, slowest = statuses + some[0], wrong + some[1], max(slowest, some[2])
            took = time.monotonic() - began
            if hub.process.poll() is not None:
                wrong.append(f"the hub ended with {hub.process.returncode}: {hub.says()[-600:]}")
            if grown > MEMORY_MAX:
                wrong.append(f"the hub took {grown >> 20} MB more")
        finally:
            hub.end()
        faults = [line for line in hub.says().splitlines() if " error " in line or " critical " in line]
    total = sum(statuses.values())
    print(f"{total} requests in {took:.0f} s; slowest {slowest[0]:.2f} s (number {slowest[1]}); {grown >> 20} MB more")
    print("answers:", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items(), key=str)))
    print(f"{len(faults)} lines of errors in the log", *faults[:5], sep="\n    ")
    for line in wrong[:40]:
        print("FAILED", line)
    if not wrong and total == COUNT:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        note(f"| {FROM} to {FROM + COUNT - 1} | {commit} | {datetime.date.today()} | {slowest[0]:.2f} | {grown >> 20} |")
    sys.exit(1 if wrong or total != COUNT else 0)


if __name__ == "__main__":
    main()
