"""A thermometer and a running pod beside a strap: guest/other_sensors.py plays them, here the machine is only started."""
import os
import shlex

from checks import check
from machines import AGENT, HERE, HUB, Run

GUEST_PROGRAM = os.path.join(HERE, "guest/other_sensors.py")

SENSORS = [
    {"address": "C4:01:02:03:04:05", "name": "Strap of Ada", "charging": False,
     "steps": [{"hr": 70, "contact": True, "rr": [878]}, {"hr": 71, "contact": True, "rr": [865]}]},
    {"address": "C4:01:02:03:04:06", "name": "Thermometer", "heart_rate": False, "thermometer": True, "interval": 2,
     "steps": [{"temperature": 36.6}]},
    {"address": "C4:01:02:03:04:07", "name": "Pod", "heart_rate": False, "pod": True, "steps": [{"cadence": 0}]},
]


def other_sensors(transport):
    up = "hciconfig hci0 up; " if transport == "att" else ""
    command = up + shlex.join(["/usr/bin/python3", "-B", GUEST_PROGRAM, transport, AGENT, HUB])
    run = Run(f"other_sensors-{transport}", command, SENSORS, limit=600, bluetoothd=transport != "att", follows=True)
    check("the machine ran to its end, without a fault of its own", run.status == 0 and not run.rest, run.said())


def other_sensors_bluez():
    other_sensors("bluez")


def other_sensors_att():
    other_sensors("att")


TESTS = [other_sensors_bluez, other_sensors_att]
