"""Writes the data sets of this folder from the packages that carry them.

Needs scikit-learn 1.9 and statsmodels 0.15 (only their data files are read):

    pip install --no-deps scikit-learn==1.9.1 statsmodels==0.15.0 && python datasets/make.py
"""

import csv
import gzip
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).parent
SKLEARN = Path(distribution("scikit-learn").locate_file("sklearn/datasets/data"))
STATSMODELS = Path(distribution("statsmodels").locate_file("statsmodels/datasets"))


def write(name, header, rows):
    with open(HERE / name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def number(text):
    """The shortest spelling of the same number."""
    value = float(text)
    return int(value) if value.is_integer() else value


def diabetes():
    read = lambda name: gzip.decompress((SKLEARN / name).read_bytes()).decode().split("\n")
    rows = [line.split() for line in read("diabetes_data_raw.csv.gz") if line.strip()]
    target = [line for line in read("diabetes_target.csv.gz") if line.strip()]
    header = ["age", "sex", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu", "progression"]
    write("diabetes.csv", header, ([number(v) for v in row] + [number(y)] for row, y in zip(rows, target)))


def breast_cancer():
    names = ["radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
             "concave_points", "symmetry", "fractal_dimension"]
    header = [f"{kind}_{name}" for kind in ("mean", "error", "worst") for name in names] + ["diagnosis"]
    lines = (SKLEARN / "breast_cancer.csv").read_text().strip().split("\n")
    classes = lines[0].split(",")[2:]
    rows = (line.split(",") for line in lines[1:])
    write("breast_cancer.csv", header, ([number(v) for v in row[:-1]] + [classes[int(row[-1])]] for row in rows))


def sunspots():
    lines = (STATSMODELS / "sunspots" / "sunspots.csv").read_text().strip().split("\n")[1:]
    write("sunspots.csv", ["year", "sunspots"], ([number(v) for v in line.split(",")] for line in lines))


diabetes()
breast_cancer()
sunspots()
