"""Test errors of `nystrom` and `rff` beside scikit-learn's Nystroem + Ridge, with the same number of features.

Widths and ridge are chosen by `nystrom` with its defaults on the training rows; scikit-learn gets the same ridge and the
standardised features divided by the same widths, so that what differs are the landmarks. With --seeds N both sides draw theirs N
times, and mean errors are compared. KIN40K, protein, jacksboro_dem and flights1m of --data. Exits with 1 where an error is more
than 1 % above scikit-learn's.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

import numpy as np
import pandas

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import Verdicts  # noqa: E402

CHUNK = 20_000
SETS = {"kin40k": 1000, "protein": 1000, "jacksboro_dem": 1000, "flights1m": 1000}


def load(folder: pathlib.Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, target, and a mark for test rows: the first split of the set."""
    parquet = folder / name / "data.parquet"
    table = pandas.read_parquet(parquet) if parquet.exists() else pandas.read_csv(folder / name / "data.csv.gz")
    numbers = table.select_dtypes("number").dropna()
    marks = pandas.read_csv(folder / name / "splits.csv.gz")
    if len(marks) == len(table):
        test = marks.iloc[:, 0].to_numpy()[numbers.index] == 1
    else:
        test = np.random.default_rng(0).random(len(numbers)) < 0.2
    return numbers.iloc[:, :-1].to_numpy(float), numbers.iloc[:, -1].to_numpy(float), test


def theirs(x, y, new, ridge: float, rank: int, seed: int) -> np.ndarray:
    """Of features in units of the widths."""
    from sklearn.kernel_approximation import Nystroem

    map_ = Nystroem(gamma=0.5, n_components=rank, random_state=seed).fit(x)
    gram, right, sums = np.zeros((rank, rank)), np.zeros(rank), np.zeros(rank)
    for start in range(0, len(x), CHUNK):
        z = map_.transform(x[start : start + CHUNK])
        gram, right, sums = gram + z.T @ z, right + z.T @ y[start : start + CHUNK], sums + z.sum(axis=0)
    mean, level = sums / len(x), y.mean()
    w = np.linalg.solve(gram - len(x) * np.outer(mean, mean) + ridge * np.eye(rank), right - len(x) * mean * level)
    return np.concatenate([map_.transform(new[k : k + CHUNK]) @ w for k in range(0, len(new), CHUNK)]) + level - mean @ w


def main() -> int:
    from groat._groat import BatchLearner

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--rows", type=int, default=0, help="at most so many training rows")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    verdicts = Verdicts()
    for name in arguments.sets.split(","):
        x, y, test = load(pathlib.Path(arguments.data), name)
        x_train, y_train, x_test, y_test = x[~test], y[~test], x[test], y[test]
        if arguments.rows and len(x_train) > arguments.rows:
            some = np.random.default_rng(0).permutation(len(x_train))[: arguments.rows]
            x_train, y_train = x_train[some], y_train[some]
        mean, scale = x_train.mean(axis=0), x_train.std(axis=0)
        scale[scale == 0] = 1.0
        x_train, x_test = (x_train - mean) / scale, (x_test - mean) / scale
        rank, error = SETS[name], lambda answers: float(np.sqrt(np.mean((answers - y_test) ** 2)))
        begin = time.perf_counter()
        ours = BatchLearner("nystrom", standardise=False, rank=rank).fit(x_train, y_train)
        seconds = time.perf_counter() - begin
        kernel, ridge = ours.model.kernel, float(ours.model.record["settings"]["ridge"])
        width = np.broadcast_to(kernel.width, x.shape[1])
        found = {"nystrom": [error(ours.predict(x_test))], "rff": [], "scikit-learn": []}
        for seed in range(arguments.seeds):
            settings = {"standardise": False, "rank": rank, "ridge": ridge, "seed": seed, "estimate": False}
            if seed > 0:
                found["nystrom"].append(error(BatchLearner("nystrom", kernel, **settings).fit(x_train, y_train).predict(x_test)))
            found["rff"].append(error(BatchLearner("rff", kernel, **settings).fit(x_train, y_train).predict(x_test)))
            found["scikit-learn"].append(error(theirs(x_train / width, y_train, x_test / width, ridge, rank, seed)))
        found = {key: float(np.mean(values)) for key, values in found.items()}
        widths = ", ".join(f"{value:.3g}" for value in sorted(set(width)))
        print(f"{name}: {len(x_train)} training rows, widths {widths}, ridge {ridge:.3g}, {seconds:.1f} s; deviation {y_test.std():.4g}")
        print("  " + ", ".join(f"{key} {value:.5g}" for key, value in found.items()))
        verdicts.at_most(f"{name}: error over scikit-learn's", found["nystrom"] / found["scikit-learn"], 1.01)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
