"""Kernels of compact support, the least-squares SVM on them, kernel PCA."""

from __future__ import annotations

import pickle

import groat
import numpy as np
import pytest
import scipy.sparse
from engine import KernelRidge, LeastSquaresSvm
from groat import Kernel
from groat._groat import KernelPca
from numpy.typing import NDArray
from sklearn.decomposition import KernelPCA

Array = NDArray[np.float64]


@pytest.fixture
def plane(rng: np.random.Generator) -> tuple[Array, Array]:
    x = rng.uniform(0.0, 10.0, size=(700, 2))
    return x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=700)


def test_compact_kernels_are_values(plane: tuple[Array, Array]) -> None:
    x, _ = plane
    gaussian = Kernel.gaussian(1.0)
    kernel = gaussian.with_support(2.0, power=3)
    assert kernel.support == 2.0 and gaussian.support is None
    assert pickle.loads(pickle.dumps(kernel)) == kernel == Kernel(str(kernel))
    assert kernel.with_support(3.0).support == 3.0
    r = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    expected = np.maximum(1.0 - r / 2.0, 0.0) ** 3 * np.exp(-(r**2) / 2.0)
    np.testing.assert_allclose(kernel.gram(x), expected, rtol=1e-12, atol=1e-15)
    wendland = Kernel.wendland(2.0, dimension=3, smoothness=1)
    t = r / 2.0
    np.testing.assert_allclose(
        wendland.gram(x), np.maximum(1.0 - t, 0.0) ** 4 * (4.0 * t + 1.0), rtol=1e-12, atol=1e-15
    )
    assert wendland.support == 2.0


def test_the_sparse_matrix_is_the_dense_one(plane: tuple[Array, Array]) -> None:
    x, _ = plane
    for kernel in (Kernel.gaussian(1.0).with_support(1.5), Kernel.wendland(1.5)):
        upper = scipy.sparse.csc_array(kernel.sparse_gram(x), shape=(len(x), len(x))).toarray()
        dense = kernel.gram(x)
        np.testing.assert_allclose(upper, np.triu(dense), rtol=1e-12, atol=1e-15)
        assert np.count_nonzero(upper) == np.count_nonzero(np.triu(dense))
        with pytest.raises(groat.MemoryLimitError):
            kernel.sparse_gram(x, memory=1000)
    with pytest.raises(groat.ParameterError, match="compact support"):
        Kernel.gaussian(1.0).sparse_gram(x)


def test_solvers_agree(plane: tuple[Array, Array]) -> None:
    x, y = plane
    kernel = Kernel.gaussian(1.0).with_support(1.0, power=3)
    dense = LeastSquaresSvm(kernel, ridge=0.1, solver="dense").fit(x, y)
    for solver in ("sparse", "iterative"):
        other = LeastSquaresSvm(kernel, ridge=0.1, solver=solver).fit(x, y)
        np.testing.assert_allclose(other.model.weights, dense.model.weights, atol=1e-8)
    ridge = KernelRidge(kernel, ridge=0.1).fit(x, y)
    np.testing.assert_allclose(dense.model.weights, ridge.model.weights, atol=1e-9)
    assert dense.notes
    again = pickle.loads(pickle.dumps(dense))
    np.testing.assert_array_equal(again.predict(x), dense.predict(x))


def test_width_and_ridge_are_searched(plane: tuple[Array, Array]) -> None:
    x, y = plane
    learner = LeastSquaresSvm(width=[0.05, 1.0], ridge=[0.1, 1e3], support="sparsity=0.8").fit(x, y)
    # Two widths with two ridges, then the two ridges again on the kernel with its support.
    assert len(learner.trials) == 6
    best = min(learner.trials, key=lambda trial: trial.score)
    assert (best.kernel.width, best.ridge) == (1.0, 0.1)
    assert learner.model.kernel.width == 1.0 and learner.model.kernel.support is not None


def test_classification_with_a_chosen_support(plane: tuple[Array, Array]) -> None:
    x, y = plane
    labels = np.where(y > 0, "up", "down")
    learner = LeastSquaresSvm(
        Kernel.gaussian(1.0), task="classification", support="sparsity=0.9", ridge=0.5, leave_one_out=True
    )
    learner.fit(x, labels)
    assert np.mean(learner.predict(x) == labels) > 0.9
    assert learner.model.kernel.support is not None


