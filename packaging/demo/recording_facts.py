#!/usr/bin/env python3
"""Says what the demo recording holds, as JSON, for the tests to compare the decoders with.

    recording_facts.py run.nmea run.btsnoop > demo-facts.json

It shares no code with those decoders, and reads no more of the formats than this recording uses. Times are UTC in
milliseconds, cut off (not rounded) from the capture's microseconds. Python 3 standard library only.
"""
import datetime
import json
import struct
import sys


def packets(data):
    """(UTC in microseconds, received by the host, H4 bytes) of a btsnoop file."""
    if data[:8] != b"btsnoop\0" or struct.unpack(">II", data[8:16]) != (1, 1002):
        raise SystemExit("this is no btsnoop file with H4 packets")
    at = 16
    while at + 24 <= len(data):
        _, size, flags, _, time = struct.unpack(">IIIIq", data[at:at + 24])
        yield time - 0x00E03AB44A676000 + 946_684_800_000_000, flags & 1, data[at + 24:at + 24 + size]
        at += 24 + size


def attributes(data):
    """(UTC in microseconds, from the strap, ATT PDU) of the capture. The strap's PDUs fit one ACL packet each."""
    for time, received, packet in packets(data):
        if packet[:1] == b"\x02" and len(packet) > 9:
            length, channel = struct.unpack("<HH", packet[5:9])
            if channel == 4 and len(packet) == 9 + length:
                yield time, received, packet[9:]


def handles(data):
    """Value handle of each characteristic, by its 16-bit UUID, from the discovery in the capture."""
    found = {}
    for _, received, pdu in attributes(data):
        if received and pdu[0] == 0x09 and pdu[1] == 7:                # Read By Type Response of declarations
            for i in range(2, len(pdu) - 6, 7):
                value, uuid = struct.unpack("<HH", pdu[i + 3:i + 7])
                found[uuid] = value
    return found


def notifications(data, uuid):
    handle = handles(data)[uuid]
    for time, received, pdu in attributes(data):
        if received and pdu[0] == 0x1B and struct.unpack("<H", pdu[1:3])[0] == handle:
            yield time, pdu[3:]


def measurement(value):
    """(bpm, contact or None, energy or None, RR intervals) of a 0x2A37 value."""
    flags, at = value[0], 2 + (value[0] & 1)
    bpm = int.from_bytes(value[1:at], "little")
    contact = bool(flags & 2) if flags & 4 else None
    energy = None
    if flags & 8:
        energy, at = int.from_bytes(value[at:at + 2], "little"), at + 2
    rr = [r for (r,) in struct.iter_unpack("<H", value[at:])] if flags & 16 else []
    return bpm, contact, energy, rr


def degrees(text, letter):
    dot = text.index(".")
    value = int(text[:dot - 2]) + float(text[dot - 2:]) / 60
    return -value if letter in "SW" else value


def facts(data, log):
    hearts = [(time // 1000, *measurement(value)) for time, value in notifications(data, 0x2A37)]
    levels = [value[0] for _, value in notifications(data, 0x2A19)]
    held, read = handles(data), {}
    asked = None
    for _, received, pdu in attributes(data):
        if not received and pdu[0] == 0x0A:
            asked = struct.unpack("<H", pdu[1:3])[0]
        if received and pdu[0] == 0x0B and asked is not None:
            read.setdefault(asked, []).append(pdu[1])
            asked = None
    gaps = [b[0] - a[0] for a, b in zip(hearts, hearts[1:])]

    lines = log.decode("ascii").split("\r\n")
    if lines.pop() != "":
        raise SystemExit("the log does not end with CR LF")
    kinds, fixes, void, altitudes = {}, [], 0, {}
    for line in lines:
        body, check = line[1:].split("*")
        total = 0
        for c in body:
            total ^= ord(c)
        if line[0] != "$" or total != int(check, 16):
            raise SystemExit(f"bad checksum: {line}")
        f = body.split(",")
        kinds[f[0]] = kinds.get(f[0], 0) + 1
        if f[0] == "GNRMC":
            if f[2] != "A":
                void += 1
                continue
            when = datetime.datetime.strptime(f[9] + f[1][:6] + "+0000", "%d%m%y%H%M%S%z")
            fixes.append((int(when.timestamp()) * 1000, degrees(f[3], f[4]), degrees(f[5], f[6]), float(f[7]) * 0.514444))
        elif f[0] == "GNGGA" and f[6] != "0":
            altitudes[f[1]] = float(f[9])

    def fix(x):
        return {"timeMilliseconds": x[0], "latitude": round(x[1], 7), "longitude": round(x[2], 7)}

    heights = list(altitudes.values())
    return {
        "heartRate": {
            "notifications": len(hearts),
            "firstTimeMilliseconds": hearts[0][0],
            "lastTimeMilliseconds": hearts[-1][0],
            "beatsPerMinuteSum": sum(h[1] for h in hearts),
            "beatsPerMinuteMax": max(h[1] for h in hearts),
            "withContact": sum(h[2] is True for h in hearts),
            "withoutContact": sum(h[2] is False for h in hearts),
            "rrIntervals": sum(len(h[4]) for h in hearts),
            "rrIntervalSum": sum(sum(h[4]) for h in hearts),
            "withEnergy": sum(h[3] is not None for h in hearts),
            "lastEnergyKilojoules": [h[3] for h in hearts if h[3] is not None][-1],
            "longestGapMilliseconds": max(gaps),
            "valueHandle": held[0x2A37],
        },
        "batteryReads": read.get(held[0x2A19], []),
        "batteryNotifications": levels,
        "bodyLocationReads": read.get(held[0x2A38], []),
        "position": {
            "sentences": len(lines),
            "sentencesByType": dict(sorted(kinds.items())),
            "fixes": len(fixes),
            "withoutFix": void,
            "first": fix(fixes[0]),
            "last": fix(fixes[-1]),
            "latitudeMean": round(sum(f[1] for f in fixes) / len(fixes), 7),
            "longitudeMean": round(sum(f[2] for f in fixes) / len(fixes), 7),
            "altitudeMin": min(heights),
            "altitudeMax": max(heights),
            "speedMax": round(max(f[3] for f in fixes), 3),
        },
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], "rb") as log, open(sys.argv[2], "rb") as capture:
        print(json.dumps(facts(capture.read(), log.read()), indent=2))
