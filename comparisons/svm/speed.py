"""Support vector machines against scikit-learn's LIBSVM and scikit-learn-intelex (oneDAL): training and prediction.

Two threads on all sides, the same tolerance of the violation (1e-3), the same cost and width. The sets are n = 20,000
rows of 16 features with noisy classes, the 49,990 training rows of ijcnn1 (--data) and 9,600 digits of 784 pixels. Then the time against n, whose
exponent is printed beside LIBSVM's, and the peak memory with a limit of the kernel cache. Exits with 1 when a target is
missed. oneDAL runs in a process of its own, because it replaces scikit-learn's classes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import Verdicts, race  # noqa: E402


# How many times faster than scikit-learn training and prediction should be.
TARGETS = {"noisy": (5, 10), "ijcnn1": (5, 10)}


def noisy(n: int, d: int = 16) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    s = np.sin(1.5 * x[:, 0]) + 0.7 * x[:, 1] * x[:, 2] + 0.5 * x[:, 3]
    return x, np.where(s + 0.6 * rng.normal(size=n) > 0, 1, -1)


def ijcnn1(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(folder / "ijcnn1" / "data.parquet")
    every = np.column_stack([column.to_numpy() for column in table.columns]).astype(float)
    return every[:49990, :-1], every[:49990, -1].astype(int), every[49990:, :-1]


def mnist38(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with gzip.open(folder / "mnist38" / "data.csv.gz", "rt") as lines:
        every = np.loadtxt(lines, delimiter=",", skiprows=1)
    return every[:9600, :-1] / 255, every[:9600, -1].astype(int), every[9600:, :-1] / 255


def cases(folder: pathlib.Path, wanted: list[str]) -> dict[str, tuple]:
    found = {}
    if "noisy" in wanted:
        x, y = noisy(30000)
        found["noisy"] = (x[:20000], y[:20000], x[20000:], 8.0**0.5, 1.0)
    if "ijcnn1" in wanted and (folder / "ijcnn1").is_dir():
        x, y, new = ijcnn1(folder)
        found["ijcnn1"] = (x, y, new[:20000], 0.5**0.5, 10.0)
    if "mnist38" in wanted and (folder / "mnist38").is_dir():
        x, y, new = mnist38(folder)
        found["mnist38"] = (x, y, new, 6.0, 10.0)
    return found


def onedal(folder: str, wanted: list[str]) -> None:
    from sklearnex.svm import SVC

    answers = {}
    for name, (x, y, new, width, cost) in cases(pathlib.Path(folder), wanted).items():
        best, predict = float("inf"), float("inf")
        for _ in range(2):
            begin = time.perf_counter()
            machine = SVC(C=cost, gamma=0.5 / width**2, tol=1e-3).fit(x, y)
            best = min(best, time.perf_counter() - begin)
            begin = time.perf_counter()
            machine.predict(new)
            predict = min(predict, time.perf_counter() - begin)
        answers[name] = {"train": best, "predict": predict, "vectors": len(machine.support_)}
    print(json.dumps(answers))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--memory", default="512MiB", help="groat's cache of kernel rows; scikit-learn's is 200 MB")
    parser.add_argument("--onedal", action="store_true", help="run oneDAL alone and print its numbers as JSON")
    parser.add_argument("--sets", default="noisy,ijcnn1,mnist38", help="which of them; growth with n belongs to noisy")
    arguments = parser.parse_args()
    wanted = arguments.sets.split(",")
    if arguments.onedal:
        onedal(arguments.data, wanted)
        return 0
    from groat import Kernel
    from groat._groat import BatchLearner
    from sklearn.svm import SVC

    def ours(x, y, width, cost, **more):
        learner = BatchLearner(
            "svc", Kernel.gaussian(width), task="classification", standardise=False, cost=cost,
            memory=arguments.memory, **more
        )
        return learner.fit(x, y)

    def theirs(x, y, width, cost):
        return SVC(C=cost, gamma=0.5 / width**2, tol=1e-3).fit(x, y)

    verdicts = Verdicts()
    command = [sys.executable, __file__, "--onedal", "--data", arguments.data, "--sets", arguments.sets]
    other = subprocess.run(command, capture_output=True, text=True)
    peer = json.loads(other.stdout.splitlines()[-1]) if other.returncode == 0 else {}
    for name, (x, y, new, width, cost) in cases(pathlib.Path(arguments.data), wanted).items():
        aims = TARGETS.get(name, (1, 1))
        a, b = race(arguments.repeats, lambda: ours(x, y, width, cost), lambda: theirs(x, y, width, cost))
        print(f"{name}, {len(x)} rows: groat {a}, scikit-learn {b}")
        print(f"  vectors: {a.result.model.vectors.shape[0]}, scikit-learn {len(b.result.support_)}")
        values = a.result.model.decision_function(new).ravel() if hasattr(a.result.model, "decision_function") else None
        if values is not None:
            print(f"  largest difference of a decision value: {np.max(np.abs(values - b.result.decision_function(new))):.2e}")
        p, q = race(max(2, arguments.repeats), lambda: a.result.model.predict(new), lambda: b.result.predict(new))
        print(f"  prediction of {len(new)} rows: groat {p}, scikit-learn {q}")
        verdicts.at_least(f"{name}: training, times faster than scikit-learn", b.seconds / a.seconds, aims[0])
        verdicts.at_least(f"{name}: prediction, times faster", q.seconds / p.seconds, aims[1])
        if name in peer:
            print(f"  oneDAL: training {peer[name]['train']:.3f} s, prediction {peer[name]['predict']:.3f} s, "
                  f"{peer[name]['vectors']} vectors")
            verdicts.at_least(f"{name}: training against oneDAL (aim)", peer[name]["train"] / a.seconds, 1)
            verdicts.at_least(f"{name}: prediction against oneDAL (aim)", peer[name]["predict"] / p.seconds, 1)
    if not peer:
        print("  scikit-learn-intelex could not be run:", other.stderr.splitlines()[-1:] or "not installed")
    if "noisy" not in wanted:
        return verdicts.exit_code()
    sizes = [2500, 5000, 10000, 20000]
    x, y = noisy(sizes[-1])
    mine, libsvm = [], []
    for n in sizes:
        a, b = race(1, lambda: ours(x[:n], y[:n], 8.0**0.5, 1.0), lambda: theirs(x[:n], y[:n], 8.0**0.5, 1.0))
        mine.append(a.seconds)
        libsvm.append(b.seconds)
        print(f"  n = {n:6d}: groat {a.seconds:.3f} s, scikit-learn {b.seconds:.3f} s")
    slope = lambda t: np.polyfit(np.log(sizes), np.log(t), 1)[0]  # noqa: E731
    print(f"  time grows with n to the power {slope(mine):.2f}, scikit-learn's {slope(libsvm):.2f}")
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
