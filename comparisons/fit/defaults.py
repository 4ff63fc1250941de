"""The default fit against the full machine and other programs, on twelve data sets.

    comparisons/run fit/defaults --data FOLDER [--splits 5] [--sets yacht,concrete] [--json FILE] [--limit SECONDS]

For each set and split, with two threads: `groat fit` with no settings at all, `groat fit --method krr` (up to
10,000 rows), scikit-learn's SVR or SVC (3 x 3 grid of cost and width by three folds on up to 2,000 rows, then
all rows) and HistGradientBoosting. Test error (root mean square, or share of wrong classes), vectors, seconds of the
fit and of predicting the test rows. groat's seconds are those of the whole command, reading included.

With --json every single run is added to the file as soon as it is done, and runs that the file holds already are not
repeated: so the whole can be done in pieces (--limit says after how many seconds a piece begins no further run), and the
table is always that of everything in the file.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SETS = {
    "yacht": "regression",
    "boston_housing": "regression",
    "energy": "regression",
    "concrete": "regression",
    "kin8nm": "regression",
    "elevators": "regression",
    "protein": "regression",
    "ida_german": "classification",
    "ida_image": "classification",
    "ida_banana": "classification",
    "usps": "classification",
    "ijcnn1": "classification",
}
EXACT = 10_000


def load(folder):
    import pandas

    csv = folder / "data.csv.gz"
    frame = pandas.read_csv(csv) if csv.exists() else pandas.read_parquet(folder / "data.parquet")
    splits = pandas.read_csv(folder / "splits.csv.gz")
    return frame, splits


def marks(splits, rows, k):
    """The k-th split: the set's own, or of the same size at random once those are used up."""
    if k < splits.shape[1]:
        return splits.iloc[:, k].to_numpy()
    test = int(splits.iloc[:, 0].sum())
    chosen = np.random.default_rng(1000 + k).permutation(rows)[:test]
    out = np.zeros(rows, dtype=int)
    out[chosen] = 1
    return out


def groat(command, frame, split, task, extra, folder):
    data, test = folder / "data.csv", folder / "split.csv"
    model = folder / "model.safetensors"
    if not data.exists():
        frame.to_csv(data, index=False)
    test.write_text("test\n" + "\n".join(map(str, split)) + "\n")
    call = [command, "fit", str(data), "--target", "y", "--task", task, "--split", f"{test}:test", "-o", str(model), "--json", *extra]
    started = time.perf_counter()
    done = subprocess.run(call, capture_output=True, text=True)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    answer = json.loads(done.stdout)
    errors = answer["test"]
    error = errors["error_rate"] if task == "classification" else errors["root_mean_squared"]
    expected = answer.get("expected")
    said = None
    if expected:
        said = expected["error_rate"] if task == "classification" else expected["mean_squared"] ** 0.5
    rows = folder / "test.csv"
    frame[split == 1].to_csv(rows, index=False)
    started = time.perf_counter()
    subprocess.run([command, "predict", str(model), str(rows), "-o", os.devnull], check=True, capture_output=True)
    predict = time.perf_counter() - started
    return {"error": error, "vectors": answer["vectors"], "fit": seconds, "predict": predict, "expected": said}


def measured(model, x, y, x_test, y_test, task):
    started = time.perf_counter()
    model.fit(x, y)
    fit = time.perf_counter() - started
    started = time.perf_counter()
    predicted = model.predict(x_test)
    predict = time.perf_counter() - started
    wrong = np.mean(predicted != y_test) if task == "classification" else np.sqrt(np.mean((predicted - y_test) ** 2))
    return {"error": float(wrong), "fit": fit, "predict": predict}


def support_vectors(x, y, x_test, y_test, task):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.model_selection import GridSearchCV
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    started = time.perf_counter()
    scale = StandardScaler().fit(x)
    x, x_test = scale.transform(x), scale.transform(x_test)
    machine = SVC() if task == "classification" else SVR()
    level, spread = (0.0, 1.0) if task == "classification" else (y.mean(), y.std())
    target = y if task == "classification" else (y - level) / spread
    gamma = 1.0 / x.shape[1]
    grid = {"C": [1.0, 10.0, 100.0], "gamma": [0.3 * gamma, gamma, 3.0 * gamma]}
    some = np.random.default_rng(0).permutation(len(x))[:2000]
    search = GridSearchCV(machine, grid, cv=3, n_jobs=2).fit(x[some], target[some])
    best = machine.set_params(**search.best_params_).fit(x, target)
    fit = time.perf_counter() - started
    started = time.perf_counter()
    predicted = best.predict(x_test)
    predict = time.perf_counter() - started
    if task == "classification":
        error = np.mean(predicted != y_test)
    else:
        error = np.sqrt(np.mean((predicted * spread + level - y_test) ** 2))
    return {"error": float(error), "vectors": int(len(best.support_)), "fit": fit, "predict": predict}


