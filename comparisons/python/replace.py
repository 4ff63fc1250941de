"""scikit-learn's kernel estimators replaced by groat's of the same name, on five data sets.

    comparisons/run python/replace --data FOLDER [--sets concrete,ida_image] [--json FILE]

scikit-learn's side is what its users write: a StandardScaler, and a grid of nine settings by three folds (on up to 2,000
rows, then all) where the estimator has settings; groat's side is the estimator as it stands, without any. "Same settings" is
both without a search. The first split of each set. Score: R^2 or the share of right classes on the test rows; for densities the mean log density of the test
rows; for components that of logistic regression on the first five. Seconds of the fit, search included, and of predicting
the test rows. Size: bytes of the pickled model without the rows that it does not need.
"""

import argparse
import json
import pathlib
import pickle
import time
import warnings

import numpy as np
import pandas
from sklearn import kernel_ridge, linear_model, neighbors, svm
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import groat

SETS = {
    "concrete": "regression",
    "energy": "regression",
    "kin8nm": "regression",
    "ida_banana": "classification",
    "ida_image": "classification",
}
SEARCHED = 2000
LANDMARKS = 300


class Searched:
    """A pipeline with a grid of nine, searched on some rows and fitted to all."""

    def __init__(self, model, grid):
        self.model, self.grid = make_pipeline(StandardScaler(), model), grid

    def fit(self, x, y=None):
        some = np.random.default_rng(0).permutation(len(x))[:SEARCHED]
        name = self.model.steps[-1][0]
        grid = {(f"{name}__{key}"): values for key, values in self.grid.items()}
        search = GridSearchCV(self.model, grid, cv=3, n_jobs=2).fit(x[some], None if y is None else y[some])
        self.best = self.model.set_params(**search.best_params_).fit(x, y)
        return self

    def __getattr__(self, name):
        if name.startswith("_") or name == "best":
            raise AttributeError(name)
        return getattr(self.best, name)


def scaled_target(model):
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def pairs(task, features, spread):
    """Name, scikit-learn's, groat's; `spread` is the deviation of the target."""
    gammas = [0.3 / features, 1.0 / features, 3.0 / features]
    costs = [1.0, 10.0, 100.0]
    if task == "regression":
        inner = {f"regressor__{key}": values for key, values in {"C": costs, "gamma": gammas}.items()}
        ridge = {"regressor__alpha": [0.01, 0.1, 1.0], "regressor__gamma": gammas}
        low = make_pipeline(Nystroem(n_components=LANDMARKS, random_state=0), linear_model.Ridge())
        nystroem = {"regressor__nystroem__gamma": gammas, "regressor__ridge__alpha": [0.001, 0.1, 10.0]}
        yield "SVR", Searched(scaled_target(svm.SVR()), inner), groat.SVR()
        given = {"C": 10.0 * spread, "epsilon": 0.1 * spread, "gamma": gammas[1]}
        yield "SVR, same settings", make_pipeline(StandardScaler(), svm.SVR(**given)), groat.SVR(**given)
        yield "KernelRidge", Searched(scaled_target(kernel_ridge.KernelRidge(kernel="rbf")), ridge), groat.KernelRidge()
        if hasattr(groat, "NystromRegressor"):
            yield "Nystroem + Ridge", Searched(scaled_target(low), nystroem), groat.NystromRegressor()
        return
    low = make_pipeline(Nystroem(n_components=LANDMARKS, random_state=0), linear_model.LogisticRegression(max_iter=1000))
    nystroem = {"nystroem__gamma": gammas, "logisticregression__C": [1.0, 10.0, 100.0]}
    yield "SVC", Searched(svm.SVC(), {"C": costs, "gamma": gammas}), groat.SVC()
    given = {"C": 10.0, "gamma": gammas[1]}
    yield "SVC, same settings", make_pipeline(StandardScaler(), svm.SVC(**given)), groat.SVC(**given)
    if hasattr(groat, "NystromClassifier"):
        yield "Nystroem + logistic", Searched(low, nystroem), groat.NystromClassifier()


def measured(model, x, y, x_test, y_test):
    started = time.perf_counter()
    model.fit(x, y)
    fit = time.perf_counter() - started
    started = time.perf_counter()
    score = float(model.score(x_test, y_test))
    return {"score": score, "fit": fit, "predict": time.perf_counter() - started, "bytes": size(model)}


