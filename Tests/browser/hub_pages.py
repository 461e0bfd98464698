"""What the tests of the hub's pages share: a hub of their own, a browser that trusts it, and a person's way through the pages."""
import email
import email.policy
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import axe
from live_page import ASSETS, WAIT_MAX, Page, check, failed, passed
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

TEXTS = {lang: json.loads((ASSETS / f"{lang}.json").read_text()) for lang in ("en", "it")}
HUB = os.environ["TRACKME_HUB"]
PORT = int(os.environ.get("TRACKME_PORT", "18443"))
URL = f"https://localhost:{PORT}"
PASSWORD = "three ducks swim to Bergamo"
SENDMAIL = """#!/bin/sh
f=$(mktemp '{folder}/.XXXXXX') && cat > "$f" && mv "$f" "$f.eml"
"""
AUTHENTICATOR = {
    "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}


class Hub:
    """A hub of the test's own, which mails into a folder."""

    def __init__(self, home, port=PORT):
        """`port` is another than that of its address where something stands between."""
        self.directory, self.mails = home / "hub", home / "mails"
        self.mails.mkdir()
        sendmail = home / "sendmail"
        sendmail.write_text(SENDMAIL.format(folder=self.mails))
        sendmail.chmod(0o755)
        self.environment = {
            **os.environ, "HUB_DIRECTORY": str(self.directory), "HUB_URL": URL, "HUB_LISTEN_PORT": str(port),
            "HUB_MAIL_SENDMAIL": str(sendmail),
        }
        self.log = (home / "hub.log").open("w+")
        self.process = subprocess.Popen([HUB, "serve"], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT)
        until("the hub listens", lambda: (self.directory / "address").exists(), limit=120)

    def says(self):
        self.log.flush()
        return Path(self.log.name).read_text()

    def command(self, name):
        return subprocess.run([HUB, name], env=self.environment, check=True, capture_output=True, text=True).stdout

    def mail(self, to, text):
        """The text of the first mail to an address in which `text` stands."""
        def find():
            for file in self.mails.glob("*.eml"):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                body = mail.get_content()
                if mail["To"] == to and (text in body or text in mail["Subject"]):
                    return body
            return None
        return until(f"a mail to {to}: {text}", find)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def until(what, condition, limit=WAIT_MAX):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise RuntimeError(f"waited in vain: {what}")


def browser(home, hub):
    """Chromium with a profile of its own that trusts the hub's CA, as passkeys want it: without a certificate error."""
    store = home / ".pki/nssdb"
    if not store.exists():
        store.mkdir(parents=True)
        certutil = ["certutil", "-d", f"sql:{store}"]
        subprocess.run([*certutil, "-N", "--empty-password"], check=True)
        subprocess.run([*certutil, "-A", "-t", "C,,", "-n", "hub", "-i", str(hub.directory / "ca.pem")], check=True)
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-proxy-server"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver", env={**os.environ, "HOME": str(home)}))
    driver.set_script_timeout(WAIT_MAX)
    driver.execute_cdp_cmd("WebAuthn.enable", {})
    driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    return driver


def clicked(element, click=WebElement.click):
    """As a thumb does, which brings a thing above the tabs first: the driver takes what is behind them for visible."""
    element.parent.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    click(element)


WebElement.click = clicked


class Walk:
    """One person's way through the pages in one language."""
    area = "account"
    widths = (320, 390)

    def __init__(self, page, hub, lang):
        self.page, self.hub, self.lang, self.driver = page, hub, lang, page.driver
        self.email, self.texts = f"ada.{lang}@example.org", TEXTS[lang]

    def text(self, key):
        section, name = key.split(".", 1)
        return self.texts[section][name]

    def go(self, path):
        self.driver.get(URL + path)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def fill(self, fields):
        for name, value in fields.items():
            field = self.find(f"[name='{name}']")
            field.clear()
            field.send_keys(value)

    def press(self, selector):
        button = self.find(selector)
        # The next page does not have the mark.
        self.driver.execute_script("window.isOld = true; arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def is_new(self):
        return self.driver.execute_script("return !window.isOld && document.readyState === 'complete'")

    def at(self, path, name):
        where = lambda: self.is_new() and re.split("[?#]", self.driver.current_url.removeprefix(URL))[0] == path
        if not self.page.wait(f"{self.lang}: {name}", where):
            self.shot("failed")
            raise RuntimeError(f"at {self.driver.current_url}: {self.find('main').text[:500]}")

    def told(self, key, name):
        alerts = "return [...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent).join(' ')"
        self.page.wait(f"{self.lang}: {name}", lambda: self.is_new() and self.text(key) in self.driver.execute_script(alerts))

    def shot(self, name):
        """Keeps a picture of the page, and looks whether it fits the screens and no text is missing."""
        self.page.shot(f"{self.area}-{name}-{self.lang}", whole=True)
        for width in self.widths:
            self.page.look(width, 844 if width < 1000 else width * 9 // 16, mobile=width < 1000)
            wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            check(f"{self.lang}: {name}: at {width} px nothing sticks out", wide <= 0, f"{wide} px")
        wrong = axe.inspect(self.driver)
        check(f"{self.lang}: {name}: axe finds nothing", not wrong, wrong)
        self.page.look(390, 844, mobile=True)
        text = self.find("body").text
        left = re.search(r"\{\w*\}|undefined|\bt\.", text)
        keys = [f"{section}.{key}" for section, key in re.findall(r"\b([a-z]\w+)\.(\w+)", text) if key in self.texts.get(section, {})]
        check(f"{self.lang}: {name}: no placeholder is left over", not left and not keys, keys or left and left.group())

    def shot_on_desk(self, name):
        """Keeps pictures of the page as a phone and a desk show it."""
        self.shot(name)
        self.page.look(1280, 800)
        self.page.shot(f"{self.area}-{name}-{self.lang}-desk", whole=True)
        self.page.look(390, 844, mobile=True)

    def shot_dark(self):
        """Keeps a picture of the page in the colours of the night."""
        self.page.look(390, 844, dark=True, mobile=True)
        self.page.shot(f"{self.area}-dark-{self.lang}", whole=True)
        self.page.look(390, 844, mobile=True)

    def is_quiet(self, who, *expected):
        """Checks that the browser complained of nothing but refused forms (422), RSA, which the hub does not take for passkeys, and its own
        search for the place, which asks the network."""
        known = ("status of 422", "pubKeyCredParams", "Network location provider", *expected)
        said = [line for line in self.page.complaints() if not any(part in line for part in known)]
        check(f"{self.lang}: {who}: the browser has nothing to complain of", not said, said[:5])


def run(area, walk, *expected):
    """Walks with a hub of its own in each language, and ends the program: non-zero when a check failed. The hub may log errors that hold a text of `expected`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    Walk.area = area
    for lang in ("en", "it"):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            hub = Hub(home)
            try:
                walk(home, hub, lang)
                errors = [line for line in hub.says().splitlines() if " error " in line and not any(part in line for part in expected)]
                check(f"{lang}: the hub logged no error", not errors, errors[:5])
            except Exception as error:  # a check that could not even be made is a failed one
                check(f"{lang}: the run came to its end", False, f"{type(error).__name__}: {error}")
            finally:
                hub.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)
