"""Files imported and workouts found in them, in a real browser, at phone and desk size and in both languages."""
# proves DATA-2: a person imports files, sees what became of each, and takes an import back
# proves DATA-7: a workout has its way on a map, with distance, time and pace
# proves DATA-17: workouts are found by themselves, shown with curves on one cursor, edited, downloaded, summed up and deleted
import math
from datetime import datetime, timedelta, timezone

from hub_pages import run, until
from live_page import check
from member import Member

ZONE = "Europe/Rome"
# Made up: rounds of 400 m, up and down a hill, faster in the second half.
SECONDS, CENTRE = 2400, (45.7, 9.67)


def track(days, file):
    """A run of 40 minutes as GPX, with heart rates."""
    begin = datetime.now(timezone.utc).replace(hour=6, minute=0, second=0, microsecond=0) - timedelta(days=days)
    metres, points = 0.0, []
    for second in range(0, SECONDS, 2):
        metres += 2 * (2.6 if second < SECONDS / 2 else 3.1)
        angle, radius = metres / 400 * 2 * math.pi, 400 / (2 * math.pi)
        place = CENTRE[0] + radius * math.sin(angle) / 111_200, CENTRE[1] + radius * math.cos(angle) / (111_200 * 0.698)
        points.append(
            f'<trkpt lat="{place[0]:.7f}" lon="{place[1]:.7f}"><ele>{250 + 12 * math.sin(angle / 3):.1f}</ele>'
            f"<time>{begin + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ}</time><extensions><gpxtpx:TrackPointExtension>"
            f"<gpxtpx:hr>{120 + second // 60 + int(6 * math.sin(second / 40))}</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>")
    file.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" creator="made up" xmlns="http://www.topografix.com/GPX/1/1" '
        'xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><trk><type>running</type><trkseg>'
        + "".join(points) + "</trkseg></trk></gpx>")
    return str(file)


def imported(person, files):
    person.go("/data/import")
    person.find("#importFiles").send_keys("\n".join(files))
    person.press("main form button.primary")
    ended = lambda: person.is_new() and not person.all("progress") and person.all("#undoTitle")
    if not person.page.wait(f"{person.lang}: files are imported", ended):
        raise RuntimeError(person.main())


def imports(person, home):
    lang, notes = person.lang, home / f"notes-{person.lang}.txt"
    notes.write_text("hello")
    person.go("/data/import")
    person.shot("import-empty")
    imported(person, [track(days, home / f"run-{days}-{lang}.gpx") for days in (9, 2)] + [str(notes)])
    check(f"{lang}: what became of the files is told", "run-9" in person.main() and "notes" in person.main(), person.main()[:500])
    check(f"{lang}: 1,200 positions of each were added", "2,400" in person.main() or "2.400" in person.main(), person.main()[:800])
    person.shot_on_desk("import-result")
    imported(person, [track(20, home / f"run-20-{lang}.gpx")])
    person.press("button.danger")
    undone = lambda: person.is_new() and person.text("import.undoneText") in person.main()
    person.page.wait(f"{lang}: an import is taken back", undone)
    person.go("/data/import")
    check(f"{lang}: both imports are listed", len(person.all("a[href^='/data/import/']")) == 2)
    person.shot("import-list")


def one(person):
    lang = person.lang
    person.all(".workentry h2 a")[0].click()
    person.page.wait(f"{lang}: a workout is shown", lambda: person.all("#workCurveBox svg"))
    facts = person.find(".workfacts").text
    check(f"{lang}: it has 6.8 km, 4.2 miles for a Briton", {"en": "4.2", "it": "6,8"}[lang] in facts, facts)
    person.shot_on_desk("one")
    width = "return document.querySelector('#workCursor').hidden"
    check(f"{lang}: the cursor is there with script", not person.driver.execute_script(width))
    person.driver.execute_script(
        "const at = document.querySelector('#workAt'); at.value = 30; at.dispatchEvent(new Event('input', {bubbles: true}))")
    check(f"{lang}: it reads out the three curves", person.find("#workRead").text.count(" ") >= 2, person.find("#workRead").text)
    for colour in ("pace", "height", "heartRate"):
        person.press(f"nav[aria-label='{person.text('workouts.colours')}'] a.chip[href*='colour={colour}']")
        person.page.wait(f"{lang}: the way is coloured by {colour}", lambda: person.is_new() and person.all(".worklegend li"))
    person.shot_on_desk("coloured")


def changed(person):
    lang = person.lang
    for form in ("gpx", "tcx", "fit"):
        size = person.driver.execute_async_script(
            "const done = arguments[1]; fetch(location.pathname + '/file?format=' + arguments[0])"
            ".then(answer => answer.arrayBuffer()).then(bytes => done(bytes.byteLength), () => done(0))", form)
        check(f"{lang}: a {form} file comes", size > 5000, size)
    person.enter({"title": "Hill & <rounds>", "note": "Made up"})
    person.press("#workEdit ~ form button.primary")
    person.page.wait(f"{lang}: the title is kept", lambda: person.is_new() and "Hill & <rounds>" in person.find("h1").text)
    person.go("/workouts/trends")
    check(f"{lang}: there are records", len(person.all("#workRecords ~ div tr")) > 2)
    person.shot_on_desk("trends")
    person.go("/workouts")
    person.all(".workentry h2 a")[0].click()
    person.page.wait(f"{lang}: it is opened again", lambda: person.all("#workDelete"))
    person.press("#workDelete ~ details summary")
    person.press("#workDelete ~ details form button")
    person.page.wait(f"{lang}: it is gone, and stays away", lambda: person.is_new() and len(person.all(".workentry")) == 1)
    person.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    person.all(".workentry h2 a")[0].click()
    until("the page without script", lambda: person.all("#workCurveBox svg"))
    check(f"{lang}: without script the curves and the way are there", len(person.all("#workCurveBox figure")) == 3 and len(person.all("svg.workmap")) == 1, person.main()[:300])
    person.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    person.shot_dark()


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ZONE})
        person.widths = (320, 390, 1280)
        person.person()
        person.go("/workouts")
        check(f"{lang}: there are none yet", person.text("workouts.none") in person.main())
        person.shot("none")
        imports(person, home)
        person.go("/workouts")
        person.page.wait(f"{lang}: both runs are found", lambda: len(person.all(".workentry")) == 2)
        person.shot_on_desk("list")
        one(person)
        changed(person)
        person.go("/health")
        person.shot_on_desk("health")
        person.is_quiet("person")


if __name__ == "__main__":
    run("imports", walk)
