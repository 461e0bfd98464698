"""Runs in a real browser, at phone size and in both languages: drawn by clicks, published, found, enrolled in, checked in to."""
# proves RUN-1: a course is drawn on the map by clicking, dragging, undoing, with laps, and by keyboard alone
# proves RUN-2: what cannot be run is told at its place
# proves RUN-3: a run is found without an account
# proves RUN-5: check-in has two questions apart from each other
# proves RUN-12: notice of runs nearby is off, is turned on with this device's place, comes once, and is off with one tap
# proves RUN-9, RUN-13, RUN-16, RUN-18: the organiser sees names as they enrol, and live who is out there and who left the course; the runner My Run
# proves RUN-19: a lone workout is begun, seen live by its owner and by a friend alone, falls silent, is stopped and kept
import datetime
import time
import zoneinfo

from hub_pages import URL, run, until
from live_page import check
from member import TAX, Member
from runs_live import at_the_line, go_live, send
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# A place in Bergamo that nobody lives at.
PLACE = {"latitude": 45.7, "longitude": 9.67, "accuracy": 8}
ZONE = "Europe/Rome"
SMALL = "return [...document.querySelectorAll('main button, main a.primary, main a.secondary')].filter((b) => b.offsetParent && b.offsetHeight < 44).map((b) => b.textContent)"


def instant(hours):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return time.astimezone(zoneinfo.ZoneInfo(ZONE)).strftime("%Y-%m-%dT%H:%M")


class Runs(Member):
    def shot(self, name):
        super().shot(name)
        small = self.driver.execute_script(SMALL)
        check(f"{self.lang}: {name}: every button is large enough for a thumb", not small, small)

    def comes(self, name, condition):
        if not self.page.wait(f"{self.lang}: {name}", lambda: self.is_new() and condition()):
            self.shot(f"failed-{name.replace(' ', '-')}")
            raise RuntimeError(f"{name}: {self.main()[:1500]}")

    def set(self, name, value):
        self.driver.execute_script("arguments[0].value = arguments[1]", self.find(f"[name='{name}']"), value)

    def drawn(self):
        text = self.find("#drawn").get_attribute("value")
        return [tuple(map(int, part.split(","))) for part in text.split(";") if part]

    def draw(self, name):
        self.press(f"[data-draw='{name}']")

    def on_map(self, x, y):
        """Brings the map into view and moves the pointer to a place of it, from its middle."""
        field = self.find("#map")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        return ActionChains(self.driver).move_to_element_with_offset(field, x, y)

    def tap(self, x, y):
        before = len(self.drawn())
        self.on_map(x, y).click().perform()
        until(f"a point at {x}, {y}", lambda: len(self.drawn()) == before + 1)

    def saw(self, name, is_true, what=""):
        check(f"{self.lang}: {name}", is_true, what)


def draw(way):
    """Draws a triangle of some 700 m, and tries each tool."""
    way.draw("here")
    until("the map is there", lambda: way.driver.execute_script("return performance.getEntriesByType('resource').length") > 0)
    way.driver.execute_script("window.isOld = false")
    until("the place is shown", lambda: not way.find("[data-draw='here']").get_attribute("disabled"))
    ActionChains(way.driver).pause(1).perform()
    for x, y in ((-100, 60), (-100, -60), (60, -60)):
        way.tap(x, y)
    three = way.drawn()
    way.saw("three clicks are three points near the place", len(three) == 3 and all(abs(lat / 1e7 - 45.7) < 0.05 for lat, _ in three), three)
    way.tap(120, 100)
    way.draw("undo")
    way.saw("undo takes the last one back", way.drawn() == three)
    way.draw("redo")
    way.saw("redo brings it again", len(way.drawn()) == 4)
    way.draw("remove")
    way.saw("the chosen point is deleted", way.drawn() == three)
    # Dragging the second point.
    dot = way.find(".handle[data-point='1']")
    ActionChains(way.driver).move_to_element(dot).click_and_hold().move_by_offset(-15, -25).move_by_offset(-10, -10).release().perform()
    until("the point was dragged", lambda: way.drawn() != three)
    moved = way.drawn()
    way.saw("dragging moves that point and no other", len(moved) == 3 and moved[0] == three[0] and moved[2] == three[2] and moved[1][0] > three[1][0], moved)
    way.draw("undo")
    way.saw("undo brings it back", way.drawn() == three)
    # A click on the line puts a point in between.
    before = way.drawn()
    way.on_map(-20, -60).click().perform()
    until("a point on the line", lambda: len(way.drawn()) == 4)
    way.saw("a click on the line puts a point between its neighbours", way.drawn()[0] == before[0] and way.drawn()[3] == before[2], way.drawn())
    way.draw("close")
    way.saw("the loop closes where it began", way.drawn()[-1] == way.drawn()[0])
    length = way.find("#drawLength").text
    way.enter({"runLaps": "2"})
    until("the laps are counted", lambda: way.find("#drawLength").text != length)
    # By keyboard alone: the map moves, Enter adds at the cross, Delete removes.
    count = len(way.drawn())
    field = way.find("#map")
    way.driver.execute_script("arguments[0].focus()", field)
    way.saw("the cross shows where Enter adds", way.find("#drawCross").is_displayed())
    field.send_keys(Keys.ARROW_UP)
    ActionChains(way.driver).pause(0.5).perform()
    field.send_keys(Keys.ENTER)
    way.saw("Enter adds a point", len(way.drawn()) == count + 1)
    field.send_keys(Keys.CONTROL, "z")
    way.saw("Ctrl Z takes it back", len(way.drawn()) == count)


