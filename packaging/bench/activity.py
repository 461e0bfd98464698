"""A recorded activity (GPX 1.1) as the CSV that trackme-fleet and the benchmarks read."""
import datetime
import xml.etree.ElementTree as xml

HEADER = "# time_ms,bpm,latitude_e7,longitude_e7,altitude_dm,speed_cms,course_cdeg,error_dm\n"


def name(element):
    return element.tag.rsplit("}", 1)[-1].lower()


def number(fields, key, unit):
    try:
        return str(round(float(fields[key]) * unit))
    except (KeyError, TypeError, ValueError):
        return ""


def convert(source, target):
    """Writes `target`; returns how many heart rates and positions there are. Points without a time are left out."""
    rates = positions = 0
    with open(target, "w") as out:
        out.write(HEADER)
        for point in xml.parse(source).iter():
            if name(point) != "trkpt":
                continue
            fields = {name(child): child.text for child in point.iter() if child is not point}
            if not fields.get("time"):
                continue
            time = datetime.datetime.fromisoformat(fields["time"].strip())
            rate = number(fields, "hr", 1) or number(fields, "heartrate", 1)
            place = number(point.attrib, "lat", 1e7), number(point.attrib, "lon", 1e7)
            rates += rate != ""
            positions += "" not in place
            out.write(",".join((
                str(round(time.timestamp() * 1000)), rate, *place, number(fields, "ele", 10), number(fields, "speed", 100),
                number(fields, "course", 100), "")) + "\n")
    return rates, positions
