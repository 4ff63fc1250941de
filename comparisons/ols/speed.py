"""Orthogonal least squares: groat beside NumPy and scikit-learn on the same data, in the same run.

    comparisons/run ols/speed [--quick]

Everything runs on two threads. Every time includes making the kernel matrix. "numpy" evaluates the
leave-one-out error of every candidate at every stage, in cache-sized blocks. Wall time and CPU time are both
shown: on a machine that does other work, the second is the one to compare. The CPU time of groat is that of
its whole process, reading the data included, divided by the repeats.
"""

import os

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", RAYON_NUM_THREADS="2")

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.linear_model import OrthogonalMatchingPursuit
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import Verdicts, example  # noqa: E402

BINARY = example("ols_speed")
WIDTH = 2.5


def data(n, d, seed):
    """A smooth function of the first five inputs (three, if there are no more), with noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    f = np.sin(x[:, 0]) + 0.5 * x[:, 1] * np.cos(x[:, 2])
    if d >= 5:
        f += 0.3 * np.tanh(x[:, 3] + x[:, 4])
    return x, f + 0.1 * rng.standard_normal(n)


def groat(x, y, xt, yt, terms, candidates=None, repeats=1, width=WIDTH):
    with tempfile.NamedTemporaryFile(suffix=".f64") as file:
        for part in (x, y, np.c_[xt, yt]):
            np.ascontiguousarray(part, "<f8").tofile(file)
        file.flush()
        n, d = x.shape
        command = [BINARY, file.name, n, d, width, terms, candidates or n, repeats]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        result["cpu_seconds"] = used / repeats
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


def friedman(n, seed):
    """Friedman's first function of ten inputs, five of which matter, with noise of deviation 1."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 10))
    f = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x, f + rng.standard_normal(n)


def compare_prediction(n, terms, verdicts):
    """Each with its own way to find its settings: ours by leave-one-out, the machine by three folds."""
    (x, y), (xt, yt) = friedman(n, 1), friedman(20_000, 2)
    ours = groat(x, y, xt, yt, terms, width="auto")
    grid = {"C": [1.0, 10.0, 100.0], "gamma": [0.01, 0.03, 0.1, 0.3, 1.0], "epsilon": [0.1, 0.3, 1.0]}
    search = GridSearchCV(SVR(), grid, cv=3, scoring="neg_mean_squared_error", n_jobs=2)
    part = slice(0, min(n, 2000))
    svr = SVR(**search.fit(x[part], y[part]).best_params_).fit(x, y)
    (seconds, _), f = clock(lambda: svr.predict(xt))
    error = np.mean((f - yt) ** 2)
    print(f"Friedman's function, {n} rows, 10 inputs, noise 1; prediction of {len(yt)} rows: seconds, test MSE")
    print(f"  groat, {ours['terms']} terms, a width per feature  {ours['predict_seconds']:9.4f}{ours['test_mse']:10.4f}")
    print(f"  SVR, {len(svr.support_)} vectors, {search.best_params_}  {seconds:9.4f}{error:10.4f}")
    verdicts.at_least("prediction, times faster than SVR", seconds / ours["predict_seconds"], 5)
    verdicts.at_most("test MSE / test MSE of SVR", ours["test_mse"] / error, 1.0)


def growth(title, sizes, terms, pool, limit, verdicts):
    times = []
    for size in sizes:
        x, y = data(size, 10, 3)
        times.append(groat(x, y, x[:10], y[:10], terms, pool, repeats=3)["fit_seconds"])
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"growth, {title}: " + ", ".join(f"{s}: {t:.3f} s" for s, t in zip(sizes, times)))
    verdicts.at_most(f"exponent of N, {title}", slope, limit)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="2,000 rows instead of 5,000")
    n = 2000 if parser.parse_args().quick else 5000
    terms, verdicts = 60, Verdicts()
    x, y = data(n, 10, 1)
    xt, yt = data(20_000, 10, 2)

    runs = [groat(x, y, xt, yt, terms, repeats=3)]
    numpy_time, _ = clock(lambda: numpy_exact(x, y, terms))
    omp_time, _ = clock(lambda: OrthogonalMatchingPursuit(n_nonzero_coefs=terms).fit(kernel(x, x), y))
    runs.append(groat(x, y, xt, yt, terms, repeats=3))
    fit = tuple(min(run[key] for run in runs) for key in ("fit_seconds", "cpu_seconds"))
    print(f"N = {n}, d = 10, all candidates, {terms} terms, 2 threads: seconds on the wall, of CPU, ratios")
    for name, (wall, cpu) in (("groat", fit), ("NumPy, every candidate", numpy_time), ("scikit-learn OMP", omp_time)):
        print(f"  {name:24}{wall:9.3f}{cpu:9.3f}{wall / fit[0]:8.1f} x{cpu / fit[1]:8.1f} x")
    verdicts.at_least("times faster than NumPy", numpy_time[0] / fit[0], 30)
    verdicts.at_least("times faster than scikit-learn's OMP", omp_time[0] / fit[0], 1)
    compare_prediction(n, terms, verdicts)
    growth("all candidates", (n // 2, n, 2 * n), terms, None, 2.0, verdicts)
    growth("pool of 500", (2 * n, 4 * n, 8 * n, 16 * n, 32 * n), terms, 500, 1.05, verdicts)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
