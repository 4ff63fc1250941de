"""Explicit features: kernel methods whose cost grows with the rows, not with their square."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from groat._groat import FeatureMap, Method
from groat.estimators._base import BatchEstimator, Classifier, Regressor, VectorsMixin
from groat.estimators._engine import ProgressBar, rows_of, seed_of, threads_of
from groat.estimators._kernels import kernel_of
from groat.estimators._parameters import documented, keep

__all__ = [
    "Nystroem",
    "NystromClassifier",
    "NystromRegressor",
    "RandomFeatureClassifier",
    "RandomFeatureRegressor",
    "RandomFeatures",
]


class _Landmarks(VectorsMixin, BatchEstimator):
    """Ridge regression on landmarks, solved at once or by conjugate gradients."""

    _own = (*BatchEstimator._own, "solver")

    def _method_name(self) -> str:
        methods = {"direct": Method.NYSTROM, Method.FALKON: Method.FALKON}
        if self.solver not in methods:
            raise ValueError(f"solver = {self.solver!r} is not allowed: {' or '.join(map(repr, methods))}")
        return methods[self.solver]

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        if not isinstance(self.landmarks, str):
            # Then there are as many as were given.
            settings.pop("landmarks", None)
            settings.pop("rank", None)
        return settings

    def _given_landmarks(self) -> Any:
        return None if isinstance(self.landmarks, str) else rows_of(self, self.landmarks, reset=False).given


class _FeatureClassifier(Classifier):
    """Probabilities come from rows that were left out, or from the logistic loss."""

    def _promises_probabilities(self) -> bool:
        return bool(self.estimate) or self.loss == "logistic"

    @available_if(Classifier._has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column each."""
        return self._probabilities(X)


_LANDMARK_SOLVER = "'direct' adds up the normal equations; 'falkon' uses preconditioned conjugate gradients, for very many landmarks."


