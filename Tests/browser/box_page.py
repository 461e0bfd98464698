"""The box's own page in a real browser: what it says of good and bad states, what its buttons do, and how it looks."""
# proves EDGE-12: a person next to the box sees its state and acts on it by large buttons
# proves SOS-4: "are you OK?" is shown with its seconds and answered with one press
# proves SOS-16: "get help" from the question takes one press
# proves ACC-12: the page in English and Italian
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import axe
from box_checkins import check_ins
from box_lost import killed, lost
from box_states import ANSWERED, COMING, LINKS, LOOKS, alarm, drill, person, question, sos, state, troubled
from live_page import SHOTS, Page, check, failed, passed
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "Sources/Agent/AgentKit/Assets"
TEXTS = {lang: json.loads((ASSETS / f"{lang}.json").read_text()) for lang in ("en", "it")}
START_MAX = 120


class Box:
    """The page's server with a scripted agent behind it: a test that serves until it is told to stop."""

    def __init__(self, test="PageForBrowser"):
        self.directory = Path(tempfile.mkdtemp(prefix="trackme-page-"))
        self.set(state())
        command = ["swift", "test", *os.environ.get("BUILD_FLAGS", "").split(), "--skip-build", "--disable-xctest", "--filter", test]
        environment = {**os.environ, "TRACKME_PAGE_DIRECTORY": str(self.directory)}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def address(self):
        port, deadline = self.directory / "port", time.monotonic() + START_MAX
        while not port.exists():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit("the page was not served; build the tests first: swift build --build-tests")
            time.sleep(0.1)
        return f"http://127.0.0.1:{port.read_text()}"

    def set(self, state):
        self.write("state.json", state)

    def write(self, name, value):
        part = self.directory / (name + ".part")
        part.write_text(json.dumps(value))
        part.rename(self.directory / name)

    def refuse(self, reply):
        if reply:
            self.write("refusal.json", reply)
        else:
            (self.directory / "refusal.json").unlink(missing_ok=True)
        time.sleep(0.5)  # the server looks ten times a second

    def acts(self):
        path = self.directory / "acts.json"
        return json.loads(path.read_text()) if path.exists() else []

    def signal(self, number):
        """Not to the group: `swift test` gives what it runs another one."""
        os.kill(int((self.directory / "pid").read_text()), number)

    def end(self):
        (self.directory / "stop").touch()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class BoxPage(Page):
    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def what(self):
        return self.one(".what").text

    def level(self):
        return self.one(".state").get_attribute("data-level")

    def press(self, selector):
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def shot(self, name, whole=True):
        options = {"format": "png"}
        if whole:
            size = self.driver.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
            options |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}}
        image = self.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"box-{name}.png").write_bytes(base64.b64decode(image))
        if (wrong := axe.inspect_once(self, name)) is not None:
            check(f"{name}: axe finds nothing", not wrong, wrong)


# The least height of what can be pressed, without what is hidden.
HEIGHT = "return Math.min(...[...document.querySelectorAll('button, .button, summary')].filter((e) => e.offsetParent)" \
    ".map((e) => e.getBoundingClientRect().height))"
NAMELESS = "return [...document.querySelectorAll('button, a, summary')].filter((e) => e.offsetParent && !e.textContent.trim()).length"


def good(page, box, address):
    page.look(390, 844, mobile=True)
    page.language("en-GB")
    page.driver.get(address)
    words = TEXTS["en"]
    page.wait("it says that the heart rate is watched", lambda: page.what() == words["state.watched"])
    check("in green", page.level() == "good", page.level())
    check("with the value", page.one(".number").text == "72", page.one(".number").text)
    check("every link of the chain is there", len(page.driver.find_elements(By.CSS_SELECTOR, ".chain li")) == len(LINKS))
    check("it says that the person is protected", page.one(".guardTitle").text == words["sos.protected"])
    check("and whom the box would call", "Berta, Carlo" in page.one(".who").text)
    check("nothing is asked", not page.one(".sos").is_displayed())
    check("the language is declared", page.one("html").get_attribute("lang") == "en")
    heights = page.driver.execute_script(HEIGHT)
    check("every button is at least 64 px high", heights >= 64, heights)
    check("every control has a name", page.driver.execute_script(NAMELESS) == 0)
    page.shot("good")
    first = page.one(".chain .age").text
    page.wait("ages go on counting while nothing changes", lambda: page.one(".chain .age").text != first)
    box.set(state(person(heartRate=73)))
    page.wait("a new value appears", lambda: page.one(".number").text == "73")


