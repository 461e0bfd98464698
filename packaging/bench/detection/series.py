"""Turns captures into the text form of scenarios, as docs/detection.md describes it."""
import csv
import glob
import os

HEAD = "provenance replay\nside hub\n"
# Readings of a file at one a second, as straps send them.
CRITICAL_LOW, CRITICAL_HIGH = 40, 131


def write_activity(rows, path):
    """Returns (hours with heart rate and position, hours with heart rate). Holes of more than a minute are no hours."""
    start, both, rated, before = rows[0][0], 0.0, 0.0, None
    with open(path, "w") as file:
        file.write(HEAD)
        located = None
        for when, rate, latitude, longitude, speed, cadence in rows:
            at = f"{when - start:.3f}"
            if latitude is not None and longitude is not None and -90 <= latitude <= 90 and -180 <= longitude <= 180:
                file.write(f"{at} fix {latitude:.7f} {longitude:.7f}" + (f" speed {min(speed, 149):.2f}" if speed is not None else "") + "\n")
                located = when
            if cadence is not None and 0 <= cadence <= 300:
                file.write(f"{at} cadence {cadence:.0f}\n")
            if rate is not None and 0 <= rate <= 300:
                file.write(f"{at} heart {rate:.0f}\n")
                if before is not None and when - before <= 60:
                    rated += when - before
                    if located is not None and when - located <= 60:
                        both += when - before
                before = when
        file.write(f"{rows[-1][0] - start + 200:.3f} end\n")
    return both / 3600, rated / 3600


def rates(beats):
    """What a strap sends each second for beats at these times: the rate of the last 8 intervals and the new RR intervals."""
    rows, place, window = [], 0, []
    second = beats[0] + 8
    fresh = []
    while place < len(beats):
        while place < len(beats) and beats[place] <= second:
            # Some beats are annotated twice.
            if place and beats[place] > beats[place - 1]:
                interval = beats[place] - beats[place - 1]
                fresh.append(interval)
                window = (window + [interval])[-8:]
            place += 1
        # A beat that does not come makes the rate fall: straps show it after a while.
        waiting = second - beats[place - 1]
        shown = window + ([waiting] if waiting > (window[-1] if window else 1) * 1.5 else [])
        if len(window) >= 4:
            rows.append((second - beats[0], 60 * len(shown[-8:]) / sum(shown[-8:]), fresh))
        fresh = []
        second += 1
    return rows


# Somebody on a table or at a recorder is known to lie still for so long before the first beat.
STILL = 310


def write_rates(rows, path):
    with open(path, "w") as file:
        file.write(HEAD)
        for second in range(0, int(STILL + rows[-1][0]), 5):
            file.write(f"{second} speed 0\n")
        for when, rate, fresh in rows:
            intervals = " rr " + " ".join(f"{max(1, interval * 1000):.0f}" for interval in fresh) if fresh else ""
            file.write(f"{STILL + when:.3f} heart {min(rate, 300):.0f}{intervals}\n")
        file.write(f"{STILL + rows[-1][0] + 200:.3f} end\n")


def vitaldb(folder):
    """(name, beats, labels, bad) of every annotated operation."""
    for path in sorted(glob.glob(os.path.join(folder, "hr/vitaldb-arrhythmia/Annotation_file_*.csv"))):
        beats, labels, bad = [], [], []
        with open(path, encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                beats.append(float(row["time_second"]))
                labels.append(row["rhythm_label"])
                bad.append(row["bad_signal_quality"] == "True")
        yield os.path.basename(path).removesuffix(".csv"), beats, labels, bad


def mitbih(folder):
    for path in sorted(glob.glob(os.path.join(folder, "hr/mit-bih-beats/*_all.csv"))):
        with open(path) as file:
            yield os.path.basename(path).removesuffix(".csv"), [int(line.split(",")[1]) / 360 for line in file.read().split()[1:]]


def episodes(beats, bad, shortest):
    """Where the rate over five seconds stays beyond a critical limit for `shortest` seconds, from good beats only: (from, to, mean rate)."""
    found, begun, side, sums = [], None, None, []
    second, end = beats[0] + 5, beats[-1]
    while second <= end + 1:
        inside = [i for i in range(bisect(beats, second - 5), bisect(beats, second))]
        rate = None
        if len(inside) >= 2 and beats[inside[-1]] > beats[inside[0]] and not any(bad[i] for i in inside) and second <= end:
            rate = 60 * (len(inside) - 1) / (beats[inside[-1]] - beats[inside[0]])
        now = None if rate is None else "low" if rate <= CRITICAL_LOW else "high" if rate >= CRITICAL_HIGH else None
        if now != side:
            if side and second - begun >= shortest:
                found.append((begun - beats[0], second - beats[0], sum(sums) / len(sums)))
            begun, side, sums = second, now, []
        if now:
            sums.append(rate)
        second += 1
    return found


def pauses(beats, labels, bad):
    """(end, length) of intervals of more than 3 s between good beats that are not within 15 % of two or three times the good one before.
    What the annotators call noise, and what no RR interval of the standard can tell, is left out."""
    found = []
    for i in range(2, len(beats)):
        before, length = beats[i - 1] - beats[i - 2], beats[i] - beats[i - 1]
        if not 3 < length < 64 or before <= 0 or bad[i] or bad[i - 1] or bad[i - 2] or "Noise" in (labels[i], labels[i - 1]):
            continue
        if any(abs(length - times * before) <= 0.15 * times * before for times in (2, 3)):
            continue
        found.append((beats[i] - beats[0], length))
    return found


def bisect(values, value):
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


def noise(beats, bad):
    """Where the annotators call the signal bad, with the eight beats after it, which the strap's mean still holds."""
    return [(beats[i] - beats[0] - 2, beats[min(i + 8, len(beats) - 1)] - beats[0] + 2) for i in range(len(beats)) if bad[i]]


def stretches(beats, labels):
    """(from, to, rhythm), where it stays the same."""
    found = []
    for when, name in zip(beats, labels):
        if found and found[-1][2] == name:
            found[-1][1] = when - beats[0]
        else:
            found.append([when - beats[0], when - beats[0], name])
    return found


def shares(beats, labels):
    """Which part of the time each rhythm has."""
    found, whole = {}, 0.0
    for i in range(1, len(beats)):
        length = min(beats[i] - beats[i - 1], 3)
        found[labels[i]] = found.get(labels[i], 0.0) + length
        whole += length
    return {name: length / whole for name, length in found.items()}
