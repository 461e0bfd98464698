"""A race in a real browser: `packaging/demo/race`, with the hub's own stream and boxes that send, from the gun to the results."""
# proves RUN-7: who runs moves on the map and in the list, behind a slow line too, and after the line was gone
# proves RUN-10, RUN-11: when it is over it is watched again from its data, and everybody has a time
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from live_page import Page, ROOT, SHOTS, check, failed, passed
from selenium.webdriver.common.by import By
from watch_pages import Spectator, browser

RUNNERS, SPEED = 30, 10
# Through after some 90 s of the watch at this speed, the slowest too.
METRES = 1500
# Bytes a second and milliseconds of a line somewhere in the woods.
SLOW = {"offline": False, "latency": 300, "downloadThroughput": 20_000, "uploadThroughput": 10_000}
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
KM = r"(\d+)[.,](\d+) km"


def course(folder):
    """Straight to the north, a point each 50 m."""
    points = "".join(f'<trkpt lat="{45.6 + metres / 111_195:.6f}" lon="9.7"></trkpt>' for metres in range(0, METRES + 1, 50))
    file = Path(folder) / "short.gpx"
    file.write_text(f'<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Short</name>'
                    f"<trkseg>{points}</trkseg></trk></gpx>")
    return file


class Demo:
    def __init__(self, folder):
        environment = {**os.environ, "COURSE": str(course(folder)), "RUNNERS": str(RUNNERS), "TRACKME_DEMO_SPEED": str(SPEED)}
        environment["HUB_URL"] = "https://elsewhere.example"
        self.again = None
        self.out = (Path(folder) / "demo.log").open("w+")
        self.process = subprocess.Popen(
            [ROOT / "packaging/demo/race"], env=environment, stdout=self.out, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + 120
        while not (found := re.search("^Open: (.*)$", self.says(), re.M)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the demo does not start: {self.says()[-800:]}")
            time.sleep(0.2)
        self.url = found.group(1)

    def says(self):
        self.out.flush()
        return Path(self.out.name).read_text()

    def kill(self):
        os.kill(int(re.search(r"kill -9 (\d+)", self.says()).group(1)), signal.SIGKILL)

    def start_again(self):
        command = re.search("^  (.*trackme-hub serve .*)$", self.says(), re.M).group(1)
        self.again = subprocess.Popen(command.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        if self.again:
            self.again.terminate()
            self.again.wait(30)


def metres(row):
    found = re.search(KM, (row or {}).get("metres", ""))
    return int(found.group(1)) * 1000 + int(found.group(2).ljust(3, "0")[:3]) if found else -1


def line(it, kind):
    it.driver.execute_cdp_cmd("Network.enable", {})
    it.driver.execute_cdp_cmd("Network.emulateNetworkConditions", kind)


def leader(it):
    """The bib of who is first on the list."""
    return it.driver.execute_script("return Number(document.querySelector('#rows .w-bib')?.textContent ?? 0)")


def live(it):
    it.open()
    it.wait("the line is said to be good", lambda: it.text("connection") == it.t["connected"], 60)
    it.wait("the gun: somebody has a place and a pace", lambda: "/km" in (it.row(leader(it)) or {}).get("pace", ""), 90)
    drawn = "return Number(document.querySelector('.racers')?.dataset.drawn ?? 0)"
    it.wait("nearly everybody is on the map", lambda: it.driver.execute_script(drawn) > RUNNERS * 2 // 3, 60)
    bib = leader(it)
    before = metres(it.row(bib))
    it.wait("who runs moves on", lambda: metres(it.row(bib)) > before + 20)
    hearts = it.driver.execute_script("return [...document.querySelectorAll('#rows .w-hr')].filter((e) => e.textContent.includes('♥')).length")
    it.check("hearts of those who agreed, and of nobody else", 0 < hearts < RUNNERS, hearts)
    it.page.shot(f"race-live-{it.lang}")
    line(it, SLOW)
    before = metres(it.row(bib))
    it.wait("a slow line shows it too", lambda: metres(it.row(bib)) > before and it.text("connection") == it.t["connected"])
    return bib


def killed(it, bib, demo):
    """What the demo tells people to try: the hub is killed and started again, and nothing gets lost."""
    line(it, FAST)
    demo.kill()
    it.wait("a hub that is gone is said", lambda: it.text("connection") != it.t["connected"], 60)
    before = metres(it.row(bib))
    it.page.shot(f"race-lost-{it.lang}")
    demo.start_again()
    it.wait("the page finds it again by itself", lambda: it.text("connection") == it.t["connected"], 60)
    it.wait("with what happened meanwhile", lambda: metres(it.row(bib)) > before)
    it.page.complaints()


def over(it, demo):
    it.wait("everybody is through", lambda: "The race is over" in demo.says(), 240)


def results(it, demo):
    base = demo.url.removesuffix("/live")

    def timed():
        it.driver.get(f"{base}/results")
        return [row for row in it.driver.find_elements(By.CSS_SELECTOR, "main tbody tr") if re.search(r"\d:\d\d", row.text)]
    # Not everybody lets others see the time.
    it.wait("most have a time", lambda: len(timed()) > RUNNERS // 2)
    it.page.shot(f"race-results-{it.lang}", whole=True)
    link = it.driver.find_elements(By.CSS_SELECTOR, "main tbody a")
    it.check("each has a page of their own", link)
    link[0].click()
    it.wait("with a picture to share", lambda: it.driver.find_elements(By.CSS_SELECTOR, "meta[property='og:image']"))
    it.page.shot(f"race-result-{it.lang}", whole=True)
    for path in (f"{base}/results", demo.url):
        it.driver.get(path)
        wide = it.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        it.check(f"{path.rsplit('/', 1)[1]}: nothing sticks out at 390 px", wide <= 0, wide)


def replayed(it):
    it.open()
    time.sleep(3)
    return it.text("connection") == it.t["replay"]


def replay(it):
    # The run ends half an hour behind the slowest that is let in: three minutes of the watch.
    it.wait("the run ends by its time, and can be watched again", lambda: replayed(it), 400)
    it.driver.execute_script("const s = document.getElementById('slider'); s.value = s.max / 2; s.dispatchEvent(new Event('input'))")
    it.wait("in the middle they are under way", lambda: metres(it.row(leader(it))) > METRES // 4)
    it.page.shot(f"race-replay-{it.lang}")
    it.driver.execute_script("const s = document.getElementById('slider'); s.value = s.max; s.dispatchEvent(new Event('input'))")
    it.wait("at the end the first is through", lambda: (it.row(leader(it)) or {}).get("said") == it.t["finished"])


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with tempfile.TemporaryDirectory() as folder:
            demo, driver = Demo(folder), browser("--ignore-certificate-errors")
            try:
                page = Page(driver)
                page.look(390, 844, mobile=True)
                both = {lang: Spectator(page, SimpleNamespace(url=demo.url, race=None), lang) for lang in ("en", "it")}
                page.language("en-GB")
                bib = live(both["en"])
                killed(both["en"], bib, demo)
                page.language("it-IT")
                both["it"].open()
                both["it"].wait("the same in Italian", lambda: both["it"].text("connection") == both["it"].t["connected"])
                page.shot("race-live-it")
                over(both["it"], demo)
                for lang, tag in (("it", "it-IT"), ("en", "en-GB")):
                    page.language(tag)
                    results(both[lang], demo)
                for lang, tag in (("en", "en-GB"), ("it", "it-IT")):
                    page.language(tag)
                    replay(both[lang])
                complaints = [text for text in page.complaints() if "ERR_CONNECTION_REFUSED" not in text]
                check("the browser has nothing to complain of", not complaints, complaints[:5])
            finally:
                driver.quit()
                demo.end()
    except Exception as error:  # a check that could not even be made is a failed one
        check("the run came to its end", False, f"{type(error).__name__}: {error}")
    print(f"screenshots: {SHOTS.relative_to(ROOT)}")
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
