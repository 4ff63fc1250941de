"""Orthogonal least squares: groat beside NumPy and scikit-learn on the same data, in the same run.

    cargo build --release -p groat --example ols_speed
    python comparisons/ols/speed.py [--quick]

Everything runs on two threads. Every time includes making the kernel matrix. "numpy" evaluates the
leave-one-out error of every candidate at every stage, in cache-sized blocks. Wall time and CPU time are both
shown: on a machine that does other work, the second is the one to compare. The CPU time of groat is that of
its whole process, reading the data included.
"""

import os

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", RAYON_NUM_THREADS="2")

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
from sklearn.linear_model import OrthogonalMatchingPursuit
from sklearn.svm import SVR

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "target/release/examples/ols_speed"
WIDTH = 2.5


def data(n, d, seed):
    """A smooth function of the first five inputs (three, if there are no more), with noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    f = np.sin(x[:, 0]) + 0.5 * x[:, 1] * np.cos(x[:, 2])
    if d >= 5:
        f += 0.3 * np.tanh(x[:, 3] + x[:, 4])
    return x, f + 0.1 * rng.standard_normal(n)


def groat(x, y, xt, yt, terms, candidates=None, repeats=1):
    with tempfile.NamedTemporaryFile(suffix=".f64") as file:
        for part in (x, y, np.c_[xt, yt]):
            np.ascontiguousarray(part, "<f8").tofile(file)
        file.flush()
        n, d = x.shape
        command = [BINARY, file.name, n, d, WIDTH, terms, candidates or n, repeats]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        result["cpu_seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return result


def kernel(a, b):
    square = (a * a).sum(1)[:, None] + (b * b).sum(1)[None, :] - 2.0 * a @ b.T
    return np.exp(-np.maximum(square, 0.0) / (2.0 * WIDTH**2))


def numpy_exact(x, y, terms, block=64):
    """Every candidate orthogonalised and evaluated at every stage; candidates are rows of W."""
    n = len(y)
    w = kernel(x, x)
    lam = 1e-6 * (w * w).sum() / n
    ones = np.ones(n)
    eps, eta = y - y.mean(), 1.0 - ones / n
    last, ww_last = ones, float(n)
    alive = np.ones(n, bool)
    chosen = []
    for _ in range(terms):
        best = (np.inf, -1)
        for start in range(0, n, block):
            rows = w[start : start + block]
            rows -= np.outer(rows @ last / ww_last, last)
            d = np.einsum("ij,ij->i", rows, rows) + lam
            g = rows @ y / d
            loo = (eps - g[:, None] * rows) / (eta - rows * rows / d[:, None])
            j = np.where(alive[start : start + block], np.einsum("ij,ij->i", loo, loo), np.inf)
            i = int(j.argmin())
            if j[i] < best[0]:
                best = (j[i], start + i)
        i = best[1]
        last = w[i].copy()
        ww_last = last @ last
        d = ww_last + lam
        eps = eps - (last @ y / d) * last
        eta = eta - last * last / d
        alive[i] = False
        chosen.append(i)
    return chosen


def clock(f):
    start, cpu = time.perf_counter(), time.process_time()
    result = f()
    return (time.perf_counter() - start, time.process_time() - cpu), result


def compare_prediction(x, y, xt, yt, terms):
    ours = groat(x, y, xt, yt, terms)
    svr = SVR(gamma=1 / (2 * WIDTH**2), C=10, epsilon=0.1).fit(x, y)
    (seconds, _), f = clock(lambda: svr.predict(xt))
    ratio = seconds / ours["predict_seconds"]
    print(f"prediction of {len(yt)} rows of {x.shape[1]} inputs: seconds, test MSE")
    print(f"  groat, {ours['terms']} terms{'':14}{ours['predict_seconds']:9.4f}{ours['test_mse']:10.5f}")
    print(f"  SVR, {len(svr.support_)} vectors{'':13}{seconds:9.4f}{np.mean((f - yt) ** 2):10.5f}{ratio:9.0f} x")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="2,000 rows instead of 5,000")
    n = 2000 if parser.parse_args().quick else 5000
    terms = 60
    x, y = data(n, 10, 1)
    xt, yt = data(20_000, 10, 2)

    ours = groat(x, y, xt, yt, terms)
    numpy_time, _ = clock(lambda: numpy_exact(x, y, terms))
    omp_time, _ = clock(lambda: OrthogonalMatchingPursuit(n_nonzero_coefs=terms).fit(kernel(x, x), y))
    again = groat(x, y, xt, yt, terms)
    fit = tuple(min(ours[key], again[key]) for key in ("fit_seconds", "cpu_seconds"))
    print(f"N = {n}, d = 10, all candidates, {terms} terms, 2 threads: seconds on the wall, of CPU, ratios")
    for name, (wall, cpu) in (("groat", fit), ("NumPy, every candidate", numpy_time), ("scikit-learn OMP", omp_time)):
        print(f"  {name:24}{wall:9.3f}{cpu:9.3f}{wall / fit[0]:8.1f} x{cpu / fit[1]:8.1f} x")

    # With ten inputs 60 kernels of one width are faster, but less accurate than a support vector machine; with
    # three they are as accurate.
    for inputs in (10, 3):
        compare_prediction(*data(n, inputs, 1), *data(20_000, inputs, 2), terms)

    for title, sizes, pool in (("all candidates", (n // 4, n // 2, n), None), ("pool of 500", (n, 4 * n, 16 * n), 500)):
        times = []
        for size in sizes:
            x, y = data(size, 10, 3)
            times.append(groat(x, y, xt[:10], yt[:10], terms, pool, repeats=2)["fit_seconds"])
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        shown = ", ".join(f"{s}: {t:.3f} s" for s, t in zip(sizes, times))
        print(f"growth, {title}: {shown}; exponent {slope:.2f}")


if __name__ == "__main__":
    main()
