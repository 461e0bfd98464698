"""Reads recorded activities (GPX, TCX, FIT) into rows of (seconds, heart rate, latitude, longitude, speed, cadence), each but the first or None."""
import datetime
import struct
import xml.etree.ElementTree as ElementTree

FIT_EPOCH = 631065600
# Base types of FIT: size, struct's letter, the value that means "none".
FIT_TYPES = {0x00: (1, "B", 0xFF), 0x01: (1, "b", 0x7F), 0x02: (1, "B", 0xFF), 0x83: (2, "h", 0x7FFF), 0x84: (2, "H", 0xFFFF),
             0x85: (4, "i", 0x7FFFFFFF), 0x86: (4, "I", 0xFFFFFFFF), 0x0A: (1, "B", 0), 0x8B: (2, "H", 0), 0x8C: (4, "I", 0)}


def read(path):
    kind = path.lower().rsplit(".", 1)[-1]
    rows = {"gpx": gpx, "tcx": tcx, "fit": fit}[kind](path)
    rows = [row for row in rows if row[0] is not None]
    rows.sort(key=lambda row: row[0])
    return rows


def seconds(text):
    if not text:
        return None
    text = text.strip().replace("Z", "+00:00")
    when = datetime.datetime.fromisoformat(text)
    return (when if when.tzinfo else when.replace(tzinfo=datetime.timezone.utc)).timestamp()


def name(element):
    return element.tag.rsplit("}", 1)[-1].lower()


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def gpx(path):
    for _, point in ElementTree.iterparse(path):
        if name(point) != "trkpt":
            continue
        values = {name(child): (child.text or "").strip() for child in point.iter()}
        yield (seconds(values.get("time")), number(values.get("hr") or values.get("heartrate")), number(point.get("lat")),
               number(point.get("lon")), number(values.get("speed")), number(values.get("cad") or values.get("cadence")))
        point.clear()


def tcx(path):
    for _, point in ElementTree.iterparse(path):
        if name(point) != "trackpoint":
            continue
        values = {name(child): (child.text or "").strip() for child in point.iter()}
        rate = None
        for child in point.iter():
            if name(child) == "heartratebpm":
                rate = next((number(value.text) for value in child if name(value) == "value"), None)
        yield (seconds(values.get("time")), rate, number(values.get("latitudedegrees")), number(values.get("longitudedegrees")),
               number(values.get("speed")), number(values.get("cadence") or values.get("runcadence")))
        point.clear()


def fit(path):
    """Records of every FIT file in the file: some tools write several behind one another. What is broken ends the file, not the reading."""
    data, start, rows = open(path, "rb").read(), 0, []
    while start + 12 <= len(data) and data[start + 8:start + 12] == b".FIT":
        size = struct.unpack_from("<I", data, start + 4)[0]
        first = start + data[start]
        last = min(first + size, len(data)) if size else len(data)
        try:
            fit_records(data, first, last, rows)
        except (struct.error, KeyError, IndexError) as error:
            print(f"  {path}: {error!r}: what follows it is left out")
        start = last + 2
    return rows


def fit_records(data, at, last, rows):
    shapes, stamp = {}, None
    while at < last:
        header = data[at]
        at += 1
        if header & 0x80:
            local = header >> 5 & 3
            if stamp is not None:
                stamp += ((header & 31) - (stamp & 31)) & 31
        elif header & 0x40:
            order = ">" if data[at + 1] else "<"
            message, count = struct.unpack_from(order + "HB", data, at + 2)
            fields = [tuple(data[at + 5 + 3 * i:at + 8 + 3 * i]) for i in range(count)]
            at += 5 + 3 * count
            extra = 0
            if header & 0x20:
                extra = sum(data[at + 2 + 3 * i] for i in range(data[at]))
                at += 1 + 3 * data[at]
            shapes[header & 15] = (message, order, fields, extra)
            continue
        else:
            local = header & 15
        message, order, fields, extra = shapes[local]
        values = {}
        for field, size, base in fields:
            length, letter, none = FIT_TYPES.get(base, (size, None, None))
            if letter and size == length:
                value = struct.unpack_from(order + letter, data, at)[0]
                if value != none:
                    values[field] = value
            at += size
        at += extra
        stamp = values.get(253, stamp)
        if message == 20 and stamp is not None:
            degrees = [values[field] * 180 / 2**31 if field in values else None for field in (0, 1)]
            speed = values.get(73, values.get(6))
            rows.append((stamp + FIT_EPOCH, values.get(3), *degrees, speed / 1000 if speed is not None else None, values.get(4)))
