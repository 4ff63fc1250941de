"""Linear support vector machines against LIBLINEAR (through scikit-learn) on Reuters and a9a, as sparse rows.

Both penalise the constant, hinge loss, one thread each. LIBLINEAR stops by a rule of its own; the objectives that both
reach are printed, and groat is run at a tolerance where its objective is no worse. Exits with 1 when it is slower.
The command reads svmlight files itself, so its time is the one that it reports for the fit.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import Verdicts, example, keep  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402


def objective(x, y, w, b, cost):
    return 0.5 * (w @ w + b * b) + cost * np.maximum(0, 1 - y * (x @ w + b)).sum()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--program", help="the example linear_svm, where it was built otherwise than for release")
    arguments = parser.parse_args()
    program = arguments.program or example("linear_svm")
    keep("svm-linear")
    verdicts = Verdicts()
    for name, features in [("reuters", 8315), ("a9a", 123)]:
        path = pathlib.Path(arguments.data) / name / "train.svm.gz"
        with gzip.open(path, "rb") as file:
            x, y = load_svmlight_file(file, n_features=features)
        # LIBLINEAR's indices; newer versions of scikit-learn read 64 bits and refuse them.
        x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
        with tempfile.NamedTemporaryFile(suffix=".svm") as plain:
            plain.write(gzip.open(path, "rb").read())
            plain.flush()
            for cost in [0.1, 1.0, 10.0]:
                best, machine = float("inf"), None
                for _ in range(arguments.repeats):
                    begin = time.perf_counter()
                    machine = LinearSVC(C=cost, loss="hinge", dual=True, tol=1e-2, max_iter=10000).fit(x, y)
                    best = min(best, time.perf_counter() - begin)
                theirs = objective(x, y, machine.coef_[0], machine.intercept_[0], cost)
                for tolerance in [0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003]:
                    line = [program, plain.name, str(cost), str(tolerance), str(arguments.repeats)]
                    answer = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
                    if answer["objective"] <= theirs * (1 + 1e-4):
                        break
                print(f"{name}, cost {cost}: groat {answer['seconds']:.4f} s (objective {answer['objective']:.6g}, "
                      f"{answer['rounds']} rounds, tolerance {tolerance}), LIBLINEAR {best:.4f} s "
                      f"(objective {theirs:.6g})")
                verdicts.at_least(f"{name}, cost {cost}: LIBLINEAR's time in ours (aim)", best / answer["seconds"], 1)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