def bad(page, box):
    words = TEXTS["en"]
    box.set(troubled())
    page.wait("a strap that is not worn is said", lambda: page.what() == words["wearing.notWorn"])
    check("in red", page.level() == "broken", page.level())
    check("without a value", not page.one(".pulse").is_displayed())
    check("not protected is said", page.one(".guardTitle").text == words["sos.notProtected"])
    reasons = page.one(".reasons").text
    check("with every reason", all(words[key] in reasons for key in ("sos.not.notWorn", "sos.not.nobodyToCall", "sos.weak.noPosition")), reasons)
    check("notices say what to do", words["notice.sensor-not-worn.text"] in page.one(".notices").text, page.one(".notices").text)
    why_links(page, "en")
    check("an old position is told as such", words["box.position.old"] in page.one("[data-box=position]").text)
    check("what waits is told", "12,345" in page.one("[data-box=waiting]").text, page.one("[data-box=waiting]").text)
    page.look(390, 844, mobile=True)
    page.driver.execute_script("scrollTo(0, 0)")
    bottom = page.driver.execute_script("return document.querySelector('.first .help').getBoundingClientRect().bottom")
    check("help is in sight however much is wrong", bottom <= 844, bottom)
    page.shot("bad")
    box.set(state(person(pausedUntil=int(time.time() * 1000) + 900_000, isWatched=False, notices=["paused"])))
    page.wait("a pause is said", lambda: page.what() == words["state.paused"])
    ends = page.one(".more").text
    check("with its end", re.search(r"until \d\d:\d\d", ends) and re.search(r"1[45]\smin", ends), ends)
    check("and can be ended", page.one("[data-action=resume]").is_displayed() and not page.one("[data-action=pause]").is_displayed())
    page.shot("paused")
    off = person(kinds={"heartRate": False, "position": True}, isWatched=False)
    box.set(state(off))
    page.wait("a heart rate that was switched off is said", lambda: page.what() == words["state.heartRateOff"])
    new = state(persons=[])
    del new["hub"], new["position"]
    box.set(new)
    page.wait("a box that looks after nobody says so", lambda: page.one("#nobody").text == words["noPerson"])
    check("without a hub", page.one("[data-box=hub]").text == words["box.hub.none"])
    check("without a position", page.one("[data-box=position]").text == words["box.position.none"])


def why_links(page, lang):
    """Of `troubled()`: the monitor's own reason, one of a source, and one that this page has no words for."""
    def texts(part):
        return [page.one(f".chain li:nth-child({LINKS.index(name) + 1}) .{part}").get_attribute("textContent") for name in ("worn", "hub", "position")]
    words = TEXTS[lang]
    check(f"{lang}: why a link does not hold, in the reader's language", texts("why") == [words["link.why.notWorn"], words["problem.hubAway"], ""], texts("why"))
    check(f"{lang}: and what only the box's own words say", texts("own") == ["", "Connection refused", "Something new. Look at it"], texts("own"))


