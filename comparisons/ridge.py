"""Exact kernel ridge regression against scikit-learn: same coefficients, time within 1.5x.

Two threads on both sides, double precision, no bias (scikit-learn has none), no leave-one-out error (it
works out none). Exits with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from common import Verdicts, race
from groat import Kernel, threads
from groat._groat import BatchLearner
from sklearn.kernel_ridge import KernelRidge as Peer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--features", type=int, default=8)
    arguments = parser.parse_args()
    n, d = arguments.rows, arguments.features
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=n)
    gamma, ridge = 0.5 / d, 0.1
    kernel = Kernel.gaussian(gamma=gamma)
    alike = {"standardise": False, "bias": False, "leave_one_out": False}
    ours, peer = race(
        arguments.repeats,
        lambda: BatchLearner("krr", kernel, ridge=ridge, **alike).fit(x, y),
        lambda: Peer(kernel="rbf", gamma=gamma, alpha=ridge).fit(x, y),
    )
    print(f"threads: {threads()}")
    print(f"Kernel ridge n = {n}, d = {d}: groat {ours}, scikit-learn {peer}")
    verdicts = Verdicts()
    difference = float(np.max(np.abs(ours.result.model.weights[:, 0] - peer.result.dual_coef_)))
    verdicts.at_most("largest difference of a coefficient", difference, 1e-8)
    verdicts.at_most("time relative to scikit-learn", ours.seconds / peer.seconds, 1.5)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
