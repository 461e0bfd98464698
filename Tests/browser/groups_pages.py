"""Asking about groups in a real browser, at phone size and in both languages: an organisation asks, an operator looks at it, figures come."""
# proves GRP-1: questions of the documents, each shown as what it becomes before it is asked, by names, by ages and by a circle on the map
# proves GRP-7: figures with their intervals, plots, tables and downloads
# proves CONS-11: an operator looks at the first request about a group
# proves ACC-18: the pages fit a phone from 320 px on, and work without JavaScript
import os
import random
import re
import sqlite3
import time

from hub_pages import URL, run
from live_page import check
from member import Member
from selenium.webdriver.common.action_chains import ActionChains

WEEK, DAY = 7 * 86_400_000, 86_400_000
# Kinds by their numbers: those with a share of the budget as installed, and heights, to which this hub gives one. Positions can have none: of women by
# where they are the walk asks where they live.
HEART, STEPS, WEIGHT, HEIGHT, SLEEP = 1, 17, 21, 22, 26
SHARED = [HEART, STEPS, WEIGHT, HEIGHT, SLEEP]
os.environ["HUB_GROUPS_KINDS"] = "heart_rate=3,steps=1,sleep=1,weight=1,height=1"
# As the hub keeps levels.
LEVELS = {"IT-25": 1, "CH-VD": 1, "IT-MI": 2, "IT-015146": 3}
SIGMA = 40


def varint(number):
    left, out = number << 1 if number >= 0 else (-number << 1) - 1, []
    while left >= 0x80:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


def cells(codes, people, middle):
    """Made-up people of all ages and both sexes in each region, 16 classes around a middle, with noise."""
    out = b"\x01"
    for code in sorted(codes):
        for number, cell in enumerate([sex * 21 + band for sex in (0, 1) for band in range(21)]):
            out += bytes([0 if number else len(code)]) + (b"" if number else code.encode()) + bytes([cell])
            shape = [max(0.0, 1 - abs(bin + 0.5 - middle) / 4) for bin in range(16)]
            for share in shape:
                out += varint(round(people * share / sum(shape) + random.gauss(0, SIGMA)))
    return out


