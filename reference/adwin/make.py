"""Alarms of river's ADWIN on four sequences that any program can make: writes adwin.json beside this file.

Run with river 0.26 (pip install river). Each sequence is `level(i) + width * (draw(i) - 0.5)`, where draw is a
multiplicative sequence in [0, 1).
"""

import json
import pathlib

from river import drift


def draw(i: int) -> float:
    return (i * 7919 % 1009) / 1009


def abrupt(i: int) -> float:
    return 0.2 if i < 1000 else 0.5 if i < 2200 else 0.3


def slow(i: int) -> float:
    return 0.2 + 0.4 * i / 4000


def small(i: int) -> float:
    return 0.2 if i < 1500 else 0.24


def steady(i: int) -> float:
    return 0.5


found = []
for name, level, width in [("abrupt", abrupt, 0.3), ("slow", slow, 0.3), ("small", small, 0.1), ("steady", steady, 0.9)]:
    detector = drift.ADWIN()
    alarms, widths = [], []
    for i in range(4000):
        detector.update(level(i) + width * (draw(i) - 0.5))
        if detector.drift_detected:
            alarms.append(i + 1)
            widths.append(detector.width)
    found.append({"name": name, "width": width, "alarms": alarms, "widths": widths, "last": detector.width})
path = pathlib.Path(__file__).with_name("adwin.json")
path.write_text(json.dumps({"program": "river 0.26.1", "sequences": found}, indent=1) + "\n")