def hand(page, box):
    words = TEXTS["en"]
    one = f"{7:032x}"
    box.set(state())
    page.wait("all is well again", lambda: page.driver.find_elements(By.CSS_SELECTOR, ".state[data-level=good]"))
    page.press(".first .ok")
    page.wait("I'm OK is confirmed", lambda: words["reply.ok"] in page.one(".result").text)
    page.wait("and reached the box", lambda: box.acts() == [{"action": "ok", "person": one}])

    # In one go: a walk beside others is slower than a double press.
    page.driver.execute_script("for (const pressed of ['.first .help', '#helpYes']) document.querySelector(pressed).click()")
    check("help asks first, and a double press is no answer", page.one("#helpDialog").is_displayed())
    check("and says what it does", page.one("#helpText").text == words["help.text"], page.one("#helpText").text)
    page.shot("help", whole=False)
    page.one("#helpNo").click()
    check("going back goes back", not page.one("#helpDialog").is_displayed() and len(box.acts()) == 1)
    page.press(".first .help")
    time.sleep(1)
    page.one("#helpYes").send_keys("\ue007")  # Enter, from the keyboard
    page.wait("help is on its way, and it says so", lambda: words["reply.help"] in page.one(".result").text)
    check("112 can be phoned from there", page.one(".result a").get_attribute("href") == "tel:112")
    page.wait("the call for help reached the box", lambda: box.acts()[-1] == {"action": "help", "person": one})
    page.shot("helped")

    page.press("[data-action=pause]")
    page.shot("pause", whole=False)
    page.one("#pauseDialog [data-minutes='30']").click()
    page.wait("a pause was asked for", lambda: box.acts()[-1] == {"action": "pause", "minutes": 30, "person": one})
    for action in ("false-alarm", "reactivate", "sync"):
        page.press(f".person > .buttons [data-action={action}]")
        page.wait(f"{action} reached the box", lambda: box.acts()[-1]["action"] == action)
    page.one("summary").click()
    page.press("[data-kind=position]")
    wanted = {"action": "kinds", "person": one, "kinds": {"heartRate": True, "position": False}}
    page.wait("the choice of kinds reached the box", lambda: box.acts()[-1] == wanted)

    box.refuse({"isDone": True, "message": "Recorded. No alarm was open.", "words": "reply.false-alarm.none"})
    page.press(".person > .buttons [data-action=false-alarm]")
    page.wait("a false alarm without an alarm claims nothing", lambda: page.one(".result").text == words["reply.false-alarm.none"])
    check("and is no success", page.one(".result").get_attribute("data-level") == "weak")
    box.refuse({"isDone": True, "message": "Position: not collected. BUT …", "advice": "Check the disk", "caution": "reply.unkept"})
    page.press("[data-kind=position]")
    page.wait("what holds only until the box starts anew is said", lambda: words["reply.unkept"] in page.one(".result").text)
    result = page.one(".result")
    check("beside what was done, and not in green", words["reply.kinds"] in result.text and result.get_attribute("data-level") == "weak", result.text)
    box.refuse(None)

    page.press(".first .help")
    box.set(state(person(sos=sos(isProtected=False, reasons=["nobodyToCall"]))))
    page.wait("no call is promised that cannot go out, also once the question stands", lambda: page.one("#helpText").text == words["sos.nobody"])
    page.shot("help-nobody", whole=False)
    page.one("#helpNo").click()
    page.press(".first .help")
    check("nor before it", page.one("#helpText").text == words["sos.nobody"], page.one("#helpText").text)
    box.set(state())
    page.wait("it is, once it can", lambda: page.one("#helpText").text == words["help.text"])
    page.one("#helpNo").click()

    box.set(state(person(sos=sos(alarm=alarm(calls=[], reachesNobody=True)))))
    page.wait("where nobody can be called it says so, and what to do", lambda: page.one(".sosWarn").text == words["sos.nobody"])
    page.press(".first .help")
    time.sleep(1)
    page.one("#helpYes").click()
    page.wait("and a call for help says it again", lambda: words["reply.help.nobody"] in page.one(".result").text)
    box.set(state(person(sos=sos(alarm=alarm(calls=[], reachesNobody=True, isNobodySetUp=True)))))
    page.wait("where nobody is set up it says so", lambda: page.one(".sosWarn").text == words["sos.nobodySetUp"])
    page.shot("nobody-set-up")
    page.press(".first .help")
    time.sleep(1)
    page.one("#helpYes").click()
    page.wait("and so does the answer to a call for help", lambda: words["reply.help.nobodySetUp"] in page.one(".result").text)
    box.set(state())
    time.sleep(1)
    box.refuse({"isDone": False, "message": "The hub cannot be reached", "advice": "Check the network"})
    page.press("[data-action=sync]")
    page.wait("why nothing can be sent is told", lambda: "The hub cannot be reached. Check the network" in page.one(".result").text)
    box.refuse({"isDone": False, "message": "timed out", "advice": "Look", "words": "problem.hubAway"})
    page.press("[data-action=sync]")
    page.wait("and where there are words for it, by them", lambda: words["problem.hubAway"] in page.one(".result").text)
    check("beside the box's own", page.one(".result [lang=en]").text == "timed out", page.one(".result").text)
    page.press(".first .help")
    time.sleep(1)
    page.one("#helpYes").click()
    page.wait("a call for help that failed is told loudly", lambda: words["reply.help.failed"] in page.one(".result").text)
    page.shot("help-failed")
    box.refuse(None)


