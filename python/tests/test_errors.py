"""Wrong calls give typed exceptions; nothing reaches Python as a panic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import groat
import numpy as np
import pytest
from engine import KernelRidge
from groat import Kernel, Model

X = np.linspace(0.0, 1.0, 20).reshape(10, 2)
Y = np.sin(X[:, 0])
NAN = np.where(X == X[3, 1], np.nan, X)
GAUSSIAN = Kernel.gaussian(1.0)
MODEL = Model(GAUSSIAN, X, Y)
BAD = (groat.ParameterError, groat.DataError)


CALLS: list[tuple[type[Exception], Callable[[], object]]] = [
    (groat.ParameterError, lambda: Kernel("gaussian:width=0")),
    (groat.ParameterError, lambda: Kernel("gaussian:width=nan")),
    (groat.ParameterError, lambda: Kernel("nonsense")),
    (groat.ParameterError, lambda: Kernel("")),
    (groat.ParameterError, lambda: Kernel("gaussian:width=/")),
    (groat.ParameterError, lambda: Kernel.gaussian(-1.0)),
    (groat.ParameterError, lambda: Kernel.gaussian([])),
    (groat.ParameterError, lambda: Kernel.gaussian([1.0, 0.0])),
    (groat.ParameterError, lambda: Kernel.gaussian()),
    (groat.ParameterError, lambda: Kernel.gaussian(1.0, gamma=1.0)),
    (groat.ParameterError, lambda: Kernel.gaussian(gamma=0.0)),
    (groat.DataError, lambda: Kernel.gaussian("wide")),
    (groat.ParameterError, lambda: Kernel.polynomial(0)),
    (groat.ParameterError, lambda: Kernel.polynomial(-3)),
    (groat.ParameterError, lambda: Kernel.polynomial(2**80)),
    (groat.ParameterError, lambda: Kernel.polynomial(2, float("inf"))),
    (groat.ParameterError, lambda: Kernel.sigmoid(float("nan"))),
    (groat.ShapeError, lambda: Kernel.gaussian([1.0, 2.0, 3.0]).gram(X)),
    (groat.NotFiniteError, lambda: GAUSSIAN.gram(NAN)),
    (groat.NotFiniteError, lambda: GAUSSIAN.gram(np.full((2, 2), np.inf, dtype=np.float32))),
    (groat.ShapeError, lambda: GAUSSIAN.gram(Y)),
    (groat.ShapeError, lambda: GAUSSIAN.gram(1.0)),
    (groat.ShapeError, lambda: GAUSSIAN.gram(X[None])),
    (groat.ShapeError, lambda: GAUSSIAN.gram(np.zeros((3, 0)))),
    (groat.ShapeError, lambda: GAUSSIAN.gram(np.zeros((0, 0)))),
    (groat.ShapeError, lambda: GAUSSIAN.cross(X, X[:, :1])),
    (groat.ShapeError, lambda: GAUSSIAN.weighted_sum(X, X, Y[:-1])),
    (groat.ShapeError, lambda: GAUSSIAN.weighted_sum(X, X, np.zeros((10, 0)))),
    (groat.NotFiniteError, lambda: GAUSSIAN.weighted_sum(X, X, Y * np.nan)),
    (groat.ShapeError, lambda: GAUSSIAN([1.0], [1.0, 2.0])),
    (groat.DataError, lambda: GAUSSIAN.gram([["a", "b"]])),
    (groat.DataError, lambda: GAUSSIAN.gram(X + 1j)),
    (groat.DataError, lambda: GAUSSIAN.gram(np.array([["2020-01-01"]], dtype="datetime64[D]"))),
    (groat.DataError, lambda: GAUSSIAN.gram([[1.0], [1.0, 2.0]])),
    (groat.DataError, lambda: GAUSSIAN.gram([[None, 1.0]])),  # type: ignore[arg-type]
    (groat.DataError, lambda: GAUSSIAN.gram(np.array([[{}]], dtype=object))),
    (groat.MemoryLimitError, lambda: GAUSSIAN.gram(np.zeros((30_000_000, 1)))),
    (groat.ShapeError, lambda: Model(GAUSSIAN, X, Y[:-1])),
    (groat.ShapeError, lambda: Model(GAUSSIAN, X, Y, [1.0, 2.0])),
    (groat.NotFiniteError, lambda: Model(GAUSSIAN, NAN, Y)),
    (groat.NotFiniteError, lambda: Model(GAUSSIAN, X, Y + np.inf)),
    (groat.NotFiniteError, lambda: Model(GAUSSIAN, X, Y, float("nan"))),
    (groat.ShapeError, lambda: Model(GAUSSIAN, X, Y, feature_names=["a"])),
    (groat.ShapeError, lambda: Model(GAUSSIAN, X, Y, classes=["a", "b", "c"])),
    (groat.ParameterError, lambda: Model(GAUSSIAN, X, Y, classes=["a"])),
    (groat.ParameterError, lambda: Model(GAUSSIAN, X, Y, classes=["a", "b"], density=True)),
    (groat.ParameterError, lambda: Model(GAUSSIAN, X, Y, mean=[0.0, 0.0])),
    (groat.ParameterError, lambda: Model(GAUSSIAN, X, Y, mean=[0.0, 0.0], scale=[1.0, 0.0])),
    (groat.ShapeError, lambda: MODEL.predict(X[:, :1])),
    (groat.ShapeError, lambda: MODEL.predict(np.hstack([X, X]))),
    (groat.NotFiniteError, lambda: MODEL.predict(NAN)),
    (groat.ModelFileError, lambda: Model.from_bytes(b"")),
    (groat.ParameterError, lambda: KernelRidge(task="clustering")),  # type: ignore[arg-type]
    (groat.ParameterError, lambda: KernelRidge(3)),  # type: ignore[arg-type]
    (groat.ParameterError, lambda: KernelRidge("linear", width=1.0)),
    (groat.ParameterError, lambda: KernelRidge(width="narrow")),
    (groat.ParameterError, lambda: KernelRidge(seed=-1)),
    (groat.ParameterError, lambda: KernelRidge(selection_rows=1.5)),
    (groat.ParameterError, lambda: KernelRidge(width=0.0, ridge=1.0).fit(X, Y)),
    (groat.ParameterError, lambda: KernelRidge(width=1.0, ridge=-1.0).fit(X, Y)),
    (groat.ParameterError, lambda: KernelRidge(ridge=[]).fit(X, Y)),
    (groat.ParameterError, lambda: KernelRidge(ridge=[0.0, 1.0]).fit(X, Y)),
    (groat.ParameterError, lambda: KernelRidge(selection_rows=2).fit(X, Y)),
    (groat.NotFiniteError, lambda: KernelRidge(ridge=[np.nan])),
    (groat.NotFiniteError, lambda: KernelRidge().fit(NAN, Y)),
    (groat.NotFiniteError, lambda: KernelRidge().fit(X, Y * np.nan)),
    (groat.DataError, lambda: KernelRidge().fit(X[:0], Y[:0])),
    (groat.DataError, lambda: KernelRidge().fit(X[:1], Y[:1])),
    (groat.ShapeError, lambda: KernelRidge().fit(X, Y[:-1])),
    (groat.ShapeError, lambda: KernelRidge().fit(X, Y[:, None, None])),
    (groat.ShapeError, lambda: KernelRidge().fit(X, Y, feature_names=["one"])),
    (groat.DataError, lambda: KernelRidge().fit(X, ["text"] * 10)),
    (groat.ShapeError, lambda: KernelRidge().fit(X, Y, sample_weight=Y[:-1] + 1.0)),
    (BAD[0], lambda: KernelRidge().fit(X, Y, sample_weight=-np.ones(10))),
    (groat.DataError, lambda: KernelRidge(task="classification").fit(X, ["a"] * 10)),
    (groat.NotFiniteError, lambda: KernelRidge(task="classification").fit(X, [np.nan] + [1.0] * 9)),
    (groat.DataError, lambda: KernelRidge(task="classification").fit(X, [None, "a"] * 5)),  # type: ignore[arg-type]
    (groat.ShapeError, lambda: KernelRidge(task="classification").fit(X, np.zeros((10, 2)))),
    (groat.ShapeError, lambda: KernelRidge(task="classification").fit(X, ["a", "b"])),
    (groat.MemoryLimitError, lambda: KernelRidge(memory=100).fit(X, Y)),
    (groat.NumericalError, lambda: KernelRidge("sigmoid", ridge=0.0).fit(np.ones((5, 1)), Y[:5])),
    (groat.ParameterError, lambda: groat.set_threads(0)),
    (groat.ParameterError, lambda: groat.set_threads(-2)),
]


@pytest.mark.parametrize(("kind", "call"), CALLS, ids=[str(i) for i in range(len(CALLS))])
def test_wrong_calls(kind: type[Exception], call: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, groat.GroatError)
    assert str(caught.value)


def test_the_classes_have_the_bases_that_others_expect() -> None:
    assert issubclass(groat.ParameterError, ValueError)
    assert issubclass(groat.DataError, ValueError)
    assert issubclass(groat.NumericalError, ArithmeticError)
    assert issubclass(groat.MemoryLimitError, MemoryError)
    assert issubclass(groat.NotFittedError, AttributeError)
    public = [getattr(groat, name) for name in groat.__all__]
    errors = [v for v in public if isinstance(v, type) and issubclass(v, Exception)]
    assert len(errors) == 10 and all(issubclass(e, groat.GroatError) for e in errors)


EXTREMES: list[Any] = [0.0, -0.0, 1e-320, -1e-300, 1e300, -1e308, 5e-324, 1.0, np.pi]
TEXTS = ["gaussian", "laplacian", "matern32", "matern52", "inverse-multiquadric", "polynomial", "linear", "sigmoid"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text", TEXTS)
def test_extreme_numbers_end_in_a_result_or_a_typed_error(text: str, rng: np.random.Generator) -> None:
    for trial in range(25):
        rows, columns = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        x = rng.choice(EXTREMES, size=(rows, columns))
        y = rng.choice(EXTREMES, size=rows)
        kernel = Kernel(text)
        if kernel.is_radial:
            kernel = kernel.with_width(float(rng.choice([1e-300, 1e-6, 1.0, 1e6, 1e300])))
        kernel.gram(x), kernel.weighted_sum(x, x, y)
        kernel.gram(np.nan_to_num(x.astype(np.float32)))
        for learner in (
            KernelRidge(kernel, ridge=float(rng.choice([0.0, 1e-300, 1.0, 1e300]))),
            KernelRidge(text),
            KernelRidge(text, standardise=True),
            KernelRidge(text, task="classification"),
        ):
            try:
                learner.fit(x, y).predict(x)
            except groat.GroatError:
                pass


def test_many_shapes(rng: np.random.Generator) -> None:
    kernel = Kernel.matern52(1.0)
    for rows in (0, 1, 2, 63, 64, 65, 130):
        for columns in (1, 2, 7, 8, 9, 33):
            a, b = rng.normal(size=(rows, columns)), rng.normal(size=(5, columns))
            assert kernel.gram(a).shape == (rows, rows)
            assert kernel.cross(a, b).shape == (rows, 5) == kernel.cross(b, a).T.shape
            assert kernel.weighted_sum(a, b, np.ones((5, 3))).shape == (rows, 3)
            assert kernel.weighted_sum(b, a, np.ones(rows)).shape == (5,)
