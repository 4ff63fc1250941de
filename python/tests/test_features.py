"""Explicit features: their inner products are near the kernel, and models on them near the full machine's."""

from __future__ import annotations

import pickle
from typing import Any

import groat
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline

Array = NDArray[np.float64]


@pytest.fixture
def curve(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.uniform(-2, 2, size=(400, 2))
    return x, np.sin(2 * x[:, 0]) + x[:, 1] ** 2 + 0.1 * rng.normal(size=400)


@pytest.mark.parametrize("rule", ["pivoted", "uniform", "kmeans++", "leverage"])
def test_landmarks_come_near_the_kernel(curve: tuple[Array, Array], rule: str) -> None:
    x = curve[0]
    exact = groat.Kernel.gaussian(1.0).gram(x)
    worst = []
    for rank in (10, 100):
        features = groat.Nystroem(rank, width=1.0, landmarks=rule).fit_transform(x)
        assert features.shape[1] <= rank
        # What is left out is positive semidefinite: the diagonal never exceeds the kernel's.
        assert np.all(np.diag(exact) - np.sum(features**2, axis=1) > -1e-9)
        worst.append(np.abs(features @ features.T - exact).max())
    assert worst[1] < 1e-2 < worst[0]


@pytest.mark.parametrize("form", ["paired", "cosine"])
def test_random_features_come_near_the_kernel(curve: tuple[Array, Array], form: str) -> None:
    x = curve[0][:100]
    exact = groat.Kernel("matern32:width=1").gram(x)
    features = groat.RandomFeatures(4000, kernel="matern32", width=1.0, form=form, random_state=3).fit_transform(x)
    assert features.shape == (100, 4000)
    assert np.sqrt(np.mean((features @ features.T - exact) ** 2)) < 0.03


def test_a_map_is_kept_with_what_it_needs(curve: tuple[Array, Array]) -> None:
    frame = pd.DataFrame(curve[0], columns=["a", "b"]).assign(kind=np.where(curve[0][:, 0] > 0, "up", "down"))
    for transformer in (groat.Nystroem(30, standardise=True), groat.RandomFeatures(30, standardise=True)):
        found = transformer.set_output(transform="pandas").fit_transform(frame)
        again = pickle.loads(pickle.dumps(transformer))
        np.testing.assert_allclose(again.transform(frame), found, rtol=1e-12, atol=1e-12)
        assert found.shape == (400, 30) and list(found.columns)[0].endswith("0")


@pytest.mark.parametrize("solver", ["exact", "cg", "nystrom", "falkon"])
def test_solvers_agree(curve: tuple[Array, Array], solver: str) -> None:
    x, y = curve
    exact = groat.KernelRidge(alpha=0.1, width=1.0).fit(x, y)
    other = groat.KernelRidge(alpha=0.1, width=1.0, solver=solver).fit(x, y)
    np.testing.assert_allclose(other.predict(x), exact.predict(x), atol=1e-4)
    with pytest.raises(ValueError, match="'exact', 'cg'"):
        groat.KernelRidge(solver="quick").fit(x, y)


def test_models_are_near_the_full_machine(curve: tuple[Array, Array]) -> None:
    x, y = curve
    full = groat.KernelRidge().fit(x[:300], y[:300]).score(x[300:], y[300:])
    for model in (groat.NystromRegressor(60), groat.NystromRegressor(60, solver="falkon"), groat.RandomFeatureRegressor(200)):
        assert model.fit(x[:300], y[:300]).score(x[300:], y[300:]) > full - 0.02
    labels = np.where(y > 1, "high", "low")
    machines: list[Any] = [groat.NystromClassifier(60, loss="logistic"), groat.RandomFeatureClassifier(200)]
    machines.append(make_pipeline(groat.Nystroem(60, width=1.0), groat.LogisticRegression(C=10.0)))
    for machine in machines:
        assert machine.fit(x[:300], labels[:300]).score(x[300:], labels[300:]) > 0.9
    assert machines[0].predict_proba(x[:3]).shape == (3, 2)


def test_components_through_landmarks(curve: tuple[Array, Array]) -> None:
    x = curve[0]
    full = groat.KernelPCA(n_components=2, width=1.5).fit_transform(x)
    quick = groat.KernelPCA(n_components=2, width=1.5, n_landmarks=100).fit_transform(x)
    np.testing.assert_allclose(np.abs(quick), np.abs(full), atol=1e-2)


@pytest.mark.parametrize("model", [groat.NystromRegressor(60, error_bars="dtc"), groat.NystromRegressor(60, error_bars="fitc"), groat.RandomFeatureRegressor(60, error_bars="sr")])
def test_deviations_are_there_where_they_are_asked_for(curve: tuple[Array, Array], model: Any) -> None:
    x, y = curve
    deviations = model.fit(x, y).predict_std(x)
    assert deviations.shape == (400,) and np.all(deviations > 0.05)
    # The noise is 0.1; nine in ten errors are within 1.64 deviations.
    assert 0.8 < np.mean(np.abs(model.predict(x) - y) < 1.64 * deviations) < 0.98
    with pytest.raises(groat.ParameterError, match="error_bars"):
        groat.NystromRegressor(20).fit(x, y).predict_std(x)


def test_deviations_grow_away_from_the_landmarks(curve: tuple[Array, Array]) -> None:
    x, y = curve
    model = groat.NystromRegressor(60, width=1.0, alpha=0.1, error_bars="dtc").fit(x, y)
    near, far = model.predict_std([[0.0, 0.0], [30.0, 30.0]])
    assert far > 3 * near


@pytest.mark.parametrize("solver", ["direct", "falkon"])
def test_landmarks_of_the_users_choice(curve: tuple[Array, Array], solver: str) -> None:
    x, y = 100.0 + 7.0 * curve[0], curve[1]
    chosen = x[::10]
    model = groat.NystromRegressor(landmarks=chosen, solver=solver).fit(x, y)
    # They are carried through standardisation like rows, and come back in the units of X.
    distances = np.abs(model.support_vectors_[:, None, :] - chosen[None]).max(axis=2)
    assert len(model.support_vectors_) <= len(chosen) and np.all(distances.min(axis=1) < 1e-9)
    assert model.score(x, y) > 0.5
    features = groat.Nystroem(landmarks=chosen, width=1.0, standardise=True).fit(x)
    assert features.transform(x).shape[1] == len(features.components_) <= len(chosen)
    kernel = groat.Kernel.gaussian(1.0)
    z = (chosen - x.mean(axis=0)) / x.std(axis=0)
    found = features.transform(chosen)
    np.testing.assert_allclose(found @ found.T, kernel.gram(z), atol=1e-6)
    with pytest.raises(ValueError):
        groat.NystromRegressor(landmarks=chosen[:, :1]).fit(x, y)


def test_components_through_random_features(curve: tuple[Array, Array]) -> None:
    x = curve[0]
    full = groat.KernelPCA(n_components=2, width=1.5).fit(x)
    quick = groat.KernelPCA(n_components=2, width=1.5, n_random_features=4000).fit(x)
    np.testing.assert_allclose(quick.eigenvalues_, full.eigenvalues_, rtol=0.05)
    again = groat.Model.from_bytes(quick.model_.to_bytes())
    np.testing.assert_allclose(again.values(x), quick.transform(x))
    with pytest.raises(ValueError, match="one of them"):
        groat.KernelPCA(n_landmarks=10, n_random_features=10).fit(x)


def test_the_error_against_the_kernel_is_what_a_comparison_shows(curve: tuple[Array, Array]) -> None:
    x = curve[0][:200]
    exact = groat.Kernel.gaussian(1.0).gram(x)
    for transformer in (groat.RandomFeatures(300, width=1.0, random_state=1), groat.Nystroem(20, width=1.0)):
        features = transformer.fit_transform(x)
        assert transformer.kernel_error(x) == pytest.approx(np.sqrt(np.mean((features @ features.T - exact) ** 2)))
    frame = pd.DataFrame(curve[0], columns=["a", "b"])
    assert 0 < groat.RandomFeatures(100, standardise=True).fit(frame).kernel_error(frame) < 0.5


def test_statistics_in_pieces_are_those_of_all_rows(curve: tuple[Array, Array], rng: np.random.Generator) -> None:
    x, y = curve
    both = np.column_stack([y, np.cos(y)])
    features = groat.Nystroem(40, width=1.0).fit_transform(x)
    weights = rng.uniform(0.5, 2.0, size=len(x))
    whole = groat.Statistics(features.shape[1], 2).partial_fit(features, both, weights)
    merged = groat.Statistics(features.shape[1], 2)
    for start, end in [(0, 70), (70, 71), (71, 400)]:
        piece = groat.Statistics(features.shape[1], 2).partial_fit(features[start:end], both[start:end], weights[start:end])
        merged = merged.merge(pickle.loads(pickle.dumps(piece)))
    assert (merged.rows, merged.features, merged.outputs) == ([400], features.shape[1], 2)
    assert merged.weight == pytest.approx(weights.sum())
    # Against the definition: least squares with a penalty on the weights and none on the constant.
    design = np.column_stack([features, np.ones(len(x))])
    penalty = np.diag([0.1] * features.shape[1] + [0.0])
    want = np.linalg.solve(design.T @ (weights[:, None] * design) + penalty, design.T @ (weights[:, None] * both))
    for statistics in (whole, merged):
        coefficients, constants = statistics.solve(0.1)
        assert coefficients == pytest.approx(want[:-1], rel=1e-6, abs=1e-8)
        assert constants == pytest.approx(want[-1], rel=1e-6)
        errors = np.average((both - design @ want) ** 2, axis=0, weights=weights)
        assert statistics.mean_squared_error(coefficients, constants) == pytest.approx(errors, rel=1e-6)


def test_folds_judge_as_fits_without_them_do(curve: tuple[Array, Array]) -> None:
    x, y = curve
    features = groat.Nystroem(40, width=1.0).fit_transform(x)
    fold = np.arange(len(x)) * 7 % 4
    statistics = groat.Statistics(features.shape[1], folds=4)
    for start in range(0, len(x), 150):
        statistics.partial_fit(features[start : start + 150], y[start : start + 150], fold=fold[start : start + 150])
    assert statistics.rows == [100, 100, 100, 100]
    alphas = [1e-3, 1e-1, 10.0]
    want = []
    for alpha in alphas:
        errors = []
        for part in range(4):
            coefficients, constant = groat.Statistics(features.shape[1]).partial_fit(features[fold != part], y[fold != part]).solve(alpha)
            errors.append(np.mean((features[fold == part] @ coefficients + constant - y[fold == part]) ** 2))
        want.append(np.mean(errors))
    assert statistics.validate(alphas) == pytest.approx(want, rel=1e-6)


def test_statistics_refuse_what_does_not_fit() -> None:
    statistics = groat.Statistics(3, folds=2)
    cases: list[tuple[Array, Array, dict[str, Any]]] = [
        (np.ones((4, 2)), np.ones(4), {}),
        (np.ones((4, 3)), np.ones(5), {}),
        (np.ones((4, 3)), np.ones((4, 2)), {}),
        (np.ones((4, 3)), np.ones(4), {"sample_weight": [1.0, 1.0]}),
        (np.ones((4, 3)), np.ones(4), {"fold": 2}),
        (np.ones((4, 3)), np.ones(4), {"fold": [0, 1, 0.5, 0]}),
        (np.full((4, 3), np.nan), np.ones(4), {}),
    ]
    for features, y, options in cases:
        with pytest.raises(groat.GroatError):
            statistics.partial_fit(features, y, **options)
    assert statistics.rows == [0, 0]
    with pytest.raises(groat.GroatError):
        statistics.merge(groat.Statistics(4, folds=2))
    with pytest.raises(groat.GroatError):
        groat.Statistics(3).partial_fit(np.ones((4, 3)), np.ones(4)).validate([1.0])
    with pytest.raises(groat.GroatError):
        groat.Statistics(0)
    with pytest.raises(groat.GroatError):
        statistics.solve(1.0)
