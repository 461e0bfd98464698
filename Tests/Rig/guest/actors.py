"""Who takes part in the guest: the straps on the air, bluetoothd, a hub, and the agent."""
import http.client
import json
import os
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from checks import StrapLog, check  # noqa: E402  found by the line above

RUN = "/run/vm"
GUEST = os.path.dirname(os.path.abspath(__file__))
BLUETOOTHD = os.path.join(GUEST, "bluetoothd")
SYSUSERS = os.path.abspath(os.path.join(GUEST, "../../../systemd/trackme-agent.sysusers"))


class Stop(Exception):
    """What comes after would say nothing: its text is why."""


def play(*steps):
    """The steps in their order, to the end or to one after which the rest would say nothing: whether it came to the end."""
    for step in steps:
        try:
            step()
        except Stop as reason:
            return check(step.__name__, False, str(reason))
        except Exception:
            check(step.__name__, False, "the test itself: " + " | ".join(traceback.format_exc().splitlines()[-3:]))
    return True


def until(seconds, ask, pause=0.1):
    """The first true answer of `ask`, and how long it took; the last answer when the time is over."""
    begin = time.monotonic()
    while True:
        answer = ask()
        took = time.monotonic() - begin
        if answer or took >= seconds:
            return answer, took
        time.sleep(pause)


def execute(words, limit, environment=None):
    """Runs a program that ends by itself: status, standard output, standard error."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        raise Stop(f"{' '.join(words)} does not end within {limit} s") from None
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def let_in(path):
    """Whoever built the programs may have a home that nobody else may enter: in the guest, and there alone, everybody may pass through."""
    folder = os.path.dirname(os.path.realpath(path))
    while folder != "/":
        mode = os.stat(folder).st_mode
        if not mode & 0o001:
            os.chmod(folder, mode & 0o7777 | 0o001)
        folder = os.path.dirname(folder)


def boottime():
    """Milliseconds, as the agent counts them."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000)


class Straps:
    """The straps, numbered from 1; they are emulated on the host, and told by a file what to do."""

    def __init__(self):
        self.log = StrapLog(f"{RUN}/strap.log")

    def tell(self, line):
        with open(f"{RUN}/control", "a") as file:
            file.write(line + "\n")

    def mark(self, text):
        """Writes the text into the straps' log; the time there, which is on another clock than the guest's."""
        self.tell(f"mark {text}")
        found, _ = until(10, lambda: [at for at, strap, said in self.log.entries() if strap is None and said == text])
        if not found:
            raise Stop("the straps do not listen: see strap.log")
        return found[-1]

    def heard(self, number, text, after, seconds):
        """When the strap's log says `text` later than `after`: the time there; None when it did not within `seconds`."""
        def look():
            return [at for at, said in self.log.of(number) if at > after and said.startswith(text)]
        found, _ = until(seconds, look)
        return found[0] if found else None


class Bluetoothd:
    def processes(self):
        return [int(word) for word in subprocess.run(["pidof", "bluetoothd"], capture_output=True, text=True).stdout.split()]

    def end(self, number):
        for process in self.processes():
            os.kill(process, number)
        until(15, lambda: not self.processes())

    def start(self):
        subprocess.run(["/bin/sh", BLUETOOTHD], check=True)


class Hub:
    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.log = open(f"{RUN}/hub.log", "w")
        self.process = subprocess.Popen([program, "serve", "--directory", directory, "--port", "0"], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        address = f"{directory}/address"
        ready, took = until(60, lambda: os.path.exists(address) and os.path.getsize(address) > 0)
        if not ready:
            raise Stop("the hub does not start: see hub.log")
        self.started = took
        with open(address) as file:
            self.port = int(file.read().rsplit(":", 1)[1])
        self.cookies = {}

    def command(self, *words):
        status, out, error = execute([self.program, *words, "--directory", self.directory], 60)
        if status:
            raise Stop(f"trackme-hub {' '.join(words)}: status {status}: {error[-300:]}")
        return out.split("\n")

    def add(self, names):
        """Adds persons; name to identifier."""
        options = [word for name in names for word in ("--name", name)]
        return dict(zip(names, self.command("person", "add", *options)))

    def code(self, persons):
        """The address and the code to enrol with."""
        options = [word for person in persons for word in ("--person", person)]
        return shlex.split(self.command("enrolment-code", *options)[0])[2:]

    def request(self, method, path, headers={}):
        line = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=ssl._create_unverified_context())
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        return answer, answer.read()

    def heart_rates(self, person):
        """[time, bpm, contact] of all samples that the hub shows of a person, as its page would read them."""
        if person not in self.cookies:
            link = self.command("link", "--person", person)[0]
            answer, _ = self.request("POST", "/l/" + link.rsplit("/", 1)[1], {"Content-Length": "0"})
            self.cookies[person] = (answer.getheader("Set-Cookie") or "").split(";")[0]
        answer, body = self.request("GET", f"/people/{person}/recent", {"Cookie": self.cookies[person]})
        if answer.status != 200:
            raise Stop(f"the hub does not show the person's samples: {answer.status} {body[:200]}")
        return json.loads(body)["hr"]


