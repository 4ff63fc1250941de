"""Sparse regression, classification and density."""

from __future__ import annotations

import pickle
from typing import Any

import groat
import numpy as np
import pytest
from engine import KernelRidge, OlsClassifier, OlsDensity, OlsRegressor
from groat import Kernel
from groat._groat import BatchLearner, methods
from numpy.typing import NDArray

Array = NDArray[np.float64]


def test_regression_needs_few_vectors(wave: tuple[Array, Array], rng: np.random.Generator) -> None:
    x, y = wave
    learner = OlsRegressor(width=1.0).fit(x, y, feature_names=["a", "b"])
    assert learner.model.size <= len(y) / 2 < learner.candidates == len(y)
    assert learner.leave_one_out_mean_squared is not None and learner.leave_one_out_mean_squared < 0.02
    assert len(learner.stages) >= learner.model.size
    rows = [row for row, _, _ in learner.stages[: learner.model.size]]
    np.testing.assert_array_equal(np.sort(learner.model.vectors, axis=0), np.sort(x[rows], axis=0))
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.predict(x), learner.predict(x))
    np.testing.assert_array_equal(again.predict_std(x), learner.predict_std(x))
    assert again.stages == learner.stages


def test_error_bars_cover_what_is_observed(wave: tuple[Array, Array]) -> None:
    x, y = wave
    learner = OlsRegressor(width=1.0, standardise=True).fit(x, y)
    inside = np.abs(learner.predict(x) - y) < 2.0 * learner.predict_std(x)
    assert 0.85 < inside.mean() <= 1.0
    far = learner.predict_std([[40.0, 40.0]])
    assert far.shape == (1,) and np.isfinite(far[0])


def test_targets_share_a_selection(wave: tuple[Array, Array]) -> None:
    x, y = wave
    learner = OlsRegressor(Kernel.gaussian(1.0), max_terms=15).fit(x, np.column_stack([y, -2.0 * y, x[:, 1]]))
    assert learner.model.size <= 15 and learner.model.outputs == 3
    predictions = learner.predict(x)
    np.testing.assert_allclose(predictions[:, 1], -2.0 * predictions[:, 0], atol=1e-9)


def test_the_width_is_searched(wave: tuple[Array, Array]) -> None:
    x, y = wave
    learner = OlsRegressor(width=[0.1, 1.0, 10.0], max_terms=20).fit(x, y)
    assert learner.model.kernel == Kernel.gaussian(1.0)
    assert [trial.kernel.width for trial in learner.trials] == [0.1, 1.0, 10.0]
    assert learner.judged_by == "leave-one-out"
    folded = OlsRegressor(width=[1.0, 2.0], folds=3, one_standard_error=True, max_terms=20).fit(x, y)
    assert len(folded.trials) == 2


@pytest.mark.parametrize("labels", [["ham", "spam"], [3, 5, 9]], ids=str)
def test_classification(labels: list[object], rng: np.random.Generator) -> None:
    codes = np.arange(150) % len(labels)
    x = rng.normal(size=(150, 2)) * 0.4 + np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])[codes]
    y = np.array(labels)[codes]
    weights = {labels[0]: 2.0, np.asarray(labels)[1]: 0.5}
    for settings in ({}, {"criterion": "mean-squared"}, {"class_weights": "balanced"}, {"class_weights": weights}):
        learner = OlsClassifier(width=1.5, **settings).fit(x, y)
        assert np.mean(learner.predict(x) == y) > 0.98
        assert learner.model.size <= 40
        assert learner.model.classes == [str(label) for label in labels]
        assert learner.leave_one_out_error_rate is not None
    assert learner.decision_function(x).shape == ((150,) if len(labels) == 2 else (150, 3))
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.predict(x), learner.predict(x))
    with pytest.raises(groat.ParameterError, match="error bars"):
        learner.predict_std(x)


def test_density(rng: np.random.Generator) -> None:
    x = np.concatenate([rng.normal(-2.0, 0.5, 150), rng.normal(2.0, 1.0, 150)])[:, None]
    learner = OlsDensity(width=0.5).fit(x)
    assert learner.model.size < 60 and learner.model.task == "density"
    grid = np.linspace(-8.0, 10.0, 4001)[:, None]
    density = learner.predict(grid)
    assert np.trapezoid(density, grid[:, 0]) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(np.exp(learner.score_samples(grid)), density, rtol=1e-9, atol=1e-300)
    assert learner.score_samples([[1e4]])[0] < -1e6
    drawn = learner.sample(5000, seed=3)
    assert drawn.shape == (5000, 1)
    np.testing.assert_array_equal(drawn, learner.sample(5000, seed=3))
    mean = np.trapezoid(density * grid[:, 0], grid[:, 0])
    assert drawn.mean() == pytest.approx(mean, abs=0.15)
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.sample(10), learner.sample(10))


