"""What a strap is told to do: the steps of its script, checked, and the measurements in them as bytes."""
import struct

from radio import REMOTE_USER_TERMINATED, SUPERVISION_TIMEOUT

STEP_KEYS = {"hr", "contact", "energy", "rr", "wide", "wait", "raw", "battery", "silent", "drop", "off"}
STRAP_KEYS = {"address", "name", "interval", "battery", "location", "advertising_ms", "loop", "encrypted", "heart_rate", "steps"}


def check_steps(steps):
    """Raises ValueError for what could not be played: found now, not in the middle of a test."""
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ValueError("steps are a list of objects")
    for step in steps:
        if set(step) - STEP_KEYS or not set(step) & {"hr", "raw", "battery", "silent", "drop"}:
            raise ValueError(f"{step} is no step")
        if step.get("drop", SUPERVISION_TIMEOUT) not in (SUPERVISION_TIMEOUT, REMOTE_USER_TERMINATED):
            raise ValueError(f"{step}: drop is {SUPERVISION_TIMEOUT} or {REMOTE_USER_TERMINATED}")
    if not any(set(step) & {"hr", "raw", "silent"} for step in steps):
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
