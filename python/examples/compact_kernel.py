"""A least-squares SVM with a kernel of compact support: the matrix is sparse, and so is the work."""

from __future__ import annotations

import time
from typing import Any

import groat
import matplotlib.pyplot as plt
import numpy as np
from gallery import BAD, GOOD, INK, run
from scipy import sparse


def draw(quick: bool) -> Any:
    """The kernel matrix of rows in order of their first feature, and the function found."""
    rng = np.random.default_rng(3)
    n = 400 if quick else 6000
    x = np.sort(rng.uniform(0, 30, n)).reshape(-1, 1)
    y = np.sin(x[:, 0]) * np.exp(-x[:, 0] / 20) + rng.normal(0, 0.15, n)
    started = time.perf_counter()
    model = groat.LSSVMRegressor(width=0.8, alpha=5.0, support=2.0, standardise=False).fit(x, y)
    seconds = time.perf_counter() - started
    kernel = model.model_.kernel
    some = x[:: max(1, n // 400)]
    values, columns, starts = kernel.sparse_gram(some)
    gram = sparse.csr_array((values, columns, starts), shape=(len(some), len(some)))
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    left.spy(gram, markersize=0.6, color=INK)
    share = gram.nnz / len(some) ** 2
    left.set_title(f"kernel matrix: {100 * share:.0f} % of it differs from 0")
    line = np.linspace(0, 30, 600).reshape(-1, 1)
    right.scatter(x[:, 0], y, s=3, color=BAD, alpha=0.25, lw=0)
    right.plot(line, model.predict(line), color=GOOD)
    right.set_title(f"{n} rows fitted in {seconds:.2f} s")
    print(f"{n} rows, {100 * share:.1f} % of the kernel matrix stored, {seconds:.2f} s")
    return figure


if __name__ == "__main__":
    run(draw)
