"""The page of spectators in a real browser: its scripts alone, with a made-up race (race_server.py) that is streamed as the hub does it."""
# proves RUN-7: positions move on the map and in the list; what is not current is never shown as if it were; a lost line is said and mended
# proves RUN-8: runners are found by bib number or public name, and followed; a link holds the choice
import json
import sys
from pathlib import Path

import axe
from live_page import ASSETS, SHOTS, Page, ROOT, check, failed, passed
from race_server import CODE, Race, Server
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

TEXTS = {lang: json.loads((ASSETS / f"{lang}.json").read_text())["watch"] for lang in ("en", "it")}
UNITS = Path(__file__).with_name("watch_units.js").read_text()
# Milliseconds that one drawing of the map takes, over some of them.
PAINTS = """
const done = arguments[0], pen = CanvasRenderingContext2D.prototype, clear = pen.clearRect, times = [];
let begun = 0;
pen.clearRect = function (...area) { if (this.canvas.className === "racers") begun = performance.now(); return clear.apply(this, area); };
const watch = () => {
  if (begun) times.push(performance.now() - begun);
  begun = 0;
  if (times.length < 40) requestAnimationFrame(watch);
  else { pen.clearRect = clear; times.sort((a, b) => a - b); done([times[20], times[38]]); }
};
requestAnimationFrame(watch);
"""
NAMELESS = "return [...document.querySelectorAll('button, a, input, select')].filter((e) => e.offsetParent && !(e.textContent.trim()" \
    " || e.getAttribute('aria-label') || e.title || e.labels?.length)).length"
SMALL = "return [...document.querySelectorAll('main button, main input, main select, .tools a, .tools button, footer a')].filter((e) => e.offsetParent" \
    " && e.getBoundingClientRect().height < 44 && !e.closest('.leaflet-container')).map((e) => e.outerHTML.slice(0, 80))"


def browser(*more):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-proxy-server", *more):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(60)
    return driver


class Spectator:
    def __init__(self, page, server, lang):
        self.page, self.server, self.lang, self.t, self.driver = page, server, lang, TEXTS[lang], page.driver
        self.race = server.race

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, id):
        return self.driver.execute_script("return document.getElementById(arguments[0])?.textContent ?? ''", id)

    def row(self, bib, part="rows"):
        """One runner's texts by part; nothing for one who is not on the list."""
        return self.driver.execute_script("""
            for (const row of document.querySelectorAll(`#${arguments[1]} > li`)) {
              const bib = row.querySelector(".w-bib").textContent || row.querySelector("b").textContent.replace(/\\D/g, "");
              if (bib !== String(arguments[0])) continue;
              const texts = { state: row.dataset.state, colour: row.dataset.colour };
              for (const name of ["place", "metres", "pace", "gap", "hr"]) texts[name] = row.querySelector(`.w-${name}`).textContent;
              return { ...texts, name: row.querySelector("b").textContent, said: row.querySelector(".w-state").textContent };
            }
            return null;""", bib, part)

    def search(self, text):
        field = self.find("#q")
        field.clear()
        field.send_keys(text or " ")

    def open(self, fragment=""):
        self.driver.get("about:blank")
        self.driver.get(self.server.url + fragment)

    def wait(self, name, condition, seconds=30):
        return self.page.wait(f"{self.lang}: {name}", condition, seconds)

    def check(self, name, condition, detail=""):
        check(f"{self.lang}: {name}", condition, detail)


def live(it):
    t = it.t
    it.open()
    it.wait("runners appear, and the line is said to be good", lambda: it.text("connection") == t["connected"] and it.row(5) or it.text("rows"))
    it.wait("the map shows them", lambda: int(it.driver.execute_script("return document.querySelector('.racers')?.dataset.drawn ?? 0")) > 150)
    it.search("3")
    it.wait("the beginning of a bib number finds", lambda: it.row(3) and it.row(30) and not it.row(5))
    first = it.row(3)
    it.check("with distance, pace, gap and an agreed heart rate", "km" in first["metres"] and "/km" in first["pace"] and first["gap"].startswith("+")
             and "♥" in first["hr"], first)
    it.wait("who runs moves on", lambda: it.row(3)["metres"] != first["metres"])
    it.search("ristoro-nobody")
    it.wait("nothing found is said", lambda: it.text("none") == t["noneFound"])
    it.search("8")
    it.wait("who did not start is said so", lambda: (it.row(8) or {}).get("said") == t["notStarted"])
    it.check("without consent there is no heart rate", it.row(8)["hr"] == "" and (it.row(80) or {})["hr"] == "")
    it.search("7")
    stale = lambda: it.row(7) or {}
    it.wait("who was not seen for minutes is not shown as fresh", lambda: stale().get("state") == "stale" and "2" in stale()["said"])
    it.search("5")
    it.wait("off course is said", lambda: (it.row(5) or {}).get("said") == t["offCourse"])


