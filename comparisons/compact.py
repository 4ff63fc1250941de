"""Compact kernels against SciPy, CHOLMOD (scikit-sparse) and scikit-learn: same solution, and the ratio of times.

Uniform points in the unit square, ridge 1, two threads on both sides. Both sides do all of the work: the
neighbour search, the kernel matrix, its factorisation or iteration, the solution with its constant. Without
scikit-sparse its line is left out. Exits with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from common import Verdicts, race
from groat import KernelPca, LeastSquaresSvm, threads
from scipy.spatial import cKDTree
from sklearn.decomposition import KernelPCA

try:
    from sksparse.cholmod import cholesky as cholmod
except ImportError:
    cholmod = None

WIDTH, POWER, RIDGE = 0.2, 3, 1.0


def points(n: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(1).random((n, 2))
    return x, np.sin(6 * x[:, 0]) * np.cos(4 * x[:, 1])


def support(sparsity: float) -> float:
    return float(np.sqrt((1 - sparsity) / np.pi))


def kernel(sparsity: float) -> str:
    tail = f",support={support(sparsity)!r},power={POWER}" if sparsity > 0 else ""
    return f"gaussian:width={WIDTH}{tail}"


def sparse_matrix(x: np.ndarray, c: float) -> sp.csc_matrix:
    pairs = cKDTree(x).query_pairs(c, output_type="ndarray")
    r = np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1)
    k = (1 - r / c) ** POWER * np.exp(-(r**2) / (2 * WIDTH**2))
    n = len(x)
    half = sp.coo_matrix((k, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return (half + half.T + sp.identity(n)).tocsc()


def close(solve, y: np.ndarray) -> np.ndarray:
    u, v = solve(y), solve(np.ones(len(y)))
    return u - u.sum() / v.sum() * v


def peer_sparse(x: np.ndarray, y: np.ndarray, sparsity: float) -> np.ndarray:
    matrix = sparse_matrix(x, support(sparsity)) + RIDGE * sp.identity(len(x), format="csc")
    return close(cholmod(matrix), y)


def peer_dense(x: np.ndarray, y: np.ndarray, sparsity: float) -> np.ndarray:
    squared = (x**2).sum(1)[:, None] + (x**2).sum(1) - 2 * x @ x.T
    r = np.sqrt(np.maximum(squared, 0))
    matrix = np.clip(1 - r / support(sparsity), 0, None) ** POWER * np.exp(-squared / (2 * WIDTH**2))
    matrix[np.diag_indices(len(x))] = 1 + RIDGE
    factor = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    return close(lambda b: scipy.linalg.cho_solve(factor, b, check_finite=False), y)


def solve(verdicts: Verdicts, repeats: int, n: int, sparsity: float, peer, name: str, target: float) -> None:
    x, y = points(n)
    machine = LeastSquaresSvm(kernel(sparsity), task="regression", ridge=RIDGE, standardise=False)
    ours, other = race(repeats, lambda: machine.fit(x, y), lambda: peer(x, y, sparsity))
    print(f"least-squares SVM, n = {n}, {sparsity:.0%} zeros: groat {ours}, {name} {other}")
    difference = float(np.max(np.abs(ours.result.model.weights[:, 0] - other.result)))
    verdicts.at_most("largest difference of a coefficient", difference, 1e-7)
    verdicts.at_least(f"times faster than {name}", other.seconds / ours.seconds, target)


def components(verdicts: Verdicts, repeats: int, n: int, sparsity: float) -> None:
    x, _ = points(n)

    def scikit_learn() -> np.ndarray:
        peer = KernelPCA(8, kernel="rbf", gamma=0.5 / WIDTH**2, eigen_solver="arpack", random_state=0)
        return peer.fit(x).eigenvalues_

    def scipy_sparse() -> np.ndarray:
        k = sparse_matrix(x, support(sparsity))

        def centred(v: np.ndarray) -> np.ndarray:
            out = k @ (v - v.mean())
            return out - out.mean()

        operator = scipy.sparse.linalg.LinearOperator((n, n), matvec=centred, dtype=float)
        return scipy.sparse.linalg.eigsh(operator, 8)[0][::-1]

    peer, name = (scipy_sparse, "SciPy eigsh") if sparsity > 0 else (scikit_learn, "scikit-learn ARPACK")
    pca = KernelPca(kernel(sparsity), components=8)
    ours, other = race(repeats, lambda: pca.fit(x), peer)
    print(f"kernel PCA, 8 components, n = {n}, {sparsity:.0%} zeros: groat {ours}, {name} {other}")
    difference = float(np.max(np.abs(ours.result.eigenvalues / other.result - 1)))
    verdicts.at_most("largest relative difference of an eigenvalue", difference, 1e-7)
    verdicts.at_least(f"times faster than {name}", other.seconds / ours.seconds, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    print(f"threads: {threads()}")
    verdicts = Verdicts()
    if cholmod is None:
        print("scikit-sparse is not installed: no comparison with CHOLMOD")
    else:
        solve(verdicts, repeats, 20_000, 0.99, peer_sparse, "k-d tree and CHOLMOD", 3)
    solve(verdicts, repeats, 5000, 0.90, peer_dense, "dense SciPy Cholesky", 3)
    solve(verdicts, repeats, 5000, 0.99, peer_dense, "dense SciPy Cholesky", 30)
    components(verdicts, repeats, 5000, 0.0)
    components(verdicts, repeats, 5000, 0.99)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