def test_tuning_the_support(plane: tuple[Array, Array]) -> None:
    x, _ = plane
    answer = groat.tune_support("gaussian:width=1", x, "sparsity=0.9", points=20)
    assert answer["sparsity"] >= 0.9 and 0.0 < answer["alignment"] < 1.0
    assert answer["kernel"].support == answer["support"] and answer["error"] is None
    assert answer["curve"].shape == (20, 3)
    matrix = answer["kernel"].gram(x)
    # A pair at just the distance of the support may fall on either side of it.
    assert np.mean(matrix == 0.0) == pytest.approx(answer["sparsity"], abs=1e-5)
    for wrong in ("sparsity=2", "luck", "memory=-1", "sparsity="):
        with pytest.raises(groat.ParameterError):
            groat.tune_support("gaussian", x, wrong)
    with pytest.raises(groat.ParameterError):
        groat.tune_support("linear", x)
    with pytest.raises(groat.DataError):
        groat.tune_support("gaussian", x[:2])


@pytest.mark.parametrize("rows", [150, 700])
def test_scikit_learn_finds_the_same_components(plane: tuple[Array, Array], rows: int) -> None:
    x = plane[0][:rows]
    ours = KernelPca(Kernel.gaussian(gamma=0.1), components=4).fit(x)
    peer = KernelPCA(n_components=4, kernel="rbf", gamma=0.1, eigen_solver="dense").fit(x)
    np.testing.assert_allclose(ours.eigenvalues, peer.eigenvalues_, rtol=1e-8)
    new = plane[0][-30:]
    for found, expected in zip(ours.transform(new).T, peer.transform(new).T):
        sign = np.sign(found @ expected)
        np.testing.assert_allclose(found, sign * expected, atol=1e-8)
    assert 0.0 < ours.explained.sum() <= 1.0 and ours.notes
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.transform(new), ours.transform(new))
    np.testing.assert_array_equal(again.explained, ours.explained)


@pytest.mark.parametrize("centre", [True, False])
def test_scikit_learn_finds_the_components_of_a_compact_kernel(plane: tuple[Array, Array], centre: bool) -> None:
    x, new = plane[0][:650], plane[0][650:]
    kernel = Kernel.gaussian(1.0).with_support(1.0, power=3)
    ours = KernelPca(kernel, components=5, centre=centre).fit(x)
    # scikit-learn always centres; without it, the components are the eigenvectors themselves.
    gram, cross = kernel.gram(x), kernel.cross(new, x)
    if centre:
        peer = KernelPCA(n_components=5, kernel="precomputed", eigen_solver="dense").fit(gram)
        values, scores = peer.eigenvalues_, peer.transform(cross)
    else:
        all_values, vectors = np.linalg.eigh(gram)
        values = all_values[::-1][:5]
        scores = cross @ vectors[:, ::-1][:, :5] / np.sqrt(values)
    np.testing.assert_allclose(ours.eigenvalues, values, rtol=1e-8)
    for found, expected in zip(ours.transform(new).T, scores.T):
        np.testing.assert_allclose(found, np.sign(found @ expected) * expected, atol=1e-8)


def test_pre_images_come_back(rng: np.random.Generator) -> None:
    angle = rng.uniform(0.0, np.pi, size=120)
    x = np.column_stack([np.cos(angle), np.sin(angle)])
    analysis = KernelPca(Kernel.gaussian(1.0), components=6).fit(x)
    back = analysis.inverse_transform(analysis.transform(x))
    assert np.mean(np.linalg.norm(back - x, axis=1)) < 0.1
    # The same in other units, which a standardised analysis does not notice.
    units = np.array([1000.0, 1e-3])
    analysis = KernelPca(Kernel.gaussian(1.5), components=6, standardise=True).fit(x * units)
    back = analysis.inverse_transform(analysis.transform(x * units)) / units
    assert np.mean(np.linalg.norm(back - x, axis=1)) < 0.1


def test_an_analysis_is_a_finished_model(plane: tuple[Array, Array]) -> None:
    x = plane[0] * [1.0, 100.0]
    analysis = KernelPca(components=3, standardise=True).fit(x, feature_names=["a", "b"])
    assert analysis.model.task == "components" and analysis.model.feature_names == ["a", "b"]
    np.testing.assert_array_equal(analysis.model.values(x), analysis.transform(x))
    standardised = (x - x.mean(axis=0)) / x.std(axis=0)
    plain = KernelPca(analysis.kernel, components=3).fit(standardised)
    np.testing.assert_allclose(analysis.transform(x), plain.transform(standardised), atol=1e-9)
    assert any("median distance" in note for note in analysis.notes)
    again = pickle.loads(pickle.dumps(analysis))
    assert again.model == analysis.model and again.notes == analysis.notes
    scores = analysis.transform(x[:5])
    np.testing.assert_array_equal(again.inverse_transform(scores), analysis.inverse_transform(scores))


