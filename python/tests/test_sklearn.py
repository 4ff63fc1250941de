"""Estimators among those of scikit-learn: same numbers where the problem is the same, and at home in its tools."""

from __future__ import annotations

import io
import pickle
from typing import Any

import groat
import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn import svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def iris() -> tuple[Array, NDArray[np.int64]]:
    x, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    return x, y


@pytest.fixture(scope="module")
def diabetes() -> tuple[Array, Array]:
    x, y = load_diabetes(return_X_y=True)
    return x[:200], y[:200]


def test_svc_is_theirs(iris: tuple[Any, Any]) -> None:
    x, y = iris
    theirs = svm.SVC(C=2.0, gamma=0.5, tol=1e-6).fit(x, y)
    ours = groat.SVC(C=2.0, gamma=0.5, tol=1e-6, standardise=False).fit(x, y)
    np.testing.assert_array_equal(np.sort(ours.support_), np.sort(theirs.support_))
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    # Two classes: the same numbers, with scikit-learn's sign.
    two = y < 2
    theirs, ours = clone(theirs).fit(x[two], y[two]), clone(ours).fit(x[two], y[two])
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-4)
    np.testing.assert_allclose(ours.support_vectors_, x[two][ours.support_])


def test_gamma_by_name(diabetes: tuple[Array, Array]) -> None:
    x, y = diabetes
    for gamma in ("scale", "auto"):
        theirs = svm.SVR(C=10.0, gamma=gamma, epsilon=1.0, tol=1e-5).fit(x, y)
        ours = groat.SVR(C=10.0, gamma=gamma, epsilon=1.0, tol=1e-7, standardise=False).fit(x, y)
        np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-3)
    scaled = make_pipeline(StandardScaler(), svm.SVR(C=10.0, gamma="scale", epsilon=1.0, tol=1e-5)).fit(x, y)
    ours = groat.SVR(C=10.0, gamma="scale", epsilon=1.0, tol=1e-7).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), scaled.predict(x), rtol=1e-3)


def test_kernels_by_name(diabetes: tuple[Array, Array]) -> None:
    x, y = StandardScaler().fit_transform(diabetes[0]), diabetes[1] / 100
    kernels: dict[str, dict[str, Any]] = {
        "rbf": {"gamma": 0.2}, "poly": {"gamma": 0.1, "degree": 2, "coef0": 1.5}, "linear": {},
    }  # fmt: skip
    for kernel, options in kernels.items():
        theirs = KernelRidge(alpha=0.5, kernel=kernel, **options).fit(x, y)
        ours = groat.KernelRidge(alpha=0.5, kernel=kernel, standardise=False, fit_intercept=False, **options)
        np.testing.assert_allclose(ours.fit(x, y).predict(x), theirs.predict(x), atol=1e-8)


def test_logistic_and_its_coefficients(iris: tuple[Any, Any]) -> None:
    x, y = iris[0] * [1.0, 10.0, 0.1, 1.0], (iris[1] == 2).astype(int)
    ours = groat.LogisticRegression(C=0.7, tol=1e-6).fit(x, y)
    np.testing.assert_allclose((x @ ours.coef_.T + ours.intercept_)[:, 0], ours.decision_function(x), atol=1e-9)
    scaler = StandardScaler().fit(x)
    theirs = LogisticRegression(C=0.7, tol=1e-10).fit(scaler.transform(x), y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(scaler.transform(x)), atol=1e-4)


def test_components_are_theirs(iris: tuple[Any, Any]) -> None:
    x = iris[0]
    theirs = KernelPCA(n_components=3, kernel="rbf", gamma=0.3).fit_transform(x)
    ours = groat.KernelPCA(n_components=3, gamma=0.3).fit_transform(x)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-8)


