"""Test errors of `nystrom` and `rff` beside scikit-learn's Nystroem + Ridge, with the same number of features.

Width and ridge are chosen by `nystrom` with its defaults on the training rows; scikit-learn gets the same width, ridge and
standardised features. KIN40K, protein, jacksboro_dem and flights1m of --data. Exits with 1 where an error is more than 1 %
above scikit-learn's.
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


def theirs(x, y, new, width: float, ridge: float, rank: int) -> np.ndarray:
    from sklearn.kernel_approximation import Nystroem

    map_ = Nystroem(gamma=0.5 / width**2, n_components=rank, random_state=0).fit(x)
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
        width = float(str(ours.model.kernel).split("width=")[1])
        ridge = float(ours.model.record["settings"]["ridge"])
        found = {"nystrom": error(ours.predict(x_test))}
        kernel = f"gaussian:width={width!r}"
        random = BatchLearner("rff", kernel, standardise=False, rank=rank, ridge=ridge).fit(x_train, y_train)
        found["rff"] = error(random.predict(x_test))
        found["scikit-learn"] = error(theirs(x_train, y_train, x_test, width, ridge, rank))
        print(f"{name}: {len(x_train)} training rows, width {width:.3g}, ridge {ridge:.3g}, {seconds:.1f} s; deviation {y_test.std():.4g}")
        print("  " + ", ".join(f"{key} {value:.5g}" for key, value in found.items()))
        verdicts.at_most(f"{name}: error over scikit-learn's", found["nystrom"] / found["scikit-learn"], 1.01)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