@documented(solver=_LANDMARK_SOLVER)
class NystromRegressor(_Landmarks, Regressor):
    """Kernel ridge regression on landmarks, for very many rows.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).uniform(-3, 3, size=(2000, 1))
    >>> y = np.sin(2 * x[:, 0])
    >>> model = groat.NystromRegressor(n_components=50).fit(x, y)
    >>> len(model.support_vectors_) <= 50, model.score(x, y) > 0.99
    (True, True)
    """

    def __init__(
        self, n_components: int = 1000, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, alpha: Any = None, solver: str = "direct", landmarks: Any = "pivoted",
        precision: str = "double", estimate: bool = True, error_bars: str = "none", selection_rows: int | None = None,
        tol: float | None = None, max_iter: int = -1, standardise: bool = True, memory: str | None = None,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented(solver=_LANDMARK_SOLVER)
class NystromClassifier(_Landmarks, _FeatureClassifier):
    """Kernel classification on landmarks, for very many rows.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> groat.NystromClassifier(n_components=50).fit(x, y).score(x, y) > 0.95
    True
    """

    def __init__(
        self, n_components: int = 1000, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, alpha: Any = None, solver: str = "direct", loss: str = "squared", landmarks: Any = "pivoted",
        precision: str = "double", estimate: bool = True, selection_rows: int | None = None, tol: float | None = None,
        max_iter: int = -1, class_weight: Any = None, standardise: bool = True, memory: str | None = None,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class RandomFeatureRegressor(Regressor):
    """Ridge regression on random Fourier features, for very many rows.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).uniform(-3, 3, size=(2000, 1))
    >>> y = np.sin(2 * x[:, 0])
    >>> groat.RandomFeatureRegressor(n_components=100).fit(x, y).score(x, y) > 0.99
    True
    """

    _method = Method.RFF

    def __init__(
        self, n_components: int = 1000, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, alpha: Any = None,
        orthogonal: bool = True, form: str = "paired", precision: str = "double", estimate: bool = True,
        error_bars: str = "none", selection_rows: int | None = None, tol: float | None = None, max_iter: int = -1,
        standardise: bool = True,
        memory: str | None = None, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class RandomFeatureClassifier(_FeatureClassifier):
    """Classification on random Fourier features, for very many rows.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> groat.RandomFeatureClassifier(n_components=100).fit(x, y).score(x, y) > 0.95
    True
    """

    _method = Method.RFF

    def __init__(
        self, n_components: int = 1000, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, alpha: Any = None,
        loss: str = "squared", orthogonal: bool = True, form: str = "paired", precision: str = "double",
        estimate: bool = True, selection_rows: int | None = None, tol: float | None = None, max_iter: int = -1,
        class_weight: Any = None, standardise: bool = True, memory: str | None = None, random_state: Any = None,
        n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


class _Map(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer to explicit features."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _draw(self, x: Any, **options: Any) -> Any:
        rows = rows_of(self, x, reset=True)
        kernel = kernel_of(self, rows, self.n_features_in_)
        if self.width is not None and isinstance(kernel, str):
            kernel = f"{kernel}:width={float(self.width)!r}"
        bar = ProgressBar(type(self).__name__) if self.verbose else None
        with threads_of(self.n_jobs):
            self._map = FeatureMap.draw(
                rows.given,
                kernel,
                rank=self.n_components,
                standardise=self.standardise,
                seed=seed_of(self.random_state),
                categorical=rows.categorical,
                progress=bar,
                **options,
            )
        if bar is not None:
            bar.close()
        return self

    def transform(self, X: Any) -> Any:
        """The features of rows, one column each."""
        check_is_fitted(self, "_map")
        rows = rows_of(self, X, reset=False).given
        with threads_of(self.n_jobs):
            return self._map.transform(rows)

    def kernel_error(self, X: Any) -> float:
        """The root mean square difference between inner products of features and the kernel.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            All pairs of its first 300 rows are compared.

        Returns
        -------
        error : float
        """
        check_is_fitted(self, "_map")
        rows = rows_of(self, X, reset=False).given
        with threads_of(self.n_jobs):
            return self._map.error(rows)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_map")

    @property
    def _n_features_out(self) -> int:
        return int(self._map.size)


_MEDIAN = "Width of the kernel: exp(-r^2 / (2 width^2)); None takes the median distance of the rows."


@documented(width=_MEDIAN, n_components="How many landmarks are chosen; fewer where rows are fewer or explain each other.")
class Nystroem(_Map):
    """Features of landmarks, whose inner products are near a kernel.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).normal(size=(200, 2))
    >>> features = groat.Nystroem(n_components=80, width=1.0).fit_transform(x)
    >>> bool(np.abs(features @ features.T - groat.Kernel.gaussian(1.0).gram(x)).max() < 0.05)
    True
    """

    def __init__(
        self, n_components: int = 100, *, kernel: Any = "rbf", width: float | None = None, gamma: Any = None,
        degree: int = 3, coef0: float = 1.0, landmarks: Any = "pivoted", standardise: bool = False,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose landmarks among rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : object
        """
        given = self.landmarks if isinstance(self.landmarks, str) else None
        if given is None:
            rows_of(self, X, reset=True)
            given = rows_of(self, self.landmarks, reset=False).given
        return self._draw(X, landmarks=given)

    @property
    def components_(self) -> Any:
        """array of shape (n_landmarks, n_features): the landmarks as the kernel sees them."""
        check_is_fitted(self, "_map")
        return self._map.rows


@documented(width=_MEDIAN, n_components="How many features are drawn; one more where an odd number is asked for in pairs.")
class RandomFeatures(_Map):
    """Random Fourier features, whose inner products are near a shift-invariant kernel.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).normal(size=(50, 2))
    >>> features = groat.RandomFeatures(n_components=4000, width=1.0).fit_transform(x)
    >>> bool(np.abs(features @ features.T - groat.Kernel.gaussian(1.0).gram(x)).max() < 0.1)
    True
    """

    def __init__(
        self, n_components: int = 100, *, kernel: Any = "rbf", width: float | None = None, gamma: Any = None,
        orthogonal: bool = True, form: str = "paired", standardise: bool = False, random_state: Any = None,
        n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def fit(self, X: Any, y: Any = None) -> Any:
        """Draw frequencies for rows like these.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : object
        """
        if self.form not in ("paired", "cosine"):
            raise ValueError(f"form = {self.form!r} is not allowed: 'paired' or 'cosine'")
        return self._draw(X, orthogonal=self.orthogonal, paired=self.form == "paired")

    @property
    def frequencies_(self) -> Any:
        """array of shape (n_frequencies, n_features): the frequencies."""
        check_is_fitted(self, "_map")
        return self._map.rows
