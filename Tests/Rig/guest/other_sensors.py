#!/usr/bin/python3
"""Runs in the guest: an agent with AutomatedSOS on, its hub down, and a thermometer and a running pod beside the strap.
`other_sensors.py TRANSPORT AGENT HUB`"""
import json
import signal
import sys
import tempfile

from actors import Agent, Hub, Stop, Straps, play, until
from checks import check

ADA = "Ada"
STRAP, THERMOMETER, POD = 1, 2, 3


def address(number):
    return f"C4:01:02:03:04:{number + 4:02X}"


class Play:
    def __init__(self, transport, agent, hub):
        self.transport = transport
        self.folder = tempfile.mkdtemp(prefix="box-")
        self.straps = Straps()
        self.agent, self.hub_program = Agent(agent, self.folder, transport, as_service=transport != "att"), hub

    def command(self, *words):
        status, out, error = self.agent.command(*words)
        return status == 0, f"status {status}: {out[-300:]} {error[-300:]}".strip()

    def enrol(self):
        hub = Hub(self.hub_program, f"{self.folder}/hub")
        person = hub.add([ADA])[ADA]
        done, said = self.command("enrol", *hub.code([person]))
        if not check("the box is enrolled", done, said):
            raise Stop("without an enrolment there is nothing to run")
        hub.process.send_signal(signal.SIGTERM)
        hub.process.wait(30)
        contact = {"name": "Berta", "phone": "+393331112222", "language": "en", "isTexted": True, "isCalled": True}
        distress = {"isOn": True, "asksFirst": True, "age": 40}
        self.agent.give({"version": 1, "detector": 2, "people": [
            {"person": person, "distress": distress, "name": ADA, "language": "en", "contacts": [contact]}]})

    def start(self):
        self.agent.start()
        person = self.agent.person(ADA)
        if not check("AutomatedSOS is on", (person.get("sos") or {}).get("isOn"), json.dumps(person)[:600]):
            raise Stop("with it off nothing asks")

    def choose(self):
        reply = self.agent.json("sensors", "scan")
        found = {each["address"].split("/")[0]: each for each in reply.get("found") or []}
        for number, measures in ((THERMOMETER, ["thermometer"]), (POD, ["running pod"])):
            one = found.get(address(number)) or {}
            check(f"the scan tells what {address(number)} measures", one.get("besides") == measures, reply)
        done, said = self.command("sensors", "use", address(THERMOMETER))
        check("a thermometer is not taken for a strap", not done and "sensors add" in said, said)
        for number, how in ((STRAP, "use"), (THERMOMETER, "add"), (POD, "add")):
            mark = self.straps.mark(f"{how} {number}")
            done, said = self.command("sensors", how, address(number))
            at = self.straps.heard(number, "notify True", mark, 60)
            if not check(f"sensors {how} {address(number)}: it is subscribed", done and at is not None, f"{said} {self.person()}",
                         found=at and f"{at - mark:.2f} s after the command"):
                raise Stop("without all three the rest says nothing")

    def person(self):
        return self.agent.person(ADA)

    def question(self):
        return ((self.person().get("sos") or {}).get("question") or {}).get("trigger")

    def other(self, number):
        return next((each for each in self.person().get("otherSensors") or [] if each["address"].startswith(address(number))), {})

    def play(self, number, steps):
        self.straps.tell(f"{number} steps {json.dumps(steps)}")

    def shown(self):
        good, took = until(30, lambda: self.person().get("heartRate") in (70, 71) and self.other(THERMOMETER).get("temperature") == 3660
                           and self.other(POD).get("cadence") == 0, pause=0.5)
        check("status shows heart rate, temperature and cadence", good, json.dumps(self.person())[:900], found=f"after {took:.1f} s")
        check("nobody is asked", self.question() is None, self.question())

    def runs(self):
        """A rate that would ask at rest is none while the pod tells that the person runs; when it falls silent, it asks again."""
        self.play(POD, [{"cadence": 170}])
        good, _ = until(20, lambda: self.other(POD).get("cadence") == 170, pause=0.5)
        check("the pod's cadence is heard", good, self.other(POD))
        rise = [{"hr": rate, "contact": True, "rr": [61440 // rate]} for rate in range(74, 150, 3)]
        high = {"hr": 150, "contact": True, "rr": [410]}
        self.play(STRAP, rise + [high] * 600)
        good, took = until(60, lambda: self.person().get("heartRate") == 150, pause=0.5)
        check("the strap tells 150", good, self.person().get("heartRate"), found=f"after {took:.1f} s")
        asked, _ = until(15, self.question, pause=0.5)
        check("while the pod tells that the person runs, 150 asks nobody", not asked, asked)

    def stops(self):
        self.play(POD, [{"silent": 600}])
        self.play(STRAP, [{"hr": 70, "contact": True, "rr": [878]}, {"hr": 71, "contact": True, "rr": [865]}])
        good, took = until(40, lambda: self.other(POD).get("cadence") is None and self.other(POD).get("isConnected"), pause=0.5)
        check("a silent pod's last value is not shown for long", good, self.other(POD), found=f"gone after {took:.1f} s")
        check("and is no alarm", self.question() is None, self.question())

    def fever(self):
        self.play(THERMOMETER, [{"temperature": 41.6}])
        asked, took = until(40, self.question, pause=0.3)
        check("a critical temperature asks", asked == "temperatureHigh", json.dumps(self.person())[:900], found=f"after {took:.1f} s")
        alarm, took = until(40, lambda: (self.person().get("sos") or {}).get("alarm"), pause=0.3)
        check("and raises without an answer", bool(alarm) and alarm.get("trigger") == "temperatureHigh", alarm, found=f"after {took:.1f} s")
        self.play(THERMOMETER, [{"temperature": 36.6}])
        done, said = self.command("false-alarm")
        check("a false alarm ends it", done, said)

    def charges(self):
        self.play(STRAP, [{"charging": True}] + [{"hr": 70 + step % 2, "contact": True, "rr": [870]} for step in range(600)])
        good, took = until(30, lambda: self.person().get("wearing") == "charging", pause=0.3)
        person = self.person()
        check("a strap that says that it charges is charging, while its readings go on", good, json.dumps(person)[:600],
              found=f"after {took:.1f} s")
        check("which is told, and nobody is watched", "sensor-charging" in person["notices"] and not person["isWatched"]
              and "charging" in person["sos"]["reasons"], json.dumps(person)[:900])
        self.play(STRAP, [{"charging": False}] + [{"hr": 70 + step % 2, "contact": True, "rr": [870]} for step in range(600)])
        good, took = until(30, lambda: self.person().get("wearing") == "worn" and self.person()["isWatched"], pause=0.3)
        check("and watched again when it says that it does not", good, json.dumps(self.person())[:600], found=f"after {took:.1f} s")

    def forget(self):
        mark = self.straps.mark("forget the thermometer")
        done, said = self.command("sensors", "forget", address(THERMOMETER))
        at = self.straps.heard(THERMOMETER, "disconnected", mark, 15)
        check("a forgotten thermometer's link ends", done and at is not None, said)
        check("the others stay", not self.other(THERMOMETER) and self.other(POD) and self.person().get("sensor"), self.person())

    def all(self):
        if play(self.enrol, self.start, self.choose, self.shown, self.runs, self.stops, self.fever, self.charges, self.forget):
            check("the agent ends when it is told to", self.agent.end() == 0)


Play(*sys.argv[1:4]).all()
