"""Kernel ridge regression against scikit-learn and against leaving samples out one by one."""

from __future__ import annotations

import pickle

import groat
import numpy as np
import pytest
from engine import KernelRidge
from groat import Kernel
from groat._groat import BatchLearner
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge as Peer

Array = NDArray[np.float64]
Data = tuple[Array, Array]


def test_coefficients_of_scikit_learn(wave: Data, rng: np.random.Generator) -> None:
    x, y = wave
    targets = np.column_stack([y, x[:, 1] ** 2])
    for target in (y, targets):
        ours = KernelRidge(Kernel.gaussian(gamma=0.4), ridge=0.1, bias=False).fit(x, target)
        peer = Peer(kernel="rbf", gamma=0.4, alpha=0.1).fit(x, target)
        coefficients = peer.dual_coef_.reshape(len(x), -1)
        np.testing.assert_allclose(ours.model.weights, coefficients, rtol=0, atol=1e-8)
        new = rng.normal(size=(30, 2))
        np.testing.assert_allclose(ours.predict(new), peer.predict(new), atol=1e-9)
        assert ours.model.bias is None and ours.trials == []


def test_sample_weights_of_scikit_learn(wave: Data, rng: np.random.Generator) -> None:
    x, y = wave
    weights = rng.uniform(0.2, 3.0, size=len(y))
    weights /= weights.mean()
    ours = KernelRidge(Kernel.gaussian(gamma=0.4), ridge=0.1, bias=False).fit(x, y, sample_weight=weights)
    peer = Peer(kernel="rbf", gamma=0.4, alpha=0.1).fit(x, y, sample_weight=weights)
    np.testing.assert_allclose(ours.model.weights[:, 0], peer.dual_coef_, atol=1e-8)


@pytest.mark.parametrize("bias", [False, True])
def test_leave_one_out_is_leaving_out_one(wave: Data, bias: bool) -> None:
    x, y = wave[0][:25], wave[1][:25]
    learner = KernelRidge(Kernel.gaussian(1.0), ridge=0.05, bias=bias)
    learner.fit(x, y)
    found = learner.leave_one_out_predictions
    assert found is not None
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        without = KernelRidge(Kernel.gaussian(1.0), ridge=0.05, bias=bias, leave_one_out=False)
        without.fit(x[keep], y[keep])
        assert found[i] == pytest.approx(without.predict(x[i : i + 1])[0], abs=1e-9)
    assert learner.leave_one_out_mean_squared == pytest.approx(np.mean((found - y) ** 2))
    assert learner.leave_one_out_error_rate is None


def test_the_search_finds_the_best_trial(wave: Data) -> None:
    x, y = wave
    learner = KernelRidge(width=[0.3, 1.0, 3.0], ridge=[1e-3, 1e-1]).fit(x, y)
    assert len(learner.trials) == 6
    best = min(learner.trials, key=lambda trial: trial.score)
    assert learner.model.kernel == best.kernel
    assert float(learner.model.record["settings"]["ridge"]) == best.ridge
    assert best.score == pytest.approx(learner.leave_one_out_mean_squared)
    assert "ridge=" in repr(best)
    automatic = KernelRidge().fit(x, y)
    assert automatic.leave_one_out_mean_squared is not None and automatic.leave_one_out_mean_squared < 0.02
    assert len(automatic.trials) > 20


def test_the_width_of_a_kernel_that_has_one_is_kept(wave: Data) -> None:
    x, y = wave
    for kernel in (Kernel.gaussian(0.77), "gaussian:width=0.77"):
        assert KernelRidge(kernel).fit(x, y).model.kernel == Kernel.gaussian(0.77)
    assert KernelRidge("gaussian", width=0.5, ridge=0.1).fit(x, y).model.kernel == Kernel.gaussian(0.5)
    searched = KernelRidge("laplacian", ridge=0.1).fit(x, y)
    assert len({str(trial.kernel) for trial in searched.trials}) > 5


LABELS: list[list[object]] = [
    ["no", "yes"],
    ["blue", "green", "red"],
    [-1, 1],
    [0.5, 2.5, 7.5],
    [False, True],
    [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
]


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("as_objects", [False, True])
def test_labels_of_any_type(labels: list[object], as_objects: bool, rng: np.random.Generator) -> None:
    codes = np.arange(90) % len(labels)
    x = rng.normal(size=(90, 2)) * 0.3 + np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])[codes]
    y = np.array(labels)[codes]
    if as_objects:
        y = y.astype(object)
    learner = KernelRidge(task="classification").fit(x, y)
    predicted = learner.predict(x)
    assert predicted.dtype == y.dtype
    np.testing.assert_array_equal(predicted, y)
    np.testing.assert_array_equal(learner.classes, np.unique(y))
    assert learner.model.classes == [str(label) for label in np.unique(y)]
    assert learner.leave_one_out_error_rate is not None and learner.leave_one_out_error_rate < 0.05
    values = learner.decision_function(x)
    assert values.shape == ((90,) if len(labels) == 2 else (90, 3))
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.predict(x), predicted)


def test_standardised_features_are_part_of_the_model(wave: Data) -> None:
    x, y = wave
    skewed = x * [1000.0, 1e-3] + 50.0
    learner = KernelRidge(ridge=0.01, width=0.5, standardise=True).fit(skewed, y, feature_names=["a", "b"])
    scaled = (skewed - skewed.mean(axis=0)) / skewed.std(axis=0)
    plain = KernelRidge(ridge=0.01, width=0.5).fit(scaled, y)
    np.testing.assert_allclose(learner.predict(skewed), plain.predict(scaled), atol=1e-9)
    assert learner.model.feature_names == ["a", "b"]


def test_pickling_keeps_everything(wave: Data) -> None:
    x, y = wave
    learner = KernelRidge("gaussian", ridge=[0.01, 0.1]).fit(x, y)
    again = pickle.loads(pickle.dumps(learner))
    assert isinstance(again, BatchLearner) and again.is_fitted
    assert again.model == learner.model
    assert again.params == learner.params
    assert again.leave_one_out_mean_squared == learner.leave_one_out_mean_squared
    assert [t.score for t in again.trials] == [t.score for t in learner.trials]
    assert again.judged_by == learner.judged_by
    assert again.notes == learner.notes and again.candidates == learner.candidates == len(y)
    fresh = pickle.loads(pickle.dumps(KernelRidge(ridge=0.5)))
    assert not fresh.is_fitted and fresh.params["ridge"] == 0.5
    assert repr(fresh) == "BatchLearner(method='krr', kernel=None, task='regression', standardise=False, ridge=0.5)"


def test_nothing_before_the_fit() -> None:
    learner = KernelRidge()
    for read in (lambda: learner.model, lambda: learner.predict([[1.0]]), lambda: learner.trials):
        with pytest.raises(groat.NotFittedError):
            read()


def test_a_failed_fit_keeps_the_old_model(wave: Data) -> None:
    x, y = wave
    learner = KernelRidge(ridge=0.1, width=1.0).fit(x, y)
    with pytest.raises(groat.DataError):
        learner.fit(x, y[:-1])
    assert learner.predict(x).shape == y.shape
