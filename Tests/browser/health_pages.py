"""My Health in a real browser, at phone and desk size and in both languages: latest values, plots, figures, without script and printed."""
# proves DATA-5: a person looks at a kind over a day, a week, a month, a year and everything, also without script
# proves DATA-6: the figures of these days stand below the plot
import re
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hub_pages import HUB, until, run
from live_page import check
from member import Member
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLEET = Path(HUB).with_name("trackme-fleet")
VALUE = "arguments[0].value = arguments[1]"
# Where the day is old enough to hold what was measured in the last hours, and a day before it.
ZONE = next(
    zone for zone in ("Europe/Rome", "America/New_York", "Asia/Tokyo")
    if 5 <= datetime.now(ZoneInfo(zone)).hour < 23)
SECONDS = 7200


def wear(person, home):
    """A made-up box sends two hours of heart rates, which end now."""
    person.go("/boxes")
    person.press("form[action='/boxes/code'] button")
    person.page.wait(f"{person.lang}: a code for a box", lambda: person.is_new() and person.all("code.command"))
    address, code = re.search(r"enrol '(\S+)' (\S+)", person.find("code.command").text).groups()
    state = str(home / f"fleet-{person.lang}.json")
    for command in (["enrol", address, code, "--state", state],
                    ["load", "--state", state, "--people", "1", "--seconds", str(SECONDS), "--kind", "heart-rate", "--connections", "1"]):
        subprocess.run([FLEET, *command], check=True, capture_output=True, text=True)


def typed(person, kind, **fields):
    """Enters a value by hand."""
    person.go(f"/data/entry?kind={kind}")
    for name, value in fields.items():
        person.driver.execute_script(VALUE, person.find(f"[name='{name}']"), value)
    person.press("main button.primary")
    stored = person.text("entry.stored").split("{")[0]
    if not person.page.wait(f"{person.lang}: {kind} is entered", lambda: person.is_new() and stored in person.main()):
        raise RuntimeError(person.main())


def entered(person):
    now = datetime.now().replace(second=0, microsecond=0)
    at = lambda days, hour=8, minute=0: (now - timedelta(days=days)).replace(hour=hour, minute=minute).strftime("%Y-%m-%dT%H:%M")
    for days, weight in ((29, 74.3), (22, 73.8), (21, 73.9), (20, 73.6), (9, 73.1), (2, 72.6)):
        typed(person, "weight", entryValue=str(weight), entryTime=at(days))
    typed(person, "blood_pressure", entryValue="121", entrySecond="79", entryTime=at(3))
    for days, steps in ((6, 8200), (5, 10350), (4, 4100), (2, 12800), (1, 6400)):
        typed(person, "steps", entryValue=str(steps), entryTime=at(days, 9), entryEnd=at(days, 21))
    for days in (1, 2, 4):
        for stage, begin, end in (("light", (0, 10), (2, 0)), ("deep", (2, 0), (3, 20)), ("rem", (3, 20), (4, 30)), ("awake", (4, 30), (4, 50)),
                                  ("light", (4, 50), (6, 40))):
            typed(person, "sleep", entryValue=stage, entryTime=at(days, *begin), entryEnd=at(days, *end))


def heart(person):
    lang = person.lang
    person.go("/health")
    check(f"{lang}: the heart rate stands above, measured by a sensor",
          person.text("live.bpm") in person.main() and person.text("health.source_live") in person.main(), person.main()[:300])
    check(f"{lang}: the weight was entered by hand", person.text("health.source_manual") in person.main())
    check(f"{lang}: times are the reader's", ZONE in person.main())
    check(f"{lang}: the plot is drawn", person.driver.execute_script(
        "return document.querySelector('.healthplot .mean').getBoundingClientRect().width > 2"))
    person.shot_on_desk("heart")
    person.find("section[aria-labelledby='plotTitle'] details summary").click()
    rows = person.all("details[open] tbody tr")
    check(f"{lang}: the table has the same points", 1 <= len(rows) <= 14, len(rows))
    figures = {term.text: term.find_element(By.XPATH, "following-sibling::dd").text for term in person.all(".healthfacts dt")}
    for name in ("stat_mean", "stat_median", "stat_p95", "stat_variance", "stat_deviation", "stat_error", "resting"):
        check(f"{lang}: {name} is there", re.search(r"\d", figures.get(person.text(f"health.{name}"), "")), figures)