def test_stopping_gives_the_model_so_far(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(2000, 3)), rng.normal(size=2000)
    sizes: list[int] = []

    def enough(stage: str, done: int, total: int | None, detail: str) -> bool:
        sizes.append(done)
        return done < 3

    learner = OlsRegressor(width=0.3, patience=1000, passes=1, max_terms=1000).fit(x, y, progress=enough)
    assert 3 <= len(learner.stages) < 1000 and max(sizes) >= 3
    assert learner.predict(x).shape == (2000,)


def test_wrong_settings(wave: tuple[Array, Array]) -> None:
    x, y = wave
    with pytest.raises(groat.ParameterError):
        OlsRegressor(penalty=1e-6, ridge=1.0)
    wrong: dict[str, Any] = {
        "width": [],
        "penalty": -1.0,
        "max_terms": 0,
        "candidates": 0,
        "folds": 1,
        "ridge": [0.1, 1.0],
        "memory": "much",
    }
    for name, value in wrong.items():
        with pytest.raises(groat.ParameterError, match=f"^{name} = "):
            OlsRegressor(**{name: value})
    with pytest.raises(groat.ParameterError):
        OlsRegressor(width=[1.0, -1.0])
    with pytest.raises(groat.ParameterError, match="error-rate"):
        OlsClassifier(criterion="luck")
    for weights in ("heavy", {}, {"True": -1.0}, [1.0, 2.0]):
        with pytest.raises(groat.ParameterError, match="equal, balanced, or LABEL=FACTOR"):
            OlsClassifier(class_weights=weights)
    with pytest.raises(groat.ParameterError, match='"Maybe"; the classes are False, True'):
        OlsClassifier(width=1.0, class_weights={"Maybe": 2.0}).fit(x, y > 0)
    with pytest.raises(groat.ParameterError, match="width"):
        OlsDensity(width=[0.5, 1.0]).fit(x)
    with pytest.raises(groat.DataError, match="y is missing"):
        OlsRegressor().fit(x)
    for density in (OlsDensity(), OlsDensity(width=0.5)):
        with pytest.raises(groat.DataError):
            density.fit(x[:1])
        with pytest.raises(groat.NotFiniteError):
            density.fit(x * np.nan)
    with pytest.raises(groat.GroatError):
        OlsDensity().fit(np.ones((20, 2)))
    fitted = OlsDensity(width=0.5).fit(x)
    with pytest.raises(groat.MemoryLimitError):
        fitted.sample(2**62)
    with pytest.raises(groat.ShapeError):
        fitted.score_samples(x[:, :1])
    with pytest.raises(groat.ShapeError):
        OlsDensity(Kernel.gaussian([1.0, 2.0, 3.0])).fit(x)
    with pytest.raises(groat.ParameterError, match="density"):
        OlsRegressor(width=1.0).fit(x, y).sample(3)


def test_refusals_come_from_the_table_of_methods() -> None:
    with pytest.raises(groat.ParameterError, match="krr knows no max_terms; sparse and ols do"):
        KernelRidge(max_terms=9)
    with pytest.raises(groat.ParameterError, match="krr knows no wings; it takes width, ridge"):
        KernelRidge(wings=2)
    with pytest.raises(groat.ParameterError, match="ols knows no refinement for regression; it is for density"):
        OlsRegressor(refinement=3)
    with pytest.raises(groat.ParameterError, match="krr knows no density; sparse and ols and one-class do"):
        KernelRidge(task="density")
    with pytest.raises(groat.ParameterError, match="known are sparse, ols, krr, lssvm"):
        BatchLearner("magic")


def test_the_table_of_methods() -> None:
    table = {method["name"]: method for method in methods()}
    assert list(table)[:4] == ["sparse", "ols", "krr", "lssvm"] and table["krr"]["tasks"] == ["regression", "classification"]
    for name, method in table.items():
        assert method["about"]
        for task in method["tasks"]:
            # Every default is a value that may also be given.
            given = {p["name"]: p["default"] for p in method["parameters"] if task in p["tasks"]}
            BatchLearner(name, task=task, **given)  # type: ignore[arg-type]
        for parameter in method["parameters"]:
            assert parameter["meaning"] and parameter["range"] and parameter["tasks"]


EXTREMES = [0.0, 1e-320, -1e-300, 1e300, -1e308, 1.0, np.pi]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_extreme_numbers_end_in_a_result_or_a_typed_error(rng: np.random.Generator) -> None:
    for _ in range(30):
        rows, columns = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        x, y = rng.choice(EXTREMES, size=(rows, columns)), rng.choice(EXTREMES, size=rows)
        for learner in (
            OlsRegressor(width=float(rng.choice([1e-300, 1.0, 1e300]))),
            OlsRegressor(),
            OlsRegressor("polynomial"),
            OlsRegressor("linear", standardise=True),
            OlsClassifier(),
            OlsDensity(),
            OlsDensity(width=float(rng.choice([1e-300, 1.0, 1e300]))),
        ):
            try:
                learner.fit(x, y).predict(x)
                if learner.params["task"] == "density":
                    learner.score_samples(x), learner.sample(3)
            except groat.GroatError:
                pass
