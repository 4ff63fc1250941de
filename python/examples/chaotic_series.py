"""Predict a chaotic series online: Mackey-Glass, ten steps of the past, each value predicted before it is seen."""

from __future__ import annotations

from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, INK, run
from numpy.typing import NDArray


def mackey_glass(steps: int, delay: int = 30) -> NDArray[np.float64]:
    """dx/dt = -0.1 x + 0.2 x(t - delay) / (1 + x(t - delay)^10), one value in six kept."""
    x = np.full(6 * (steps + 200) + delay, 0.9)
    for t in range(delay, len(x) - 1):
        x[t + 1] = x[t] - 0.1 * x[t] + 0.2 * x[t - delay] / (1 + x[t - delay] ** 10)
    return x[delay::6][-steps:]


def draw(quick: bool) -> Any:
    """Kernel recursive least squares beside linear least squares on the Mackey-Glass series."""
    series, lags = mackey_glass(400 if quick else 2000), 10
    past = np.lib.stride_tricks.sliding_window_view(series, lags)[:-1]
    future = series[lags:]
    runs = {
        "linear RLS": groat.OnlineLearner("rls", lambda_=1.0),
        "kernel RLS (krls-ald)": groat.OnlineLearner("krls-ald", nu=1e-3),
    }
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.5), layout="constrained")
    top.plot(future[-200:], color=INK, lw=2.5, alpha=0.35, label="series")
    for color, (name, learner) in zip((BAD, GOOD), runs.items(), strict=True):
        steps = learner.learn_many(past, future)
        mean = np.convolve(steps["error"] ** 2, np.ones(50) / 50, mode="valid")
        print(f"{name}: mean squared error of the last half {np.mean(steps['error'][len(future) // 2 :] ** 2):.2e}")
        top.plot(steps["prediction"][-200:], color=color, lw=1, label=name)
        bottom.semilogy(mean, color=color, label=f"{name}, {learner.size} vectors")
    top.set_title("Mackey-Glass: each value predicted before it is seen (the last 200)")
    top.set_ylim(0.0, 1.5)
    top.legend(loc="lower left", ncols=3, frameon=False)
    bottom.set_title("squared error, mean of 50")
    bottom.set_xlabel("samples")
    bottom.legend(frameon=False)
    return figure


if __name__ == "__main__":
    run(draw)