def size(model):
    """Bytes of what is needed to predict."""
    if hasattr(model, "model_"):
        return len(model.model_.to_bytes())
    return len(pickle.dumps(getattr(model, "best", model)))


def densities(x, x_test):
    """KernelDensity with its bandwidth by folds, and groat's, in the units of standardised features."""
    scale = StandardScaler().fit(x)
    x, x_test = scale.transform(x), scale.transform(x_test)
    grid = {"bandwidth": np.geomspace(0.05, 2.0, 9)}
    folds = KFold(3, shuffle=True, random_state=0)
    for name, model in (
        ("scikit-learn", GridSearchCV(neighbors.KernelDensity(), grid, cv=folds, n_jobs=2)),
        ("groat", groat.SparseDensity()),
    ):
        started = time.perf_counter()
        model.fit(x)
        fit = time.perf_counter() - started
        started = time.perf_counter()
        score = float(np.mean(model.score_samples(x_test)))
        predict = time.perf_counter() - started
        yield name, {"score": score, "fit": fit, "predict": predict, "bytes": size(getattr(model, "best_estimator_", model))}


def components(x, y, x_test, y_test, task):
    """Five components of the same kernel, and a linear model on them."""
    gamma = 1.0 / x.shape[1]
    for name, analysis in (
        ("scikit-learn", make_pipeline(StandardScaler(), KernelPCA(n_components=5, kernel="rbf", gamma=gamma))),
        ("groat", groat.KernelPCA(n_components=5, gamma=gamma, standardise=True)),
    ):
        started = time.perf_counter()
        found = analysis.fit(x).transform(x)
        fit = time.perf_counter() - started
        linear = linear_model.LogisticRegression(max_iter=1000) if task == "classification" else linear_model.Ridge()
        linear.fit(found, y)
        started = time.perf_counter()
        new = analysis.transform(x_test)
        predict = time.perf_counter() - started
        yield name, {"score": float(linear.score(new, y_test)), "fit": fit, "predict": predict, "bytes": size(analysis)}


def show(found, dataset, estimator, rows):
    for name, row in rows:
        row = {"set": dataset, "estimator": estimator, "by": name, **row}
        found.append(row)
        print(
            f"{dataset:12} {estimator:20} {name:13} {row['score']:9.4f} {row['fit']:9.3f} {row['predict']:9.4f} "
            f"{row['bytes'] / 1024:9.0f}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="the folder of data sets")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    found = []
    print(f"{'set':12} {'estimator':20} {'by':13} {'score':>9} {'fit [s]':>9} {'pred. [s]':>9} {'KiB':>9}")
    for dataset in args.sets.split(","):
        task = SETS[dataset]
        frame = pandas.read_csv(args.data / dataset / "data.csv.gz")
        test = pandas.read_csv(args.data / dataset / "splits.csv.gz").iloc[:, 0].to_numpy() == 1
        x, y = frame.drop(columns="y").to_numpy(dtype=float), frame["y"].to_numpy()
        x, x_test, y, y_test = x[~test], x[test], y[~test], y[test]
        for name, theirs, ours in pairs(task, x.shape[1], np.std(y) if task == "regression" else None):
            rows = [("scikit-learn", theirs), ("groat", ours)]
            show(found, dataset, name, [(by, measured(model, x, y, x_test, y_test)) for by, model in rows])
        show(found, dataset, "KernelDensity", densities(x, x_test))
        show(found, dataset, "KernelPCA", components(x, y, x_test, y_test, task))
    better = sum(b["score"] >= a["score"] - 0.005 * max(1.0, abs(a["score"])) for a, b in zip(found[::2], found[1::2]))
    print(f"\nsame score (to half a hundredth) or better: {better} of {len(found) // 2}")
    faster = np.exp(np.mean([np.log(a["fit"] / b["fit"]) for a, b in zip(found[::2], found[1::2])]))
    smaller = np.exp(np.mean([np.log(a["bytes"] / b["bytes"]) for a, b in zip(found[::2], found[1::2])]))
    print(f"fit {faster:.2f} times as fast, models {smaller:.2f} times as small (geometric means)")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
