"""The people of `make demo` for a walk: some weeks of history, a recording that has been played, and links that log in."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from live_page import ROOT

DAYS = 30
LINKS = {"person": "Open", "relative": "Relative", "watch": "Watch"}


class Demo:
    def __init__(self, folder):
        environment = {**os.environ, "TRACKME_DEMO_SPEED": "max", "TRACKME_DEMO_DAYS": str(DAYS)}
        self.out = (Path(folder) / "demo.log").open("w+")
        self.process = subprocess.Popen(
            [ROOT / "packaging/demo/run"], env=environment, stdout=self.out, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + 300
        while "everything has arrived" not in self.says():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the demo did not come up: {self.says()[-800:]}")
            time.sleep(0.2)
        self.base = re.match("https://[^/]+", self.link("watch")).group()

    def says(self):
        self.out.flush()
        return Path(self.out.name).read_text()

    def link(self, who):
        return re.search(rf"^{LINKS[who]}: (\S+)$", self.says(), re.M).group(1)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
