"""Equalise a channel while it changes: bits through a distorting line whose echo flips half-way."""

from __future__ import annotations

from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, PALE, run


def draw(quick: bool) -> Any:
    """A tracker that forgets, beside one that does not, on a channel that changes."""
    n, taps = (600, 4) if quick else (4000, 4)
    rng = np.random.default_rng(0)
    bits = rng.choice([-1.0, 1.0], n + taps)
    change = n // 2
    line = np.empty(n + taps)
    for t in range(1, n + taps):
        echo = 0.5 if t < change else -0.5
        line[t] = bits[t] + echo * bits[t - 1]
    received = line + 0.2 * line**2 + 0.1 * line**3 + rng.normal(0, 0.2, n + taps)
    rows = np.lib.stride_tricks.sliding_window_view(received[1:], taps)[: n - 2]
    sent = bits[2 : n]
    rows, sent = rows[: len(sent)], sent[: len(rows)]
    figure, axis = plt.subplots(figsize=(8, 4), layout="constrained")
    axis.axvline(change, color=PALE, lw=6, label="the channel changes")
    for name, color, forgetting in (("never forgets", BAD, 1.0), ("forgets (lambda = 0.99)", GOOD, 0.99)):
        learner = groat.OnlineLearner("krls-tracker", budget=60, lambda_=forgetting, sn2=0.05)
        steps = learner.learn_many(rows, sent)
        wrong = np.sign(steps["prediction"]) != sent
        rate = np.convolve(wrong, np.ones(100) / 100, mode="valid")
        print(f"{name}: {100 * wrong[-n // 4 :].mean():.1f} % of the last quarter's bits wrong")
        axis.plot(np.arange(len(rate)) + 100, 100 * rate, color=color, label=name)
    axis.set_title("wrong bits in the last hundred [%]")
    axis.set_xlabel("bits")
    axis.set_ylim(bottom=0)
    axis.legend(frameon=False)
    return figure


if __name__ == "__main__":
    run(draw)