class Agent:
    """The agent. With `as_service` it runs as in the package: as the user trackme, with that user's groups and no capability."""

    def __init__(self, program, directory, transport, as_service):
        self.words, self.transport, self.is_service = [program], transport, as_service
        self.state, self.runtime = f"{directory}/agent", f"{directory}/run"
        for folder in (self.state, self.runtime):
            os.makedirs(folder, mode=0o700)
        self.environment = {**os.environ, "RUNTIME_DIRECTORY": self.runtime, "HOME": self.state}
        if as_service:
            self.become_service(program, directory)
        self.log = open(f"{RUN}/agent.log", "a")
        self.process = None

    def become_service(self, program, directory):
        status, out, error = execute(["systemd-sysusers", SYSUSERS], 30)
        if status:
            raise Stop(f"the user trackme cannot be made: {out} {error}")
        os.chmod(directory, 0o711)
        for folder in (self.state, self.runtime):
            shutil.chown(folder, "trackme", "trackme")
        _, libraries, _ = execute(["ldd", program], 30)
        for path in [program, *(word for word in libraries.split() if word.startswith("/"))]:
            let_in(path)
        self.words = ["setpriv", "--reuid=trackme", "--regid=trackme", "--init-groups", "--no-new-privs", "--inh-caps=-all",
                      "--ambient-caps=-all", "--bounding-set=-all", program]

    def command(self, *words, limit=90):
        """Runs a subcommand: status, standard output, standard error."""
        return execute([*self.words, *words, "--state", self.state], limit, self.environment)

    def json(self, *words):
        """What a subcommand prints with --json; Stop when it does not."""
        status, out, error = self.command(*words, "--json")
        try:
            return json.loads(out)
        except ValueError:
            raise Stop(f"trackme-agent {' '.join(words)} --json: status {status}, no JSON: {(out + ' ' + error)[-400:]}") from None

    def start(self):
        self.process = subprocess.Popen([*self.words, "run", "--transport", self.transport, "--state", self.state],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment)
        listening, took = until(30, lambda: self.ask("status", quietly=True) or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise Stop(f"trackme-agent run ended with {self.process.poll()}: {self.last_words()}")
        if not listening:
            raise Stop(f"trackme-agent run does not listen on {self.runtime}/control.sock: {self.last_words()}")
        return took

    def rights(self):
        """User and effective capabilities of the running agent, as the kernel says them."""
        with open(f"/proc/{self.process.pid}/status") as file:
            facts = dict(line.split(":", 1) for line in file)
        return int(facts["Uid"].split()[1]), int(facts["CapEff"], 16)

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "killed, because it did not end within 30 s"

    def last_words(self):
        with open(f"{RUN}/agent.log") as file:
            return file.read()[-500:].strip()

    def give(self, settings):
        """Leaves the settings of AutomatedSOS as the hub would have given them: for an agent whose hub is down."""
        path = f"{self.state}/sos.json"
        with open(path, "w") as file:
            json.dump(settings, file)
        os.chmod(path, 0o600)
        if self.is_service:
            shutil.chown(path, "trackme", "trackme")

    def ask(self, action, quietly=False, **more):
        """Asks the running agent by its control socket, without a process for each question."""
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(20)
                line.connect(next(path for path in (f"{self.runtime}/control.sock", f"{self.state}/control.sock") if os.path.exists(path)))
                line.sendall(json.dumps({"action": action, **more}).encode() + b"\n")
                return json.loads(line.makefile().readline())
        except (OSError, StopIteration, ValueError) as error:
            if quietly:
                return None
            raise Stop(f"the control socket does not answer {action}: {error!r}") from None

    def box(self):
        """The agent's status (BoxStatus)."""
        reply = self.ask("status")
        if not reply.get("status"):
            raise Stop(f"the agent does not say its status: {reply}")
        return reply["status"]

    def person(self, name):
        """What the status says of a person."""
        for person in self.box()["persons"]:
            if person["name"] == name:
                return person
        raise Stop(f"the status knows no {name}")

    def reading_after(self, name, moment, seconds):
        """How long it took until a reading of the person came that is newer than `moment` (boot time); None when it did not."""
        came, took = until(seconds, lambda: (self.person(name).get("heartRateTime") or 0) > moment, pause=0.2)
        return took if came else None
