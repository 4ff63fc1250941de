"""Compact kernels against SciPy, CHOLMOD (scikit-sparse) and scikit-learn: same solution, and the ratio of times.

Uniform points in the unit square, ridge 1, two threads on both sides. Both sides do all of the work: the
neighbour search, the kernel matrix, its factorisation or iteration, the solution with its constant. Where the peer
factors a dense matrix, there is a second, harder reading: all of our work against its factorisation alone. CHOLMOD
runs with its own choice of ordering and with minimum degree, and the quicker one counts. scikit-learn's dense solver
of kernel PCA, which is slow, runs once and is given its matrix. Without scikit-sparse its
lines are missing and the exit code is 1, as it is when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from common import Verdicts, race
from groat import Kernel, threads
from groat._groat import BatchLearner, KernelPca
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


def peer_sparse(x: np.ndarray, y: np.ndarray, sparsity: float, ordering: str) -> np.ndarray:
    matrix = sparse_matrix(x, support(sparsity)) + RIDGE * sp.identity(len(x), format="csc")
    return close(cholmod(matrix, ordering_method=ordering), y)


def dense_matrix(x: np.ndarray, sparsity: float) -> np.ndarray:
    squared = (x**2).sum(1)[:, None] + (x**2).sum(1) - 2 * x @ x.T
    r = np.sqrt(np.maximum(squared, 0))
    matrix = np.clip(1 - r / support(sparsity), 0, None) ** POWER * np.exp(-squared / (2 * WIDTH**2))
    matrix[np.diag_indices(len(x))] = 1 + RIDGE
    return matrix


def solve_dense(matrix: np.ndarray, y: np.ndarray) -> np.ndarray:
    factor = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    return close(lambda b: scipy.linalg.cho_solve(factor, b, check_finite=False), y)


def machine(sparsity: float, **settings) -> BatchLearner:
    """The least-squares SVM; without the leave-one-out error, which the others do not work out."""
    return BatchLearner("lssvm", kernel(sparsity), ridge=RIDGE, standardise=False, leave_one_out=False, **settings)


def difference(ours, theirs) -> float:
    return float(np.max(np.abs(ours.result.model.weights[:, 0] - theirs.result)))


def against_cholmod(verdicts: Verdicts, repeats: int, n: int, sparsity: float, target: float) -> None:
    x, y = points(n)
    ours, direct, default, degree = race(
        repeats,
        lambda: machine(sparsity).fit(x, y),
        lambda: machine(sparsity, solver="sparse").fit(x, y),
        lambda: peer_sparse(x, y, sparsity, "default"),
        lambda: peer_sparse(x, y, sparsity, "amd"),
    )
    print(f"least-squares SVM, n = {n}, {sparsity:.0%} zeros: groat {ours}, k-d tree and CHOLMOD {default}, by AMD {degree}")
    print(f"  groat's sparse Cholesky: {direct}")
    print(f"  {ours.result.notes[-1]}")
    quicker = min(default, degree, key=lambda timed: timed.seconds)
    verdicts.at_most("largest difference of a coefficient", difference(ours, quicker), 1e-7)
    verdicts.at_least("times faster than k-d tree and CHOLMOD", quicker.seconds / ours.seconds, target)
    verdicts.at_least("sparse Cholesky: times faster", quicker.seconds / direct.seconds, 1.0)


def against_dense(verdicts: Verdicts, repeats: int, n: int, sparsity: float, target: float) -> None:
    x, y = points(n)
    # LAPACK works in place: each round gets its own copy, made before the clock starts.
    copies = [np.asfortranarray(dense_matrix(x, sparsity)) for _ in range(repeats)]
    ours, whole, alone = race(
        repeats,
        lambda: machine(sparsity).fit(x, y),
        lambda: solve_dense(dense_matrix(x, sparsity), y),
        lambda: solve_dense(copies.pop(), y),
    )
    print(f"least-squares SVM, n = {n}, {sparsity:.0%} zeros: groat {ours}, dense SciPy {whole}, its solution {alone}")
    print(f"  {ours.result.notes[-1]}")
    verdicts.at_most("largest difference of a coefficient", difference(ours, whole), 1e-7)
    verdicts.at_least("times faster than dense SciPy Cholesky", whole.seconds / ours.seconds, target)
    verdicts.at_least("times faster than its factorisation alone", alone.seconds / ours.seconds, target)


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
    matrix = Kernel(kernel(sparsity)).gram(x)
    (full,) = race(1, lambda: KernelPCA(8, kernel="precomputed", eigen_solver="dense").fit(matrix))
    verdicts.at_least("times faster than scikit-learn's dense solver", full.seconds / ours.seconds, 5.0)


def assemble(n: int, neighbours: int) -> dict[str, float]:
    """Time and memory of one sparse matrix; meant for a process of its own."""
    x, _ = points(n)
    compact = Kernel(kernel(1 - neighbours / n))

    def peak() -> float:
        status = Path("/proc/self/status").read_text()
        return float(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    before, begin = peak(), time.perf_counter()
    data, _, starts = compact.sparse_gram(x)
    nonzeros = 2 * len(data) - n
    return {"seconds": time.perf_counter() - begin, "nonzeros": nonzeros, "bytes": peak() - before, "columns": len(starts) - 1}


def assembly(verdicts: Verdicts, n: int, neighbours: int) -> None:
    command = [sys.executable, __file__, "--assemble", str(n), str(neighbours)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    general = 12 * found["nonzeros"] + 4 * n
    print(f"assembly, n = {n}, {found['nonzeros'] / n:.1f} neighbours: {found['seconds']:.2f} s, {found['bytes'] / 1e6:.0f} MB at the peak")
    verdicts.at_most("seconds", found["seconds"], 10)
    verdicts.at_most("peak memory over 12 N + 4 n bytes", found["bytes"] / general, 1.3)


def prediction(verdicts: Verdicts, repeats: int, sizes: list[int], neighbours: int) -> None:
    """How the time of one prediction grows with the rows of the model, at the same number of neighbours."""
    queries = np.random.default_rng(2).random((100_000, 2))
    seconds = []
    for n in sizes:
        x, y = points(n)
        model = machine(1 - neighbours / n).fit(x, y).model
        model.predict(queries[:10])  # arranges the vectors
        one, many = race(repeats, lambda: [model.predict(q[None]) for q in queries[:2000]], lambda: model.predict(queries))
        seconds.append((one.seconds / 2000, many.seconds / len(queries)))
        print(f"prediction, n = {n}, {neighbours} neighbours: {seconds[-1][0] * 1e6:.2f} us a query alone, {seconds[-1][1] * 1e6:.2f} us in a batch")
    growth = [np.polyfit(np.log(sizes), np.log([s[k] for s in seconds]), 1)[0] for k in range(2)]
    verdicts.at_most("exponent of n, one query at a time", growth[0], 0.1)
    verdicts.at_most("exponent of n, in a batch", growth[1], 0.1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--assemble", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.assemble:
        print(json.dumps(assemble(*arguments.assemble)))
        return 0
    repeats = arguments.repeats
    print(f"threads: {threads()}")
    verdicts = Verdicts()
    if cholmod is None:
        print("scikit-sparse is not installed (comparisons/install-cholmod): NO COMPARISON WITH CHOLMOD")
        verdicts.met = False
    else:
        against_cholmod(verdicts, repeats, 20_000, 0.99, 3)
    against_dense(verdicts, repeats, 5000, 0.90, 3)
    against_dense(verdicts, repeats, 5000, 0.99, 30)
    components(verdicts, repeats, 5000, 0.0)
    components(verdicts, repeats, 5000, 0.99)
    assembly(verdicts, 1_000_000, 50)
    prediction(verdicts, repeats, [5_000, 50_000, 500_000], 50)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
