"""What is meant to wear a hub out, and whether people are served and alarms go on meanwhile:

    siege.py bomb     10 MB of a person's space filled in the worst way; then each of the person's pages
    siege.py all      that, a flood of segments and streams, 10,000 half-open connections and readers that do not read, all at once, and calls for help amid it
"""
# proves PERF-6: a person's space filled in the worst way: each page answers in a second, the hub takes less than 300 MB more
# proves DATA-11: bomb, flood, 10,000 half-open connections and slow readers at once keep no call for help waiting
import json
import os
import random
import resource
import secrets
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

from cast import TLS, Cast, Hub, Line, request
from segments import MEDIA_TYPE, PERIOD, SAMPLES_MAX, batch, segment

BOMB = int(float(os.environ.get("BOMB_MB", "10")) * 1e6)
HALF_OPEN, SLOW = int(os.environ.get("HALF_OPEN", "10000")), int(os.environ.get("SLOW", "300"))
SECONDS, CALLS = float(os.environ.get("SECONDS", "60")), int(os.environ.get("CALLS", "20"))
PAGE_MAX, MEMORY_MAX, CALL_MAX = float(os.environ.get("PAGE_MAX", "1")), int(os.environ.get("MEMORY_MAX", "300")) << 20, float(os.environ.get("CALL_MAX", "2"))
STREAMS = 400  # an agent begins 512 at once
PAGES = ["/home", "/more", "/people", "/data", "/data/export?format=json&days=1", "/ledger", "/followers", "/boxes", "/workouts", "/workouts/trends", "/workouts/map?span=all",
         "/runs", "/runs/mine", "/protection", "/protection/events", *(f"/health?kind={kind}&span={span}" for kind in ("heart_rate", "steps") for span in ("day", "week", "month", "year")),
         "/health", "/services", "/places?lat=45.7&lon=9.67"]
failed = []


def check(name, condition, detail=""):
    print(f"{'ok    ' if condition else 'FAILED'} {name}{f' ({detail})' if detail else ''}", flush=True)
    if not condition:
        failed.append(name)


class Town:
    """The hub, its people, and the box that sends for one of them."""

    def __init__(self, folder):
        self.hub = Hub(Path(folder))
        self.cast = Cast(self.hub)
        self.token, _ = self.cast.token()
        self.person = bytes.fromhex(json.loads((self.hub.home / "box.json").read_text())["persons"][0])
        self.browser = self.cast.session("demo")

    def send(self, line, segments):
        headers = [("Authorization", f"Bearer {self.token}"), ("Content-Type", MEDIA_TYPE), ("TrackMe-Protocol", "1")]
        return line.ask(request("POST", "/sync/v1/segments", headers, batch(segments)), timeout=120)

    def bomb(self, size):
        """Fills the person's space with hours that many streams fill at once; bytes sent and what the hub said last."""
        line, sent, statuses = Line(self.hub.port, self.hub.is_secure), 0, {}
        streams, now, turn = [secrets.token_bytes(16) for _ in range(STREAMS)], int(time.time() * 1000), 0
        while sent < size:
            hour = turn // STREAMS
            start = now - (hour + 1) * (SAMPLES_MAX + 10) * PERIOD
            some = [segment(streams[(turn + at) % STREAMS], self.person, hour + 1, start, 55 + (turn + at) % 100) for at in range(8)]
            answer = self.send(line, some)
            status = answer.status if answer else None
            statuses[status] = statuses.get(status, 0) + 1
            if status == 429:
                time.sleep(min(5, int(answer.header("retry-after") or 1)))
            elif status != 200:
                break
            else:
                turn, sent = turn + 8, sent + sum(map(len, some))
        return sent, statuses

    def pages(self):
        """How long each page took, the slowest first."""
        times = []
        for path in PAGES:
            answer = self.browser.send("GET", path)
            times.append((answer.seconds, path, answer.status))
        return sorted(times, reverse=True)

    def call(self):
        """Seconds from "I need help", which needs no AutomatedSOS, until the alarm stands on the page with whom it called; then it is taken back."""
        began = time.monotonic()
        self.browser.send("POST", "/protection/press/help")
        while b"press/falseAlarm" not in self.browser.send("GET", "/protection").body and time.monotonic() < began + 30:
            time.sleep(0.02)
        took = time.monotonic() - began
        self.browser.send("POST", "/protection/press/falseAlarm")
        return took