def organise(way, name):
    """Makes and publishes a run that starts in two hours; gives back its code."""
    way.organiser()
    way.log_in()
    way.at("/home", "organiser: in")
    way.shot("home")
    way.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
    way.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", PLACE)
    way.go("/runs/new")
    way.shot("new")
    way.press("main form#runForm > button.primary")
    way.comes("everything that is missing is told", lambda: way.all("#runName-error") and way.all("#disclaimer-error") and way.all(".courseerrors li"))
    way.shot("new-empty")
    way.enter({"runName": name, "runPurpose": "For the fun of it", "runPlace": "Bergamo", "runZone": ZONE})
    for field, hours in (("runStarts", 2), ("runEnds", 5), ("runCloses", 1.9)):
        way.set(field, instant(hours))
    draw(way)
    way.press("[data-pick='0']")
    dot = way.find(".handle[data-point='2']")
    way.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", dot)
    seen = []
    # The map glides for a while after a key; a click meanwhile meets another place.
    until("the map rests", lambda: seen.append(dot.rect) or (len(seen) > 2 and seen[-1] == seen[-2] == seen[-3]))
    ActionChains(way.driver).move_to_element(dot).click().perform()
    until("a place was picked", lambda: way.find("#placeWhere0").get_attribute("value"))
    way.enter({"placeName0": "Fontana"})
    way.tick_box("disclaimer")
    way.shot("new-drawn")
    way.press("main form#runForm > button.primary")
    way.comes("the draft is there", lambda: way.all("form[action$='/state/publish']"))
    way.shot("draft")
    way.press("form[action$='/state/publish'] button")
    way.comes("it is published", lambda: way.text("runs.done_publish") in way.main())
    code = way.driver.current_url.split("/runs/")[1].split("/")[0]
    way.comes("the map shows the course", lambda: way.all("#map canvas, #map svg"))
    way.shot("published")
    return code


def weigh(way):
    """Energy is worked out with a weight, which nobody has to give."""
    way.go("/profile")
    way.enter({"weight": "62 kg"})
    way.press("main form button.primary")
    way.comes("a weight that is none is told", lambda: way.all("#weight-error"))
    way.shot("profile")
    way.enter({"weight": "62"})
    way.press("main form button.primary")
    way.comes("the weight is kept", lambda: way.text("profile.saved") in way.main() and way.find("#weight").get_attribute("value") == "62")