def boosting(x, y, x_test, y_test, task):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    model = HistGradientBoostingClassifier() if task == "classification" else HistGradientBoostingRegressor()
    return measured(model, x, y, x_test, y_test, task)


def main():
    parser = argparse.ArgumentParser()
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--data", default=os.environ.get("GROAT_DATA", str(root.parent / "shared")))
    parser.add_argument("--groat", default=str(root / "target/release/groat"))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--only", default="groat,krr,svm,boosting")
    parser.add_argument("--json")
    parser.add_argument("--limit", type=float, default=float("inf"))
    args = parser.parse_args()
    if not pathlib.Path(args.groat).exists():
        sys.exit(f"{args.groat} is missing: cargo build --release -p groat-cli")
    kept = pathlib.Path(args.json) if args.json else None
    runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    done = {(run["set"], run["split"], run["method"]) for run in runs}
    started = time.perf_counter()
    for name in args.sets.split(","):
        methods = [m for m in args.only.split(",") if any((name, k, m) not in done for k in range(args.splits))]
        if not methods:
            continue
        task = SETS[name]
        frame, splits = load(pathlib.Path(args.data) / "data" / name)
        with tempfile.TemporaryDirectory() as place:
            for k in range(args.splits):
                for method in methods:
                    if (name, k, method) in done:
                        continue
                    if time.perf_counter() - started > args.limit:
                        print("(a piece; the rest is still to be run)")
                        return table(runs)
                    run = one(method, frame, marks(splits, len(frame), k), task, args.groat, pathlib.Path(place))
                    if run is None:
                        continue
                    runs.append({"set": name, "split": k, "method": method, **run})
                    if kept:
                        with kept.open("a") as out:
                            out.write(json.dumps(runs[-1]) + "\n")
    table(runs)


def one(method, frame, split, task, command, place):
    """One method on one split; none where it is not run."""
    train, test = split == 0, split == 1
    rows = {"rows": int(train.sum())}
    if method == "groat":
        return rows | groat(command, frame, split, task, [], place)
    if method == "krr":
        few = train.sum() <= EXACT
        return rows | groat(command, frame, split, task, ["--method", "krr"], place) if few else None
    x, y = frame.drop(columns="y").to_numpy(dtype=float), frame["y"].to_numpy(dtype=float)
    peer = support_vectors if method == "svm" else boosting
    return rows | peer(x[train], y[train], x[test], y[test], task)


def table(runs):
    """The mean over splits of every method on every set, and what follows from them."""
    head = f"{'set':16}{'rows':>7} {'method':10}{'splits':>7}{'error':>10}{'vectors':>9}{'fit, s':>9}{'predict, s':>11}{'expected':>10}"
    print(head)
    results = {}
    for run in runs:
        results.setdefault(run["set"], {}).setdefault(run["method"], []).append(run)
    for name, methods in results.items():
        for method, found in methods.items():
            values = lambda key: [run[key] for run in found if run.get(key) is not None]
            mean = lambda key: np.mean(values(key)) if values(key) else float("nan")
            print(
                f"{name:16}{mean('rows'):7.0f} {method:10}{len(found):7}{mean('error'):10.4g}{mean('vectors'):9.0f}"
                f"{mean('fit'):9.2f}{mean('predict'):11.3f}{mean('expected'):10.4g}"
            )
    summary(results)


def summary(results):
    """Ratios to the better of full machine and support vector machine, and to the latter's vectors and time."""
    errors, vectors, faster, than_full = {}, {}, {}, {}
    for name, runs in results.items():
        if "groat" not in runs or "svm" not in runs:
            continue
        # The splits that all have.
        common = set.intersection(*({r["split"] for r in runs[m]} for m in ("groat", "krr", "svm") if m in runs))
        mean = lambda method, key: np.mean([r[key] for r in runs[method] if r["split"] in common])
        better = min(mean(m, "error") for m in ("krr", "svm") if m in runs)
        errors[name] = mean("groat", "error") / better
        vectors[name] = mean("groat", "vectors") / mean("svm", "vectors")
        faster[name] = mean("svm", "fit") / mean("groat", "fit")
        if "krr" in runs:
            than_full[name] = mean("krr", "fit") / mean("groat", "fit")
    if not errors:
        return
    geometric = lambda values: float(np.exp(np.mean(np.log(list(values)))))
    print(f"\nerror / the better of full machine and SVM: geometric mean {geometric(errors.values()):.3f} (wanted 1.03)")
    print("   " + ", ".join(f"{n} {v:.2f}" for n, v in errors.items()) + " (wanted at most 1.10 each)")
    print(f"vectors / those of the SVM: geometric mean {geometric(vectors.values()):.3f} (wanted 0.1)")
    print("times faster than the SVM with its grid: " + ", ".join(f"{n} {v:.1f}" for n, v in faster.items()))
    print("times faster than the full machine with its search: " + ", ".join(f"{n} {v:.1f}" for n, v in than_full.items()))


if __name__ == "__main__":
    main()
