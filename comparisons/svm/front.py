"""Test error against training time of support vector machines that see all, parts or some of the rows.

Exact, in chunks, one pass as LASVM does it, random subsamples with the exact solver, subsamples near the boundary, a linear
machine on the features as they are, and linear ones on random features and on landmarks; on ijcnn1 and on noisy data of 16
features. Cost and width are those of the exact machine throughout. There is no target: the table is printed as it comes out, also where a plain subsample wins. --large runs the chunked training of
500,000 noisy rows through the command with a limit of memory and prints its peak.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from common import keep  # noqa: E402
from speed import ijcnn1, noisy  # noqa: E402


def sets(folder: pathlib.Path):
    x, y = noisy(40000)
    yield "noisy, 20000 rows", x[:20000], y[:20000], x[20000:], y[20000:], 8.0**0.5, 1.0
    if (folder / "ijcnn1").is_dir():
        import pyarrow.parquet

        x, y, new = ijcnn1(folder)
        table = pyarrow.parquet.read_table(folder / "ijcnn1" / "data.parquet")
        truth = table.columns[-1].to_numpy()[49990:].astype(int)
        yield "ijcnn1, 49990 rows", x, y, new[:30000], truth[:30000], 0.5**0.5, 10.0


def large(rows: int, program: pathlib.Path) -> None:
    """The chunked training of many rows by the command, with its peak of memory."""
    with tempfile.TemporaryDirectory() as folder:
        import pyarrow
        import pyarrow.parquet

        x, y = noisy(rows)
        columns = {f"x{k}": x[:, k].astype(np.float32) for k in range(x.shape[1])} | {"y": y}
        path = pathlib.Path(folder) / "large.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        line = [program, "fit", path, "--target", "y", "--method", "svc", "--cost", "1", "--kernel", "gaussian:width=2.83",
                "--stream", "--chunk", "5000", "--carry", "15000", "--memory", "1GiB", "--no-standardise",
                "-o", f"{folder}/m.safetensors"]
        begin = time.perf_counter()
        answer = subprocess.run([str(word) for word in line], capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(answer.stdout or answer.stderr)
        print(f"{rows} rows in chunks: {seconds:.1f} s, peak {peak:.2f} GiB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--large", type=int, default=0, metavar="ROWS")
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--program", type=pathlib.Path, default=root / "target/release/groat", help="the command, built")
    arguments = parser.parse_args()
    if arguments.large:
        large(arguments.large, arguments.program)
        return 0
    keep("svm-front")
    from groat import Kernel
    from groat._groat import BatchLearner

    for name, x, y, new, truth, width, cost in sets(pathlib.Path(arguments.data)):
        print(name)
        kernel, n = Kernel.gaussian(width), len(x)
        forms = [("exact", "svc", {})]
        forms += [(f"chunks of {c}, {p}x", "svc", {"chunk": c, "chunk_passes": p}) for c, p in [(2000, 1), (5000, 1), (5000, 5)]]
        forms += [("one pass (LASVM)", "svc", {"one_pass": True})]
        forms += [(f"random {n // k}", "svc", {"subsample": n // k}) for k in (2, 4, 8, 16)]
        forms += [(f"boundary {n // k}", "svc", {"subsample": n // k, "subsampling": "boundary"}) for k in (4, 16)]
        forms += [("linear", "linear-svc", {})]
        forms += [(f"random features {r}", "rff", {"rank": r, "estimate": False}) for r in (200, 1000)]
        forms += [(f"landmarks {r}", "nystrom", {"rank": r, "estimate": False}) for r in (200, 1000)]
        for title, method, more in forms:
            if method != "linear-svc":
                more = {"kernel": kernel, **more}
            if method.endswith("svc"):
                more = {"cost": cost, **more}
            learner = BatchLearner(method, task="classification", standardise=False, **more)
            begin = time.perf_counter()
            model = learner.fit(x, y).model
            seconds = time.perf_counter() - begin
            error = 100 * np.mean(np.asarray(model.predict(new)).ravel().astype(int) != truth)
            size = len(model.vectors) if method in ("svc", "nystrom") else more.get("rank", 1)
            print(f"  {title:<20} {seconds:8.3f} s   {error:6.2f} % wrong   {size:6d} vectors or features", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