def chosen(person):
    lang = person.lang
    for span in ("week", "month", "year", "all", "day"):
        person.driver.find_element(By.LINK_TEXT, person.text(f"health.span_{span}")).click()
        person.page.wait(f"{lang}: {span} is shown", lambda: person.all(f".chip[aria-current][href*='span={span}']"))
    person.find("a[rel='prev']").click()
    person.page.wait(f"{lang}: the day before has nothing", lambda: person.text("health.nothing") in person.main())
    person.find("a[rel='next']").click()
    person.page.wait(f"{lang}: and today has", lambda: person.all(".healthplot"))
    person.find("details:has(form) summary").click()
    person.enter({"maximum": "300"})
    person.press("details form button")
    person.told("health.maximumWrong", "a maximum of 300 is told")
    person.shot("wrong")
    person.enter({"maximum": "200"})
    person.press("details form button")
    own = person.text("health.zonesOwn").split("{")[0]
    person.page.wait(f"{lang}: zones are by the maximum that was entered", lambda: person.is_new() and own in person.main())
    check(f"{lang}: the days stayed", "from=" in person.driver.current_url and person.all(".healthplot"), person.driver.current_url)


def read(person):
    """Values by keys and pointer, and a part of the plot by drawing over it."""
    lang = person.lang
    person.go("/health?kind=heart_rate")
    plot, words = person.find(".healthplot"), lambda: person.find(".plotread").text
    check(f"{lang}: what to do is told", words() == person.text("health.plotHint"), words())
    person.driver.execute_script("arguments[0].focus()", plot)
    ActionChains(person.driver).send_keys(Keys.END).perform()
    last = words()
    check(f"{lang}: keys read a point", person.text("health.mean") in last and plot.get_attribute("aria-valuetext") == last, last)
    ActionChains(person.driver).send_keys(Keys.ARROW_LEFT).perform()
    check(f"{lang}: and the one before", words() != last and person.text("health.mean") in words(), words())
    ActionChains(person.driver).move_to_element_with_offset(plot, -plot.size["width"] // 2 + 60, 0).perform()
    check(f"{lang}: a gap is told", words() in (person.text("health.noPoint"), person.text("health.plotHint")) or ":" in words(), words())
    person.shot("read")
    ActionChains(person.driver).move_to_element(plot).click_and_hold().move_by_offset(plot.size["width"] // 4, 0).release().perform()
    person.page.wait(f"{lang}: a drawn part is looked at closer", lambda: "span=hours" in person.driver.current_url)
    person.go("/health?kind=heart_rate")
    person.driver.execute_script("arguments[0].focus()", person.find(".healthplot"))
    ActionChains(person.driver).send_keys("+").perform()
    person.page.wait(f"{lang}: + looks closer", lambda: "span=hours" in person.driver.current_url and person.all(".healthplot[tabindex]"))
    person.shot("closer")
    focus = person.driver.execute_script("return document.activeElement.outerHTML.slice(0, 80) + location.hash")
    check(f"{lang}: who zoomed by keys goes on by keys", "healthplot" in focus, focus)
    ActionChains(person.driver).send_keys("-").perform()
    person.page.wait(f"{lang}: - shows the day", lambda: "span=day" in person.driver.current_url)


def kinds(person):
    for kind, span in (("weight", "month"), ("steps", "week"), ("sleep", "week"), ("blood_pressure", "week")):
        person.go(f"/health?kind={kind}&span={span}")
        if not person.all(".healthplot path"):
            person.find("a[rel='prev']").click()
        check(f"{person.lang}: {kind} is drawn", person.all(".healthplot path"))
        person.shot_on_desk(kind)
        check(f"{person.lang}: {kind}: less than 50 kB", len(person.driver.page_source.encode()) < 50_000)


def plain(person):
    """Without script, and on paper."""
    command = person.driver.execute_cdp_cmd
    command("Emulation.setScriptExecutionDisabled", {"value": True})
    person.go("/health?kind=heart_rate")
    check(f"{person.lang}: without script the plot is there", len(person.all(".healthplot .mean")) > 0)
    person.find("a[rel='prev']").click()
    until("the day before, without script", lambda: "day=" in person.driver.current_url)
    check(f"{person.lang}: without script links work", person.text("health.nothing") in person.main())
    command("Emulation.setScriptExecutionDisabled", {"value": False})
    person.go("/health?kind=heart_rate")
    command("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = [selector for selector in (".sitehead", ".sitefoot", ".screenonly") if any(part.is_displayed() for part in person.all(selector))]
    check(f"{person.lang}: on paper there is no menu and no form", not hidden, hidden)
    check(f"{person.lang}: on paper the table is open", person.find("details tbody tr").is_displayed())
    person.page.shot(f"health-print-{person.lang}", whole=True)
    command("Emulation.setEmulatedMedia", {"media": ""})
    person.shot_dark()


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ZONE})
        person.widths = (320, 390, 1280)
        person.person()
        person.go("/health")
        check(f"{lang}: nothing is there yet, and what to do is told", person.text("health.noLatest") in person.main())
        person.shot("empty")
        wear(person, home)
        entered(person)
        heart(person)
        chosen(person)
        read(person)
        kinds(person)
        plain(person)
        person.is_quiet("person")


if __name__ == "__main__":
    run("health", walk)