def test_pipelines_searches_and_folds(iris: tuple[Any, Any]) -> None:
    x, y = iris
    search = GridSearchCV(groat.SVC(), {"C": [0.1, 10.0], "gamma": [0.01, 0.3]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.95
    pipeline = make_pipeline(groat.KernelPCA(n_components=3), groat.LogisticRegression(C=1.0))
    assert cross_val_score(pipeline, x, y, cv=3).mean() > 0.9
    assert cross_val_score(groat.OnlineClassifier(), x, y, cv=3).mean() > 0.9
    probabilities = CalibratedClassifierCV(groat.LSSVMClassifier(alpha=0.1, width=1.0), cv=3).fit(x, y).predict_proba(x)
    assert np.mean(probabilities.argmax(axis=1) == y) > 0.95


def test_output_as_a_frame(iris: tuple[Any, Any]) -> None:
    frame = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    found = groat.KernelPCA(n_components=2).set_output(transform="pandas").fit_transform(frame)
    assert list(found.columns) == ["kernelpca0", "kernelpca1"] and len(found) == len(frame)


@pytest.mark.parametrize("name", groat._ESTIMATORS)
def test_pickles_and_clones(name: str, iris: tuple[Any, Any]) -> None:
    x, y = iris[0][:90], iris[1][:90]
    model = getattr(groat, name)().fit(x, y)
    kept = io.BytesIO()
    joblib.dump(model, kept)
    kept.seek(0)
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(kept)):
        for say in ("predict", "transform", "score_samples", "decision_function", "predict_proba"):
            if hasattr(model, say):
                np.testing.assert_array_equal(getattr(copy, say)(x), getattr(model, say)(x))
    assert not hasattr(clone(model), "model_") and clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("name", groat._ESTIMATORS)
def test_predicting_and_saving_change_nothing(name: str, iris: tuple[Any, Any], tmp_path: Any) -> None:
    x, y = iris[0][:60], iris[1][:60]
    model = getattr(groat, name)().fit(x, y)
    before = pickle.dumps(model)
    for say in ("predict", "transform", "score_samples", "decision_function", "predict_proba"):
        if hasattr(model, say):
            getattr(model, say)(x)
    if name in ("SparseRegressor", "OnlineRegressor"):
        model.predict_interval(x)
    if hasattr(model, "learners_"):
        model.learners_[0].save(tmp_path / "state")
    elif hasattr(model, "model_"):
        model.model_.save(tmp_path / "model.safetensors")
    assert pickle.dumps(model) == before


def test_weights_and_classes(iris: tuple[Any, Any]) -> None:
    x, y = iris[0], iris[1] == 1
    heavy = groat.SVC(C=1.0, width=1.0, class_weight={True: 50.0, False: 1.0}).fit(x, y)
    plain = groat.SVC(C=1.0, width=1.0).fit(x, y)
    assert heavy.predict(x).sum() >= plain.predict(x).sum() and heavy.predict(x)[y].all()
    weights = np.where(y, 2.0, 0.0)
    weights[:20] = 1.0
    left_out = groat.KernelRidge(alpha=0.1, width=1.0, standardise=False).fit(x, x[:, 0], sample_weight=weights)
    kept = weights > 0
    assert len(left_out.support_) == kept.sum() and kept[left_out.support_].all()


def test_wrong_parameters_are_told_by_their_names_here(iris: tuple[Any, Any]) -> None:
    x, y = iris
    for wrong, words in {
        groat.SVC(C=-1): "cost.*is called C here",
        groat.SVC(gamma="wide"): "'scale', 'auto'",
        groat.SVC(gamma=1.0, width=1.0): "either gamma or width",
        groat.SVC(kernel="precomputed"): "precomputed",
        groat.SVC(kernel=lambda a, b: 0.0): "a groat.Kernel",
        groat.SVC(class_weight="equal"): "'balanced'",
        groat.SparseClassifier(method="svc", smallest=True): "svc knows no smallest",
        groat.SVC(n_jobs=0): "n_jobs = 0",
    }.items():
        with pytest.raises(ValueError, match=words):
            wrong.fit(x, y)


def test_progress_is_shown(iris: tuple[Any, Any], capsys: pytest.CaptureFixture[str]) -> None:
    groat.SparseClassifier(verbose=1).fit(*iris)
    assert "SparseClassifier: " in capsys.readouterr().err


def test_callbacks_of_scikit_learn_are_told(iris: tuple[Any, Any]) -> None:
    pytest.importorskip("sklearn.callback")

    class Listener:
        def __init__(self, patience: int) -> None:
            self.patience = patience
            self.heard: list[str] = []

        def setup(self, estimator: Any, context: Any) -> None:
            self.heard.append("setup")

        def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
            self.heard.append(context.task_name)

        def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
            return len(self.heard) > self.patience

        def teardown(self, estimator: Any, context: Any) -> None:
            self.heard.append("teardown")

    listener = Listener(10_000)
    groat.SparseClassifier().set_callbacks(listener).fit(*iris)
    assert listener.heard[:2] == ["setup", "fit"] and listener.heard[-1] == "teardown" and len(listener.heard) > 4
    hasty = Listener(10)
    many = groat.KernelRidge(width=list(np.geomspace(0.01, 100, 500))).set_callbacks(hasty)
    so_far = many.fit(iris[0], iris[1])
    assert len(hasty.heard) < 100 and hasty.heard[-1] == "teardown"
    assert so_far.predict(iris[0]).shape == (len(iris[0]),)


def test_intervals_hold_their_share(rng: np.random.Generator) -> None:
    x = rng.uniform(-3, 3, size=(600, 1))
    y = np.sin(2 * x[:, 0]) + rng.normal(0, 0.3, 600)
    for model in (groat.SparseRegressor(), groat.OnlineRegressor(coverage=0.8)):
        model.fit(x[:400], y[:400])
        ends = model.predict_interval(x[400:], 0.8) if isinstance(model, groat.SparseRegressor) else None
        low, high = ends or model.predict_interval(x[400:])
        assert 0.65 < np.mean((low <= y[400:]) & (y[400:] <= high)) < 0.95
