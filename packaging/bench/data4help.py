"""The numbers of Data4Help: a year downloaded over HTTP, and the load tests with what they print."""
import http.client
import os
import re
import ssl
import subprocess
import threading
import time
import urllib.parse
import zipfile

from processes import Failed, cpu, free_port, resident, say

YEAR_SAMPLES = 8760 * 3600
# A year at 1 Hz takes about 12 MB, sealed: more than a person may have unless the operator says so.
QUOTA = 100_000_000
EMAIL, PASSWORD = "year@example.org", "three ducks swim to Bergamo"
BLOCK = 1 << 18


class Tests:
    """The package's tests as a release build, in a folder of their own: they are compiled in another way than the programs."""

    def __init__(self, root, percent):
        self.root, self.percent = root, percent
        scratch = os.environ.get("TRACKME_BENCH_TESTS") or os.path.join(root, ".build/tests")
        self.words = ["--package-path", root, "--scratch-path", scratch, "-c", "release", "-Xswiftc", "-enable-testing"]

    def build(self):
        say("building the tests (release): 10 to 20 minutes the first time")
        if subprocess.run(["swift", "build", "--build-tests", *self.words], stdout=subprocess.DEVNULL).returncode != 0:
            raise SystemExit("bench: the tests do not build")

    def run(self, suite, **more):
        """What a suite that passes prints."""
        said, problem = self.attempt(suite, **more)
        if problem:
            raise Failed(problem)
        return said

    def attempt(self, suite, **more):
        """Runs a suite; returns what it printed, and why it failed, if it did: its standard error comes out of either end of `swift test`."""
        words = ["swift", "test", "--skip-build", "--disable-xctest", "--no-parallel", *self.words, "--filter", suite]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **more})
        said = done.stdout + done.stderr
        return said, f"{suite}: {said.strip()[-1500:]}" if done.returncode != 0 or "0 tests" in done.stdout else None

    def load(self, suite, **more):
        """The figures that a load test prints, by name. A test that judges them tells them all the same."""
        said, problem = self.attempt(suite, TRACKME_LOAD=str(self.percent), **more)
        for line in said.splitlines():
            if line.startswith("load: "):
                say(line[len("load: "):])
        figures = {name: float(value) for name, value in re.findall(r"^figure (\w+) (\S+)$", said, re.MULTILINE)}
        if problem or not figures:
            raise Failed(problem or f"{suite} told no figure: {said.strip()[-600:]}", figures)
        return figures


class Served:
    """A hub that serves a directory, which was filled before, with TLS on loopback."""

    def __init__(self, programs, directory):
        self.port, self.log = free_port(), directory + ".log"
        words = [os.path.join(programs, "trackme-hub"), "serve", "--directory", directory, "--port", str(self.port)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, "HUB_QUOTA": str(QUOTA)})
        self.authority = os.path.join(directory, "ca.pem")
        deadline = time.monotonic() + 60
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise Failed("the hub does not start: " + open(self.log).read()[-600:])
            time.sleep(0.1)

    def answers(self):
        try:
            self.context = ssl.create_default_context(cafile=self.authority)
            return self.ask("GET", "/healthz").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, method, path, cookie=None, form=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=120)
        headers = {"cookie": cookie} if cookie else {}
        if form:
            headers |= {"content-type": "application/x-www-form-urlencoded", "origin": f"https://127.0.0.1:{self.port}"}
        connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
        return connection.getresponse()

    def log_in(self):
        answer = self.ask("POST", "/log-in", form={"email": EMAIL, "password": PASSWORD})
        cookies = [value.split(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        if answer.status not in (302, 303) or not cookies:
            raise Failed(f"nobody can log in: {answer.status} {answer.read()[:300]}")
        return "; ".join(cookies)


class Watch(threading.Thread):
    """The largest resident size of a process, in MB, from now on: looked at ten times a second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most, self.first, self.over = pid, 0, resident(pid, "VmRSS"), threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.1):
            self.most = max(self.most, resident(self.pid, "VmRSS"))

    def stop(self):
        self.over.set()
        self.join()
        return self.most


def year(programs, tests, directory, file):
    """Downloads a year at 1 Hz as its owner does: log-in, the page, the file. Returns figures."""
    os.makedirs(directory)
    say("storing a year at 1 Hz")
    tests.run("YearOfData", TRACKME_YEAR_DIRECTORY=directory)
    with Served(programs, directory) as hub:
        cookie = hub.log_in()
        # What the start needed is not what the download needs.
        time.sleep(2)
        watch, before, start = Watch(hub.process.pid), cpu(hub.process.pid), time.monotonic()
        asked = hub.ask("GET", "/data/export?format=csv&days=0", cookie)
        if asked.status not in (302, 303):
            raise Failed(f"the download is no long one: {asked.status} {asked.read()[:300]}")
        answer = hub.ask("GET", asked.getheader("location") + "/file", cookie)
        size = 0
        with open(file, "wb") as out:
            while block := answer.read(BLOCK):
                size += len(block)
                out.write(block)
        took, used = time.monotonic() - start, cpu(hub.process.pid) - before
        most = watch.stop()
        page = hub.ask("GET", asked.getheader("location"), cookie).read()
    with zipfile.ZipFile(file) as archive, archive.open("trackme.csv") as csv:
        lines, bytes_of_csv = 0, 0
        while block := csv.read(1 << 20):
            lines += block.count(b"\n")
            bytes_of_csv += len(block)
    os.remove(file)
    if lines != YEAR_SAMPLES + 1:
        raise Failed(f"the file has {lines} lines, and not {YEAR_SAMPLES + 1}: {page[-300:]}")
    return {
        "year_export_s": took, "year_export_hub_cpu_s": used, "year_export_mb_csv": bytes_of_csv / 1e6, "year_export_mb_sent": size / 1e6,
        "year_export_hub_rss_before_mb": watch.first, "year_export_hub_rss_max_mb": most}
