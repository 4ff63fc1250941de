"""Online learners: single samples and batches agree, states survive pickling, bad samples change nothing."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import groat
import numpy as np
import pytest
from groat import Kernel, OnlineLearner
from numpy.typing import NDArray

Array = NDArray[np.float64]
KERNEL = "gaussian:width=0.7"
LINEAR = ("lms", "nlms", "rls", "kalman", "problms", "memory-cell")


@pytest.fixture
def stream(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.uniform(-2.0, 2.0, size=(300, 2))
    y = np.sin(2.0 * x[:, 0]) * x[:, 1] + 0.05 * rng.normal(size=300)
    return x, y


def classes(algorithm: str, y: Array) -> Array:
    """Targets that suit the algorithm: -1 and 1 for the losses of classification."""
    settings = groat.algorithm_settings(algorithm)
    losses = settings.get("loss", ("square", "", ""))
    return np.where(y > 0, 1.0, -1.0) if losses[0] in ("hinge", "logistic") else y


@pytest.mark.parametrize("algorithm", groat.algorithms())
def test_every_preset_obeys_the_laws(algorithm: str, stream: tuple[Array, Array]) -> None:
    x, y = stream[0][:120], classes(algorithm, stream[1][:120])
    kernel = None if algorithm in LINEAR else KERNEL
    one, many = OnlineLearner(algorithm, kernel), OnlineLearner(algorithm, kernel)
    assert one.predict_one(x[0]) == one.predict(x[:1])[0]
    steps = [one.learn_one(row, target) for row, target in zip(x, y)]
    found = many.learn_many(x, y)
    np.testing.assert_array_equal(found["prediction"], [step.prediction for step in steps])
    np.testing.assert_array_equal(found["size"], [step.size for step in steps])
    assert one.size == many.size == steps[-1].size and one.steps == 120 and one.features == 2
    np.testing.assert_array_equal(one.predict(x), [many.predict_one(row) for row in x])
    again = pickle.loads(pickle.dumps(one))
    assert (again.algorithm, again.kernel, again.settings) == (one.algorithm, one.kernel, one.settings)
    one.partial_fit(x[::-1], y[::-1])
    assert again.partial_fit(x[::-1], y[::-1]) is again
    np.testing.assert_array_equal(again.predict(x), one.predict(x))
    variance = one.variance_one(x[0])
    if variance is None:
        with pytest.raises(groat.ParameterError, match="variance"):
            one.variance(x)
    else:
        assert variance >= 0.0 and one.variance(x)[0] == variance
    try:
        model = one.snapshot()
    except (groat.NotFittedError, groat.ParameterError):
        # No samples are kept, or several kernels are mixed: such a model is no expansion.
        assert algorithm in ("auto", "memory-cell", "mknlms", "mxklms", "l2-s", "rff-klms")
        return
    np.testing.assert_allclose(model.predict(x), one.predict(x), rtol=1e-9, atol=1e-9)


def test_a_linear_algorithm_takes_no_kernel() -> None:
    for algorithm in LINEAR:
        assert OnlineLearner(algorithm).kernel is None
        with pytest.raises(groat.ParameterError, match="no kernel"):
            OnlineLearner(algorithm, KERNEL)


def test_a_saved_learner_goes_on(stream: tuple[Array, Array], tmp_path: Path) -> None:
    x, y = stream
    path = tmp_path / "state.json"
    whole = OnlineLearner("krls-tracker", KERNEL, budget=20)
    with pytest.raises(groat.NotFittedError):
        whole.save(path)
    whole.partial_fit(x[:100], y[:100]).save(path)
    again = OnlineLearner.load(path)
    assert (again.algorithm, again.kernel, again.settings) == (whole.algorithm, whole.kernel, whole.settings)
    np.testing.assert_array_equal(
        again.learn_many(x[100:], y[100:])["prediction"], whole.learn_many(x[100:], y[100:])["prediction"]
    )
    path.write_text('{"version":1,"learner":{}}')
    with pytest.raises(groat.GroatError, match="learn anew"):
        OnlineLearner.load(path)


def test_it_learns(stream: tuple[Array, Array]) -> None:
    x, y = stream
    learner = OnlineLearner("krls-ald", Kernel.gaussian(0.7), nu=1e-3)
    errors = learner.learn_many(x, y)["error"]
    assert np.mean(errors[-100:] ** 2) < 0.05 * np.mean(y**2)
    assert 10 < learner.size < 150
    assert "krls-ald" in repr(learner) and learner.settings == {"nu": "0.001"}
    assert learner.diagnostics()["steps"] == 300


def test_settings() -> None:
    described = groat.algorithm_settings("klms-coherence")
    assert {"eta", "mu0"} <= set(described)
    default, allowed, meaning = described["eta"]
    assert float(default) > 0 and allowed and meaning
    assert OnlineLearner("krls-tracker", KERNEL, lambda_=0.99).settings == {"lambda": "0.99"}
    for wrong in ({"eta": -1.0}, {"nonsense": 1}, {"eta": "fast"}, {"eta": float("nan")}, {"budget": 1.5}):
        with pytest.raises(groat.ParameterError):
            OnlineLearner("klms-coherence", KERNEL, **wrong)
    with pytest.raises(groat.ParameterError, match="known are"):
        OnlineLearner("nonsense")


def test_bad_samples_change_nothing(stream: tuple[Array, Array]) -> None:
    x, y = stream
    learner = OnlineLearner("klms-coherence", KERNEL).partial_fit(x, y)
    before = learner.predict(x)
    nan = x.copy()
    nan[7, 1] = np.nan
    calls: list[Callable[[], object]] = [
        lambda: learner.learn_one([1.0], 1.0),
        lambda: learner.learn_one([1.0, np.nan], 1.0),
        lambda: learner.learn_one([1.0, 2.0], np.inf),
        lambda: learner.learn_one([[1.0, 2.0]], 1.0),
        lambda: learner.partial_fit(nan, y),
        lambda: learner.partial_fit(x, y[:-1]),
        lambda: learner.partial_fit(x[:, :1], y),
        lambda: learner.partial_fit(x, np.append(y[1:], np.nan)),
        lambda: learner.predict(nan),
        lambda: learner.predict_one([]),
        lambda: learner.predict_one(["a", "b"]),
    ]
    for call in calls:
        with pytest.raises(groat.DataError):
            call()
    np.testing.assert_array_equal(learner.predict(x), before)
    assert learner.steps == len(y)
    with pytest.raises(groat.NotFittedError):
        OnlineLearner("klms").snapshot()


def test_samples_of_any_kind_are_the_same(stream: tuple[Array, Array]) -> None:
    learner = OnlineLearner("klms", KERNEL).partial_fit(*stream)
    x = np.array([0.25, -0.5])
    wide = np.zeros((2, 3))
    wide[:, 1] = x
    for sample in (x, x.tolist(), tuple(x), wide[:, 1], x.astype(np.float32), x.astype(object), x.astype(">f8")):
        assert learner.predict_one(sample) == learner.predict_one(x)


def test_threads_share_a_learner(stream: tuple[Array, Array]) -> None:
    x, y = stream
    learner = OnlineLearner("klms-coherence", KERNEL)
    failures: list[BaseException] = []

    def work(turn: int) -> None:
        try:
            for _ in range(5):
                learner.partial_fit(x, y)
                learner.predict(x)
                learner.learn_one(x[turn], y[turn])
                learner.predict_one(x[turn])
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and learner.steps == 4 * 5 * 301


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_ends_a_long_run(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(3_000_000, 8)), rng.normal(size=3_000_000)
    learner = OnlineLearner("klms-window", Kernel.gaussian(1.0), tau=500)
    seen: list[int] = []

    def handle(*_: object) -> None:
        # Signals come again and again; the first one after some samples counts. The learner can be used here.
        if learner.steps > 0 and not seen:
            seen.append(learner.size)
            raise KeyboardInterrupt

    def interrupt() -> None:
        while not over.wait(0.01):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, handle)
    over = threading.Event()
    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            learner.partial_fit(x, y)
    finally:
        over.set()
        sender.join()
        signal.signal(signal.SIGINT, before)
    assert 0 < learner.steps < len(y) and seen == [500]


def test_the_default_needs_no_settings_and_no_scale(rng: np.random.Generator) -> None:
    x = 1e6 * rng.normal(size=(600, 2))
    y = 1e-6 * (x[:, 0] * x[:, 1] / 1e12 + 0.01 * rng.normal(size=600))
    learner = OnlineLearner().partial_fit(x, y)
    summary = learner.summary()
    assert learner.algorithm == "auto" and summary["against_baseline"] < 0.6
    assert not summary["diverged"] and summary["linear RLS"] > summary["mean_squared"]
    value, low, high = learner.predict_interval(x[0])
    assert low is not None and high is not None and low < value < high
    assert abs(summary["coverage"] - 0.9) < 0.05


def test_samples_may_be_dicts(stream: tuple[Array, Array]) -> None:
    x, y = stream
    rows, named = OnlineLearner("krls-ald"), OnlineLearner("krls-ald")
    for row, target in zip(x[:50], y):
        step = named.learn_one({"b": row[1], "a": row[0]}, target)
        assert step.prediction == rows.learn_one(row, target).prediction
    assert named.predict_one({"a": 0.1, "b": 0.2}) == rows.predict_one([0.1, 0.2])
    with pytest.raises(groat.ShapeError, match="no b"):
        named.predict_one({"a": 0.1, "c": 0.2})


def test_algorithms_are_compared_and_tuned(stream: tuple[Array, Array]) -> None:
    x, y = stream
    ranking = groat.compare(x, y, ["rls", "krls-ald", "auto"])
    assert [place["mean_squared"] for place in ranking] == sorted(place["mean_squared"] for place in ranking)
    assert ranking[-1]["algorithm"] == "rls" and ranking[0]["microseconds"] > 0
    found = groat.tune(x, y, "knlms")
    again = OnlineLearner("knlms", **found["settings"]).partial_fit(x, y)
    assert again.summary()["mean_squared"] == found["mean_squared"] and found["trials"] > 5
    assert found["mean_squared"] <= next(iter(groat.compare(x, y, ["knlms"])))["mean_squared"]


def test_bare_learners_see_samples_as_they_are() -> None:
    learner = OnlineLearner("lms", standardise=False, eta=0.5)
    learner.learn_one([2.0], 1.0)
    assert learner.predict_one([1.0]) == 1.0