def distress(page, box, address):
    words = TEXTS["en"]
    one = f"{7:032x}"
    page.look(390, 844, mobile=True)
    page.driver.get(address)
    page.driver.execute_script("scrollTo(0, 0)")
    box.set(state(person(heartRate=183, sos=sos(question=question()))))
    page.wait("are you OK? is asked", lambda: page.one(".sosTitle").text == words["sos.question"])
    check("why", page.one(".sosText").text == words["sos.trigger.heartRateHigh"])
    left = page.one(".countdown").text
    check("with the seconds that are left", re.search(r"in [345]\s?s", left), left)
    page.wait("which count down", lambda: page.one(".countdown").text != left)
    bottom = page.driver.execute_script("return document.querySelector('.sos .help').getBoundingClientRect().bottom")
    check("both answers are in sight", bottom <= 844, bottom)
    heights = page.driver.execute_script("return [...document.querySelectorAll('.sos button')].filter((e) => e.offsetParent).map((e) => e.offsetHeight)")
    check("two answers, as large as a hand", len(heights) == 2 and min(heights) >= 96, heights)
    page.one(".sos .ok[data-action=ok]").click()
    page.wait("one press says I'm OK", lambda: box.acts()[-1] == {"action": "ok", "person": one})
    page.one(".sos .help[data-action=help]").click()
    page.wait("one press gets help", lambda: box.acts()[-1] == {"action": "help", "person": one})
    for phase in ("raised", "calling", "handedOver", "taken", "over", "answered"):
        more = COMING if phase == "taken" else ANSWERED if phase == "answered" else {}
        box.set(state(person(heartRate=183, sos=sos(alarm=alarm(phase, **more)))))
        page.wait(f"the alarm: {phase}", lambda: page.one(".sosTitle").text == words[f"sos.phase.{phase}"])
    shown = [button.get_attribute("data-action") for button in page.driver.find_elements(By.CSS_SELECTOR, ".sos button") if button.is_displayed()]
    check("what was answered can still be a false alarm, and waits for nothing", shown == ["false-alarm"], shown)
    check("until when it is silent is said", re.search(r"for (9|10)\s?min", page.one(".sosText").text), page.one(".sosText").text)
    page.shot("answered")
    box.set(state(person(sos=sos(alarm=alarm("calling", others=["Karl Sample"])))))
    page.wait("whoever else may have pressed is named", lambda: "Karl Sample" in page.one(".sosText").text)
    box.set(state(person(sos=sos(alarm=alarm("taken", **COMING)))))
    page.wait("who comes, and when", lambda: words["sos.phase.taken.by"].replace("{name}", "Ambulance 7") in page.one(".sosText").text)
    check("in minutes", re.search(r"in [34]\s?min", page.one(".sosText").text), page.one(".sosText").text)
    box.set(state(person(heartRate=183, sos=sos(alarm=alarm()))))
    page.wait("what the box does is listed", lambda: "Berta" in page.one(".sos .calls").text)
    calls = page.one(".sos .calls").text
    check("the last of each way", calls.count("Text to Berta") == 1 and "went out" in calls and "failed" in calls, calls)
    check("and why, in the reader's language", words["problem.undelivered"] in calls, calls)
    page.press(".sos [data-action=false-alarm]")
    page.wait("a false alarm is reported", lambda: box.acts()[-1] == {"action": "false-alarm", "person": one})
    page.press("[data-action=drill]")
    page.wait("a test is asked for", lambda: box.acts()[-1] == {"action": "drill", "person": one})
    page.driver.get(address)


