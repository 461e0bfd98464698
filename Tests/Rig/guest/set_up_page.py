#!/usr/bin/python3
"""Runs in the guest: a box that belongs to no hub is set up by its page, as a person and a browser would, with a real BlueZ and a strap;
then a second box takes over the settings of the first. `set_up_page.py AGENT HUB`"""
import http.client
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from actors import Agent, Hub, Stop, play, until
from checks import check

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../compat"))

from member import PERSON, Member  # noqa: E402  found by the line above

PORT = 7358
STRAP, NAME, RATES = "C4:01:02:03:04:05", "Strap of Ada", (70, 71)
# What EDGE-16 allows.
FIVE_MINUTES = 300


class Browser:
    """What the box's page asks of the box, as its script does."""

    def __init__(self):
        self.cookie = None

    def ask(self, path, body=None):
        """Status and answer; (0, None) while nobody listens."""
        line = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        headers = {"Cookie": self.cookie} if self.cookie else {}
        if body is not None:
            headers |= {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{PORT}"}
        try:
            line.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            text = answer.read().decode()
        except OSError:
            return 0, None
        finally:
            line.close()
        if answer.getheader("Set-Cookie"):
            self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        return answer.status, json.loads(text) if text.startswith("{") else text

    def stage(self):
        status, state = self.ask("/state")
        return state.get("stage") if status == 200 else None

    def sensor(self):
        """What the page shows of the strap; nothing before the agent has started."""
        status, answer = self.ask("/sensors")
        chosen = answer["sensors"] if status == 200 else []
        return next((each for each in chosen if each["address"].startswith(STRAP)), {})


class Play:
    def __init__(self, agent, hub):
        self.program, self.hub_program = agent, hub
        self.folder = Path(tempfile.mkdtemp(prefix="box-"))
        self.boxes = []

    # MARK: The person at the hub

    def sign_up(self):
        mails, sendmail = self.folder / "mails", self.folder / "sendmail"
        mails.mkdir()
        sendmail.write_text(f'#!/bin/sh\nf=$(mktemp "{mails}/.XXXXXX") && cat >"$f" && mv "$f" "$f.eml"\n')
        sendmail.chmod(0o755)
        os.environ["HUB_MAIL_SENDMAIL"] = str(sendmail)
        self.hub = Hub(self.hub_program, str(self.folder / "hub"))
        self.ada = Member(self.folder, "person")
        self.ada.sign_up(PERSON)
        check("a person has an account", True)

    def fragment(self):
        """What stands behind the # of the link on the hub's page."""
        self.ada.send("/boxes", "/boxes/setup", {})
        with self.ada.opener.open(f"{self.ada.url}/boxes/setup", timeout=60) as answer:
            found = re.search(r'data-fragment="([^"]+)"', answer.read().decode())
        if not found:
            raise Stop("the hub's page has no link to the box")
        return found[1]

    # MARK: The box

    def start(self, name):
        folder = self.folder / name
        folder.mkdir()
        agent = Agent(self.program, str(folder), "bluez", as_service=True)
        os.chmod(self.folder, 0o711)
        agent.environment |= {"TRACKME_SETUP_PAGE": "true", "TRACKME_VOICE_ENABLED": "false", "TRACKME_PAGE_PORT": "0"}
        self.boxes.append(agent)
        agent.start()
        browser = Browser()
        open_, took = until(60, lambda: browser.stage() == "open", pause=0.3)
        if not check(f"{name}: the set-up page is open after the start", open_, agent.last_words(), found=f"after {took:.1f} s"):
            raise Stop("without the page there is nothing to set up")
        return browser

    def connect(self, name, browser):
        """From the link to where the words were confirmed on both sides."""
        status, state = browser.ask("/begin", {"link": self.fragment(), "name": name})
        if status != 200:
            raise Stop(f"the page cannot begin: {status} {state}")
        compare, _ = until(60, lambda: browser.stage() == "compare", pause=0.3)
        words = browser.ask("/state")[1].get("words")
        shown = self.ada.ask("/boxes/setup").text()
        if not check(f"{name}: page and hub show the same words", compare and words and words in shown, browser.ask("/state")[1]):
            raise Stop("without the words there is nothing to confirm")
        browser.ask("/confirm", {"words": words})
        self.ada.send("/boxes/setup", "/boxes/setup/confirm", {})

    def works(self, name, browser):
        good, took = until(90, lambda: browser.sensor().get("heartRate") in RATES, pause=0.5)
        check(f"{name}: the page shows the strap's heart rate", good, browser.sensor(), found=f"after {took:.1f} s")
        sensor = browser.sensor()
        check(f"{name}: with its name, and connected", sensor.get("isConnected") and sensor.get("name") == NAME, sensor)

    def first(self):
        """Scanned, chosen and tried on the page, in less than five minutes."""
        begin = time.monotonic()
        browser = self.start("first")
        self.connect("first", browser)
        enrolled, _ = until(60, lambda: browser.stage() == "enrolled", pause=0.3)
        check("first: the box is enrolled, and nothing is offered to a person's first", enrolled, browser.ask("/state")[1])
        running, took = until(90, lambda: browser.ask("/sensors")[0] == 200, pause=0.5)
        check("first: the agent starts behind the page", running, self.boxes[-1].last_words(), found=f"after {took:.1f} s")
        _, reply = browser.ask("/sensors", {"action": "sensors-scan"})
        found = next((each for each in reply.get("found") or [] if each["address"].startswith(STRAP)), None)
        check("first: a scan on the page hears the strap, by its name", found and found.get("name") == NAME, reply)
        other = next((each for each in reply.get("found") or [] if each.get("name") == "Lamp"), None)
        check("first: what cannot be used is not offered, or says why", not other or other.get("unsupported"), other)
        if not found:
            raise Stop("without the strap there is nothing to choose")
        _, reply = browser.ask("/sensors", {"action": "sensors-use", "address": found["address"]})
        check("first: the strap is chosen on the page", reply.get("isDone"), reply)
        self.works("first", browser)
        took = time.monotonic() - begin
        check("first: all of it within five minutes, without a shell", took < FIVE_MINUTES, f"{took:.0f} s", found=f"{took:.0f} s")
        self.finish("first", browser)

    def finish(self, name, browser):
        browser.ask("/finish", {})
        closed, _ = until(20, lambda: browser.ask("/")[0] == 0, pause=0.3)
        check(f"{name}: the page closes when the person is done", closed)

    def second(self):
        """What the first was set to is offered to the second, which then works without a scan."""
        kept, took = until(120, lambda: STRAP in self.ada.ask("/boxes").text(), pause=1)
        if not check("the hub keeps the first box's settings", kept, self.ada.ask("/boxes").text()[:600], found=f"after {took:.1f} s"):
            raise Stop("without them there is nothing to take over")
        check("the first ends when it is told to", self.boxes[0].end() == 0)
        browser = self.start("second")
        self.connect("second", browser)
        offered, _ = until(60, lambda: browser.stage() == "offered", pause=0.3)
        offers = browser.ask("/state")[1].get("offers") or [{}]
        said = [(item["words"], item["value"], item.get("not")) for item in offers[0].get("items", [])]
        check("second: the first's settings are offered", offered and offers[0].get("box") == "first"
              and ("kept.sensor", NAME, None) in said, offers)
        browser.ask("/take", {"offer": 0})
        self.works("second", browser)
        self.finish("second", browser)
        check("the second ends when it is told to", self.boxes[1].end() == 0)

    def all(self):
        play(self.sign_up, self.first, self.second)


Play(*sys.argv[1:3]).all()
