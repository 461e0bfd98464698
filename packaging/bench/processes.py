"""Processes that are measured: what they used of the machine."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """Why a figure could not be measured, or a goal was missed; with the figures that there are."""

    def __init__(self, why, figures=None):
        super().__init__(why)
        self.figures = figures or {}


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def run(command, stdin=None, stdout=subprocess.DEVNULL, env=None):
    """Runs to the end; returns (CPU seconds, largest resident size in MB). Raises Failed with what it said."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=env) as process:
        said = process.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{os.path.basename(command[0])} {command[1]} ended with {process.returncode}: {said.strip()[-600:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def read(command):
    """The output of a command."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{os.path.basename(command[0])} {command[1]} ended with {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu(pid):
    """User and system seconds of a running process."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid, field="VmHWM"):
    """MB: the largest so far, or with VmRSS now."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise Failed(f"no {field} of process {pid}")


class HubProcess:
    """A hub in a directory of its own, on loopback."""

    # Seconds that it may take to start, and to end; what its environment says beside the own one.
    start_max, end_max, settings = 20, 30, {}

    def __init__(self, programs, directory, plain=False):
        self.hub, self.fleet = (os.path.join(programs, name) for name in ("trackme-hub", "trackme-fleet"))
        self.directory, self.plain, self.port = directory, plain, free_port()
        self.state = directory + ".state"
        self.process = None
        self.start()

    def command(self, *words):
        return read([self.hub, *words, "--directory", self.directory])

    def start(self):
        address = os.path.join(self.directory, "address")
        if os.path.exists(address):
            os.remove(address)
        words = [self.hub, "serve", "--directory", self.directory, "--port", str(self.port)]
        with open(self.directory + ".log", "ab") as log:
            self.process = subprocess.Popen(
                words + (["--plain"] if self.plain else []), stdout=log, stderr=log, env={**os.environ, **self.settings})
        deadline = time.monotonic() + self.start_max
        while not os.path.exists(address):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise Failed("the hub does not start: " + open(self.directory + ".log").read()[-600:])
            time.sleep(0.05)

    def stop(self):
        """As an operator does. Safe to call twice."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(self.end_max)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Failed(f"the hub did not end within {self.end_max} s of SIGTERM") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def cpu(self):
        return cpu(self.process.pid)

    @property
    def resident(self):
        return resident(self.process.pid)


class Hub(HubProcess):
    """A hub with people, and a fleet enrolled with it."""

    def __init__(self, programs, directory, people, plain=False):
        super().__init__(programs, directory, plain)
        try:
            names = [f"--name=Person {number}" for number in range(people)]
            self.people = self.command("person", "add", *names).split()
            code = self.command("enrolment-code", *[f"--person={person}" for person in self.people])
            address, code = code.split()[-2:]
            read([self.fleet, "enrol", address.strip("'"), code, "--state", self.state])
        except BaseException:
            self.stop()
            raise

    @property
    def token(self):
        return json.load(open(self.state))["token"]

    def load(self, *words):
        """What trackme-fleet load says."""
        result = json.loads(read([self.fleet, "load", "--state", self.state, *words]))
        if result["errors"]:
            raise Failed(f"the hub refused {result['errors']} requests")
        return result

    def merge(self):
        """Merges while the hub is stopped; returns CPU seconds."""
        return run([self.hub, "merge", "--directory", self.directory])[0]

    def disk(self):
        """Bytes of each database, which are closed."""
        return {
            name: os.path.getsize(os.path.join(self.directory, name))
            for name in sorted(os.listdir(self.directory)) if ".sqlite" in name
        }


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return {
        "cpu": model, "cores": os.cpu_count(), "kernel": os.uname().release, "load1": round(os.getloadavg()[0], 2),
        "swift": read(["swift", "--version"]).splitlines()[0]}