def looks(page, box, address):
    for lang in ("en", "it"):
        page.language("it-IT" if lang == "it" else "en-GB")
        for name, shown in LOOKS:
            box.set(shown)
            for dark in (False, True):
                page.look(390, 844, dark=dark, mobile=True)
                page.driver.get(address)
                page.wait(f"{lang}: {name}{' dark' if dark else ''}", lambda: page.level() not in (None, "unknown"))
                if name == "bad" and not dark:
                    why_links(page, lang)
                if name == "sensors":
                    silent = f"C4:01:02:03:04:07/random: {TEXTS[lang]['other.silent']}"
                    temperature = r"Thermo: temperatur[ae] 38[.,]6 °C \(.*(90|91|92|93)"

                    def told():
                        return page.one(".strap").get_attribute("textContent")

                    page.wait("a sensor beside the strap tells its value and age, a silent one none",
                              lambda: re.search(temperature, told()) and silent in told())
                body = page.one("body").text
                check("no placeholder is left over", not re.search(r"[{}]|undefined|NaN|[a-z]\.[a-z]+\.[a-z]", body), body[:400])
                page.shot(f"{lang}-{name}{'-dark' if dark else ''}")
            for width in (320, 390, 768, 1280):
                page.look(width, 800, mobile=width < 1000)
                wide = page.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
                check(f"{lang}: {name} at {width} px nothing sticks out", wide <= 0, f"{wide} px")
                if width in (320, 1280):
                    page.shot(f"{lang}-{name}-{width}")
        page.look(320, 640, mobile=True)
        for opens, name in ((".first .help", "help"), ("[data-action=pause]", "pause")):
            page.press(opens)
            page.shot(f"{lang}-{name}-320", whole=False)
            inside = page.driver.execute_script(
                "const d = document.querySelector('dialog[open]'); return d.scrollWidth <= d.clientWidth"
                " && [...d.querySelectorAll('button, .button')].every((b) => b.scrollWidth <= b.clientWidth)")
            check(f"{lang}: the question fits at 320 px ({name})", inside)
            page.driver.execute_script("document.querySelector('dialog[open]').close()")
    page.one("nav a[lang=en]").click()
    page.wait("the language can be changed", lambda: page.one("html").get_attribute("lang") == "en")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    box, driver = Box(), None
    try:
        address = box.address()
        driver = browser()
        page = BoxPage(driver)
        good(page, box, address)
        bad(page, box)
        hand(page, box)
        distress(page, box, address)
        check_ins(page, box, address, TEXTS["en"])
        complaints = page.complaints()
        check("the browser has nothing to complain of (errors, content security policy)", not complaints, complaints[:5])
        lost(page, box, TEXTS["en"])
        looks(page, box, address)
        complaints = page.complaints()
        check("nor afterwards", not complaints, complaints[:5])
        killed(page, box)
    except Exception as error:  # a check that could not even be made is a failed one
        check("the run came to its end", False, f"{type(error).__name__}: {error}")
    finally:
        if driver:
            driver.quit()
        box.end()
    print(f"screenshots: {SHOTS.relative_to(ROOT)}")
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
