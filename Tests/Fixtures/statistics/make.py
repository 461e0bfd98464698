#!/usr/bin/env python3
"""Writes statistics.json: what numpy and scipy say of made-up readings (DATA-6).

    pip install numpy scipy && Tests/Fixtures/statistics/make.py

Readings are whole numbers of a kind's resolution, by the generator below, which StatisticsTests has as well. They are not in the file.
"""
import json
import pathlib

import numpy
import scipy
import scipy.stats

# Name, kind, how many, seed, least, number of values, scale of a value, shape. The scale makes units of the resolution.
SERIES = [
    ("a day of heart rates", "heart_rate", 86_400, 1, 45, 140, 1.0, "flat"),
    ("a month of heart rates each minute", "heart_rate", 44_640, 2, 38, 160, 1.0, "low"),
    ("two heart rates", "heart_rate", 2, 3, 60, 90, 1.0, "flat"),
    ("three heart rates", "heart_rate", 3, 4, 60, 90, 1.0, "flat"),
    ("heart rates that are all the same", "heart_rate", 1000, 5, 72, 1, 1.0, "flat"),
    ("oxygen saturations", "oxygen_saturation", 1801, 6, 85, 16, 1.0, "low"),
    ("RR intervals", "rr_intervals", 30_011, 7, 350, 1400, 1000 / 1024, "low"),
    ("a year of weights", "weight", 366, 8, 7000, 900, 0.01, "flat"),
    ("body temperatures", "body_temperature", 97, 9, 3550, 420, 0.01, "low"),
    ("steps of an hour, mostly few", "steps", 4001, 10, 0, 9000, 1.0, "low"),
    ("a single weight", "weight", 1, 11, 7000, 900, 0.01, "flat"),
]


def made_up(count, seed, least, values, shape):
    """Knuth's generator of MMIX, of whose 64 bits the upper 31 count. The shape `low` takes the lesser of two."""
    state, found = seed, []

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % values

    for _ in range(count):
        value = draw()
        if shape == "low":
            value = min(value, draw())
        found.append(least + value)
    return found


def described(name, kind, count, seed, least, values, scale, shape):
    readings = numpy.array(made_up(count, seed, least, values, shape), dtype=numpy.float64) * scale
    found = {
        "name": name, "kind": kind, "count": count, "seed": seed, "least": least, "values": values, "scale": scale, "shape": shape,
        "mean": float(numpy.mean(readings)), "minimum": float(numpy.min(readings)), "maximum": float(numpy.max(readings)),
        "percentiles": [float(value) for value in numpy.percentile(readings, [5, 25, 50, 75, 95], method="linear")],
    }
    if count > 1:
        found["variance"] = float(numpy.var(readings, ddof=1))
        found["deviation"] = float(numpy.std(readings, ddof=1))
        found["standardError"] = float(scipy.stats.sem(readings))
    return found


def successive():
    """RMSSD of intervals that are all normal beats, by scipy's root mean square of numpy's differences."""
    intervals = numpy.array(made_up(2000, 21, 800, 100, "flat"), dtype=numpy.float64) * 1000 / 1024
    return {"count": 2000, "seed": 21, "least": 800, "values": 100, "rmssd": float(numpy.sqrt(numpy.mean(numpy.diff(intervals) ** 2)))}


if __name__ == "__main__":
    document = {
        "numpy": numpy.__version__, "scipy": scipy.__version__, "series": [described(*one) for one in SERIES], "successive": successive(),
    }
    path = pathlib.Path(__file__).with_name("statistics.json")
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
