"""Where somebody lives, as a point of the map, and which kind of place a crew is sent to: parts of the walk sos_pages.py."""
# proves SOS-6: where somebody lives is shown on a map by a tap, by the place of the phone, or as two numbers
# proves SOS-11: without a position a crew is asked by that place and told so; of an old position it sees how old it is
import re
import time

from hub_pages import URL
from live_page import check

PINS = "return document.querySelectorAll('#map .pin').length"
FIELDS = "return ['homeLatitude', 'homeLongitude'].map((id) => document.getElementById(id).value)"
# A phone that found itself 40 days ago, and nothing since.
OLD = """
const done = arguments[arguments.length - 1], time = Date.now() - 40 * 86400e3;
fetch("/protection/place", { method: "POST", body: new URLSearchParams({ latitude: 45.71, longitude: 9.68, accuracy: 12, time }) }).then(({ status }) => done(status));
"""


def tap(way, dx, dy):
    """On the map, so far from its middle."""
    box = way.driver.execute_script(
        "document.getElementById('map').scrollIntoView({ block: 'center' }); const { x, y, width, height } = document.getElementById('map').getBoundingClientRect(); return [x + width / 2, y + height / 2]")
    point = {"x": box[0] + dx, "y": box[1] + dy, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        way.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, **point})


def pinned(way):
    """The person shows where they live."""
    way.go("/protection")
    check(f"{way.lang}: the page asks where the person lives", way.text("protection.homeNone") in way.main())
    way.press("a[href='/protection/home']")
    way.comes("the map is there", lambda: way.is_new() and way.find("#map").is_displayed())
    check(f"{way.lang}: nothing is set beforehand", way.driver.execute_script(FIELDS) == ["", ""] and not way.driver.execute_script(PINS))
    way.press("#homeForm button")
    way.comes("nothing is no place", lambda: way.is_new() and way.text("protection.notAPlace") in way.find("[role=alert]").text)
    way.place(45.69)
    way.press("#homeHere button")
    way.comes("the phone's place fills it in", lambda: way.driver.execute_script(FIELDS) == ["45.690000", "9.670000"])
    way.comes("with a pin", lambda: way.driver.execute_script(PINS) == 1)
    check(f"{way.lang}: and says what to press", way.text("protection.homeHereDone") in way.main())
    tap(way, 60, 40)
    way.comes("a tap moves it", lambda: way.driver.execute_script(FIELDS)[0] not in ("45.690000", ""))
    tapped = way.driver.execute_script(FIELDS)
    south, east = 45.69 - float(tapped[0]), float(tapped[1]) - 9.67
    check(f"{way.lang}: to where the tap was", 0 < south < 0.01 and 0 < east < 0.01, tapped)
    way.press("#homeForm button")
    way.comes("it is kept", lambda: way.is_new() and way.all("form[action='/protection/home/remove']"))
    check(f"{way.lang}: as it was", way.driver.execute_script(FIELDS) == tapped, way.driver.execute_script(FIELDS))
    way.comes("and shown", lambda: way.driver.execute_script(PINS) == 1)
    way.shot("home-pin")
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    way.go("/protection/home")
    check(f"{way.lang}: without scripts there are the numbers", way.find("#homeForm").is_displayed() and not way.find("#map").is_displayed())
    way.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    way.go("/protection")
    check(f"{way.lang}: the page says since when", way.says("protection.homeIsSet", time="").rstrip(".") in way.main(), way.main()[-800:])


def without_position(way, person):
    """Help for somebody of whom nobody knows where they are; then an old position comes."""
    person.driver.execute_cdp_cmd("Browser.setPermission", {"origin": URL, "permission": {"name": "geolocation"}, "setting": "denied"})
    person.go("/protection")
    person.press("form[action='/protection/press/help'] button")
    person.comes("the case is open", lambda: person.is_new() and person.all("[data-own-case]"))
    way.go("/duty/alarms")
    offer = way.text("alarms.distanceHome").split("{distance}")[1].strip()
    way.comes("the crew is asked by the pin, and told so", lambda: offer in way.main())
    way.page.shot(f"sos-offer-home-{way.lang}", whole=True)
    way.press("form[action$='/accept'] button")
    way.comes("it sees the home on the map", lambda: way.is_new() and way.all("[data-point='home']") and way.driver.execute_script(PINS) == 2)
    check(f"{way.lang}: and that it is not a position", way.text("alarms.noPositionHome") in way.main(), way.main()[:800])
    way.shot("alarms-home")
    status = person.driver.execute_async_script(OLD)
    check(f"{way.lang}: an old position is taken", status == 204, status)
    way.comes("the crew sees an old position as old", lambda: re.search("40 (d|giorni) ", way.find("[data-point='person']").text))
    check(f"{way.lang}: and no home any more", not way.all("[data-point='home']"))
    way.comes("on the map", lambda: way.driver.execute_script(PINS) == 2)
    way.shot("alarms-old")
    person.go("/protection")
    person.press("form[action$='/press/falseAlarm'] button")
    way.sees("alarms.over_falseAlarm", "a false alarm reaches the crew")
    person.go("/protection")
    person.press("form[action$='/press/reactivate'] button")
    person.comes("monitoring is reactivated", lambda: person.is_new() and not person.all("form[action$='/press/reactivate']"))
    time.sleep(1)
