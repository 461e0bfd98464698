"""The tour, today and the menu in a real browser, at phone and desk size and in both languages: tabs, first steps, the day of somebody who wears a box."""
# proves ACC-14: first steps lead to their pages, tick themselves, go away and come back
# proves ACC-14: the tour shows cards with pictures to each reader, is swiped and turned on a phone, and can be skipped
# proves ACC-18: content begins above 160 px on a phone, and the tabs fit from 320 px
from hub_pages import run
from health_pages import wear
from live_page import check
from member import Member
from selenium.webdriver.common.by import By

TOP = "return document.querySelector('main h1').getBoundingClientRect().top"
SMALL = "return [...document.querySelectorAll('.sitehead a, .sitehead button')].filter((e) => e.offsetParent !== null && e.offsetHeight < 44)" \
    ".map((e) => e.textContent)"
COVERED = "const bar = document.querySelector('.sitehead nav').getBoundingClientRect().top; scrollTo(0, document.body.scrollHeight);" \
    "return document.querySelector('.sitefoot p').getBoundingClientRect().bottom <= bar + 1"


def head(person, path):
    """The head is small, the tabs are at the bottom of a phone and cover nothing."""
    lang = person.lang
    person.go(path)
    top = person.driver.execute_script(TOP)
    check(f"{lang}: {path}: content begins above 160 px", top < 160, top)
    small = person.driver.execute_script(SMALL)
    check(f"{lang}: {path}: a thumb can use the head and the tabs", not small, small)
    check(f"{lang}: {path}: the tabs cover nothing of the page's end", person.driver.execute_script(COVERED))


READERS = {"person": "person", "relative": "caregiver", "organisation": "organisation", "organiser": "organiser"}
# The card that stands still at the list's beginning; 0 while the list moves.
SHOWN = """
const cards = [...document.querySelectorAll('.tourcard')], begin = document.querySelector('.tourcards').getBoundingClientRect().left;
return cards.findIndex((card) => Math.abs(card.getBoundingClientRect().left - begin) < 2) + 1"""
PICTURES = "return [...document.querySelectorAll('.tourpicture')].filter((e) => e.querySelector('use').getBBox().width > 50).length"


def tour(person):
    """Before there is an account: who reads, five cards with pictures, and the way past them."""
    lang = person.lang
    person.go("/")
    person.press("main a[href='/tour']")
    person.at("/tour", "the first page leads to the tour")
    person.shot("tour")
    for reader, role in READERS.items():
        person.go("/tour")
        person.press(f".tourroles a[href='/tour/{reader}']")
        person.at(f"/tour/{reader}", f"the tour of {reader}")
        check(f"{lang}: {reader}: there are five cards", len(person.all(".tourcard")) == 5)
        person.page.wait(f"{lang}: {reader}: each has its picture", lambda: person.driver.execute_script(PICTURES) == 5)
        check(f"{lang}: {reader}: the last says what is needed", len(person.all(".tourcard:last-child li")) >= 3)
        check(f"{lang}: {reader}: it can be skipped", person.all(f".tourskip[href='/sign-up/{role}']"))
        for number in (2, 3, 4, 5):
            person.find(f"#card{number - 1} a[href='#card{number}']").click()
            person.page.wait(f"{lang}: {reader}: card {number} comes", lambda: person.driver.execute_script(SHOWN) == number)
        person.shot(f"tour-{reader}")
        person.page.look(1280, 800, dark=True)
        person.page.shot(f"home-tour-{reader}-{lang}-dark", whole=True)
        person.page.look(390, 844, mobile=True)
    person.press(".tourskip")
    person.at("/sign-up/organiser", "who skips it signs up")
    for path in ("/log-in", "/sign-up"):
        person.go(path)
        check(f"{lang}: {path} leads to the tour", person.all("main a[href='/tour']"))
    person.press(".sitefoot a[href='/status']")
    person.at("/status", "every page leads to how available the hub was")
    check(f"{lang}: each service has a state", len(person.all("section.card .badge")) == 3)
    person.shot("status")


def tabs(person):
    lang = person.lang
    for path in ("/home", "/health", "/runs", "/people", "/more", "/boxes", "/help/data"):
        head(person, path)
    person.go("/home")
    links = [link.get_attribute("href") for link in person.all(".sitehead nav a")]
    check(f"{lang}: there are five tabs", len(links) == 5, links)
    bar = person.find(".sitehead nav").rect
    check(f"{lang}: they are at the bottom of a phone", bar["y"] + bar["height"] >= 800, bar)
    for name in ("health", "runs", "people", "more", "home"):
        person.press(f".sitehead nav a[href='/{name}']")
        person.at(f"/{name}", f"the tab {name}")
        check(f"{lang}: the tab {name} is marked", person.all(f".sitehead nav a[href='/{name}'][aria-current='page']"))
    person.go("/people")
    person.shot("people")
    person.go("/more")
    person.shot("more")
    person.page.look(1280, 800)
    bar = person.find(".sitehead nav").rect
    check(f"{lang}: on a desk they are one row above the content", bar["y"] < 60 and bar["height"] < 70, bar)
    person.page.shot(f"home-more-{lang}-desk", whole=True)
    person.page.look(390, 844, mobile=True)


def steps(person):
    lang = person.lang
    person.go("/home")
    person.shot("first-steps")
    check(f"{lang}: nothing is done yet", not person.all("#steps .done"))
    person.press("#steps ol a")
    person.at("/boxes", "the first step leads to the boxes")


def worn(person):
    lang = person.lang
    person.go("/home")
    check(f"{lang}: box, sensor and first value tick themselves", len(person.all("#steps .done")) == 3, len(person.all("#steps .done")))
    check(f"{lang}: the heart rate of now stands there", person.all(".homevalue"))
    width = person.driver.execute_script("return document.querySelector('.homecurve .mean').getBoundingClientRect().width")
    check(f"{lang}: the day is drawn", width > 2, width)
    person.shot("day")
    person.page.look(1280, 800)
    person.page.shot(f"home-day-{lang}-desk", whole=True)
    person.page.look(390, 844, dark=True, mobile=True)
    person.page.shot(f"home-day-{lang}-dark", whole=True)
    person.page.look(390, 844, mobile=True)
    person.press("#steps form button")
    person.page.wait(f"{lang}: the list of steps is hidden", lambda: person.is_new() and not person.all("#steps"))
    person.go("/more")
    person.driver.find_element(By.CSS_SELECTOR, "a[href='/home?steps=show']").click()
    person.page.wait(f"{lang}: and comes back on request", lambda: person.all("#steps"))


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.widths = (320, 390, 1280, 1920)
        tour(person)
        person.person()
        steps(person)
        tabs(person)
        wear(person, home)
        worn(person)
        person.log_out()
        person.is_quiet("person")


if __name__ == "__main__":
    run("home", walk)
