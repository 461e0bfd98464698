"""States of a box, as its agent tells them to the page."""
import time

LINKS = ("sensor", "worn", "position", "power", "buffer", "hub")
NOW = 7_200_000


def link(name, condition="good", age=1000, **more):
    return {"name": name, "condition": condition, "lastGood": NOW - age, **more}


def sos(**more):
    return {
        "isOn": True, "isProtected": True, "reasons": [], "weaknesses": [], "contacts": ["Berta", "Carlo"], "modem": "Quectel EG25, TIM",
        "hooks": 1, "hookProblems": [], "hubAnswered": NOW - 900, "settingsVersion": 3, "decisions": [], **more}


INCIDENT = f"{5:032x}"


def question(left=4600, **more):
    return {"id": INCIDENT, "tier": "critical", "trigger": "heartRateHigh", "askedAt": NOW - 400, "answerBy": NOW + left, **more}


def call(channel, recipient, state, **more):
    return {"channel": channel, "recipient": recipient, "state": state, "at": NOW - 3000, **more}


def alarm(phase="calling", **more):
    calls = [
        call("sound", "", "started"), call("text", "Berta", "started"), call("text", "Berta", "sent"), call("call", "Berta", "started"),
        call("text", "Carlo", "failed", problem="The network could not deliver the text", why="undelivered")]
    return {"id": INCIDENT, "phase": phase, "trigger": "heartRateHigh", "raisedAt": NOW - 9000, "calls": calls, "reachesNobody": False, **more}


ANSWERED = {"outcome": {"answeredLate": {}}, "silentUntil": NOW + 598_000, "calls": []}
COMING = {"owner": "Ambulance 7", "coming": {"latitude": 1, "longitude": 1, "age": 0, "arrivalIn": 240_000}, "comingAt": NOW}


def dispute():
    side = {"isOn": True, "contacts": ["Berta", "Carlo"], "by": "Ada Example", "time": 1_795_600_000_000}
    return {"here": side, "hub": {**side, "isOn": False, "contacts": ["Berta"]}}


def drill():
    calls = [
        call("sound", "", "sent"), call("hook", "sos.d", "sent"), call("text", "Berta", "sent"), call("text", "Berta", "acknowledged"),
        call("call", "Carlo", "failed", problem="Nobody took the call. It is tried again", why="notTaken")]
    return {"startedAt": NOW - 60_000, "isOver": True, "hub": "stored", "calls": calls}


def check_in(phase="open", **more):
    """A run that starts in an hour and lasts two."""
    now = int(time.time() * 1000)
    return {
        "id": f"{11:032x}", "run": "Città alta 10 km", "code": "ABC234", "organiser": "Podistica Bergamo", "purpose":
        "Run Città alta 10 km (ABC234): the organiser sees where you are and your heart rate until it ends", "kinds": ["position", "heartRate"],
        "until": now + 10_800_000, "lapses": now + 3_600_000, "phase": phase, **more}


def person(name="Ada Example", number=7, **more):
    state = {
        "person": f"{number:032x}", "name": name, "wearing": "worn", "heartRate": 72, "heartRateTime": NOW - 400, "isWatched": True,
        "sensor": {"address": "C4:01:02:03:04:05/random", "name": "Strap 1", "isConnected": True, "batteryPercent": 80},
        "isTracked": True, "kinds": {"heartRate": True, "position": True}, "links": [link(name) for name in LINKS], "notices": [],
        "sos": sos()}
    return {**state, **more}


# Beside the strap: one that told something, and one that is silent.
SENSORS = [
    {"address": "C4:01:02:03:04:06/random", "name": "Thermo", "isConnected": True, "temperature": 3862, "time": NOW - 90_000},
    {"address": "C4:01:02:03:04:07/random", "isConnected": False, "problem": "away"}]


def state(*persons, **more):
    hub = {
        "address": "https://hub.example:8443", "agent": "0" * 31 + "1", "name": "Box 1", "link": link("hub"), "waitingSegments": 0,
        "waitingSamples": 0, "lastAnswer": NOW - 2000}
    place = {"latitude": 45.4642, "longitude": 9.19, "error": 3.4, "source": "gnss", "time": NOW - 900, "isCurrent": True}
    return {
        "version": "1.0", "role": "phone", "language": "en", "time": NOW, "utc": int(time.time() * 1000), "clock": "gnss", "hub": hub,
        "power": {"source": "battery", "batteryPercent": 81}, "position": place, "persons": list(persons or [person()])} | more


def troubled():
    """Something of everything that can be wrong."""
    links = [
        link("sensor"), link("worn", "broken", 95_000, detail="No skin contact", advice="Moisten the strap", why="link.why.notWorn"),
        link("position", "weak", 400_000, detail="Something new", advice="Look at it", why="problem.ofAnotherVersion"), link("power"), link("buffer"),
        link("hub", "broken", 700_000, detail="Connection refused", advice="Check the network", why="problem.hubAway")]
    wearer = person(
        sos=sos(
            isProtected=False, reasons=["notWorn", "nobodyToCall"], weaknesses=["noPosition"], contacts=[], modem=None, hubAnswered=None),
        wearing="notWorn", isWatched=False, links=links, notices=["sensor-not-worn", "hub-unreachable", "box-battery-low"])
    del wearer["heartRate"], wearer["heartRateTime"]
    trouble = state(wearer, clock="unconfirmed", power={"source": "battery", "batteryPercent": 19})
    trouble["hub"].update(waitingSamples=12345, lastAnswer=NOW - 700_000)
    trouble["position"].update(time=NOW - 400_000, isCurrent=False)
    return trouble


CHECK_INS = [
    check_in("sending", choice="accept", problem="The hub has not taken the answer to the check-in: no network"),
    check_in("withoutPosition", id=f"{12:032x}", choice="accept"), check_in("accepted", id=f"{13:032x}", choice="accept"),
    check_in("late", id=f"{14:032x}"), check_in("refused", id=f"{15:032x}", choice="refuse"),
    check_in("notDone", id=f"{16:032x}", choice="accept", why="withdrawn"), check_in("ended", id=f"{17:032x}", choice="accept")]


# What is looked at, by the name of its screenshots.
LOOKS = (
    ("good", state()), ("bad", troubled()), ("two", state(person(), person("Karl Sample", 8, wearing="away", isWatched=False))),
    ("question", state(person(heartRate=183, sos=sos(question=question(60_000))))),
    ("alarm", state(person(heartRate=183, sos=sos(alarm=alarm(), isProtected=True)))),
    ("coming", state(person(heartRate=121, sos=sos(alarm=alarm("taken", **COMING))))),
    ("over", state(person(sos=sos(
        alarm=alarm("over"), isProtected=False, reasons=["waitingForReactivation"], weaknesses=["stoodStill"])))),
    ("sensors", state(person(otherSensors=SENSORS, notices=["mains-lost"]))),
    ("check-in", state(person(checkIns=[check_in()]))),
    ("check-ins", state(person(checkIns=CHECK_INS))),
    ("dispute", state(person(sos=sos(dispute=dispute())))),
    ("drill", state(person(sos=sos(drill=drill(), weaknesses=["contactWithoutNumber"])))),
)
