"""A run while it goes on, as its organiser and a runner see it: the positions of a phone come meanwhile."""
import math
import re
import ssl
import time
import urllib.request

from hub_pages import PORT

# Metres a second.
PACE = 4
COURSE = "return JSON.parse(document.getElementById('courseData').textContent).points"


def north(second):
    """Where somebody is who runs 100 m to the north in 12 s."""
    return 45.6 + second * 100 / 12 / 111145, 9.7


def send(secret, began, seconds, place=north):
    """What a phone sends in these seconds since `began`; `place` says latitude and longitude."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for second in seconds:
        latitude, longitude = place(second)
        query = f"id={secret}&timestamp={began + second}&lat={latitude:.7f}&lon={longitude:.7f}&accuracy=4"
        urllib.request.urlopen(f"https://localhost:{PORT}/osmand?{query}", data=b"", context=context).read()


def along(line, metres):
    """The place so far along a line of latitudes and longitudes; behind its end the end."""
    for (south, west), (top, east) in zip(line, line[1:]):
        side = math.hypot(top - south, (east - west) * math.cos(math.radians(south))) * 111195
        if side > metres:
            return south + (top - south) * metres / side, west + (east - west) * metres / side
        metres -= side
    return tuple(line[-1])


def said(way, selector):
    return way.find(selector).get_attribute("textContent")


def metres(text):
    found = re.match(r"(\d+) m", text)
    return int(found.group(1)) if found else -1


def wait(way, name, condition):
    if not way.page.wait(f"{way.lang}: {name}", condition):
        way.shot(f"failed-{name.replace(' ', '-')}")
        raise RuntimeError(f"{name}: {way.main()[:1500]}")


def at_the_line(way, secret):
    """Whoever checked in and sends no place is taken off the list at the start."""
    line = way.driver.execute_script(COURSE)
    send(secret, int(time.time()), [0], lambda _: line[0])
    return line


def go_live(club, runner, code, secret, line):
    """Behind the start, with the organiser's page open: somebody runs, goes on, and leaves the course."""
    began, rows = int(time.time()) + 1, lambda: said(club, "#liveRows")
    runner.go(f"/runs/{code}/mine")
    wait(runner, "My Run is live, at the start", lambda: metres(said(runner, "#mineMetres")) == 0)
    wait(club, "the organiser's page is live, and nobody is out yet", lambda: said(club, "#outCount") == "0" and "Ada" in rows())
    club.saw("what is shown is said to be of now", said(club, "#liveState") == club.text("runs.js_current"), said(club, "#liveState"))
    send(secret, began, range(7), lambda second: along(line, PACE * second))
    wait(club, "one is out there", lambda: said(club, "#outCount") == "1" and club.text("runs.js_group_1") in rows())
    wait(club, "with a place on the map", lambda: len(club.all("#map .pin-out")) == 1)
    cells = [cell.get_attribute("textContent") for cell in club.all("#liveRows tr > *")]
    is_whole = "Ada" in cells[1] and metres(cells[3]) > 0 and cells[5] == "–"
    club.saw("with name and distance, and no heart rate where none came", is_whole, cells)
    wait(runner, "the runner's own metres count", lambda: metres(said(runner, "#mineMetres")) > 0)
    wait(runner, "the own place is on the map", lambda: len(runner.all("#map .pin-here")) == 1)
    runner.saw("no heart rate came, and none is shown", said(runner, "#mineHeart") == "–", said(runner, "#mineHeart"))
    before = metres(said(runner, "#mineMetres"))
    send(secret, began, range(7, 13), lambda second: along(line, PACE * second))
    wait(runner, "both pages go on by themselves", lambda: metres(said(runner, "#mineMetres")) > before)
    wait(club, "the organiser's too", lambda: metres(club.all("#liveRows tr > *")[3].text) > before)
    club.shot("live")
    runner.shot("mine-live")
    # A kilometre to the north of the start, for half a minute.
    send(secret, began, range(16, 49, 4), lambda _: (line[0][0] + 0.01, line[0][1]))
    beside = club.text("runs.js_offCourse").split("{m}")
    wait(club, "who left the course is told to the organiser", lambda: all(part in rows() for part in beside))
    wait(club, "and marked on the map", lambda: len(club.all("#map .pin-off")) == 1 and not club.all("#map .pin-out"))
    wait(runner, "and to the runner", lambda: all(part in said(runner, "#mineState") for part in beside))
    club.saw("still out", said(club, "#outCount") == "1", said(club, "#outCount"))
    club.saw("that is no alarm", not club.find("#alarmCount").is_displayed())
    club.press("[data-filter='alarm']")
    wait(club, "the filter of alarms shows nobody", lambda: said(club, "#liveMore") == club.text("runs.js_nobody") and not rows())
    club.press("[data-filter='out']")
    wait(club, "the filter of those out there shows the one", lambda: "Ada" in rows())
    club.saw("the filter is pressed", club.find("[data-filter='out']").get_attribute("aria-pressed") == "true")
    club.shot("live-off-course")
    runner.shot("mine-off-course")
