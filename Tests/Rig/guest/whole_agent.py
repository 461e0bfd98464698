#!/usr/bin/python3
"""Runs in the guest: a hub, an agent for two persons, and what happens to their straps. `whole_agent.py TRANSPORT AGENT HUB`

Each step says what it finds as soon as it knows; where one cannot go on, the later ones that need it are not tried."""
import json
import signal
import sys
import tempfile
import time
import traceback

from actors import Agent, Bluetoothd, Hub, Stop, Straps, boottime, execute, until
from checks import check, note, times

ADA, BRUNO = "Ada", "Bruno"
STRAP = {ADA: 1, BRUNO: 2}
PAIRED, THERMOMETER = 3, 4
RECONNECT_MAX, RESUBSCRIBED_MAX = 3, 10  # s, of the requirements
AWAY_MAX = 40  # s: 10 are waited for a bluetoothd that only restarts


def address(number):
    return f"C4:01:02:03:04:{number + 4:02X}"


def same_address(text, number):
    return str(text).split("/")[0].upper() == address(number)


class Play:
    def __init__(self, transport, agent, hub):
        self.transport = transport
        self.folder = tempfile.mkdtemp(prefix="box-")
        self.straps, self.bluetoothd = Straps(), Bluetoothd()
        # Without bluetoothd only root may look for sensors.
        self.agent, self.hub_program, self.hub = Agent(agent, self.folder, transport, as_service=transport != "att"), hub, None
        self.persons = {}
        self.deaf = []  # spans of the straps' clock in which nobody could hear them: bluetoothd or the agent was down

    def command(self, *words):
        """Whether a subcommand was done, and what it said."""
        status, out, error = self.agent.command(*words)
        return status == 0, f"status {status}: {out[-300:]} {error[-300:]}".strip()

    # Set-up

    def enrol(self):
        self.hub = Hub(self.hub_program, f"{self.folder}/hub")
        self.persons = self.hub.add([ADA, BRUNO])
        done, said = self.command("enrol", *self.hub.code(self.persons.values()))
        if not check("the box is enrolled for two persons", done and ADA in said and BRUNO in said, said):
            raise Stop("without an enrolment there is nothing to run")

    def start(self):
        note(f"agent started: its control socket answers after {self.agent.start():.2f} s")
        if self.agent.is_service:
            user, capabilities = self.agent.rights()
            check("it runs as the package's service does, without root's rights", user != 0 and capabilities == 0, (user, capabilities))
        status = self.agent.json("status")
        sensors = {person["name"]: person.get("sensor") for person in status.get("persons", []) if isinstance(person, dict)}
        check("status --json names both persons, without a sensor", sensors == {ADA: None, BRUNO: None}, json.dumps(status)[:400])

    # Sensors

    def scan(self):
        reply = self.agent.json("sensors", "scan")
        found = reply.get("found") if isinstance(reply, dict) else reply
        for name, number in STRAP.items():
            one = next((each for each in found or [] if same_address(each["address"], number)), None)
            good = one and one.get("name") == f"Strap of {name}" and -127 < one.get("signal", 0) < 0 and not one.get("unsupported")
            check(f"the scan finds the strap of {name} with name and signal", good, one or reply)
        other = next((each for each in found or [] if same_address(each["address"], THERMOMETER)), None)
        check("a device without heart rate is not offered, or said to be of no use", other is None or bool(other.get("unsupported")), other,
              found=other and other.get("unsupported"))

    def use(self, name, number):
        """Binds a strap; whether it is subscribed."""
        mark = self.straps.mark(f"use {number} for {name}")
        done, said = self.command("sensors", "use", address(number), "--person", name)
        check(f"sensors use: strap {number} for {name} is taken", done, said)
        at = self.straps.heard(number, "notify True", mark, 40)
        took = at and f"{at - mark:.2f} s after the command"
        return check(f"strap {number} is subscribed", at is not None, self.sensor(name), found=took)

    def sensor(self, name):
        return self.agent.person(name).get("sensor") or {}

    def use_both(self):
        if not all([self.use(name, number) for name, number in STRAP.items()]):
            raise Stop("without both straps the rest says nothing")

    def listed(self):
        text = json.dumps(self.agent.json("sensors", "list"))
        check("sensors list --json has both, each with its person",
              all(address(number) in text and (name in text or self.persons[name] in text) for name, number in STRAP.items()), text[:400])
        heard = {name: self.sensor(name).get("signal") for name in STRAP}
        check("and the signal that the scan heard", all(-127 < (signal or 0) < 0 for signal in heard.values()), heard)

    def state(self):
        for name, battery, rates in ((ADA, 87, range(60, 90)), (BRUNO, 64, range(100, 130))):
            def complete(name=name, battery=battery, rates=rates):
                person = self.agent.person(name)
                sensor = person.get("sensor") or {}
                return (sensor.get("isConnected") and sensor.get("batteryPercent") == battery and person.get("heartRate") in rates
                        and same_address(sensor.get("address"), STRAP[name]))
            good, took = until(20, complete, pause=0.5)
            check(f"status: {name}'s strap is connected, with battery and heart rate", good,
                  json.dumps(self.agent.person(name))[:500], found=f"after {took:.1f} s")

    def restarted(self):
        """The agent ends and starts: it knows its sensors, and takes their links again."""
        for number, way in ((signal.SIGTERM, "stopped"), (signal.SIGKILL, "killed")):
            self.deaf.append([self.straps.mark(f"agent {way}"), None])
            ended = self.agent.end(number)
            check(f"the agent is {way}", ended == (0 if number == signal.SIGTERM else -number), ended)
            moment = boottime()
            self.agent.start()
            took = [self.agent.reading_after(name, moment, 30) for name in STRAP]
            self.deaf[-1][1] = self.straps.mark(f"back after the agent was {way}")
            check(f"{way} and started again: both straps deliver without being chosen anew", None not in took, times(took),
                  found=f"readings of both {(boottime() - moment) / 1000:.1f} s after the start")

    def steady(self):
        """Nothing happens for a while: what arrives of it is counted at the end."""
        time.sleep(15)

    # Losses

    def lost(self, command, seconds):
        """Strap 1 goes and returns: the time from advertising to subscribed. Strap 2 must not notice."""
        mark = self.straps.mark(f"strap 1 {command} {seconds}")
        self.straps.tell(f"1 {command} {seconds}")
        gone = self.straps.heard(1, "disconnected", mark, 10)
        if gone is None:
            check(f"{command} {seconds}: the strap's link ends", False, "it had none")
            return
        if seconds > 30:
            self.while_away()
        back = self.straps.heard(1, "advertising", gone, seconds + 10)
        again = back and self.straps.heard(1, "notify True", back, 45)
        took = again - back if again else None
        check(f"{command} {seconds}: advertising to subscribed within {RECONNECT_MAX} s", took is not None and took <= RECONNECT_MAX,
              found=times([took]))
        disturbed = [text for at, text in self.straps.log.of(2) if at > mark and not text.startswith("sent")]
        check("meanwhile the other strap delivers undisturbed", not disturbed, disturbed)

    def while_away(self):
        told, took = until(45, lambda: not self.sensor(ADA).get("isConnected") and self.agent.person(ADA).get("notices"), pause=0.5)
        person = self.agent.person(ADA)
        check("while it is away status says so", bool(told), json.dumps(person)[:400], found=f"{told} after {took:.0f} s")
        # A value may stay shown, with its time.
        age = self.agent.box()["time"] - (person.get("heartRateTime") or 0)
        check("and shows no heart rate as if it were of now", person.get("heartRate") is None or age > 3_000,
              f"{person.get('heartRate')}, {age} ms old, wearing {person.get('wearing')}")

    def losses(self):
        for command, seconds in (("off", 4), ("hang-up", 3), ("off", 60)):
            self.lost(command, seconds)
        note(f"advertising to subscribed: {times(self.straps.log.returns(1))}")

    def bluetoothd_restarts(self):
        for number, way in ((signal.SIGKILL, "killed"), (signal.SIGTERM, "stopped")):
            self.deaf.append([self.straps.mark(f"bluetoothd {way}"), None])
            self.bluetoothd.end(number)
            # With `auto` one that is away for 10 s counts as gone.
            time.sleep(4 if self.transport == "bluez" else 2)
            self.straps.mark(f"bluetoothd starts after it was {way}")
            moment = boottime()
            self.bluetoothd.start()
            took = [self.agent.reading_after(name, moment, 60) and (boottime() - moment) / 1000 for name in STRAP]
            self.deaf[-1][1] = self.straps.mark(f"back after bluetoothd was {way}")
            check(f"bluetoothd {way} and started: both straps deliver within {RESUBSCRIBED_MAX} s",
                  all(each is not None and each <= RESUBSCRIBED_MAX for each in took), found=times(took))

    def bluetoothd_away(self):
        """Away for longer than a restart takes: the agent's own socket delivers until bluetoothd is back."""
        self.deaf.append([self.straps.mark("bluetoothd away"), None])
        self.bluetoothd.end(signal.SIGKILL)
        moment = boottime() + 3000  # what was on its way has arrived by then
        took = [self.agent.reading_after(name, moment, AWAY_MAX) for name in STRAP]
        check(f"bluetoothd away: both straps deliver without it within {AWAY_MAX} s", None not in took, times(took), found=times(took))
        time.sleep(max(0, 15 - (boottime() - moment) / 1000))
        self.bluetoothd.start()
        moment = boottime() + 5000
        took = [self.agent.reading_after(name, moment, AWAY_MAX) for name in STRAP]
        self.deaf[-1][1] = self.straps.mark("back through bluetoothd")
        check("and through it when it is back", None not in took, times(took), found=times(took))
        _, said, _ = execute(["bluetoothctl", "devices", "Connected"], 20)
        check("which has the links then", all(address(number) in said for number in STRAP.values()), said)

    # What arrived

    def arrived(self):
        for number in STRAP.values():
            self.straps.tell(f"{number} steps " + json.dumps([{"silent": 600}]))
        time.sleep(2)
        # What came last may not wait for the hub yet: it is put up together with what follows, for up to 25 s.
        done, took = until(60, lambda: self.agent.box()["hub"]["waitingSamples"] == 0 and all(map(self.last_is_there, STRAP)), pause=0.5)
        check("everything is sent and acknowledged", done, f"{self.agent.box()['hub']}", found=f"after {took:.1f} s")
        for name, number in STRAP.items():
            self.compare(name, number)
        for number in STRAP.values():
            self.straps.tell(f"{number} steps " + json.dumps([{"hr": 70 + 40 * number, "contact": True}]))

    def last_is_there(self, name):
        held = sorted(self.hub.heart_rates(self.persons[name]))
        return bool(held) and held[-1][1] == self.straps.log.sent(STRAP[name])[-1][1][1]

    def compare(self, name, number):
        """The hub holds what was sent, in order and once; only what nobody could hear may be missing."""
        sent = [(at, data[1]) for at, data in self.straps.log.sent(number)]
        held = [row[1] for row in sorted(self.hub.heart_rates(self.persons[name]))]
        missing, extra, position = [], [], 0
        for rate in held:
            skipped = position
            while skipped < len(sent) and sent[skipped][1] != rate:
                skipped += 1
            if skipped == len(sent):
                extra.append(rate)
                continue
            missing += sent[position:skipped]
            position = skipped + 1
        missing += sent[position:]
        unheard = [each for each in missing if any(begin - 1 <= each[0] <= end for begin, end in self.deaf if end)]
        lost = [each for each in missing if each not in unheard]
        check(f"the hub holds {len(held)} of the {len(sent)} measurements that {name}'s strap sent, in order, none twice, none of others",
              bool(held) and not lost and not extra, f"lost {lost[:10]}, not sent {extra[:10]}",
              found=f"{len(unheard)} were sent while agent or bluetoothd was down")

    # Changing and forgetting

    def remembered(self):
        """The straps that bluetoothd knows."""
        _, said, _ = execute(["bluetoothctl", "devices"], 20)
        return [number for number in STRAP.values() if address(number) in said.upper()]

    def forget(self):
        if self.transport != "att":
            known = self.remembered()
            check("bluetoothd knows both straps", known == [1, 2], known)
        mark = self.straps.mark("forget 2")
        done, said = self.command("sensors", "forget", address(STRAP[BRUNO]))
        check("sensors forget is done", done, said)
        at = self.straps.heard(2, "disconnected", mark, 15)
        check("its link ends", at is not None, "not within 15 s", found=at and f"after {at - mark:.2f} s")
        check("status has no sensor for its person", not self.sensor(BRUNO), self.sensor(BRUNO))
        # On a slow machine the silence of before may have opened its link anew while it was being forgotten.
        gone = self.straps.mark("2 is forgotten")
        taken = self.straps.heard(2, "connected", gone, 8)
        ended = [said.split()[0] for _, said in self.straps.log.of(2) if said.startswith(("connected", "disconnected"))]
        check("and it is not taken again", taken is None and ended[-1:] == ["disconnected"], f"{taken} {ended[-3:]}")
        if self.transport != "att":
            known = self.remembered()
            check("bluetoothd has forgotten it, and not the other one", known == [1], known)
        text = json.dumps(self.agent.json("sensors", "list"))
        check("the list has the other one only", address(1) in text and address(2) not in text, text[:300])

    def use_paired(self):
        mark = self.straps.mark("use the strap that needs pairing")
        done, said = self.command("sensors", "use", address(PAIRED), "--person", BRUNO)
        if self.transport != "att":
            at = self.straps.heard(PAIRED, "notify True", mark, 40)
            paired = self.straps.heard(PAIRED, "paired", mark, 1)
            check("a strap that needs pairing is paired and subscribed", at is not None and paired is not None,
                  f"{said} {self.sensor(BRUNO)}")
        else:
            told = self.told(done, said)
            subscribed = self.straps.heard(PAIRED, "notify True", mark, 1)
            check("a strap that needs pairing: subscribed, or told why not", subscribed or told, said, found=told)

    def use_unsupported(self):
        told = self.told(*self.command("sensors", "use", address(THERMOMETER), "--person", BRUNO))
        check("a device without heart rate: told why it cannot be used", bool(told), self.agent.person(BRUNO), found=told)

    def told(self, done, said):
        """Why a sensor cannot be used: at once by the command, or soon by the status."""
        return said if not done else until(60, lambda: self.sensor(BRUNO).get("problem"), pause=1)[0]

    def end(self):
        check("the agent ends when it is told to", self.agent.end() == 0)

    def play(self):
        steps = [self.enrol, self.start, self.scan, self.use_both, self.listed, self.state, self.steady, self.losses]
        if self.transport != "att":
            steps.append(self.bluetoothd_restarts)
        if self.transport == "auto":
            steps.append(self.bluetoothd_away)
        steps += [self.restarted, self.arrived, self.forget, self.use_paired, self.use_unsupported, self.end]
        needed = {self.enrol, self.start, self.use_both}
        for step in steps:
            try:
                step()
            except Stop as reason:
                check(step.__name__, False, str(reason))
                if step in needed:
                    check(f"{len(steps) - steps.index(step) - 1} later steps were not tried", False)
                    return
            except Exception:
                check(step.__name__, False, "the test itself: " + " | ".join(traceback.format_exc().splitlines()[-3:]))


Play(*sys.argv[1:4]).play()
