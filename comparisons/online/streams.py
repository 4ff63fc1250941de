"""Real and made streams, one sample at a time: groat's default beside its presets, baselines and river's pipelines.

    comparisons/run online/streams [--rows 3000] [--data ../shared] [--out comparisons/runs/DATE/streams.csv]
        [--streams nile,sunspots]

Every contender predicts a sample before it learns from it: groat by `groat stream --compare` on one thread, river by
`predict_one` and `learn_one` on dicts that are made beforehand. Printed are mean squared errors as multiples of the better
of last value and linear least squares (with forgetting or without, whichever is better), microseconds a sample, and bytes
(groat's state; river's pickled pipeline). The best tuned preset is what `groat stream --tune` finds on the very rows it
is then judged on, over four presets and all their settings: a bound that nobody can know beforehand. At the end the
coverage of the default's intervals on two long streams, one with an abrupt and one with a slow change.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import compose, forest, linear_model, neighbors, preprocessing, tree

Array = NDArray[np.float64]
LAGS = 12
# Runs of which the shortest counts.
RACES = 9
# Presets that a person might try, at their defaults: the best of them is what a good choice would give.
PRESETS = ["krls-tracker", "krls-ald", "krls-window", "spl-coherence", "knlms", "qklms", "klms-coherence", "rff-klms", "rls"]


def read(path: pathlib.Path) -> Array:
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as lines:
        rows = list(csv.reader(lines))[1:]
    return np.array([[float(value) for value in row] for row in rows])


def embed(table: Array, lags: int) -> tuple[Array, Array]:
    """As `groat stream --embed`: of each driver the present and past values, of the target the past ones."""
    rows = range(lags, len(table))
    drivers, y = table[:, :-1].T, table[:, -1]
    x = [np.concatenate([*(u[t - lags + 1 : t + 1][::-1] for u in drivers), y[t - lags : t][::-1]]) for t in rows]
    return np.array(x), y[lags:]


def joined(x: Array, y: Array) -> Array:
    return np.column_stack([x, y])


def made(rng: np.random.Generator, n: int) -> Iterator[tuple[str, Array]]:
    """Streams of about n rows: what changes in them does so within these."""
    signs = rng.choice([-1.0, 1.0], n + 8)
    channel = signs[1:] + 0.5 * signs[:-1]
    received = channel - 0.09 * channel**3 + 0.1 * rng.standard_normal(len(channel))
    yield "equaliser", joined(np.array([received[t - 4 : t + 1][::-1] for t in range(6, n)]), signs[5 : n - 1])
    u = rng.standard_normal(n + 5)
    x = np.array([u[t - 4 : t + 1][::-1] for t in range(5, n)])
    first, second = np.array([1, -0.4, 0.2, 0.1, -0.05]), np.array([-0.3, 1, 0.6, -0.2, 0.1])
    half = np.arange(len(x)) < len(x) // 2
    y = np.tanh(np.where(half, x @ first, x @ second)) + 0.05 * rng.standard_normal(len(x))
    yield "channel switch", joined(x, y)
    x, angle = rng.standard_normal((n, 4)), np.linspace(0, 2 * math.pi, n)
    yield "turning classes", joined(x, np.sign(x[:, 0] * np.cos(angle) + x[:, 1] * np.sin(angle)))
    x = rng.uniform(0, 10, (n, 3))
    limit = np.array([8, 9, 7, 9.5])[np.arange(n) * 4 // n]
    y = np.where(x[:, 0] + x[:, 1] < limit, 1.0, -1.0)
    yield "jumping classes", joined(x, np.where(rng.random(n) < 0.1, -y, y))


def moved(table: Array) -> Array:
    """The same series starting at 0, so that a first guess of 0 costs nobody more than the rest of the stream."""
    return np.asarray(table - table[0])


SERIES = ("co2_weekly", "elnino_monthly", "nile", "taylor_demand", "water_flow", "seattle_weather")
MORE_SERIES = ("santafe_laser_a", "lorenz", "mackey_glass30", "gas_furnace", "mimo_testbed")


def streams(data: pathlib.Path, rows: int) -> Iterator[tuple[str, Array, int]]:
    root = pathlib.Path(__file__).resolve().parents[2]
    yield "sunspots", moved(read(root / "datasets/sunspots.csv")[:, 1:]), LAGS
    for name in SERIES:
        yield name, moved(read(data / "streams" / f"{name}.csv.gz")[:rows]), LAGS
    for name in MORE_SERIES:
        yield name, moved(read(data / "data" / name / "data.csv.gz")[:rows]), LAGS
    for name in ("bike", "elevators"):
        yield name, read(data / "data" / name / "data.csv.gz")[:rows], 0
    for name, table in made(np.random.default_rng(1), rows):
        yield name, table, 0


def ask(program: pathlib.Path, table: Array, lags: int, *options: str) -> Any:
    """What `groat stream` answers about a table whose last column is the target."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "stream.csv"
        names = [f"u{i}" for i in range(table.shape[1] - 1)] + ["y"]
        np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
        embedding = ["--embed", str(lags)] if lags else []
        call = [str(program), "stream", str(path), "--target", "y", *embedding, "--json", *options]
        found = subprocess.run(call, capture_output=True, text=True)
    if found.returncode:
        raise RuntimeError(f"{' '.join(call)}\n{found.stderr}")
    return json.loads(found.stdout)


