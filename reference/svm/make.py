"""Support vector machines solved by LIBSVM and LIBLINEAR through scikit-learn, for the tests of groat.

Writes svm.json next to this file:  python reference/svm/make.py DATA
DATA is the folder with the data sets that need not be copied into the repository (ijcnn1, a9a, ...).
Made with scikit-learn 1.9.1, NumPy 2.4.6. The objective is the dual one, as LIBSVM counts it.
"""

import gzip
import json
import pathlib
import sys

import numpy as np
import pyarrow.parquet
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

data = pathlib.Path(sys.argv[1])
TOLERANCE = 1e-7


def table(name, rows, scale=1.0):
    """Every k-th row, so many of them."""
    if (data / name / "data.parquet").exists():
        every = np.column_stack([c.to_numpy() for c in pyarrow.parquet.read_table(data / name / "data.parquet").columns])
        every = every.astype(float)
    else:
        with gzip.open(data / name / "data.csv.gz", "rt") as file:
            every = np.loadtxt(file, delimiter=",", skiprows=1)
    some = every[:: len(every) // rows][:rows]
    return some[:, :-1] * scale, some[:, -1]



def sparse(name, rows):
    with gzip.open(data / name / "train.svm.gz", "rb") as file:
        x, y = load_svmlight_file(file, n_features={"a9a": 123, "reuters": 8315}[name])
    return x[:rows].tocsr(), y[:rows]


def made(n, d, step=12.9898):
    """The same numbers as the test makes: sines of multiples."""
    return np.sin(step * np.arange(n * d, dtype=float)).reshape(n, d)


def dual(machine, gram, y, kind):
    beta = np.zeros(len(gram))
    found = machine.dual_coef_
    beta[machine.support_] = np.asarray(found.todense() if hasattr(found, "todense") else found).ravel()
    square = 0.5 * beta @ gram @ beta
    if kind == "svc":
        return square - np.abs(beta).sum()
    if kind == "svr":
        return square + machine.epsilon * np.abs(beta).sum() - beta @ y
    return square


def rbf(x, gamma):
    x = np.asarray(x.todense()) if hasattr(x, "todense") else x
    s = (x**2).sum(1)
    return np.exp(-gamma * np.maximum(s[:, None] + s[None] - 2 * x @ x.T, 0))


cases = []


def add(name, kind, machine, x, y, gamma, gram=None, **more):
    weights = more.pop("weights", None)
    cross = more.pop("cross", None)
    some = x[:: max(1, x.shape[0] // 25)][:25] if cross is None else cross
    if weights is not None:
        # Places in support_ would be those among the rows that count.
        x, y, weights = x[weights > 0], y[weights > 0], weights[weights > 0]
    machine.fit(x if gram is None else gram, y, sample_weight=weights)
    values = machine.decision_function(some) if hasattr(machine, "decision_function") else machine.predict(some)
    full = rbf(x, gamma) if gram is None else gram
    case = {"name": name, "kind": kind, "values": np.asarray(values).tolist(), **more}
    if kind in ("svc", "svr"):
        case["objective"] = float(dual(machine, full, y, kind))
    case["vectors"] = int(len(machine.support_))
    cases.append(case)
    print(name, kind, case.get("objective"), case["vectors"], flush=True)


def svc(name, x, y, width, cost, **more):
    gamma = 0.5 / width**2
    extra = {k: more.pop(k) for k in ("class_weight",) if k in more}
    machine = SVC(C=cost, gamma=gamma, tol=TOLERANCE, cache_size=1000, **extra)
    add(name, "svc", machine, x, y, gamma, width=width, cost=cost, **more)


banana, banana_y = table("ida_banana", 1000)
diabetes, diabetes_y = table("ida_diabetes", 768)
svc("ijcnn1", *table("ijcnn1", 2000), 0.7, 10.0)
svc("a9a", *sparse("a9a", 2000), 4.0, 1.0)
svc("mnist38", *table("mnist38", 1000, 1 / 255), 6.0, 10.0)
svc("banana", banana, banana_y, 0.7, 1.0)
svc("banana, small cost", banana, banana_y, 0.7, 1e-3)
svc("banana, large cost", banana[:200], banana_y[:200], 0.3, 1e6)
svc("diabetes", diabetes, diabetes_y, 3.0, 4.0)

# One positive row in a hundred.
rare = made(2020, 3)
rare_y = np.where(np.arange(2020) % 101 == 0, 1.0, -1.0)
rare[rare_y > 0] += 1.0
svc("rare", rare, rare_y, 1.0, 10.0)
svc("rare, balanced", rare, rare_y, 1.0, 1.0, class_weight="balanced")

# Rows that stand there twice, with either class.
twice = np.repeat(made(60, 2), 3, axis=0)
svc("duplicates", twice, np.where(np.arange(180) % 3 == 0, -1.0, 1.0), 0.8, 5.0)
constant = np.hstack([np.full((200, 1), 7.0), banana[:200]])
svc("a constant feature", constant, banana_y[:200], 0.7, 1.0)
one = made(300, 1)
svc("one feature", one, np.where(np.sin(9 * one[:, 0]) > 0.1, 1.0, -1.0), 0.3, 100.0)
weights = np.where(np.arange(1000) % 5 == 0, 0.0, np.where(np.arange(1000) % 7 == 0, 1e-6, 1.0 + np.arange(1000) % 3))
svc("weights, zero and tiny", banana, banana_y, 0.7, 1.0, weights=weights)

# A kernel with compact support, on its matrix.
far = np.sqrt(((banana[:600, None] - banana[None, :600]) ** 2).sum(-1))
compact = np.clip(1 - far / 0.8, 0, None) ** 2 * np.exp(-(far**2) / (2 * 0.7**2))
machine = SVC(C=1.0, kernel="precomputed", tol=TOLERANCE)
add("compact", "svc", machine, banana[:600], banana_y[:600], None, gram=compact, cross=compact[::24][:25], width=0.7, cost=1.0)

gamma = 0.5 / 0.7**2
add("banana", "nu-svc", NuSVC(nu=0.3, gamma=gamma, tol=TOLERANCE), banana, banana_y, gamma, width=0.7, nu=0.3)
add("banana", "one-class", OneClassSVM(nu=0.1, gamma=gamma, tol=TOLERANCE), banana, None, gamma, width=0.7, nu=0.1)

kin, kin_y = table("kin8nm", 800)
gamma = 0.5 / 2.0**2
machine = SVR(C=2.0, epsilon=0.05, gamma=gamma, tol=TOLERANCE)
add("kin8nm", "svr", machine, kin, kin_y, gamma, width=2.0, cost=2.0, epsilon=0.05)
machine = NuSVR(C=2.0, nu=0.4, gamma=gamma, tol=TOLERANCE)
add("kin8nm", "nu-svr", machine, kin, kin_y, gamma, width=2.0, cost=2.0, nu=0.4)

usps, usps_y = table("usps", 600)
machine = SVC(C=10.0, gamma=0.5 / 8.0**2, tol=TOLERANCE, decision_function_shape="ovo")
machine.fit(usps, usps_y)
case = {"name": "usps", "kind": "svc", "values": machine.decision_function(usps[::24][:25]).tolist()}
cases.append(case | {"width": 8.0, "cost": 10.0, "vectors": int(len(machine.support_))})


def linear(kind, machine, x, y, **more):
    machine.fit(x, y)
    values = machine.decision_function(x[:25]) if hasattr(machine, "decision_function") else machine.predict(x[:25])
    cases.append({"name": more.pop("name"), "kind": kind, "values": np.asarray(values).ravel().tolist(), **more})
    print(kind, cases[-1]["name"], flush=True)


linear("linear-svc", SVC(C=1.0, kernel="linear", tol=TOLERANCE), diabetes, diabetes_y, name="diabetes", cost=1.0)
reuters = sparse("reuters", 800)
linear("linear-svc", SVC(C=4.0, kernel="linear", tol=TOLERANCE), *reuters, name="reuters", cost=4.0)
# LIBLINEAR penalises the constant.
machine = LinearSVC(C=1.0, loss="squared_hinge", tol=1e-10, max_iter=1000000)
linear("penalised", machine, diabetes, diabetes_y, name="diabetes", cost=1.0)
linear("linear-svr", SVR(C=1.0, epsilon=0.05, kernel="linear", tol=TOLERANCE), kin, kin_y, name="kin8nm", cost=1.0, epsilon=0.05)
machine = LogisticRegression(C=2.0, tol=1e-10, max_iter=10000)
linear("logistic", machine, diabetes, diabetes_y, name="diabetes", cost=2.0)

path = pathlib.Path(__file__).with_name("svm.json")
path.write_text(json.dumps(cases, indent=0) + "\n")
