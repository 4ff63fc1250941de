"""scikit-learn on the splits and samples of `groat reproduce C7`, for the column beside groat's numbers.

    comparisons/run ols/peers [--groat PROGRAM] [--data DIR] [--output FILE.csv]

The program writes its random splits and samples (`groat reproduce C7 --draws`), and the stored splits are read
from the data folder, so that every number here is of the same rows. Settings of a support vector machine are those
with the smallest error of five folds, summed over the first five training parts of the splits in question; the
band width of a density likewise by the log density of five folds of each sample. The result of the recorded run,
100 realisations and seed 0, is crates/cli/src/commands/reproduce/c7/peers.csv.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOOSERS, FOLDS = 5, 5


def table(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def load(folder, name):
    data = table(folder / name / "data.csv.gz")
    return data[:, :-1], data[:, -1], table(folder / name / "splits.csv.gz")


def chosen(make, grid, x, y, marks, scoring):
    """The settings with the best score of five folds, summed over the first training parts."""
    total = 0.0
    for r in range(min(CHOOSERS, marks.shape[1])):
        train = marks[:, r] == 0
        folds = KFold(FOLDS, shuffle=True, random_state=r)
        search = GridSearchCV(make(), grid, cv=folds, scoring=scoring, n_jobs=2, refit=False).fit(x[train], y[train])
        total = total + search.cv_results_["mean_test_score"]
    return search.cv_results_["params"][int(np.argmax(total))]


def svm(make, grid, x, y, marks, scoring, errors):
    """Mean and deviation over the splits of (vectors, errors of the training part, errors of the test part)."""
    settings = chosen(make, grid, x, y, marks, scoring)
    runs = []
    for r in range(marks.shape[1]):
        train, test = marks[:, r] == 0, marks[:, r] == 1
        model = make().set_params(**settings).fit(x[train], y[train])
        vectors = len(model[-1].support_)
        runs.append((vectors, errors(model, x[train], y[train]), errors(model, x[test], y[test])))
    print(f"  {settings}")
    return np.array(runs)


def mean_square(model, x, y):
    return np.mean((model.predict(x) - y) ** 2)


def percent_wrong(model, x, y):
    return 100.0 * np.mean(model.predict(x) != y)


def regressor(scaler):
    return lambda: make_pipeline(scaler(), SVR()) if scaler else make_pipeline(SVR())


GAMMAS = [2.0**k for k in range(-9, 4, 2)]
REGRESSION = {"svr__C": [10.0, 100.0, 1000.0], "svr__gamma": GAMMAS, "svr__epsilon": [0.1, 1.0]}
RAW = {"svr__C": [10.0, 100.0, 1000.0], "svr__gamma": [10.0**k for k in range(-7, -1)], "svr__epsilon": [0.1, 1.0]}
FURNACE = {"svr__C": [1.0, 10.0, 100.0, 1000.0], "svr__gamma": GAMMAS, "svr__epsilon": [0.05, 0.1, 0.2]}
CLASSES = {"svc__C": [10.0**k for k in range(-1, 4)], "svc__gamma": [2.0**k for k in range(-11, 2, 2)]}


def boston(folder, draws):
    x, y, stored = load(folder, "boston_housing")
    fresh = np.load(draws / "boston_housing.npy")
    for name, scaler, grid, marks in (
        ("raw", None, RAW, stored),
        ("scaled", MinMaxScaler, REGRESSION, stored),
        ("fresh", MinMaxScaler, REGRESSION, fresh),
    ):
        runs = svm(regressor(scaler), grid, x, y, marks, "neg_mean_squared_error", mean_square)
        for column, what in enumerate(("terms", "training", "test")):
            yield f"boston/{name}/{what}", "SVR", runs[:, column]


def classes(folder, draws):
    for name in ("ida_breast_cancer", "ida_diabetes"):
        x, y, stored = load(folder, name)
        for kind, marks in (("stored", stored), ("fresh", np.load(draws / f"{name}.npy"))):
            make = lambda: make_pipeline(StandardScaler(), SVC())
            runs = svm(make, CLASSES, x, y, marks, "accuracy", percent_wrong)
            yield f"{name}/{kind}/terms", "SVC", runs[:, 0]
            yield f"{name}/{kind}/error", "SVC", runs[:, 2]


def furnace(folder):
    data = table(folder / "gas_furnace" / "data.csv.gz")
    u, y = data[:, -2], data[:, -1]
    x, target = np.c_[y[1:-1], u[1:-1], u[:-2]], y[2:]
    marks = (np.arange(len(target)) >= len(target) // 2).astype(float)[:, None]
    runs = svm(regressor(StandardScaler), FURNACE, x, target, marks, "neg_mean_squared_error", mean_square)
    yield "furnace/terms", "SVR", runs[:, 0]
    yield "furnace/test", "SVR", runs[:, 2]


def truth1(x):
    x = x[:, 0]
    return np.exp(-0.5 * (x - 2) ** 2) / (2 * np.sqrt(2 * np.pi)) + 0.7 / 4 * np.exp(-0.7 * np.abs(x + 2))


def truth6(x):
    p = 0.0
    for centre, variances in ((1.0, (1.0, 2.0)), (-1.0, (2.0, 1.0)), (0.0, (2.0, 1.0))):
        v = np.tile(variances, 3)
        p = p + np.exp(-0.5 * ((x - centre) ** 2 / v).sum(1)) / np.sqrt(np.prod(2 * np.pi * v)) / 3
    return p


def density(draws, name, features, truth, width, unit, grid):
    train, test = np.load(draws / f"{name}_train.npy"), np.load(draws / f"{name}_test.npy")
    same, best, divergence = [], [], []
    middle = np.arange(-15 + 0.005, 15, 0.01)[:, None]
    for sample, points in zip(train, test):
        sample, points = sample.reshape(-1, features), points.reshape(-1, features)
        p = truth(points)
        error = lambda model: unit * np.mean(np.abs(np.exp(model.score_samples(points)) - p))
        fixed = KernelDensity(bandwidth=width).fit(sample)
        same.append(error(fixed))
        if features == 1:
            t = truth(middle)
            divergence.append(np.sum(t * (np.log(t) - fixed.score_samples(middle))) * 0.01)
        search = GridSearchCV(KernelDensity(), {"bandwidth": grid}, cv=KFold(FOLDS)).fit(sample)
        best.append(error(search.best_estimator_))
    yield f"{name}/parzen", "KernelDensity, same width", same
    if divergence:
        yield f"{name}/divergence", "KernelDensity, same width", divergence
    yield f"{name}/chosen", "KernelDensity, width by folds", best
    yield f"{name}/kernels", "KernelDensity", [sample.shape[0] for sample in (train[0].reshape(-1, features),)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groat", type=pathlib.Path, default=ROOT / "target/release/groat")
    default = os.environ.get("GROAT_DATA", ROOT.parent / "shared")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(default))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("peers.csv"))
    parser.add_argument("--realisations", type=int, default=100)
    args = parser.parse_args()
    folder = args.data / "data" if (args.data / "data").is_dir() else args.data
    with tempfile.TemporaryDirectory() as draws:
        draws = pathlib.Path(draws)
        command = [args.groat, "reproduce", "C7", "--draws", draws, "--data", folder, "-n", args.realisations]
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
        lines = ["line,peer,mean,deviation"]
        parts = (
            furnace(folder),
            boston(folder, draws),
            classes(folder, draws),
            density(draws, "density1", 1, truth1, 0.54, 1e2, np.geomspace(0.2, 1.5, 15)),
            density(draws, "density6", 6, truth6, 0.65, 1e5, np.geomspace(0.4, 1.4, 12)),
        )
        for part in parts:
            for line, peer, values in part:
                lines.append(f'{line},"{peer}",{np.mean(values):.6g},{np.std(values):.6g}')
                print(lines[-1], flush=True)
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