def run_groat(program: pathlib.Path, table: Array, lags: int) -> dict[str, dict[str, float]]:
    """Errors, times and bytes by algorithm, the baselines among them. Times are the least of three runs."""
    numbers = {"mse": "mean_squared", "us": "microseconds", "bytes": "memory_bytes"}
    compare = ["--threads", "1", "--compare", ",".join(["auto", *PRESETS])]
    found: dict[str, dict[str, float]] = {}
    for place in (place for _ in range(3) for place in ask(program, table, lags, *compare)["places"]):
        result = {short: place[long] for short, long in numbers.items() if place[long] is not None}
        before = found.setdefault(place["algorithm"], result)
        if "us" in result:
            before["us"] = min(before["us"], result["us"])
    return found


def tuned(program: pathlib.Path, table: Array, lags: int) -> tuple[str, float]:
    """The best preset but the default, with all its settings tuned on these rows, and its error."""
    trials = ask(program, table, lags, "--tune", "--tune-rows", str(max(20, len(table))))["best"]
    best = min((t for t in trials if t["algorithm"] != "auto"), key=lambda trial: float(trial["mean_squared"]))
    return best["algorithm"], float(best["mean_squared"])


def coverages(program: pathlib.Path) -> Iterator[tuple[str, float, float]]:
    """Asked and found coverage of the default's intervals on a stream with an abrupt and one with a slow change."""
    rng, n = np.random.default_rng(2), 20_000
    x, noise = rng.standard_normal((n, 3)), rng.standard_normal(n)
    turn = np.linspace(0, 1.5 * math.pi, n)
    late = np.arange(n) >= n // 2
    abrupt = np.where(late, 2 - 3 * np.sin(x[:, 1]), np.tanh(x[:, 0])) + np.where(late, 0.5, 0.05) * noise
    slow = np.cos(turn) * np.sin(x[:, 0]) + np.sin(turn) * x[:, 1] + (0.05 + 0.1 * turn) * noise
    for name, y in (("abrupt", abrupt), ("slow", slow)):
        for asked in (0.8, 0.9, 0.95):
            answer = ask(program, joined(x, y), 0, "--coverage", str(asked), "--out", os.devnull)
            yield name, asked, answer["coverage"]["found"]


PIPELINES: dict[str, Callable[[], Any]] = {
    "linear": lambda: compose.Pipeline(preprocessing.StandardScaler(), linear_model.LinearRegression()),
    "knn": lambda: compose.Pipeline(preprocessing.StandardScaler(), neighbors.KNNRegressor(n_neighbors=5)),
    "hoeffding": lambda: compose.Pipeline(preprocessing.StandardScaler(), tree.HoeffdingAdaptiveTreeRegressor(seed=1)),
    "forest": lambda: compose.Pipeline(preprocessing.StandardScaler(), forest.ARFRegressor(seed=1)),
}


def run_river(x: Array, y: Array, make: Callable[[], Any]) -> dict[str, float]:
    """Error, time and bytes of a pipeline."""
    pipeline, squares = make(), 0.0
    samples = [dict(enumerate(map(float, row))) for row in x]
    targets = [float(target) for target in y]
    started = time.perf_counter()
    for sample, target in zip(samples, targets):
        squares += (target - pipeline.predict_one(sample)) ** 2
        pipeline.learn_one(sample, target)
    seconds = time.perf_counter() - started
    return {"mse": squares / len(y), "us": 1e6 * seconds / len(y), "bytes": float(len(pickle.dumps(pipeline)))}


def raced(program: pathlib.Path, table: Array, lags: int, x: Array, y: Array) -> tuple[float, float]:
    """Microseconds a sample of the default and of river's fastest pipeline: in turn, so that a slow moment of the machine meets
    both, the least of several runs of each."""
    default, linear = math.inf, math.inf
    for _ in range(RACES):
        places = ask(program, table, lags, "--threads", "1", "--compare", "auto")["places"]
        default = min(default, *(place["microseconds"] for place in places if place["algorithm"] == "auto"))
        linear = min(linear, run_river(x, y, PIPELINES["linear"])["us"])
    return default, linear


def measure(program: pathlib.Path, name: str, table: Array, lags: int) -> list[Result]:
    own = run_groat(program, table, lags)
    found = [(name, f"groat {preset}", own[preset]) for preset in ["auto", *PRESETS]]
    found.append((name, "last value", own["(last value)"]))
    found.append((name, "linear RLS", {"mse": min(own["(linear RLS)"]["mse"], own["rls"]["mse"])}))
    preset, error = tuned(program, table, lags)
    found.append((name, f"tuned {preset}", {"mse": error}))
    x, y = embed(table, lags) if lags else (table[:, :-1], table[:, -1])
    rivals = {pipeline: run_river(x, y, make) for pipeline, make in PIPELINES.items()}
    own["auto"]["us"], rivals["linear"]["us"] = raced(program, table, lags, x, y)
    return found + [(name, f"river {pipeline}", result) for pipeline, result in rivals.items()]


