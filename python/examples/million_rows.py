"""A million rows on a laptop: kernel ridge regression on landmarks, whose cost grows with the rows."""

from __future__ import annotations

import time
from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, INK, run
from numpy.typing import NDArray


def rows(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """A smooth function of eight features with noise of deviation 0.1, in single precision."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 8)).astype(np.float32)
    y = np.sin(3 * x[:, 0] * x[:, 1]) + np.cos(2 * x[:, 2] + x[:, 3]) + 0.5 * x[:, 4]
    return x, y + rng.normal(0, 0.1, n)


def draw(quick: bool) -> Any:
    """Seconds and errors as the rows become more."""
    sizes = [1000, 3000] if quick else [1000, 10_000, 100_000, 1_000_000]
    new, truth = rows(20_000, 1)
    seconds, errors = [], []
    for n in sizes:
        x, y = rows(n, 0)
        started = time.perf_counter()
        model = groat.NystromRegressor(n_components=100 if quick else 500).fit(x, y)
        seconds.append(time.perf_counter() - started)
        errors.append(float(np.sqrt(np.mean((model.predict(new) - truth) ** 2))))
        print(f"{n:8} rows: {seconds[-1]:6.1f} s, error {errors[-1]:.4f} (noise 0.1), {model.model_.size} landmarks")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    left.loglog(sizes, seconds, "o-", color=GOOD)
    left.set_title("seconds of the fit, width and ridge found")
    left.set_xlabel("rows")
    error = left.twinx()
    error.semilogx(sizes, errors, "s--", color=BAD)
    error.set_ylabel("error on new rows", color=BAD)
    right.hexbin(truth, model.predict(new), gridsize=60, cmap="Blues", mincnt=1)
    right.plot([-1.5, 2.5], [-1.5, 2.5], color=INK, lw=0.8)
    right.set_title(f"20,000 new rows, learnt from {sizes[-1]:,}")
    right.set_xlabel("truth")
    right.set_ylabel("prediction")
    return figure


if __name__ == "__main__":
    run(draw)
