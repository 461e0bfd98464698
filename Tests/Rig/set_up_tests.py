"""The set-up page of a box, with a strap: guest/set_up_page.py plays it, here the machine is only started."""
import os
import shlex

from checks import check
from machines import AGENT, HERE, HUB, Run

GUEST_PROGRAM = os.path.join(HERE, "guest/set_up_page.py")

SENSORS = [
    {"address": "C4:01:02:03:04:05", "name": "Strap of Ada", "battery": 87,
     "steps": [{"hr": 70, "contact": True}, {"hr": 71, "contact": True}]},
    {"address": "C4:01:02:03:04:06", "name": "Lamp", "heart_rate": False},
]


def set_up_page():
    command = shlex.join(["/usr/bin/python3", "-B", GUEST_PROGRAM, AGENT, HUB])
    run = Run("set_up_page", command, SENSORS, limit=900, bluetoothd=True, follows=True)
    check("the machine ran to its end, without a fault of its own", run.status == 0 and not run.rest, run.said())


TESTS = [set_up_page]