def command() -> pathlib.Path:
    """Builds the command, optimised."""
    root = pathlib.Path(__file__).resolve().parents[2]
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "groat-cli"], cwd=root, check=True)
    return root / "target/release/groat"


def geometric(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


Result = tuple[str, str, dict[str, float]]
COLUMNS = {"mse": "mean_squared", "us": "microseconds", "bytes": "bytes"}


def kept(path: pathlib.Path | None, measured: list[str]) -> list[Result]:
    """What an earlier piece of the run found on streams that were not measured now."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["stream"] not in measured]
    return [
        (row["stream"], row["contender"], {short: float(row[long]) for short, long in COLUMNS.items() if row[long]})
        for row in rows
    ]


def write(path: pathlib.Path, rows: list[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["stream", "contender", *COLUMNS.values()])
        for name, contender, result in rows:
            writer.writerow([name, contender, *(result.get(short, "") for short in COLUMNS)])


def judged(rows: list[Result]) -> bool:
    """Prints a line for each stream and what they say together; true when the aims are met."""
    head = f"{'stream':<16}{'default':>9}{'best preset':>24}{'best tuned':>22}{'river best':>22}"
    print(head + f"{'us: default':>12}{'river':>7}{'forest':>8}{'KB: default':>12}{'river':>8}")
    ratios, presets, bests, rivals, speeds = [], [], [], [], []
    for name in dict.fromkeys(stream for stream, _, _ in rows):
        found = {contender: result for stream, contender, result in rows if stream == name}
        mse = {contender: result["mse"] for contender, result in found.items()}
        us = {contender: result.get("us", math.nan) for contender, result in found.items()}
        base = min(mse["last value"], mse["linear RLS"])
        preset = min((f"groat {p}" for p in PRESETS), key=mse.__getitem__)
        rival = min((c for c in mse if c.startswith("river")), key=mse.__getitem__)
        fastest = min(us[c] for c in us if c.startswith("river"))
        best = next(c for c in mse if c.startswith("tuned"))
        size = {contender: result.get("bytes", math.nan) / 1024 for contender, result in found.items()}
        bests.append(mse["groat auto"] / mse[best])
        ratios.append(mse["groat auto"] / base)
        presets.append(mse["groat auto"] / mse[preset])
        rivals.append(mse["groat auto"] / mse[rival])
        speeds.append((us["groat auto"], fastest, us[rival]))
        print(
            f"{name:<16}{ratios[-1]:>9.3f}{mse[preset] / base:>9.3f} {preset[6:]:<14}{mse[best] / base:>9.3f} {best[6:]:<12}"
            f"{mse[rival] / base:>9.3f} {rival[6:]:<12}{us['groat auto']:>12.1f}{fastest:>7.1f}{us['river forest']:>8.0f}"
            f"{size['groat auto']:>12.0f}{size[rival]:>8.0f}"
        )
    print("\ndefault over the better of last value and linear RLS:", end=" ")
    print(f"geometric mean {geometric(ratios):.3f}, worst {max(ratios):.3f}")
    print(f"default over the best of {len(PRESETS)} presets at their defaults: geometric mean {geometric(presets):.3f}")
    print(f"default over the best tuned preset: geometric mean {geometric(bests):.3f}, worst {max(bests):.3f}")
    print(f"better than the best of river's pipelines on {sum(r < 1 for r in rivals)} of {len(rivals)} streams")
    print(f"faster than that pipeline on {sum(a < c for a, _, c in speeds)}, than the fastest on {sum(a < b for a, b, _ in speeds)}")
    return geometric(ratios) < 0.9 and max(ratios) < 1.1


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3] / "shared")
    parser.add_argument("--out", type=pathlib.Path, help="raw numbers; those of streams not measured now stay")
    parser.add_argument("--groat", type=pathlib.Path, help="the command [default: built now, optimised]")
    parser.add_argument("--streams", help="NAME,...: a piece of the run, without the coverage of intervals")
    args = parser.parse_args()
    program = args.groat or command()
    wanted = args.streams.split(",") if args.streams else None
    rows: list[Result] = []
    for name, table, lags in streams(args.data, args.rows):
        if wanted is None or name in wanted:
            rows += measure(program, name, table, lags)
            print(f"{name}: measured", file=sys.stderr, flush=True)
    rows = kept(args.out, [name for name, _, _ in rows]) + rows
    if args.out:
        write(args.out, rows)
    met = judged(rows)
    if wanted is None:
        for name, asked, share in coverages(program):
            print(f"{100 * asked:.0f} % intervals of the default, {name} change, 20000 rows: {100 * share:.2f} % inside")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
