"""Whether the error that `groat fit` expects is the error that new rows see, on eight small data sets.

    comparisons/run fit/honest [--splits 20] [--sets yacht,ida_image] [--json FILE] [--limit SECONDS]

For each set the mean over splits of the expected error and of the test error, and their ratio: as they stand, and pooled.
Pooled are mean square errors (over the test rows of all splits together), of which the root is taken last: the root of a mean
over few test rows lies below the root of the mean on average, the more so the fewer rows have most of the error. For classes
both are the same. With --json every run is added to the file, and what it holds is not repeated, as in fit/defaults.
"""

import argparse
import json
import os
import pathlib
import tempfile
import time

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
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--json")
    parser.add_argument("--limit", type=float, default=float("inf"))
    args = parser.parse_args()
    kept = pathlib.Path(args.json) if args.json else None
    runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    done = {(run["set"], run["split"]) for run in runs}
    started = time.perf_counter()
    # Split by split, so that a piece has all sets.
    wanted = [(name, k) for k in range(args.splits) for name in args.sets.split(",") if (name, k) not in done]
    for name, k in wanted:
        if time.perf_counter() - started > args.limit:
            print("(a piece; the rest is still to be run)")
            break
        frame, splits = load(pathlib.Path(args.data) / "data" / name)
        with tempfile.TemporaryDirectory() as place:
            run = groat(args.groat, frame, marks(splits, len(frame), k), SETS[name], [], pathlib.Path(place))
        runs.append({"set": name, "split": k, **run})
        if kept:
            with kept.open("a") as out:
                out.write(json.dumps(runs[-1]) + "\n")
    table(runs)


def table(runs):
    """Expected against found, set by set."""
    print(f"{'set':16}{'splits':>7}{'expected':>10}{'test':>10}{'ratio':>8}{'pooled':>8}{'s.e.':>8}{'worst':>8}{'pooled':>8}")
    ratios, pooled = [], []
    for name in SETS:
        own = [run for run in runs if run["set"] == name]
        if not own:
            continue
        said, found = (np.array([run[key] for run in own]) for key in ("expected", "error"))
        ratios.append(said.mean() / found.mean())
        power = 1 if SETS[name] == "classification" else 2
        pool = lambda errors: np.mean(errors**power) ** (1 / power)
        pooled.append(pool(said) / pool(found))
        error = np.std(said**power - found**power) / np.sqrt(len(own)) / np.mean(found**power) / power
        print(
            f"{name:16}{len(own):7}{said.mean():10.4g}{found.mean():10.4g}{ratios[-1]:8.3f}{pooled[-1]:8.3f}{error:8.3f}"
            f"{max(found / said):8.2f}{1 / pooled[-1]:8.2f}"
        )
    off = lambda ratios: np.mean(np.abs(np.array(ratios) - 1))
    print(f"mean of |ratio - 1|: {off(ratios):.3f} as they stand, {off(pooled):.3f} pooled (wanted 0.05)")
    print("worst: the largest test error over its own estimate, and that of all splits together (wanted at most 1.5)")


if __name__ == "__main__":
    main()
