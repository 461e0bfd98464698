"""What a strap is told to do: the steps of its script, checked, and the measurements in them as bytes."""
import struct

from radio import REMOTE_USER_TERMINATED, SUPERVISION_TIMEOUT

ACTIONS = {"hr", "raw", "battery", "charging", "temperature", "cadence", "silent", "drop"}
TAKES_TIME = {"hr", "raw", "temperature", "cadence", "silent"}
STEP_KEYS = ACTIONS | {"contact", "energy", "rr", "wide", "wait", "off"}
STRAP_KEYS = {"address", "name", "interval", "battery", "location", "advertising_ms", "loop", "encrypted", "heart_rate", "charging",
              "thermometer", "pod", "steps"}


def check_steps(steps):
    """Raises ValueError for what could not be played: found now, not in the middle of a test."""
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ValueError("steps are a list of objects")
    for step in steps:
        if set(step) - STEP_KEYS or not set(step) & ACTIONS:
            raise ValueError(f"{step} is no step")
        if step.get("drop", SUPERVISION_TIMEOUT) not in (SUPERVISION_TIMEOUT, REMOTE_USER_TERMINATED):
            raise ValueError(f"{step}: drop is {SUPERVISION_TIMEOUT} or {REMOTE_USER_TERMINATED}")
    if not any(set(step) & TAKES_TIME for step in steps):
        raise ValueError("one of the steps must take time, or they would be repeated without end")
    return steps


def check_script(script):
    if set(script) - STRAP_KEYS or "address" not in script:
        raise ValueError(f"a strap has an address, and of these what it needs: {', '.join(sorted(STRAP_KEYS))}")
    check_steps(script.setdefault("steps", [{"hr": 70}]))
    return script


def measurement(step):
    """The value of Heart Rate Measurement (0x2A37) for a step."""
    if "raw" in step:
        return bytes.fromhex(step["raw"])
    flags, rate, rest = 0, step["hr"], b""
    if rate > 255 or step.get("wide"):
        flags |= 0x01
    if "contact" in step:
        flags |= 0x04 | (0x02 if step["contact"] else 0)
    if "energy" in step:
        flags |= 0x08
        rest += struct.pack("<H", step["energy"])
    if "rr" in step:
        flags |= 0x10
        rest += struct.pack(f"<{len(step['rr'])}H", *step["rr"])
    return struct.pack("<BH" if flags & 0x01 else "<BB", flags, rate) + rest


def temperature(celsius):
    """The value of Temperature Measurement (0x2A1C): tenths of a degree Celsius as a FLOAT of IEEE 11073, and "body" (2) as its place."""
    return bytes([0x04]) + struct.pack("<i", round(celsius * 10))[:3] + bytes([0xFF, 2])


def running(cadence):
    """The value of RSC Measurement (0x2A53): 3 m/s, running."""
    return struct.pack("<BHB", 0x04, 768, cadence)


def battery_status(charging):
    """The value of Battery Level Status (0x2BED): fed by a cable and charging, or discharging."""
    return bytes([0x00, 0x23 if charging else 0x41, 0x00])