class Siege:
    """All that wears out at once, until it is over."""

    def __init__(self, town):
        self.town, self.port, self.is_over, self.counts, self.held = town, town.hub.port, threading.Event(), {}, []
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.half_open, self.slow, self.flood, self.streams, self.bombs)]

    def count(self, name, more=1):
        self.counts[name] = self.counts.get(name, 0) + more

    def connect(self, number):
        """From an address of its own, of the loopback's."""
        plain = socket.socket()
        plain.settimeout(5)
        plain.bind((f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}", 0))
        plain.connect(("127.0.0.1", self.port))
        return plain

    def half_open(self):
        """Connections on which nothing comes, or half of a TLS hello, or half of a head: those that the hub ends come again."""
        held, number = [], 0
        while not self.is_over.is_set():
            if len(held) >= HALF_OPEN:
                for plain in random.sample(held, min(200, len(held))):
                    try:
                        if plain.recv(1, socket.MSG_DONTWAIT) == b"":
                            raise OSError
                    except BlockingIOError:
                        continue
                    except OSError:
                        plain.close()
                        held.remove(plain)
                self.is_over.wait(0.05)
                continue
            try:
                plain, number = self.connect(number), number + 1
                if number % 3 == 1:
                    plain.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
                elif number % 3 == 2 and not self.town.hub.is_secure:
                    plain.sendall(b"GET / HTTP/1.1\r\nHost: ")
                held.append(plain)
                self.counts["half-open at once"] = max(self.counts.get("half-open at once", 0), len(held))
            except OSError:
                self.count("half-open refused")
                self.is_over.wait(0.02)
        for plain in held:
            plain.close()

    def slow(self):
        """Readers that ask for what is long and read none of it."""
        held = []
        while not self.is_over.is_set() and len(held) < SLOW:
            try:
                plain = self.connect(40_000 + len(held))
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                line = TLS.wrap_socket(plain) if self.town.hub.is_secure else plain
                path = random.choice(["/health?kind=heart_rate&span=year", "/data/export?format=csv&days=30", f"/people/{self.town.cast.watched}/live"])
                line.sendall(request("GET", path, self.town.browser.fields()))
                held.append(line)
                self.counts["slow readers"] = len(held)
            except OSError:
                self.count("slow readers refused")
                self.is_over.wait(0.1)
        self.is_over.wait()
        for line in held:
            line.close()

    def flood(self):
        """Log-ins and pages, as fast as one connection goes."""
        line, turn = Line(self.port, self.town.hub.is_secure, timeout=10), 0
        while not self.is_over.is_set():
            turn += 1
            body = f"email=nobody{turn}@example.org&password=guess-number-{turn}".encode()
            answer = line.ask(request("POST", "/log-in", [("Content-Type", "application/x-www-form-urlencoded")], body) if turn % 4 == 0 else request("GET", "/runs"))
            self.count(f"flood {answer.status if answer else 'unanswered'}")

    def streams(self):
        """Segments of one sample, each of a stream of its own."""
        line, turn = Line(self.port, self.town.hub.is_secure, timeout=10), 0
        while not self.is_over.is_set():
            turn += 1
            some = [segment(secrets.token_bytes(16), self.town.person, 1, int(time.time() * 1000) - turn * 1000, 60, 1) for _ in range(64)]
            answer = self.town.send(line, some)
            self.count(f"streams {answer.status if answer else 'unanswered'}")

    def bombs(self):
        """All pages of whoever's space is full, again and again."""
        browser = self.town.cast.browser()
        browser.cookies = dict(self.town.browser.cookies)
        while not self.is_over.is_set():
            for path in PAGES:
                try:
                    self.count(f"pages {browser.send('GET', path).status}")
                except RuntimeError:
                    self.count("pages unanswered")
                if self.is_over.is_set():
                    break

    def begin(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(30)


def files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        sys.exit(f"siege: {count} open files are needed, and this shell allows {hard}: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def bomb(town):
    before = town.hub.memory()
    town.pages()
    sent, statuses = town.bomb(BOMB)
    # Whoever is beyond the space is refused, which is an end too.
    check(f"{sent / 1e6:.1f} MB were sent", sent >= BOMB or statuses.get(507) or statuses.get(413) or statuses.get(429), statuses)
    times = town.pages()
    for seconds, path, status in times[:5]:
        print(f"       {seconds * 1000:.0f} ms {status} {path}")
    check("every page answers", all(status < 400 for _, _, status in times), [entry[1:] for entry in times if entry[2] >= 400])
    check(f"every page answers in {PAGE_MAX} s", times[0][0] < PAGE_MAX, f"{times[0][0]:.2f} s")
    grown = max(0, town.hub.memory() - before)
    check("memory", grown < MEMORY_MAX, f"{grown >> 20} MB more")


def siege(town):
    calm = max(town.call() for _ in range(3))
    siege, began = Siege(town), time.monotonic()
    siege.begin()
    calls = []
    time.sleep(SECONDS / 4)
    for number in range(CALLS):
        try:
            calls.append(town.call())
        except RuntimeError as error:
            calls.append(30.0)
            print(f"       {error}")
        time.sleep(max(0.0, began + SECONDS * (0.25 + 0.75 * (number + 1) / CALLS) - time.monotonic()))
    most = town.hub.memory()
    siege.end()
    print("      ", ", ".join(f"{name}: {count}" for name, count in sorted(siege.counts.items())))
    print(f"       from the call to the alarm: {calm:.2f} s before, then {sorted(calls)[len(calls) // 2]:.2f} s in the middle and {max(calls):.2f} s at most; {most >> 20} MB")
    check(f"{HALF_OPEN} half-open connections were there", siege.counts.get("half-open at once", 0) >= HALF_OPEN * 0.95, siege.counts.get("half-open at once"))
    check(f"each call for help is an alarm within {CALL_MAX} s", max(calls) < CALL_MAX, f"{max(calls):.2f} s")
    check("the hub is there", town.hub.process.poll() is None and town.browser.send("GET", "/healthz").status == 200)


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    files(HALF_OPEN + SLOW + 500)
    with tempfile.TemporaryDirectory() as folder:
        town = Town(folder)
        try:
            bomb(town)
            if what == "all":
                siege(town)
        finally:
            town.hub.end()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