def release(hub, kinds):
    """Puts the last four weeks of made-up people into the hub, as closing a window does. It is what the hub's own tests do: a fleet of so many
    people would take hours."""
    now = int(time.time() * 1000)
    newest = (now - 3 * DAY - WEEK - 4 * DAY) // WEEK
    database = sqlite3.connect(next(hub.directory.glob("accounts*.sqlite")), timeout=20)
    with database:
        for number in range(newest - 3, newest + 1):
            start = number * WEEK + 4 * DAY
            database.execute("INSERT OR IGNORE INTO group_closed(length, start, closed) VALUES(?, ?, ?)", (WEEK, start, start + WEEK + 3 * DAY))
            for kind in kinds:
                for level in sorted(set(LEVELS.values())):
                    codes = [code for code, own in LEVELS.items() if own == level]
                    database.execute(
                        "INSERT OR REPLACE INTO group_release(length, kind, start, level, numerator, denominator, cells) VALUES(?, ?, ?, ?, ?, 1, ?)",
                        (WEEK, kind, start, level, SIGMA * SIGMA, cells(codes, 9_000 // level, 7.5 + level / 3)))
    database.close()


class GroupWalk(Member):
    def offered(self):
        """The kinds that can be asked for, by their numbers."""
        self.go("/groups/ask")
        return [int(tick.get_attribute("name").removeprefix("kind")) for tick in self.all("form[action='/groups/ask'] input[name^='kind']")]

    def show(self, kinds, fields, name):
        """Types a question and shows what it becomes."""
        self.go("/groups/ask")
        for kind in kinds:
            self.find(f"[name='kind{kind}']").click()
        self.enter({"requestPurpose": "A study of sleep and hearts", **fields})
        self.press("form[action='/groups/ask'] button.primary")
        self.page.wait(f"{self.lang}: {name}: shown as what it becomes", lambda: self.is_new() and self.all("#became"))
        return self.find("#became").text

    def ask(self, name):
        self.press("#became form button")
        self.page.wait(f"{self.lang}: {name}: asked", lambda: self.is_new() and re.search(r"/groups/[0-9a-f]{32}$", self.driver.current_url))
        return self.driver.current_url.removeprefix(URL)

    def figure(self, path, name, kinds=1):
        """The mean of the first kind with its interval, as the page says it. Each kind has one."""
        self.go(path)
        # What is folded up has no text.
        means = []
        for article in self.all("article:has(> .groupfigures)"):
            rows = {row.find_element("tag name", "th").text: row.find_element("tag name", "td").text.split("\n")
                    for row in article.find_elements("css selector", ":scope > .groupfigures tbody tr")}
            means.append(rows.get(self.text("groupAsk.mean")))
        check(f"{self.lang}: {name}: each of {kinds} means and its interval: {means}",
              len(means) == kinds and all(mean and len(mean) == 2 for mean in means), self.main()[:300])
        found = means[0] if means else None
        self.page.look(360, 740, mobile=True)
        cells = self.all("article > .groupfigures td span")
        check(f"{self.lang}: {name}: at 360 px each interval is within the window",
              bool(cells) and all(cell.rect["x"] + cell.rect["width"] <= 360 for cell in cells))
        self.page.look(390, 844, mobile=True)
        check(f"{self.lang}: {name}: bars and points have lines for what is sure", len(self.all(".groupplot .whisker")) >= 48)
        return found

    def wrong(self):
        self.go("/groups/ask")
        self.shot("ask")
        self.press("form[action='/groups/ask'] button.primary")
        self.told("groupAsk.noKinds", "a question without a kind is told")
        self.shot("ask-wrong")
        self.enter({"places": "Lausanne"})
        self.press("form[action='/groups/ask'] button.primary")
        said = self.text("groupAsk.unknownPlace").replace("{place}", "Lausanne")
        self.page.wait(f"{self.lang}: a town that the list does not have is told", lambda: self.is_new() and said in self.main())

    def draw(self):
        """A circle by two taps, around Milan."""
        self.go("/groups/ask")
        self.page.wait(f"{self.lang}: the map is there", lambda: self.all("#map .leaflet-pane"))
        self.enter({"circle": "45.46420, 9.18998", "radius": "4"})
        self.driver.execute_script("document.getElementById('radius').dispatchEvent(new Event('change'))")
        self.find("#drawNothing").click()
        check(f"{self.lang}: what was drawn can be removed", self.find("[name='circle']").get_attribute("value") == "")
        self.find("#drawCircle").click()
        box = self.find("#map")
        ActionChains(self.driver).move_to_element(box).click().perform()
        self.page.wait(f"{self.lang}: a tap sets the middle", lambda: "," in self.find("[name='circle']").get_attribute("value"))
        ActionChains(self.driver).move_to_element_with_offset(box, 40, 0).click().perform()
        self.page.wait(f"{self.lang}: a second one the radius", lambda: self.find("[name='radius']").get_attribute("value") != "")
        became = self.show([HEART], {"ageFrom": "20", "ageThrough": "30", "circle": "45.46420, 9.18998", "radius": "4", "polygon": ""}, "a district")
        check(f"{self.lang}: the circle became Milan", "Milano" in became, became)
        check(f"{self.lang}: which is on the map", bool(self.all("#map .pin-here")))
        self.shot("became-district")
        return self.ask("20 to 30 in a district")

    def questions(self, chief):
        check(f"{self.lang}: the kinds of the hub are offered", self.offered() == SHARED, str(self.offered()))
        release(self.hub, SHARED)
        became = self.show([HEART], {"sexFemale": True, "ageFrom": "30", "ageThrough": "35", "places": "Vaud", "past": "4"}, "women around Lausanne")
        check(f"{self.lang}: 30 to 35 became 30 to 34", self.text("groupAsk.ageSpan").format(**{"from": 30, "through": 34}) in became, became)
        self.shot("became")
        women = self.ask("women of 30 to 35 around Lausanne")
        check(f"{self.lang}: it waits for an operator", self.text("groupAsk.state_waiting") in self.main())
        self.shot("waiting")
        self.approve(chief)
        self.figure(women, "women around Lausanne")
        self.shot_on_desk("answer")
        sleeps = {}
        for name, place in (("Milan", "IT-015146"), ("its region", "Lombardia")):
            self.show([SLEEP], {"ageFrom": "25", "ageThrough": "40", "places": place, "past": "4"}, name)
            path = self.ask(f"hours slept in {name}")
            self.approve(chief)
            sleeps[name] = self.figure(path, f"hours slept in {name}")
        check(f"{self.lang}: Milan can be held against its region", sleeps["Milan"] != sleeps["its region"], str(sleeps))
        became = self.show([WEIGHT, HEIGHT], {"ageFrom": "6", "ageThrough": "19", "places": "Lombardia"}, "6 to 19")
        check(f"{self.lang}: 6 to 19 became 5 to 19", self.text("groupAsk.ageSpan").format(**{"from": 5, "through": 19}) in became, became)
        path = self.ask("weight and height from 6 to 19")
        self.approve(chief)
        self.figure(path, "weight and height from 6 to 19", kinds=2)
        self.figure(self.draw(), "20 to 30 in a district")
        return women

    def approve(self, chief):
        """The operator sees who asks what, and lets it leave."""
        chief.go("/operator/groups")
        if not chief.all("form[action$='/approve']"):
            return
        check(f"{self.lang}: the operator sees who asks, and why", "Lab of Bergamo" in chief.main() and "A study of sleep and hearts" in chief.main(), chief.main())
        if not chief.shown:
            chief.shot_on_desk("operator")
            chief.shown = True
        chief.press("form[action$='/approve'] button")
        chief.at("/operator/groups", "a request is let through")
        check(f"{self.lang}: nothing waits for the operator", not chief.all("form[action$='/approve']"))

    def refused(self):
        self.show([HEART], {"places": "Basilicata"}, "nobody there")
        self.ask("a group of nobody")
        check(f"{self.lang}: a refusal is one word and its explanation", self.text("groupAsk.refused") in self.main()
              and self.text("groupAsk.refusedText") in self.main())
        self.shot("refused")

    def history(self, path):
        self.go("/groups")
        check(f"{self.lang}: the history has them all", len(self.all("article")) >= 6)
        self.shot("history")
        self.go(path)
        self.press(f"form[action='{path}/mail'] button")
        self.at(f"{path}/mail", "a link is mailed")
        self.driver.get(re.search(rf"{URL}/groups/\S+", self.hub.mail(self.email, "/mailed/")).group())
        self.at(path, "which leads to the answer")
        # Without scripts the answer is the same.
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.driver.get(URL + path)
        check(f"{self.lang}: without scripts the plots are there", len(self.all(".groupplot")) >= 2)
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def walk(home, hub, lang):
    with Member(home, hub, lang, "operator") as chief, GroupWalk(home, hub, lang, "organisation") as way:
        chief.shown = False
        chief.operator()
        way.organisation("Lab of Bergamo")
        way.wrong()
        path = way.questions(chief)
        way.refused()
        way.history(path)
        for member in (way, chief):
            member.is_quiet(member.role)


if __name__ == "__main__":
    run("groups", walk)