def follow(it):
    for bib in (12, 7):
        it.search(str(bib))
        it.wait(f"{bib} is the first that is found", lambda: it.find("#rows .w-bib").text == str(bib))
        it.find("#rows button").click()
    it.wait("followed runners stand above the others", lambda: it.row(12, "mine") and it.row(7, "mine"))
    it.check("the address holds them", it.driver.current_url.endswith("#follow=12,7"), it.driver.current_url)
    it.check("the button says so", it.find("#mine button").get_attribute("aria-pressed") == "true")
    it.search("")
    it.page.shot(f"watch-followed-{it.lang}")
    it.open()
    it.wait("they are remembered", lambda: it.row(12, "mine") and it.row(7, "mine"))
    it.open("#follow=3,99999")
    it.wait("a link from somebody else wins", lambda: it.row(3, "mine") and not it.row(12, "mine"))
    it.wait("who is not in the race is named", lambda: "99999" in it.text("missing"))
    it.wait("the map is there again", lambda: it.driver.execute_script("return document.querySelector('.racers')?.dataset.drawn > 0"))

    closer = 0

    def numbers():
        """Looks closer until dots are apart."""
        nonlocal closer
        if int(it.driver.execute_script("return document.querySelector('.racers').dataset.numbers")) > 0:
            return True
        it.find(".leaflet-control-zoom-in").click()
        closer += 1
        return False

    it.wait("dots have their numbers where there is room", numbers)
    for _ in range(closer):
        it.find(".leaflet-control-zoom-out").click()
    it.find("#lookMine").click()
    # Who is followed alone stands in the middle now.
    it.driver.execute_script("document.getElementById('map').scrollIntoView({block: 'center'})")

    def tapped():
        """The dot moves: taps until it was hit."""
        if not it.row(3, "spot"):
            it.find("#lookMine").click()
            ActionChains(it.driver).move_to_element(it.find("#map")).click().perform()
        return it.row(3, "spot")

    it.wait("a tap on a dot says who it is", tapped)
    it.page.shot(f"watch-tapped-{it.lang}")
    it.find("#spotClose").click()
    it.wait("and it is taken away again", lambda: not it.row(3, "spot"))
    it.find("#whole").click()
    it.find("#mine button").click()
    it.wait("nobody is followed any more", lambda: not it.row(3, "mine") or it.driver.current_url.endswith("#follow=99999"))
    it.driver.execute_script("localStorage.clear()")


def gone(it):
    it.open()
    it.search("9")
    it.wait("somebody is public", lambda: it.row(9))
    it.race.hidden.add(9)
    it.wait("and is gone within a second or two when that ends", lambda: not it.row(9), 4)
    it.race.hidden.clear()
    it.wait("and back, as the number alone", lambda: (it.row(9) or {}).get("name") == it.t["bib"].replace("{bib}", "9"))


def lost(it):
    it.open("#follow=12")
    it.wait("connected", lambda: it.text("connection") == it.t["connected"])
    it.page.complaints()
    it.race.skips += 1
    it.wait("a missing event is noticed", lambda: it.text("connection") != it.t["connected"], 5)
    it.wait("and a snapshot mends it", lambda: it.text("connection") == it.t["connected"], 10)
    it.check("without a complaint", not it.page.complaints())
    it.race.is_over, it.race.cuts = None, it.race.cuts + 1
    it.wait("a lost line is said", lambda: it.text("connection") == it.t["lost"])
    it.wait("and since when nothing came", lambda: not it.driver.execute_script("return document.getElementById('banner').hidden"))
    it.wait("after 15 s nobody passes for fresh", lambda: it.row(12, "mine")["state"] == "stale", 25)
    it.page.shot(f"watch-lost-{it.lang}")
    it.race.is_over = False
    it.wait("the page finds the hub again by itself", lambda: it.text("connection") == it.t["connected"], 45)
    it.wait("and everybody is fresh again", lambda: it.row(12, "mine")["state"] == "fresh")
    it.page.complaints()  # those of the cut are expected


