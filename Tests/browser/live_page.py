"""The live page in a real browser: link, button, live values, a lost hub, languages, sizes, colour schemes."""
# proves EDGE-10: a replayed capture reaches the page of somebody who watches, and is told as a replay
# proves ACC-18: the live page has a way home, help and language, and what is live begins above 160 px on a phone
# proves EDGE-6: the page holds what the hub stored, each sample once and in order, also after its line was cut
import base64
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import axe
from line import Line
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Hub/HubWeb/Assets"
SHOTS = ROOT / ".build/screenshots"
UNITS = [Path(__file__).with_name(name).read_text() for name in ("units.js", "map_units.js")]
TEXTS = {lang: json.loads((ASSETS / f"{lang}.json").read_text())["live"] for lang in ("en", "it")}
START_MAX = int(os.environ.get("TRACKME_START_MAX", "1800"))  # seconds: the demo may have to build first
WAIT_MAX = 30

# How many samples the hub has and the page shows, read in one turn of the page's script so that none comes between.
COUNTS = """
const done = arguments[0];
fetch(location.pathname + "/recent", { cache: "no-store" }).then((answer) => answer.json()).then((data) => {
  const times = (rows) => new Set(rows.map((row) => row[0])).size;
  const page = document.getElementById("plot").dataset;
  done([times(data.hr), times(data.pos), Number(page.samples), Number(page.positions)]);
}).catch((error) => done([String(error)]));
"""

# Calls back when what changed was laid out and drawn.
DRAWN = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));"

passed, failed = [], []


def check(name, condition, detail=""):
    (passed if condition else failed).append(name)
    print(f"{'ok    ' if condition else 'FAILED'} {name}{'' if condition else f' ({detail})'}", flush=True)


