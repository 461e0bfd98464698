"""Every page that people of the demo can reach, looked at by axe-core: in both languages, light and dark, on the narrowest phone and a wide desk.

What other roles see, and states on the way, the other walks look at: each page that they take a picture of (axe.py). Beside that what pages weigh
on the line, and when a slow phone shows something of them.
"""
# proves ACC-18: axe-core finds nothing wrong with the pages of a person, a relative and a stranger, none scrolls sideways, and all weigh little
import json
import re
import sys
import tempfile
import urllib.parse

import axe
from axe_demo import Demo
from live_page import ROOT, Page, check, failed, passed
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from watch_pages import browser

TABLE = ROOT / "Tests/HubWebTests/Access"
PAGES_MAX = 150
# Links that lead to no page, or end something.
NO_PAGE = re.compile(r"^/emergencies$|\.(csv|xml|gpx|ics|json|pem)$|/(file|export|events|recent|download)(/|$)|^/(assets|vendor|api|l)/")
# What a person's own kinds look like, drawn each in its way.
KINDS = ("heart_rate", "steps", "weight", "sleep")
STARTS = {
    "person": ["/home", "/more", "/people", "/health", "/workouts", "/workouts/map?span=all", "/runs", "/boxes", "/data", "/ledger", "/places?lat=45.7&lon=9.67",
               *(f"/health?kind={kind}&span={span}" for kind in KINDS for span in ("week", "month")), "/nothing-here", "/operator/requests"],
    "relative": ["/home", "/more", "/people", "/care", "/following"],
    "stranger": ["/", "/log-in", "/sign-up", "/sign-up/person", "/sign-up/organisation", "/sign-up/organiser", "/sign-up/caregiver", "/forgotten", "/claim",
                 "/crew", "/runs", "/reset/none", "/confirm/none", "/hand-over/none", "/care/invitation/none", "/runs/invitation/none", "/no-letters/none",
                 "/help/data", "/people/00000000-0000-0000-0000-000000000000", "/nothing-here"],
}


def routes(method, status=None):
    """Patterns of the hub's addresses, as regular expressions, out of the table of who may ask for what."""
    for file in sorted(TABLE.glob("AccessTable*.swift")):
        for line in re.findall(rf"^\s+{method}\s+(/\S*)\s+\S+\s+(\S+)", file.read_text(), re.M):
            if status is None or line[1] == status:
                yield line[0]


def pattern(path, known):
    """The route that an address belongs to: among several the one with the fewest parameters."""
    fits = [route for route in known if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.replace("**", ".+")), path)]
    return min(fits, key=lambda route: route.count("{"), default=path)


def inspected(driver, name):
    wrong = axe.inspect(driver)
    check(f"{name}: axe finds nothing", not wrong, wrong)


def weighed(crawl, addresses):
    heavy = [address for address in addresses if axe.weight_max(address) is not None]
    check(f"{crawl.who}: there are pages to weigh", bool(heavy), addresses)
    for address in heavy:
        most = axe.weight_max(address)
        size, parts, paint = axe.weigh(crawl.driver, crawl.base, address)
        largest = ", ".join(f"{name} {part}" for name, part in parts[:6])
        print(f"       {crawl.who}: {address}: {size / 1000:.0f} KB in {len(parts)} answers, first paint {paint:.0f} ms; {largest}", flush=True)
        check(f"{crawl.who}: {address} weighs less than {most // 1000} KB", size < most, parts[:10])
        check(f"{crawl.who}: {address} shows something within {axe.PAINT_MAX} ms", paint < axe.PAINT_MAX, paint)