def test_wrong_analyses(plane: tuple[Array, Array]) -> None:
    x, _ = plane
    with pytest.raises(groat.NotFittedError):
        KernelPca().transform(x)
    assert not hasattr(KernelPca(), "eigenvalues")
    for wrong in (KernelPca(components=0), KernelPca(components=701), KernelPca(tolerance=0.0)):
        with pytest.raises(groat.ParameterError):
            wrong.fit(x)
    with pytest.raises(groat.MemoryLimitError):
        KernelPca(memory=1000).fit(x)
    with pytest.raises(groat.NotFiniteError):
        KernelPca().fit(x * np.nan)
    with pytest.raises(groat.GroatError):
        KernelPca().fit(np.ones((10, 2)))
    fitted = KernelPca(components=3).fit(x)
    with pytest.raises(groat.ShapeError):
        fitted.transform(x[:, :1])
    with pytest.raises(groat.DataError):
        fitted.inverse_transform(np.ones((2, 2)))
    for call in (
        lambda: LeastSquaresSvm(ridge=-1.0).fit(x, x[:, 0]),
        lambda: LeastSquaresSvm(ridge="strong"),
        lambda: LeastSquaresSvm(solver="magic"),
        lambda: LeastSquaresSvm(support="small"),
        lambda: LeastSquaresSvm(solver="sparse", width=1.0, ridge=1.0).fit(x, x[:, 0]),
        lambda: Kernel.linear().with_support(1.0),
        lambda: Kernel.gaussian(1.0).with_support(-1.0),
        lambda: Kernel.gaussian(1.0).with_support(1.0, power=0),
        lambda: Kernel.wendland(1.0, smoothness=9),
        lambda: Kernel.wendland(1.0, dimension=10**12),
    ):
        with pytest.raises(groat.ParameterError):
            call()


def test_a_support_is_a_number_or_a_rule(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    by_number = LeastSquaresSvm("gaussian", width=1.0, ridge=0.1, support=1.5).fit(x, y)
    assert by_number.model.kernel.support == 1.5
    by_text = LeastSquaresSvm("gaussian", width=1.0, ridge=0.1, support="1.5").fit(x, y)
    assert (by_number.predict(x) == by_text.predict(x)).all()
    with pytest.raises(groat.ParameterError, match="sparsity"):
        LeastSquaresSvm(support=[1.5, 2.0])


def test_powers_need_not_be_whole() -> None:
    base = Kernel.gaussian(1.0)
    for power in (0.4, 1.5, 2.75, 3):
        kernel = base.with_support(2.0, power=power)
        assert kernel([0.0, 0.0], [1.2, 0.0]) == pytest.approx(0.4**power * base([0.0, 0.0], [1.2, 0.0]), rel=1e-14)
        assert Kernel(str(kernel)) == kernel


EXTREMES = [0.0, 1e-320, -1e-300, 1e300, -1e308, 1.0, np.pi]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_extreme_numbers_end_in_a_result_or_a_typed_error(rng: np.random.Generator) -> None:
    texts = ["gaussian", "gaussian:width=1e-300", "gaussian:width=1,support=1e-200", "wendland:width=1e300", "linear"]
    for _ in range(30):
        rows, columns = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        x, y = rng.choice(EXTREMES, size=(rows, columns)), rng.choice(EXTREMES, size=rows)
        kernel = Kernel(str(rng.choice(texts)))
        for work in (
            lambda: LeastSquaresSvm(kernel).fit(x, y).predict(x),
            lambda: LeastSquaresSvm(kernel, solver="iterative", shift=True).fit(x, y).predict(x),
            lambda: LeastSquaresSvm(kernel, support="sparsity=0.5").fit(x, y).predict(x),
            lambda: KernelPca(kernel, components=1).fit(x).inverse_transform([[1.0]]),
            lambda: groat.tune_support(kernel, x),
            lambda: kernel.sparse_gram(x),
        ):
            try:
                work()
            except groat.GroatError:
                pass