class Demo:
    """`packaging/demo/run` as a child, ended with everything that it started."""

    def __init__(self):
        # Settings of another hub in the shell are not the demo's.
        environment = {"TRACKME_DEMO_SPEED": "10", **os.environ, "HUB_URL": "https://elsewhere.example", "HUB_LISTEN_PORT": "x"}
        self.process = subprocess.Popen(
            ["packaging/demo/run"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip())
        self.lines.put(None)

    def address(self):
        deadline = time.monotonic() + START_MAX
        said = []
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                raise SystemExit("the demo ended before it printed 'Watch:':\n" + "\n".join(said[-20:]))
            said.append(line)
            if "Watch: http" in line:
                return line.split("Watch: ", 1)[1].split()[0]
        raise SystemExit(f"the demo printed no 'Watch:' within {START_MAX} s:\n" + "\n".join(said[-20:]))

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def browser(line):
    options = webdriver.ChromeOptions()
    # The hub's certificate is signed by its own CA, which this browser does not know. Loopback goes through the proxy too.
    proxy = (f"--proxy-server=http://127.0.0.1:{line.port}", "--proxy-bypass-list=<-loopback>")
    for argument in (*proxy, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--ignore-certificate-errors"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(WAIT_MAX)
    return driver


class Page:
    def __init__(self, driver):
        self.driver = driver

    def text(self, id):
        return self.driver.find_element(By.ID, id).text

    def data(self, id, name):
        return self.driver.find_element(By.ID, id).get_attribute(f"data-{name}")

    def wait(self, name, condition, seconds=WAIT_MAX):
        """Waits until `condition` holds; a check of its own, so that a failure has a name. Says whether it did."""
        try:
            # A page that renews itself may replace what is being read.
            stale = [StaleElementReferenceException]
            WebDriverWait(self.driver, seconds, poll_frequency=0.1, ignored_exceptions=stale).until(lambda _: condition())
            check(name, True)
            return True
        except Exception as error:  # what went wrong is told, whatever it was
            check(name, False, type(error).__name__)
            return False

    def look(self, width, height, dark=False, mobile=False):
        self.last = (width, height, dark, mobile)
        command = self.driver.execute_cdp_cmd
        size = {"width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile}
        command("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"features": [scheme]})

    def language(self, tag):
        agent = self.driver.execute_script("return navigator.userAgent")
        self.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": tag})

    def shot(self, name, whole=False):
        self.driver.execute_async_script(DRAWN)
        options = {"format": "png"}
        if whole:
            size = self.driver.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
            options |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}}
        image = self.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(image))

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def complete(self):
        """Whether the page holds exactly the samples that the hub has, by kind."""
        counts = self.driver.execute_async_script(COUNTS)
        return len(counts) == 4 and counts[0] > 0 and counts[:2] == counts[2:]


def texts_of(page, lang):
    texts = TEXTS[lang]
    page.wait(f"{lang}: title of the heart rate", lambda: page.text("heartTitle") == texts["heartRate"])
    check(f"{lang}: title of the plot", page.text("plotTitle") == texts["plotTitle"], page.text("plotTitle"))
    check(f"{lang}: button of the map", page.text("follow") == texts["follow"], page.text("follow"))
    check(f"{lang}: language is declared", page.driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == lang)
    page.wait(f"{lang}: state of the heart rate is a text", lambda: page.text("heartState") not in ("", *texts))
    body = page.driver.find_element(By.TAG_NAME, "body").text
    check(f"{lang}: no template or placeholder is left over", "{" not in body and "undefined" not in body and "NaN" not in body)


def open_link(page, address):
    driver = page.driver
    page.language("en-GB")
    page.look(1280, 800)
    driver.get(address)
    button = driver.find_element(By.ID, "redeem")
    ways = "header a[href='/'], .tools a[href^='/help/'], form[action='/language']"
    check("the link shows a button", button.text == TEXTS["en"]["linkButton"], button.text)
    page.shot("link")
    driver.get(address)
    check("looking at the link does not use it up", driver.find_elements(By.ID, "redeem"))
    driver.find_element(By.ID, "redeem").click()
    page.wait("the button leads to the person's page", lambda: "/people/" in driver.current_url)
    check("home, help and language are there", len(driver.find_elements(By.CSS_SELECTOR, ways)) == 3)


def live_values(page):
    driver = page.driver
    if not page.wait("heart rate appears", lambda: page.text("bpm").isdigit() and int(page.text("bpm")) > 0):
        page.shot("failed")
        raise RuntimeError(f"no heart rate, so nothing else can be checked; the browser says: {page.complaints()[:5]}")
    page.wait("positions appear", lambda: int(page.data("plot", "positions") or 0) > 1)
    page.wait("the track has a length", lambda: page.text("distance") not in ("–", ""))
    page.wait("the runner is on the map", lambda: driver.find_elements(By.CSS_SELECTOR, ".runner"))
    page.wait("it is current", lambda: page.data("heart", "state") == "current" and page.data("place", "state") == "current")
    if "TRACKME_URL" not in os.environ:
        check("it is told as a replay", page.text("provenance") == TEXTS["en"]["replay"], page.text("provenance"))
    first = page.text("bpm"), page.text("distance"), int(page.data("plot", "samples"))
    page.wait("heart rate changes", lambda: page.text("bpm") != first[0])
    page.wait("the way grows", lambda: page.text("distance") != first[1])
    page.wait("samples are added", lambda: int(page.data("plot", "samples")) > first[2])
    drawn = "return document.querySelector('#plot .mean').getTotalLength() > 10 && document.querySelectorAll('#plot text').length > 3"
    check("the plot is drawn", driver.execute_script(drawn))
    page.wait("the page holds what the hub stored, each sample once", page.complete)
    for units in UNITS:
        for name, good in driver.execute_async_script(units):
            check(name, good)


def hand(page):
    """What somebody does with the page."""
    driver = page.driver
    driver.find_element(By.CSS_SELECTOR, "[data-minutes='5']").click()
    check("five minutes are chosen", driver.find_element(By.CSS_SELECTOR, "[data-minutes='5']").get_attribute("aria-pressed") == "true")
    driver.find_element(By.CSS_SELECTOR, "[data-minutes='0']").click()
    plot = driver.find_element(By.ID, "plot")
    plot.send_keys("\ue012")  # arrow left
    page.wait("arrow keys tell a value of the plot", lambda: TEXTS["en"]["bpm"] in plot.get_attribute("aria-valuetext"))
    said = plot.get_attribute("aria-valuetext")
    check("and the line below the plot says the same", driver.find_element(By.CSS_SELECTOR, ".livefigure .plotread").text == said, said)
    note = driver.find_element(By.CSS_SELECTOR, ".groundnote")
    was = note.get_attribute("open")
    note.find_element(By.TAG_NAME, "summary").click()
    check("the note of the map's data folds", note.get_attribute("open") != was)
    driver.find_element(By.ID, "whole").click()
    check("the whole route ends following", page.driver.find_element(By.ID, "follow").get_attribute("aria-pressed") == "false")
    page.shot("desktop-whole-route")
    driver.find_element(By.ID, "follow").click()
    nameless = "return [...document.querySelectorAll('button, a, [tabindex]')].filter((e) => e.id !== 'board' && e.id !== 'map'" \
        " && !(e.textContent.trim() || e.getAttribute('aria-label') || e.title)).length"
    check("every control has a name", driver.execute_script(nameless) == 0)


def lost_hub(page, line):
    """The line is cut for longer than values stay current, then comes back."""
    line.cut()
    page.wait("a lost hub is said", lambda: page.text("connection") == TEXTS["en"]["hubLostShort"])
    page.wait("no value passes for current", lambda: page.data("heart", "state") == "stale" and page.data("place", "state") == "stale")
    check("the last value stays, greyed", page.text("bpm").isdigit(), page.text("bpm"))
    page.shot("hub-lost")
    line.mend()
    page.wait("the page finds the hub again by itself", lambda: page.text("connection") != TEXTS["en"]["hubLostShort"], 60)
    page.wait("after the cut nothing is missing and nothing is there twice", page.complete)
    page.complaints()  # those of the cut are expected


def sizes(page):
    page.look(1280, 800)
    page.shot("desktop")
    page.look(1280, 800, dark=True)
    page.shot("desktop-dark")
    page.look(1920, 1080)
    page.shot("wall")
    for dark in (False, True):
        page.look(390, 844, dark=dark, mobile=True)
        page.shot("phone-dark" if dark else "phone", whole=True)
    for width in (320, 390):
        page.look(width, 844, mobile=True)
        top = page.driver.execute_script("scrollTo(0, 0); return document.getElementById('heart').getBoundingClientRect().top")
        check(f"at {width} px what is live begins above 160 px", top < 160, top)
    for width in (320, 390, 768, 1024, 1280):
        page.look(width, 800, mobile=width < 1000)
        wide = page.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check(f"at {width} px nothing sticks out", wide <= 0, f"{wide} px")


def accessible(page):
    wrong = axe.inspect(page.driver)
    check("axe finds nothing wrong with the page while it is live", not wrong, wrong)


def italian(page):
    page.look(390, 844, mobile=True)
    page.language("it-IT")
    page.driver.refresh()
    texts_of(page, "it")
    page.wait("it: values are there", lambda: page.text("distance") not in ("–", ""))
    check("it: numbers have a decimal comma", "," in page.text("distance"), page.text("distance"))
    page.shot("phone-italian", whole=True)
    page.look(1280, 800)
    page.shot("desktop-italian")


def watch(address):
    line = Line()
    driver = browser(line)
    try:
        page = Page(driver)
        open_link(page, address)
        live_values(page)
        sizes(page)
        accessible(page)
        page.look(1280, 800)
        texts_of(page, "en")
        hand(page)
        complaints = page.complaints()
        check("the browser has nothing to complain of (errors, content security policy)", not complaints, complaints[:5])
        lost_hub(page, line)
        italian(page)
        complaints = page.complaints()
        check("nor after the cut and in Italian", not complaints, complaints[:5])
    finally:
        driver.quit()


def main():
    check("both languages have the same texts", TEXTS["en"].keys() == TEXTS["it"].keys())
    # Ended from outside, the demo is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    address = os.environ.get("TRACKME_URL")
    demo = None if address else Demo()
    try:
        watch(address or demo.address())
    except Exception as error:  # a check that could not even be made is a failed one
        check("the run came to its end", False, f"{type(error).__name__}: {error}")
    finally:
        if demo:
            demo.end()
    print(f"screenshots: {SHOTS.relative_to(ROOT)}")
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