def runner(way, code, name):
    way.go("/runs")
    way.shot("list")
    way.enter({"q": "nowhere at all"})
    way.press("form[role='search'] button")
    way.comes("nothing found is said", lambda: way.text("runs.noneFound") in way.main())
    way.shot("none")
    way.enter({"q": name.split()[0]})
    way.press("form[role='search'] button")
    way.comes("without an account it is found by name", lambda: way.all(f"a[href='/runs/{code}']"))
    way.press(f"a[href='/runs/{code}']")
    way.comes("its page opens", lambda: name in way.find("h1").text)
    way.shot("run-stranger")
    way.person()
    weigh(way)
    way.go(f"/runs/{code}")
    way.press(f"a[href='/runs/{code}/enrol']")
    way.comes("the form comes", lambda: way.all("[name='publicName']"))
    way.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
    way.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", PLACE)
    way.enter({"publicName": "ada@example.org", "homeRadius": "500"})
    way.press("main form button.primary")
    way.comes("the home's place is wanted", lambda: way.all("#homePlace-error"))
    way.shot("enrol-wrong")
    way.press("#homeHere button")
    until("the home is filled in", lambda: "45.7" in way.find("#homePlace").get_attribute("value"))
    way.press("main form button.primary")
    way.comes("an address is no public name", lambda: way.all("#publicName-error"))
    way.enter({"publicName": "Ada"})
    way.press("#homeHere button")
    until("the home is filled in again", lambda: "45.7" in way.find("#homePlace").get_attribute("value"))
    way.press("main form button.primary")
    way.at(f"/runs/{code}/mine", "enrolled, My Run opens")
    way.comes("My Run shows the course", lambda: way.all("#map canvas, #map svg"))
    way.shot("mine")
    way.press(f"a[href='/runs/{code}/check-in']")
    way.comes("check-in opens", lambda: way.all("[name='organiserConsent']"))
    way.press("main form button.primary")
    way.comes("the first consent is needed", lambda: way.all("#organiserConsent-error"))
    way.shot("check-in-missing")
    way.tick_box("organiserConsent")
    way.press("main form button.primary")
    way.comes("checked in, the heart rate stays the organiser's", lambda: way.text("runs.heartIsNotPublic") in way.main())
    way.shot("checked-in")
    for path, shot in (("/runs/mine", "my-runs"), ("/runs/friends", "friends"), ("/help/runs", "help")):
        way.go(path)
        way.shot(shot)
    way.go("/runs/mine")
    way.press("form[action='/runs/feed'] button")
    way.comes("the calendar's address is shown", lambda: "/runs/calendar/" in way.find("#feedAddress").text)


def look_on(way, code, ada, secret):
    way.go(f"/runs/{code}/people")
    way.comes("the organiser sees the name", lambda: "Ada" in way.find(".startlist").text)
    way.shot("people")
    way.press("form[action$='/invitations/link'] button")
    way.comes("a link to hand on is shown", lambda: "/runs/invitation/" in way.find("#invitationLink").text)
    line = at_the_line(way, secret)
    way.press("form[action$='/state/begin'] button")
    way.comes("it asks before a start", lambda: way.all("#beginAsked"))
    way.shot("begin-asked")
    way.press("#beginAsked form button")
    way.comes("it began", lambda: way.all("#peopleLive"))
    go_live(way, ada, code, secret, line)
    way.go(f"/runs/{code}/people")
    on_desk(way)
    way.press("form[action$='/state/finish'] button")
    way.comes("it is over", lambda: way.text("runs.done_finish") in way.main())
    way.shot("over")
    ada.go(f"/runs/{code}/mine")
    ada.comes("My Run is over too", lambda: ada.all(f"a[href='/runs/{code}/results']") and not ada.all("#mineLive"))


def on_desk(way):
    """Every column of who is out there is in view, and buttons are as wide as their words."""
    way.page.look(1280, 800)
    hidden = way.driver.execute_script("const t = document.querySelector('.livevalues'); return t.scrollWidth - t.parentElement.clientWidth")
    way.saw("on a desk the table shows all its columns", hidden <= 0, f"{hidden} px")
    wide = way.driver.execute_script(
        "return [...document.querySelectorAll('main button')].filter((b) => b.offsetWidth > 320).map((b) => `${b.textContent}: ${b.offsetWidth}`)")
    way.saw("on a desk no button is wider than its words", not wide, wide)
    way.shot("people-desk")


def is_here(way):
    way.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": URL, "permissions": ["geolocation"]})
    way.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", PLACE)


def ask_nearby(way):
    is_here(way)
    way.go("/runs/nearby")
    way.shot("nearby-off")
    way.press("main form.box button.primary")
    way.comes("the place is wanted", lambda: way.all("#homePlace-error"))
    way.shot("nearby-wrong")
    way.press("#homeHere button")
    until("the place is filled in", lambda: "45.7" in way.find("#homePlace").get_attribute("value"))
    way.press("main form.box button.primary")
    way.comes("it is on", lambda: way.all("#nearbyOn"))
    way.shot("nearby-on")


