"""Drift found in a stream, with river: a kernel learner says when its errors have grown, and its intervals follow."""

from __future__ import annotations

import math
import random
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, INK, PALE, run
from groat.river import KernelRegressor


def draw(quick: bool) -> Any:
    """A target that changes twice; predictions, intervals and alarms."""
    rng, steps = random.Random(4), 900 if quick else 3000
    changes = [steps // 3, 2 * steps // 3]
    model = KernelRegressor(on_drift="forget")
    seen: list[tuple[float, float, float, float]] = []
    alarms = []
    for step in range(steps):
        a = rng.uniform(-2, 2)
        shape = sum(step >= change for change in changes)
        y = (math.sin(2 * a), 2 * math.cos(3 * a) + 1, -a)[shape] + rng.gauss(0, 0.15)
        low, high = model.predict_interval_one({"a": a})
        seen.append((y, model.predict_one({"a": a}), math.nan if low is None else low, math.nan if high is None else high))
        model.learn_one({"a": a}, y)
        if model.drift_detected:
            alarms.append(step)
    truth, guess, lower, upper = np.array(seen).T
    print(f"the target changes at {changes}; alarms at {alarms}")
    print(f"inside their intervals: {100 * np.nanmean((lower <= truth) & (truth <= upper)):.0f} % (90 % asked for)")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.5), sharex=True, layout="constrained")
    mean = np.convolve(np.abs(truth - guess), np.ones(30) / 30, mode="same")
    top.plot(mean, color=GOOD, label="absolute error, mean of 30")
    bottom.plot(np.convolve(upper - lower, np.ones(5) / 5, mode="same"), color=INK, label="width of the interval")
    for axis in (top, bottom):
        for change in changes:
            axis.axvline(change, color=PALE, lw=6, zorder=0)
        for alarm in alarms:
            axis.axvline(alarm, color=BAD, lw=1)
        axis.legend(frameon=False, loc="upper left")
    top.set_title("a target that changes twice (grey), and the alarms (red)")
    bottom.set_xlabel("samples")
    return figure


if __name__ == "__main__":
    run(draw)
