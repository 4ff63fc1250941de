"""Whether the error that `groat fit` expects is the error that new rows see, on eight small data sets.

    comparisons/run fit/honest [--splits 20]

For each set the mean over splits of the expected error and of the test error, and their ratio.
"""

import argparse
import os
import pathlib
import tempfile

import numpy as np

from defaults import groat, load, marks

SETS = {
    "yacht": "regression",
    "boston_housing": "regression",
    "energy": "regression",
    "concrete": "regression",
    "ida_banana": "classification",
    "ida_diabetes": "classification",
    "ida_german": "classification",
    "ida_image": "classification",
}


def main():
    parser = argparse.ArgumentParser()
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--data", default=os.environ.get("GROAT_DATA", str(root.parent / "shared")))
    parser.add_argument("--groat", default=str(root / "target/release/groat"))
    parser.add_argument("--splits", type=int, default=20)
    args = parser.parse_args()
    print(f"{'set':16}{'expected':>10}{'test':>10}{'ratio':>8}{'s.e.':>8}{'worst':>8}")
    ratios = []
    for name, task in SETS.items():
        frame, splits = load(pathlib.Path(args.data) / "data" / name)
        said, found = [], []
        with tempfile.TemporaryDirectory() as place:
            for k in range(args.splits):
                run = groat(args.groat, frame, marks(splits, len(frame), k), task, [], pathlib.Path(place))
                said.append(run["expected"])
                found.append(run["error"])
        ratio = np.mean(said) / np.mean(found)
        error = np.std(np.array(said) - np.array(found)) / np.sqrt(len(said)) / np.mean(found)
        ratios.append(ratio)
        worst = max(f / s for f, s in zip(found, said))
        print(f"{name:16}{np.mean(said):10.4g}{np.mean(found):10.4g}{ratio:8.3f}{error:8.3f}{worst:8.2f}", flush=True)
    print(f"mean of |ratio - 1|: {np.mean(np.abs(np.array(ratios) - 1)):.3f} (wanted 0.05)")
    print("worst: the largest test error over its own estimate (wanted at most 1.5)")


if __name__ == "__main__":
    main()
