"""A model of about twenty terms against a support vector machine with hundreds of vectors."""

from __future__ import annotations

from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, INK, run
from numpy.typing import NDArray
from sklearn import svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def spirals(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two noisy arcs that hold each other."""
    y = rng.integers(0, 2, n)
    turn = rng.uniform(0, np.pi, n)
    x = np.column_stack([np.cos(turn) * (1 - 2 * y) + y, np.sin(turn) * (1 - 2 * y) + 0.4 * y])
    return x + rng.normal(0, 0.28, x.shape), y


def draw(quick: bool) -> Any:
    """Decision lines, vectors and test errors of both."""
    rng = np.random.default_rng(1)
    (x, y), (new, truth) = spirals(300 if quick else 1500, rng), spirals(4000, rng)
    machine = make_pipeline(StandardScaler(), svm.SVC()).fit(x, y)
    sparse = groat.SparseClassifier(max_terms=20).fit(x, y)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
    grid = np.stack(np.meshgrid(np.linspace(-2, 3, 120), np.linspace(-1.8, 2, 120)), axis=-1)
    found = (
        ("scikit-learn's SVC", machine, x[machine[-1].support_]),
        ("groat's SparseClassifier", sparse, sparse.support_vectors_),
    )
    for axis, (name, model, vectors) in zip(axes, found, strict=True):
        wrong = np.mean(model.predict(new) != truth)
        values = model.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        axis.scatter(*x.T, c=np.where(y == 1, GOOD, BAD), s=6, alpha=0.25, lw=0)
        axis.contour(grid[..., 0], grid[..., 1], values, levels=[0], colors=INK)
        axis.scatter(*vectors.T, s=26, facecolors="none", edgecolors=INK, lw=0.8)
        axis.set_title(f"{name}: {len(vectors)} vectors, {100 * wrong:.1f} % wrong")
        print(f"{name}: {len(vectors)} vectors, {100 * wrong:.2f} % of {len(truth)} new rows wrong")
    return figure


if __name__ == "__main__":
    run(draw)