class Crawl:
    """One person's way to all pages, in a browser of their own."""

    def __init__(self, who, driver, base):
        self.who, self.driver, self.base = who, driver, base
        self.known, self.refusing = list(routes("GET")), set(routes("POST", "422"))
        self.page = Page(driver)

    def open(self, address):
        self.driver.get(self.base + address)
        WebDriverWait(self.driver, 30).until(lambda driver: driver.execute_script("return document.readyState") == "complete")
        return self.driver.execute_script("return document.contentType === 'text/html' && location.pathname + location.search")

    def links(self):
        hrefs = self.driver.execute_script("return [...document.querySelectorAll('a[href]:not([download])')].map((a) => a.href)")
        for href in hrefs:
            if href.startswith(self.base):
                address = urllib.parse.urldefrag(href.removeprefix(self.base)).url
                if not NO_PAGE.search(address.split("?")[0]):
                    yield address or "/"

    def find(self):
        """The addresses of all pages, one for each route, beside those of STARTS."""
        waiting, found = list(STARTS[self.who]), {}
        while waiting and len(found) < PAGES_MAX:
            address = waiting.pop(0)
            key = address if address in STARTS[self.who] else pattern(address.split("?")[0], self.known)
            if key in found:
                continue
            if not self.open(address):
                continue
            found[key] = address
            waiting += self.links()
        return list(found.values())

    def speak(self, lang):
        self.page.language({"en": "en-GB", "it": "it-IT"}[lang])
        self.driver.get(f"{self.base}/help/data")
        chosen = self.driver.find_elements(By.CSS_SELECTOR, f"form[action='/language'] button[value='{lang}']")
        if chosen:
            chosen[0].click()
        said = lambda driver: driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == lang
        WebDriverWait(self.driver, 20).until(said)

    def forms(self):
        """The pages that empty forms of this one bring: what is wrong stands at each field."""
        actions = self.driver.execute_script(
            "return [...document.querySelectorAll('main form[method=post]')].map((form) => form.getAttribute('action') ?? location.pathname)")
        for number, action in enumerate(actions):
            if pattern(action.split("?")[0], self.refusing) not in self.refusing:
                continue
            self.driver.execute_script(EMPTY, number)
            WebDriverWait(self.driver, 30).until(
                lambda driver: driver.execute_script("return !window.isOld && document.readyState === 'complete'"))
            return action
        return None

    def look(self, addresses, lang):
        for address in addresses:
            if not self.open(address):
                continue
            inspected(self.driver, f"{lang}: {self.who}: {address}")
            action = self.forms()
            if action:
                inspected(self.driver, f"{lang}: {self.who}: {address}, {action} sent empty")


EMPTY = """
const form = [...document.querySelectorAll("main form[method=post]")][arguments[0]];
window.isOld = true;
form.noValidate = true;
for (const field of form.elements) {
  if (field.type === "checkbox" || field.type === "radio") field.checked = false;
  else if (field.type !== "hidden" && field.type !== "submit") field.value = "";
}
HTMLFormElement.prototype.submit.call(form);
"""


def walk(who, demo):
    driver = browser("--ignore-certificate-errors")
    driver.set_script_timeout(60)
    try:
        crawl = Crawl(who, driver, demo.base)
        if who != "stranger":
            driver.get(demo.link(who))
            driver.find_element(By.CSS_SELECTOR, "main form button").click()
            WebDriverWait(driver, 30).until(lambda driver: driver.current_url.endswith("/home"))
        else:
            driver.get(demo.link("watch"))
            driver.find_element(By.ID, "redeem").click()
            WebDriverWait(driver, 30).until(lambda driver: "/people/" in driver.current_url)
            STARTS[who].append(urllib.parse.urlparse(driver.current_url).path)
        crawl.speak("en")
        addresses = crawl.find()
        check(f"{who}: pages are found", len(addresses) > 15, addresses)
        print(f"{who}: {len(addresses)} pages: {json.dumps(addresses)}", flush=True)
        weighed(crawl, addresses)
        for lang in ("en", "it"):
            crawl.speak(lang)
            crawl.look(addresses, lang)
    finally:
        driver.quit()


def main():
    roles = sys.argv[1:] or list(STARTS)
    with tempfile.TemporaryDirectory() as folder:
        demo = None
        try:
            demo = Demo(folder)
            for who in roles:
                walk(who, demo)
        except Exception as error:  # a check that could not even be made is a failed one
            check("the run came to its end", False, f"{type(error).__name__}: {error}")
        finally:
            if demo:
                demo.end()
    print(f"{len(passed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
