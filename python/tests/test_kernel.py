"""Kernels against scikit-learn and against their formulas."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import groat
import numpy as np
import pytest
from groat import Kernel
from numpy.typing import NDArray
from sklearn.metrics import pairwise as peer

Array = NDArray[np.float64]


def distances(a: Array, b: Array, width: float | Array) -> Array:
    return np.asarray(np.sqrt((((a[:, None, :] - b[None, :, :]) / width) ** 2).sum(axis=2)))


ARD = np.array([0.5, 2.0, 1.5])
FORMULAS: list[tuple[Kernel, Callable[[Array, Array], Array]]] = [
    (Kernel.gaussian(0.7), lambda a, b: np.exp(-distances(a, b, 0.7) ** 2 / 2)),
    (Kernel.gaussian(ARD), lambda a, b: np.exp(-distances(a, b, ARD) ** 2 / 2)),
    (Kernel.laplacian(1.3), lambda a, b: np.exp(-distances(a, b, 1.3))),
    (Kernel.matern32(0.9), lambda a, b: (1 + (t := np.sqrt(3) * distances(a, b, 0.9))) * np.exp(-t)),
    (
        Kernel.matern52(0.9),
        lambda a, b: (1 + (t := np.sqrt(5) * distances(a, b, 0.9)) + t**2 / 3) * np.exp(-t),
    ),
    (Kernel.inverse_multiquadric(0.8), lambda a, b: 1 / np.sqrt(1 + distances(a, b, 0.8) ** 2)),
    (Kernel.polynomial(3, 0.5, 2.0), lambda a, b: (0.5 * a @ b.T + 2.0) ** 3),
    (Kernel.linear(), lambda a, b: a @ b.T),
    (Kernel.sigmoid(0.3, -0.1), lambda a, b: np.tanh(0.3 * a @ b.T - 0.1)),
]


@pytest.mark.parametrize(("kernel", "formula"), FORMULAS, ids=lambda v: str(v) if isinstance(v, Kernel) else "")
def test_formula(kernel: Kernel, formula: Callable[[Array, Array], Array], rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(70, 3)), rng.normal(size=(45, 3))
    weights = rng.normal(size=(45, 2))
    expected = formula(a, b)
    np.testing.assert_allclose(kernel.cross(a, b), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.gram(a), formula(a, a), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diag(a), np.diag(formula(a, a)), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.weighted_sum(a, b, weights), expected @ weights, rtol=1e-11, atol=1e-12)
    assert kernel(a[3], b[4]) == pytest.approx(expected[3, 4], rel=1e-12, abs=1e-14)


def test_scikit_learn_agrees(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(150, 5)), rng.normal(size=(80, 5))
    gaussian = Kernel.gaussian(gamma=0.3)
    np.testing.assert_allclose(gaussian.cross(a, b), peer.rbf_kernel(a, b, gamma=0.3), rtol=1e-12)
    np.testing.assert_allclose(gaussian.gram(a), peer.rbf_kernel(a, gamma=0.3), rtol=1e-12)
    np.testing.assert_allclose(
        Kernel.polynomial(4, 0.2, 1.5).cross(a, b),
        peer.polynomial_kernel(a, b, degree=4, gamma=0.2, coef0=1.5),
        rtol=1e-11,
    )
    np.testing.assert_allclose(
        Kernel.sigmoid(0.2, 0.1).cross(a, b), peer.sigmoid_kernel(a, b, gamma=0.2, coef0=0.1), rtol=1e-12
    )
    # scikit-learn's Laplacian is the city-block one, which agrees with the Euclidean one for one feature.
    np.testing.assert_allclose(
        Kernel.laplacian(gamma=0.7).gram(a[:, :1]), peer.laplacian_kernel(a[:, :1], gamma=0.7), rtol=1e-12
    )


def test_any_layout_gives_the_same_numbers(rng: np.random.Generator) -> None:
    x = rng.normal(size=(33, 6))
    kernel = Kernel.gaussian(1.5)
    expected = kernel.gram(x)
    wide = rng.normal(size=(66, 12))
    wide[::2, ::2] = x
    raw = np.zeros(x.nbytes + 1, dtype=np.uint8)
    misaligned = np.ndarray(x.shape, dtype=np.float64, buffer=raw.data, offset=1)
    misaligned[...] = x
    frozen = x.copy()
    frozen.setflags(write=False)
    layouts = {
        "fortran": np.asfortranarray(x),
        "transposed": np.ascontiguousarray(x.T).T,
        "strided": wide[::2, ::2],
        "reversed": np.ascontiguousarray(x[::-1])[::-1],
        "misaligned": misaligned,
        "big-endian": x.astype(">f8"),
        "read-only": frozen,
        "list": x.tolist(),
        "objects": x.astype(object),
    }
    for name, layout in layouts.items():
        np.testing.assert_array_equal(kernel.gram(layout), expected, err_msg=name)
    model = groat.Model(kernel, x, rng.normal(size=33))
    for name, layout in layouts.items():
        np.testing.assert_array_equal(model.predict(layout), model.predict(x), err_msg=name)


def test_a_square_fortran_array_is_not_read_as_its_transpose(rng: np.random.Generator) -> None:
    x = rng.normal(size=(9, 9))
    kernel = Kernel.linear()
    np.testing.assert_allclose(kernel.gram(np.asfortranarray(x)), x @ x.T, rtol=1e-13)


def test_single_precision_stays_single(rng: np.random.Generator) -> None:
    x = rng.normal(size=(40, 4))
    single = x.astype(np.float32)
    weights = rng.normal(size=40)
    kernel = Kernel.gaussian(1.0)
    assert kernel.gram(single).dtype == np.float32
    assert kernel.cross(single, x).dtype == np.float64
    sums = kernel.weighted_sum(single, single, weights.astype(np.float32))
    assert sums.dtype == np.float32 and sums.shape == (40,)
    np.testing.assert_allclose(kernel.gram(single), kernel.gram(x), rtol=2e-5)
    np.testing.assert_allclose(sums, kernel.gram(x) @ weights, rtol=1e-3, atol=1e-4)
    assert kernel.gram(x.astype(np.int32)).dtype == np.float64


def test_a_contiguous_array_is_not_copied(rng: np.random.Generator) -> None:
    import tracemalloc

    x = rng.normal(size=(200_000, 10))
    vectors, weights = x[:1].copy(), np.ones(1)
    kernel = Kernel.gaussian(1.0)
    kernel.weighted_sum(x, vectors, weights)
    tracemalloc.start()
    kernel.weighted_sum(x, vectors, weights)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    kernel.weighted_sum(np.asfortranarray(x), vectors, weights)
    _, peak_of_copy = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < x.nbytes / 10 < peak_of_copy


def test_kernels_are_values() -> None:
    kernel = Kernel("gaussian:width=0.5")
    assert kernel == Kernel.gaussian(0.5) == Kernel.gaussian(gamma=2.0)
    assert kernel != Kernel.gaussian(0.6) and kernel != "gaussian:width=0.5"
    assert hash(kernel) == hash(Kernel.gaussian(0.5))
    assert str(kernel) == "gaussian:width=0.5"
    assert repr(kernel) == 'Kernel("gaussian:width=0.5")'
    assert eval(repr(kernel)) == kernel
    assert kernel.name == "gaussian" and kernel.width == 0.5 and kernel.is_radial
    assert Kernel.linear().width is None and not Kernel.linear().is_radial
    assert kernel.with_width(2.0) == Kernel.gaussian(2.0)
    np.testing.assert_array_equal(Kernel.gaussian([1.0, 2.0]).width, [1.0, 2.0])


@pytest.mark.parametrize(("kernel", "_formula"), FORMULAS, ids=lambda v: str(v) if isinstance(v, Kernel) else "")
def test_kernels_pickle(kernel: Kernel, _formula: object) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(kernel, protocol)) == kernel


def test_threads_do_not_change_results(rng: np.random.Generator) -> None:
    x, weights = rng.normal(size=(500, 5)), rng.normal(size=500)
    kernel = Kernel.matern32(1.0)
    before = groat.threads()
    try:
        groat.set_threads(1)
        assert groat.threads() == 1
        one = kernel.gram(x), kernel.weighted_sum(x, x, weights)
        groat.set_threads(3)
        three = kernel.gram(x), kernel.weighted_sum(x, x, weights)
    finally:
        groat.set_threads(before)
    for a, b in zip(one, three):
        np.testing.assert_array_equal(a, b)
