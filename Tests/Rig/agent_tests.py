"""The whole agent in the guest, with a hub beside it: guest/whole_agent.py plays it, here it is only started."""
import os
import shlex

from checks import check
from machines import AGENT, HERE, HUB, Run

GUEST_PROGRAM = os.path.join(HERE, "guest/whole_agent.py")


def cycle(first, last):
    """Every value differs from the one before, and no two straps share one: a mix-up of persons shows."""
    return [{"hr": value, "contact": True} for value in range(first, last)]


STRAPS = [
    {"address": "C4:01:02:03:04:05", "name": "Strap of Ada", "battery": 87, "steps": cycle(60, 90)},
    {"address": "C4:01:02:03:04:06", "name": "Strap of Bruno", "battery": 64, "steps": cycle(100, 130)},
    {"address": "C4:01:02:03:04:07", "name": "Paired strap", "battery": 55, "encrypted": True, "steps": cycle(140, 170)},
    {"address": "C4:01:02:03:04:08", "name": "Thermometer", "heart_rate": False},
]


def whole_agent(transport):
    up = "hciconfig hci0 up; " if transport == "att" else ""
    command = up + shlex.join(["/usr/bin/python3", "-B", GUEST_PROGRAM, transport, AGENT, HUB])
    run = Run(f"whole_agent-{transport}", command, STRAPS, limit=900, bluetoothd=transport != "att", follows=True)
    check("the machine ran to its end, without a fault of its own", run.status == 0 and not run.rest, run.said())


def whole_agent_bluez():
    whole_agent("bluez")


def whole_agent_att():
    whole_agent("att")


def whole_agent_auto():
    whole_agent("auto")


TESTS = [whole_agent_bluez, whole_agent_att, whole_agent_auto]
