"""Runs of the virtual machine, for the tests on the host."""
import json
import os
import shutil
import subprocess

from checks import StrapLog, failures

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MACHINE = os.path.join(HERE, "machine")
LOGS = os.path.join(ROOT, ".build/rig")  # of the newest run of each test


def program(variable, name):
    return os.path.abspath(os.environ.get(variable, os.path.join(ROOT, ".build/debug", name)))


AGENT = program("TRACKME_AGENT", "trackme-agent")
HUB = program("TRACKME_HUB", "trackme-hub")


class Run:
    """One boot of the machine with a shell command: what came out, and what the straps did meanwhile."""

    def __init__(self, name, command, straps=None, limit=150, bluetoothd=False, follows=False):
        self.folder = os.path.join(LOGS, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        arguments = [MACHINE, "--out", self.folder, "--time-limit", str(limit)]
        if straps:
            path = os.path.join(self.folder, "straps.json")
            with open(path, "w") as file:
                json.dump(straps, file)
            arguments += ["--straps", path]
        if not bluetoothd:
            arguments.append("--no-bluetoothd")
        self.events, self.rest = [], []
        self.play(arguments + ["--", "sh", "-c", command], follows)
        self.log = StrapLog(os.path.join(self.folder, "strap.log"))
        self.rest += [f"strap.log: {text}" for text in self.log.failed()]

    def play(self, arguments, follows):
        # Of its own standard error too: what the machine says must stand between what the guest said.
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace")
        for line in process.stdout:
            line = line.rstrip()
            if follows:
                self.follow(line)
            elif line.startswith("{"):
                self.events.append(json.loads(line))
            else:
                self.rest.append(line)
        self.status = process.wait()
        if self.status:
            self.rest.append(f"status {self.status}, logs in {self.folder}")

    def follow(self, line):
        """Checks that were made in the guest count here."""
        print(line, flush=True)
        if line.startswith("FAILED "):
            failures.append(line[7:120])

    def of(self, *kinds):
        return [event for event in self.events if event["type"] in kinds]

    def said(self):
        return "\n".join(self.rest)[-700:]
