"""Learners for river pass its checks, and take samples whose names come and go."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from groat.river import DriftDetector, KernelAnomalyDetector, KernelClassifier, KernelRegressor
from river import checks, compose, datasets, drift, evaluate, metrics, preprocessing
from river.datasets import synth

# A budget that keeps river's long streams short; the checks are of manners, not of quality.
MODELS = [
    KernelRegressor("knlms"),
    KernelRegressor(),
    KernelClassifier("knlms"),
    preprocessing.StandardScaler() | KernelRegressor("krls-tracker", settings={"budget": 20}),
    KernelAnomalyDetector(budget=20),
]


class _Clouds:
    """Two-dimensional samples of which one in twenty lies far away, in place of river's data set of fraud, which would have
    to be fetched."""

    def take(self, n: int) -> Iterator[tuple[dict[str, float], int]]:
        rng = random.Random(3)
        for _ in range(n):
            odd = rng.random() < 0.05
            spread = 8.0 if odd else 1.0
            yield {"a": rng.gauss(0, spread), "b": rng.gauss(5, spread)}, int(odd)


def _named_checks() -> Iterator[Any]:
    for model in MODELS:
        name = model[-1] if isinstance(model, compose.Pipeline) else model
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(datasets, "CreditCard", _Clouds)
            for at, check in enumerate(checks.yield_checks(model)):
                text = f"{type(name).__name__}-{getattr(name, 'algorithm', '')}-{check.__name__}-{at}"
                yield pytest.param(model, check, id=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "check"), list(_named_checks()))
def test_check(model: Any, check: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "CreditCard", _Clouds)
    # What river leaves out for a kind of model (a pipeline) is left out here as its check_estimator does.
    if check.__name__ not in model._unit_test_skips():
        check(model.clone())


def test_better_than_a_linear_model() -> None:
    def error(model: Any) -> float:
        data = synth.Friedman(seed=1).take(800)
        return float(evaluate.progressive_val_score(data, model, metrics.RMSE()).get())

    from river import linear_model

    linear = error(preprocessing.StandardScaler() | linear_model.LinearRegression())
    assert error(KernelRegressor()) < 0.9 * linear
    assert error(preprocessing.StandardScaler() | KernelRegressor()) < 0.9 * linear


def test_names_come_and_go() -> None:
    rng = random.Random(0)
    model = KernelRegressor("krls-tracker", settings={"budget": 40})
    errors: list[float] = []
    for step in range(900):
        a, b = rng.uniform(-2, 2), rng.uniform(-2, 2)
        x: dict[str, Any] = {"a": a, "kind": "x" if a > 0 else "y"}
        if step >= 300:
            x["b"] = b
        if step % 7 == 0:
            del x["kind"]
        y = math.sin(2 * a) + (b if step >= 300 else 0.0)
        errors.append((y - model.predict_one(x)) ** 2)
        model.learn_one(x, y)
    # What the new name says is learnt: without it the error would be that of b, 4 / 3.
    assert np.mean(errors[700:]) < 0.3
    assert sorted(model._features.names) == ["a", "b", "kind=x", "kind=y"]
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_one({"a": 0.5}) == model.predict_one({"a": 0.5})
    assert model.predict_one({}) == again.predict_one({"unknown": 3.0})


def test_intervals_and_drift_flags() -> None:
    rng = random.Random(5)
    model, inside, flagged = KernelRegressor(coverage=0.8), [], []
    assert model.predict_interval_one({"a": 1.0}) == (None, None)
    for step in range(1500):
        a = rng.uniform(-2, 2)
        y = math.sin(2 * a) + rng.gauss(0, 0.1) if step < 1000 else 3 * math.cos(5 * a) + rng.gauss(0, 1.0)
        low, high = model.predict_interval_one({"a": a})
        if low is not None and high is not None:
            inside.append(low <= y <= high)
        model.learn_one({"a": a}, y)
        if model.drift_detected:
            flagged.append(step)
    assert 0.72 < np.mean(inside) < 0.88
    assert any(1000 <= step < 1200 for step in flagged), flagged
    assert model.drifts == [step + 1 for step in flagged]


def test_alarms_are_those_of_river() -> None:
    rng = random.Random(2)
    ours, theirs = DriftDetector(), drift.ADWIN()
    found = []
    for i in range(3000):
        value = rng.gauss(0.2 if i < 1200 else 0.6, 0.2)
        ours.update(value)
        theirs.update(value)
        assert ours.drift_detected == theirs.drift_detected
        found += [i] if ours.drift_detected else []
    assert found and found[0] >= 1200
    assert pickle.loads(pickle.dumps(ours)).width == ours.width
    assert ours.clone().width == 0


def test_anomalies_are_found() -> None:
    detector, metric = KernelAnomalyDetector(), metrics.ROCAUC()
    for x, odd in _Clouds().take(1000):
        metric.update(bool(odd), detector.score_one(x))
        detector.learn_one(x)
    assert metric.get() > 0.9
