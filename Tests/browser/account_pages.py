"""Accounts in a real browser, at phone size and in both languages: sign-up, one-time codes, passkeys, the first operator."""
# proves ACC-9: one-time codes and passkeys are set up and log in, in Chromium, with its virtual authenticator
# proves ACC-18: the pages of accounts fit a phone from 320 px on, and the browser has nothing to complain of
import base64
import email
import email.policy
import hashlib
import hmac
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from live_page import ASSETS, SHOTS, WAIT_MAX, Page, check, failed, passed
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

TEXTS = {lang: json.loads((ASSETS / f"{lang}.json").read_text()) for lang in ("en", "it")}
HUB = os.environ["TRACKME_HUB"]
PORT = int(os.environ.get("TRACKME_PORT", "18443"))
URL = f"https://localhost:{PORT}"
PASSWORD = "three ducks swim to Bergamo"
TYPED = {"firstName": "Ada", "lastName": "Made-Up", "phone": "+390212345678"}
SENDMAIL = """#!/bin/sh
f=$(mktemp '{folder}/.XXXXXX') && cat > "$f" && mv "$f" "$f.eml"
"""
AUTHENTICATOR = {
    "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}


class Hub:
    """A hub of the test's own, which mails into a folder."""

    def __init__(self, home):
        self.directory, self.mails = home / "hub", home / "mails"
        self.mails.mkdir()
        sendmail = home / "sendmail"
        sendmail.write_text(SENDMAIL.format(folder=self.mails))
        sendmail.chmod(0o755)
        self.environment = {
            **os.environ, "HUB_DIRECTORY": str(self.directory), "HUB_URL": URL, "HUB_LISTEN_PORT": str(PORT),
            "HUB_MAIL_SENDMAIL": str(sendmail),
        }
        self.log = (home / "hub.log").open("w+")
        self.process = subprocess.Popen([HUB, "serve"], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT)
        until("the hub listens", lambda: (self.directory / "address").exists())

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


def until(what, condition):
    deadline = time.monotonic() + WAIT_MAX
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


def code(secret, step=None):
    """RFC 6238, as an authenticator program computes it."""
    count = int(time.time()) // 30 if step is None else step
    mac = hmac.new(base64.b32decode(secret), count.to_bytes(8, "big"), hashlib.sha1).digest()
    offset = mac[19] & 15
    return f"{(int.from_bytes(mac[offset:offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


class Walk:
    """One person's way through the pages in one language."""

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
        where = lambda: self.is_new() and self.driver.current_url.removeprefix(URL).split("?")[0] == path
        if not self.page.wait(f"{self.lang}: {name}", where):
            self.shot("failed")
            raise RuntimeError(f"at {self.driver.current_url}: {self.find('main').text[:500]}")

    def told(self, key, name):
        alerts = "return [...document.querySelectorAll('[role=alert]')].map((alert) => alert.textContent).join(' ')"
        self.page.wait(f"{self.lang}: {name}", lambda: self.is_new() and self.text(key) in self.driver.execute_script(alerts))

    def shot(self, name):
        self.page.shot(f"account-{name}-{self.lang}", whole=True)
        for width in (320, 390):
            self.page.look(width, 844, mobile=True)
            wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            check(f"{self.lang}: {name}: at {width} px nothing sticks out", wide <= 0, f"{wide} px")
        text = self.find("body").text
        left = re.search(r"\{\w*\}|undefined|\bt\.|\b(security|second|field|mail|logIn|site)\.\w", text)
        check(f"{self.lang}: {name}: no placeholder is left over", not left, left and left.group())

    def sign_up(self):
        self.go("/sign-up/organiser")
        self.fill({**TYPED, "email": self.email, "password": PASSWORD})
        self.press("[name='terms']")
        self.shot("sign-up")
        self.press("main button.primary")
        mail = self.hub.mail(self.email, "/confirm/")
        self.driver.get(re.search(rf"{URL}/confirm/\S+", mail).group())
        self.fill({"password": PASSWORD})
        self.shot("confirm")
        self.press("main button.primary")
        self.at("/log-in", "the mailed link confirms the address")

    def log_in(self):
        self.go("/log-in")
        self.fill({"email": self.email, "password": PASSWORD})
        self.press("main form button.primary")

    def log_out(self):
        self.press("header form button")
        self.at("/", "logged out")

    def one_time(self):
        self.go("/security")
        self.shot("security-before")
        self.press("a[href='/security/one-time']")
        self.at("/security/one-time", "the page of one-time codes opens")
        self.secret = self.find("#secret").text.replace(" ", "")
        link = self.find("a[href^='otpauth:']").get_attribute("href")
        check(f"{self.lang}: the link for the phone's program holds the secret", f"secret={self.secret}" in link, link)
        self.shot("one-time")
        read = subprocess.run(["zbarimg", "-q", "--raw", str(SHOTS / f"account-one-time-{self.lang}.png")], capture_output=True, text=True)
        check(f"{self.lang}: a reader reads the QR code", read.stdout.strip() == link, read.stdout + read.stderr)
        self.fill({"code": "000000"})
        self.press("main button.primary")
        self.told("security.oneTimeWrong", "a wrong code is told")
        self.step = int(time.time()) // 30
        self.fill({"code": code(self.secret, self.step)})
        self.press("main button.primary")
        self.page.wait(f"{self.lang}: recovery codes come", lambda: self.driver.find_elements(By.ID, "codes"))
        codes = [item.text for item in self.driver.find_elements(By.CSS_SELECTOR, "#codes code")]
        check(f"{self.lang}: ten recovery codes are shown", len(codes) == 10, codes)
        self.recovery = codes
        self.shot("codes")
        self.hub.mail(self.email, self.text("mail.account.oneTimeAdded.subject"))

    def log_in_with_code(self):
        self.log_in()
        self.at("/log-in/second", "the password alone is not enough")
        self.go("/home")
        self.at("/log-in/second", "and opens nothing else")
        self.shot("second")
        # On a slow machine the code that set this up is too old by now; that it works once is proved over HTTP too.
        if int(time.time()) // 30 <= self.step + 1:
            self.fill({"code": code(self.secret, self.step)})
            self.press("main form button.primary")
            self.told("second.used", "a code works once")
            self.shot("second-used")
        self.fill({"code": code(self.secret, max(self.step + 1, int(time.time()) // 30))})
        self.press("main form button.primary")
        self.at("/home", "the next code logs in")

    def add_passkey(self):
        self.go("/security")
        # The code was given just now, so nothing is asked again.
        self.press("[data-passkey] button")
        self.at("/security", "the passkey is added")
        self.page.wait(f"{self.lang}: it is in the list", lambda: self.driver.find_elements(By.CSS_SELECTOR, "[id^='name-']"))
        self.shot("security")
        self.fill({"name": "Telefono" if self.lang == "it" else "My phone"})
        self.press("form[action$='/name'] button")
        self.at("/security", "it is renamed")
        self.hub.mail(self.email, self.text("mail.account.passkeyAdded.subject"))

    def log_in_with_passkey(self):
        self.go("/log-in")
        self.shot("log-in")
        self.press("[data-passkey] button")
        self.at("/home", "the passkey alone logs in")
        self.shot("home")
        self.log_out()
        self.log_in()
        self.at("/log-in/second", "after the password")
        self.shot("second-both")
        self.press("[data-passkey] button")
        self.at("/home", "the passkey is taken in place of a code")

    def recovery_and_step_up(self):
        self.log_out()
        self.log_in()
        self.at("/log-in/second", "asked again")
        self.press("a[href='/log-in/second?recovery=1']")
        self.at("/log-in/second", "for a recovery code")
        self.shot("second-recovery")
        self.fill({"recovery": self.recovery[0].lower()})
        self.press("main form button.primary")
        self.at("/home", "a recovery code logs in")
        self.hub.mail(self.email, self.text("mail.account.recoveryUsed.subject"))
        self.go("/security/prove?back=/security")
        self.shot("prove")
        self.press("[data-passkey] button")
        self.at("/security", "a passkey proves it again")
        self.go("/security/password")
        self.shot("password")
        self.go("/help/security")
        self.shot("help")

    def claim(self):
        """The first operator, whose first factor is a passkey."""
        printed = self.hub.command("claim-code").split()[0]
        self.go("/claim")
        self.fill({**TYPED, "email": f"olga.{self.lang}@example.org", "password": "ninebeans", "claimCode": printed})
        self.press("[name='terms']")
        self.shot("claim")
        self.press("main button.primary")
        self.at("/log-in/second", "the operator is led to set up a factor")
        self.shot("set-up-first")
        self.press("[data-passkey] button")
        self.at("/security/recovery", "a passkey is enough, and recovery codes are offered")
        self.shot("recovery")
        self.press("main form button.primary")
        self.page.wait(f"{self.lang}: and shown", lambda: self.driver.find_elements(By.ID, "codes"))
        self.go("/home")
        self.at("/home", "the operator is in")
        self.log_out()


def walk(home, hub, lang):
    driver = browser(home, hub)
    try:
        page = Page(driver)
        page.language({"en": "en-GB", "it": "it-IT"}[lang])
        page.look(390, 844, mobile=True)
        way = Walk(page, hub, lang)
        way.go("/log-in")
        check(f"{lang}: the browser trusts the certificate and is in a secure context", driver.execute_script("return isSecureContext"))
        way.claim()
        way.sign_up()
        way.log_in()
        way.at("/home", "without a factor the password logs in")
        way.one_time()
        way.log_out()
        way.log_in_with_code()
        way.add_passkey()
        way.log_out()
        way.log_in_with_passkey()
        way.recovery_and_step_up()
        page.look(390, 844, dark=True, mobile=True)
        way.go("/security")
        page.shot(f"account-security-dark-{lang}", whole=True)
        # Refused forms answer 422, which the browser's log names; it also misses RSA, which the hub does not take.
        expected = ("status of 422", "pubKeyCredParams")
        complaints = [line for line in page.complaints() if not any(part in line for part in expected)]
        check(f"{lang}: the browser has nothing to complain of", not complaints, complaints[:5])
    finally:
        driver.quit()


def elsewhere(home, hub):
    """At 127.0.0.1 no passkey works: the page says where."""
    driver = browser(home, hub)
    try:
        driver.get(f"https://127.0.0.1:{PORT}/log-in")
        said = driver.find_element(By.CSS_SELECTOR, "[data-passkey] .error").text
        check("at another address the page says where passkeys work", URL in said, said)
        check("and shows no button", not driver.find_element(By.CSS_SELECTOR, "[data-passkey] button").is_displayed())
    finally:
        driver.quit()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        hub = Hub(home)
        try:
            check("a hub without an operator says how to become one", "no operator yet" in hub.says())
            for lang in ("en", "it"):
                walk(home, hub, lang)
            elsewhere(home, hub)
            check("the hub logged no error", " error " not in hub.says(), hub.says()[-2000:])
        except Exception as error:  # a check that could not even be made is a failed one
            check("the run came to its end", False, f"{type(error).__name__}: {error}")
        finally:
            hub.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
