"""What the tests of the rig share: how they say what they found, and how they read what the straps did."""
import re
import struct

failures = []


def check(name, good, wrong="", found=""):
    """Prints the outcome, with what was `found` always, and with what is `wrong`, for who looks for the cause, when it failed."""
    details = [str(detail) for detail in (found, "" if good else wrong) if detail]
    print(": ".join([f"{'ok    ' if good else 'FAILED'} {name}", *details]), flush=True)
    if not good:
        failures.append(name)
    return good


def note(text):
    print(f"note   {text}", flush=True)


class StrapLog:
    """strap.log: what happened to each strap, in the strap's own clock (s)."""

    LINE = re.compile(r"\s*([0-9.]+) (strap (\d+)|mark|control): (.*)")

    def __init__(self, path):
        self.path = path

    def entries(self):
        """(seconds, strap's number or None, text) of each line."""
        entries = []
        try:
            with open(self.path) as file:
                for line in file:
                    match = self.LINE.match(line)
                    if match and line.endswith("\n"):
                        entries.append((float(match[1]), int(match[3]) if match[3] else None, match[4]))
        except FileNotFoundError:
            pass
        return entries

    def of(self, number):
        return [(seconds, text) for seconds, strap, text in self.entries() if strap == number]

    def sent(self, number):
        """The measurements that a strap sent, (seconds, bytes)."""
        return [(seconds, bytes.fromhex(text.split()[1])) for seconds, text in self.of(number) if text.startswith("sent ")]

    def failed(self):
        return [text for _, _, text in self.entries() if text.startswith("FAILED")]

    def returns(self, number):
        """Seconds from each return of a strap (it advertises) to its next subscription; None where none came. Not the first one."""
        waits, back, gone = [], None, False
        for seconds, text in self.of(number):
            if text.startswith("disconnected"):
                gone = True
            elif text.startswith("advertising") and gone and back is None:
                back = seconds
            elif text == "notify True" and back is not None:
                waits.append(seconds - back)
                back = None
        return waits + ([None] if back is not None else [])


def decode(data):
    """A second reading of Heart Rate Measurement (0x2A37), in the words of `trackme-agent watch`."""
    flags, at = data[0], 1
    bpm, at = (struct.unpack_from("<H", data, 1)[0], 3) if flags & 1 else (data[1], 2)
    value = {"bpm": bpm, "contact": ("unsupported", "unsupported", "not-detected", "detected")[flags >> 1 & 3]}
    if flags & 8:
        value["energy"], at = struct.unpack_from("<H", data, at)[0], at + 2
    count = (len(data) - at) // 2 if flags & 16 else 0
    value["rr"] = list(struct.unpack_from(f"<{count}H", data, at))
    return value


def times(seconds):
    return ", ".join("never" if each is None else f"{each:.2f} s" for each in seconds) or "none"
