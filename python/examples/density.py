"""A density in two dimensions from few Gaussians."""

from __future__ import annotations

from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, INK, run


def draw(quick: bool) -> Any:
    """Rows of a ring and a cloud, the density found, and its centres."""
    rng = np.random.default_rng(2)
    n = 300 if quick else 3000
    turn = rng.uniform(0, 2 * np.pi, n)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * (2 + rng.normal(0, 0.2, n)[:, None])
    x = np.vstack([ring, rng.normal(0, 0.4, size=(n // 3, 2))])
    density = groat.SparseDensity().fit(x)
    side = np.linspace(-3.2, 3.2, 140)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    values = np.exp(density.score_samples(grid.reshape(-1, 2))).reshape(140, 140)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
    left.scatter(*x.T, s=3, color=INK, alpha=0.3, lw=0)
    left.set_title(f"{len(x)} rows")
    right.contourf(side, side, values, levels=12, cmap="Blues")
    right.scatter(*density.centres_.T, s=200 * density.weights_ / density.weights_.max(), facecolors="none", edgecolors=BAD)
    right.set_title(f"density of {len(density.centres_)} Gaussians")
    print(f"{len(density.centres_)} Gaussians for {len(x)} rows; the shares sum to {density.weights_.sum():.3f}")
    for axis in (left, right):
        axis.set_aspect("equal")
    return figure


if __name__ == "__main__":
    run(draw)
