"""Workouts in a real browser, at phone size and in both languages: found in an imported file, with laps and one cursor; all ways on one map."""
# proves DATA-7: a person looks at where they have been, on one map, and finds the workout of a way
# proves DATA-17: workouts are found in an imported file and shown with laps, and one cursor over all curves
import math
from datetime import datetime, timedelta, timezone

from hub_pages import run
from live_page import check
from member import Member

SECONDS = 1500
NAMESPACE = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"


def made_run(begin, place):
    """TCX of 25 minutes at about 4 m/s around a bend, in two laps."""
    def point(second):
        turn = second / SECONDS * math.pi
        latitude, longitude = place[0] + 0.02 * math.sin(turn), place[1] + 0.03 * (1 - math.cos(turn))
        time = (begin + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")
        return (f"<Trackpoint><Time>{time}</Time><Position><LatitudeDegrees>{latitude:.7f}</LatitudeDegrees><LongitudeDegrees>{longitude:.7f}"
                f"</LongitudeDegrees></Position><AltitudeMeters>{100 + second / 20:.1f}</AltitudeMeters><HeartRateBpm><Value>{120 + second // 30}"
                f"</Value></HeartRateBpm></Trackpoint>")

    def lap(first, last):
        start = (begin + timedelta(seconds=first)).strftime("%Y-%m-%dT%H:%M:%SZ")
        points = "".join(point(second) for second in range(first, last))
        return f'<Lap StartTime="{start}"><TotalTimeSeconds>{last - first}</TotalTimeSeconds><Track>{points}</Track></Lap>'

    laps = lap(0, SECONDS // 2) + lap(SECONDS // 2, SECONDS)
    return (f'<?xml version="1.0"?><TrainingCenterDatabase xmlns="{NAMESPACE}"><Activities><Activity Sport="Running">'
            f'<Id>{begin.strftime("%Y-%m-%dT%H:%M:%SZ")}</Id>{laps}</Activity></Activities></TrainingCenterDatabase>')


def imported(person, home):
    now = datetime.now(timezone.utc).replace(microsecond=0)
    for days, place in ((1, (45.80, 11.60)), (40, (45.95, 12.10))):
        file = home / f"run-{person.lang}-{days}.tcx"
        file.write_text(made_run(now - timedelta(days=days), place), encoding="utf-8")
        person.go("/data/import")
        person.find("#importFiles").send_keys(str(file))
        person.press("main form button.primary")
        taken = person.text("import.takenOther").split("{n}")[-1]
        person.page.wait(f"{person.lang}: a file is imported", lambda: taken in person.main())


def listed(person):
    lang = person.lang
    person.go("/workouts")
    person.page.wait(f"{lang}: two workouts are found", lambda: len(person.all(".workentry")) == 2)
    check(f"{lang}: each has a small map", len(person.all(".workentry .worksketch path")) == 2)
    person.shot("workouts")


def one(person):
    lang = person.lang
    person.press(".workentry h2 a")
    person.page.wait(f"{lang}: the page of one has its laps", lambda: person.is_new() and len(person.all("[aria-labelledby='workLaps'] tbody tr")) == 2)
    check(f"{lang}: three curves", len(person.all("svg.workcurve")) == 3)
    person.page.wait(f"{lang}: the cursor reads", lambda: person.find("#workRead").text != "")
    before = person.find("#workRead").text
    person.driver.execute_script("const at = arguments[0]; at.value = 200; at.dispatchEvent(new Event('input'))", person.find("#workAt"))
    places = person.driver.execute_script("return [...document.querySelectorAll('.workcurve .cursor')].map((line) => line.getAttribute('x1'))")
    check(f"{lang}: it moves over all curves", person.find("#workRead").text != before and len(places) == 3 and len(set(places)) == 1, places)
    check(f"{lang}: and over the drawing", person.find("#workMap .workhere").get_attribute("visibility") == "visible")
    person.page.wait(f"{lang}: the way lies on the ground", lambda: person.all("#workGround .leaflet-overlay-pane canvas"))
    check(f"{lang}: instead of the drawing", not person.find("#workMap").is_displayed())
    check(f"{lang}: who sees it is told", person.text("workouts.noHome") in person.main())
    person.shot("workout")


def mapped(person):
    lang = person.lang
    person.go("/workouts")
    person.press("main a[href='/workouts/map']")
    person.at("/workouts/map", "the map is linked from the list")
    person.page.wait(f"{lang}: the map is drawn", lambda: person.find("#tracksMap").is_displayed() and person.all("#map canvas"))
    person.go("/workouts/map?span=all")
    check(f"{lang}: the ways of both workouts are on it", len(person.all("#tracks [data-line] a")) == 2, len(person.all("#tracks [data-line]")))
    person.page.wait(f"{lang}: both are drawn", lambda: person.all("#map .leaflet-overlay-pane canvas"))
    person.shot("map")
    person.driver.execute_script("document.querySelector('#tracks').closest('details').open = true; document.querySelector('#tracks a').focus()")
    person.page.wait(f"{lang}: the one that is chosen is named, with its page", lambda: person.all("#trackChosen a[href^='/workouts/']"))
    check(f"{lang}: light", len(person.driver.page_source.encode()) < 140_000)


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.person()
        imported(person, home)
        listed(person)
        one(person)
        mapped(person)
        person.is_quiet("person")


if __name__ == "__main__":
    run("workouts", walk)