def told_nearby(way, name):
    """Turned on before the run was published: told once, and off again."""
    def told():
        way.go("/notices")
        return way.main().count(name)
    until("the notice is there", lambda: told() > 0)
    way.saw("told of the run once", told() == 1)
    way.shot("nearby-told")
    way.go("/runs/nearby")
    way.press("form[action='/runs/nearby/end'] button")
    way.comes("one tap turns it off", lambda: way.all("[name='radius']") and not way.all("#nearbyOn"))


def befriend(way, friend):
    way.go("/runs/friends")
    way.press("form[action='/runs/friends/link'] button")
    way.comes("a link for a friend is shown", lambda: way.all("#friendLink"))
    friend.driver.get(way.find("#friendLink").text)
    friend.press("main form button.primary")
    friend.at("/runs/friends", "they are friends")


def alone(way, friend):
    befriend(way, friend)
    secret = way.phone("Pocket")
    way.go("/runs/workout")
    way.shot("workout-begin")
    way.tick_box("share")
    way.press("main form.box button.primary")
    way.comes("it goes on", lambda: way.all("#workoutLive"))
    began = int(time.time()) + 1
    way.page.wait(f"{way.lang}: nothing came yet, and that is said", lambda: way.text("workout.nothing") == way.find("#workoutState").text)
    way.shot("workout-nothing")
    send(secret, began, range(13))
    covered = {"en": "0.06 mi", "it": "100 m"}[way.lang]
    way.page.wait(f"{way.lang}: the distance is live", lambda: way.find("#workoutMetres").text == covered)
    way.page.wait(f"{way.lang}: the map is there", lambda: way.find("#workoutMap").is_displayed())
    way.saw("no heart rate is said as such", way.text("workout.heart_none") == way.find("#workoutHeart").text)
    way.shot("workout-live")
    friend.go("/runs/workout")
    friend.shot("workout-friends")
    friend.press("a[href^='/runs/workout/friends/']")
    friend.comes("the friend sees it", lambda: friend.find("#workoutMetres").text == covered)
    friend.shot("workout-friend")
    way.press("form[action='/runs/workout/share'] button")
    way.comes("it is shared no more", lambda: way.text("workout.isNotShared") in way.main())
    friend.page.wait(f"{way.lang}: the friend's page ends", lambda: friend.text("workout.friendOver") == friend.find("#workoutState").text)
    friend.shot("workout-friend-over")
    words = way.text("workout.silent").split("{")[0]
    # It is said 30 s after the last fix; the page may have been behind by then.
    until("the silence is said", lambda: way.find("#workoutState").text.startswith(words), limit=90)
    way.saw("a silent box shows since when", way.find("#workoutState").text.startswith(words), way.find("#workoutState").text)
    way.saw("no pace is left standing", way.find("#workoutPace").text == "–")
    way.shot("workout-silent")
    way.press("form[action='/runs/workout/stop'] button")
    way.comes("it is over", lambda: way.all("form[action$='/delete']"))
    until("it is worked out", lambda: covered in way.main() or way.driver.refresh())
    way.shot("workout-done")
    way.go("/runs/workout")
    way.shot("workout-list")
    way.press("ol.plainlist a[href^='/runs/workout/']")
    way.comes("it is kept", lambda: covered in way.main())
    way.press("form[action$='/delete'] button")
    way.comes("it is deleted", lambda: way.text("workout.none") in way.main())
    return secret


Runs.tick_box = lambda self, name: self.enter({name: True})


def walk(home, hub, lang):
    name = {"en": "Hill run", "it": "Corsa in collina"}[lang]
    with Runs(home, hub, lang, "organiser") as club, Runs(home, hub, lang, "person") as bob:
        # Each language has a hub of its own, so the other one's identifier is free.
        bob.email, TAX[lang], mine = f"bob.{lang}@example.org", TAX[{"en": "it", "it": "en"}[lang]], TAX[lang]
        bob.person()
        TAX[lang] = mine
        ask_nearby(bob)
        code = organise(club, name)
        told_nearby(bob, name)
        with Runs(home, hub, lang, "person") as ada:
            runner(ada, code, name)
            secret = alone(ada, bob)
            bob.is_quiet("friend")
            look_on(club, code, ada, secret)
            ada.is_quiet("person")
        club.is_quiet("organiser")


if __name__ == "__main__":
    run("runs", walk)
