"""Support vector machines, under the names of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import OutlierMixin
from sklearn.utils.metaestimators import available_if

from groat._groat import Method
from groat.estimators._base import BatchEstimator, Classifier, Regressor, VectorsMixin
from groat.estimators._engine import threads_of
from groat.estimators._parameters import documented, keep

__all__ = ["NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"]

_COST_AND_SHARE = "Share of rows with a violated margin, between 0 and 1; None searches."


class _SupportClassifier(VectorsMixin, Classifier):
    def _can_tell(self) -> bool:
        return bool(self.probability) and self._has_probabilities()

    @available_if(_can_tell)
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column each; for ``probability=True``."""
        return self._probabilities(X)


@documented()
class SVC(_SupportClassifier):
    """Support vector machine for labels.

    Unlike scikit-learn's, it standardises features, and finds ``C`` and the width by itself unless they are given:
    ``SVC(C=1, gamma=0.1, standardise=False)`` is scikit-learn's ``SVC(C=1, gamma=0.1)``.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> model = groat.SVC(C=1, gamma="scale").fit(x, y)
    >>> model.score(x, y) > 0.95, len(model.support_) < 80
    (True, True)
    """

    _method = Method.SVC

    def __init__(
        self, *, C: Any = None, kernel: Any = "rbf", degree: int = 3, gamma: Any = None, width: Any = None,
        coef0: float = 0.0, probability: bool = False, tol: float = 1e-3, class_weight: Any = None, max_iter: int = -1,
        standardise: bool = True, memory: str | None = None, random_state: Any = None, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented(nu=_COST_AND_SHARE)
class NuSVC(_SupportClassifier):
    """Support vector machine for labels, with a share of violated margins instead of a cost.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> groat.NuSVC(nu=0.2, gamma="scale").fit(x, y).score(x, y) > 0.95
    True
    """

    _method = Method.NU_SVC

    def __init__(
        self, *, nu: float | None = None, kernel: Any = "rbf", degree: int = 3, gamma: Any = None, width: Any = None,
        coef0: float = 0.0, probability: bool = False, tol: float = 1e-3, class_weight: Any = None, max_iter: int = -1,
        standardise: bool = True, memory: str | None = None, random_state: Any = None, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class SVR(VectorsMixin, Regressor):
    """Support vector machine for numbers.

    Unlike scikit-learn's, it standardises features, and finds ``C`` and the width by itself unless they are given:
    ``SVR(C=1, epsilon=0.1, gamma=0.1, standardise=False)`` is scikit-learn's ``SVR(C=1, epsilon=0.1, gamma=0.1)``.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> y = np.sin(2 * x[:, 0])
    >>> groat.SVR(C=10, width=0.4).fit(x, y).score(x, y) > 0.98
    True
    """

    _method = Method.SVR
    _several_targets = False

    def __init__(
        self, *, kernel: Any = "rbf", degree: int = 3, gamma: Any = None, width: Any = None, coef0: float = 0.0,
        tol: float = 1e-3, C: Any = None, epsilon: float | None = None, max_iter: int = -1, standardise: bool = True,
        memory: str | None = None, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class NuSVR(VectorsMixin, Regressor):
    """Support vector machine for numbers that finds the errors which cost nothing from a share of rows.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> y = np.sin(2 * x[:, 0])
    >>> groat.NuSVR(C=10, width=0.4).fit(x, y).score(x, y) > 0.98
    True
    """

    _method = Method.NU_SVR
    _several_targets = False

    def __init__(
        self, *, nu: float = 0.5, C: Any = None, kernel: Any = "rbf", degree: int = 3, gamma: Any = None,
        width: Any = None, coef0: float = 0.0, tol: float = 1e-3, max_iter: int = -1, standardise: bool = True,
        memory: str | None = None, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class OneClassSVM(OutlierMixin, VectorsMixin, BatchEstimator):
    """Support vector machine for one class: where rows are.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).normal(size=(200, 2))
    >>> machine = groat.OneClassSVM(nu=0.1).fit(x)
    >>> machine.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    _method = Method.ONE_CLASS
    _task = "density"

    def __init__(
        self, *, kernel: Any = "rbf", degree: int = 3, gamma: Any = None, width: Any = None, coef0: float = 0.0,
        tol: float = 1e-3, nu: float = 0.1, max_iter: int = -1, standardise: bool = True, memory: str | None = None,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find where rows are.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        self._learn(x=X, y=None, sample_weight=sample_weight)
        return self

    def decision_function(self, X: Any) -> Any:
        """Above 0 for rows of the kind that was learnt."""
        rows = self._rows(X)
        with threads_of(self.n_jobs):
            return self._learner.decision_function(rows)

    @property
    def offset_(self) -> float:
        """float: what ``decision_function`` subtracts from ``score_samples``."""
        return -float(self.intercept_[0])

    def score_samples(self, X: Any) -> Any:
        """The same without the constant."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """1 for rows of the kind that was learnt, -1 for others."""
        return 2 * (self.decision_function(X) >= 0).astype(int) - 1