def sizes(it):
    for width in (320, 390, 768, 1280):
        it.page.look(width, 844 if width < 1000 else 720, mobile=width < 1000)
        wide = it.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        it.check(f"at {width} px nothing sticks out", wide <= 0, f"{wide} px")
    it.page.look(390, 844, mobile=True)
    small = it.driver.execute_script(SMALL)
    it.check("everything that is pressed is 44 px high", not small, small[:3])
    it.check("every control has a name", it.driver.execute_script(NAMELESS) == 0)
    body = it.find("body").text
    it.check("no template or placeholder is left over", "{" not in body and "undefined" not in body and "NaN" not in body and "null" not in body)
    for dark in (False, True):
        it.page.look(390, 844, dark=dark, mobile=True)
        it.page.shot(f"watch-phone-{'dark-' if dark else ''}{it.lang}")
        it.page.look(1280, 800, dark=dark)
        it.page.shot(f"watch-wide-{'dark-' if dark else ''}{it.lang}")
    wrong = axe.inspect(it.driver)
    it.check("axe finds nothing", not wrong, wrong)
    it.page.look(390, 844, mobile=True)


def over(it):
    it.open()
    it.wait("connected", lambda: it.text("connection") == it.t["connected"])
    it.race.is_over = True
    it.wait("the end is said, with the way to the results", lambda: it.driver.execute_script("return !document.getElementById('overBox').hidden"))
    it.check("and is no lost line", it.text("connection") == it.t["over"], it.text("connection"))
    it.race.is_over = False


def replay(it):
    it.race.state = "finished"
    it.open("#follow=12")
    it.wait("a finished run can be watched again", lambda: it.text("connection") == it.t["replay"] and it.row(12, "mine"))
    moment, metres = it.text("moment"), it.row(12, "mine")["metres"]
    it.find("#play").click()
    it.wait("it plays", lambda: it.text("moment") != moment and it.row(12, "mine")["metres"] != metres)
    it.check("the button says pause", it.text("play") == it.t["pause"])
    it.find("#play").click()
    slider = "const s = document.getElementById('slider'); s.value = arguments[0] === null ? s.max : arguments[0]; s.dispatchEvent(new Event('input'))"
    it.driver.execute_script(slider, None)
    it.wait("at the end they are through", lambda: it.row(12, "mine")["said"] == it.t["finished"])
    it.page.shot(f"watch-replay-{it.lang}")
    it.driver.execute_script(slider, 0)
    it.wait("at the gun nobody is", lambda: it.row(12, "mine")["said"] == it.t["notStarted"])
    it.race.state = "live"


def many(driver, lang):
    """A thousand runners, on a processor four times slower: a phone's."""
    server = Server(Race(1000))
    it = Spectator(Page(driver), server, lang)
    it.open("#follow=12,3,5")
    it.wait("a thousand runners are drawn", lambda: int(driver.execute_script("return document.querySelector('.racers')?.dataset.drawn ?? 0")) > 900)
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 4})
    middle, worst = driver.execute_async_script(PAINTS)
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
    print(f"       one drawing of 1,000 runners: {middle:.1f} ms, 95 % within {worst:.1f} ms, on a processor 4 times slower")
    it.check("a drawing leaves most of the time to others", middle < 25, middle)
    rows = driver.execute_script("return document.querySelectorAll('#rows > li').length")
    it.check("the list holds what somebody reads", rows == 50, rows)
    print(f"       {it.text('weight')}")


def plain(driver, server, lang):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(server.url)
    check(f"{lang}: without scripts there is a table", "Ada, 1" in driver.find_element(By.CSS_SELECTOR, "#plain table").text)
    check(f"{lang}: and no empty map", not driver.find_element(By.ID, "board").is_displayed())
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def main():
    check("both languages have the same texts", TEXTS["en"].keys() == TEXTS["it"].keys())
    try:
        for lang, tag in (("en", "en-GB"), ("it", "it-IT")):
            driver, server = browser(), Server(Race(200))
            try:
                page = Page(driver)
                page.language(tag)
                page.look(390, 844, mobile=True)
                it = Spectator(page, server, lang)
                live(it)
                if lang == "en":
                    for name, good in driver.execute_async_script(UNITS):
                        check(name, good)
                follow(it)
                gone(it)
                it.open("#follow=12,3,5,7")
                it.wait("everything is there", lambda: it.row(12, "mine") and it.driver.execute_script("return document.querySelector('.racers')?.dataset.drawn > 0"))
                sizes(it)
                complaints = page.complaints()
                it.check("the browser has nothing to complain of", not complaints, complaints[:5])
                if lang == "en":
                    lost(it)
                over(it)
                replay(it)
                plain(driver, server, lang)
                if lang == "en":
                    many(driver, lang)
                complaints = page.complaints()
                it.check("nor at the end", not complaints, complaints[:5])
            finally:
                driver.quit()
    except Exception as error:  # a check that could not even be made is a failed one
        check("the run came to its end", False, f"{type(error).__name__}: {error}")
    print(f"screenshots: {SHOTS.relative_to(ROOT)}")
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
