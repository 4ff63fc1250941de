"""Gaussian kernel matrices against scikit-learn, and weighted sums against forming the matrix.

Two threads on both sides, double precision. Exits with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from common import Verdicts, race
from groat import Kernel, threads
from sklearn.metrics.pairwise import rbf_kernel


def gram(n: int, d: int, target: float, repeats: int, verdicts: Verdicts) -> None:
    x = np.random.default_rng(d).normal(size=(n, d))
    gamma = 0.5 / d
    kernel = Kernel.gaussian(gamma=gamma)
    ours, peer = race(repeats, lambda: kernel.gram(x), lambda: rbf_kernel(x, gamma=gamma))
    print(f"Gram matrix {n} x {n}, d = {d}: groat {ours}, scikit-learn {peer}")
    difference = float(np.max(np.abs(ours.result - peer.result) / peer.result))
    verdicts.at_most("largest relative difference", difference, 1e-12)
    verdicts.at_least("times faster than scikit-learn", peer.seconds / ours.seconds, target)


def weighted_sum(n: int, d: int, repeats: int, verdicts: Verdicts) -> None:
    rng = np.random.default_rng(1)
    x, vectors, weights = rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=n)
    kernel = Kernel.gaussian(gamma=0.5 / d)
    ours, forming = race(
        repeats, lambda: kernel.weighted_sum(x, vectors, weights), lambda: kernel.cross(x, vectors)
    )
    print(f"Weighted sum {n} x {n}, d = {d}: {ours}, forming the matrix {forming}")
    expected = forming.result @ weights
    error = float(np.max(np.abs(ours.result - expected)) / np.max(np.abs(expected)))
    verdicts.at_most("largest difference, relative to the largest value", error, 1e-12)
    verdicts.at_least("times faster than forming the matrix", forming.seconds / ours.seconds, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--rows", type=int, default=5000, help="rows of the Gram matrices")
    arguments = parser.parse_args()
    print(f"threads: {threads()}")
    verdicts = Verdicts()
    gram(arguments.rows, 8, 4.0, arguments.repeats, verdicts)
    gram(arguments.rows, 64, 2.0, arguments.repeats, verdicts)
    weighted_sum(2 * arguments.rows, 8, arguments.repeats, verdicts)
    weighted_sum(2 * arguments.rows, 64, arguments.repeats, verdicts)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
