"""Linear machines, for very many rows or sparse features."""

from __future__ import annotations

from typing import Any

from groat._groat import Method
from groat.estimators._base import Classifier, LinearMixin, Regressor
from groat.estimators._parameters import documented, keep

__all__ = ["LinearSVC", "LinearSVR", "LogisticRegression"]


@documented()
class LinearSVC(LinearMixin, Classifier):
    """Linear support vector machine for labels.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> groat.LinearSVC(C=1).fit(x, y).score(x, y) > 0.9
    True
    """

    _method = Method.LINEAR_SVC

    def __init__(
        self, *, loss: str = "hinge", tol: float = 1e-3, C: Any = None, penalise_bias: bool = False,
        class_weight: Any = None, max_iter: int = -1, standardise: bool = True, random_state: Any = None,
        n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class LinearSVR(LinearMixin, Regressor):
    """Linear support vector machine for numbers.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> y = x @ [1.0, 2.0, -1.0] + 5.0
    >>> model = groat.LinearSVR(C=10, epsilon=0.0).fit(x, y)
    >>> np.round(model.coef_, 2) + 0.0
    array([[ 1.,  2., -1.]])
    """

    _method = Method.LINEAR_SVR
    _several_targets = False

    def __init__(
        self, *, epsilon: float | None = None, tol: float = 1e-3, C: Any = None, penalise_bias: bool = False,
        max_iter: int = -1, standardise: bool = True, random_state: Any = None, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class LogisticRegression(LinearMixin, Classifier):
    """Linear logistic regression.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> model = groat.LogisticRegression(C=1).fit(x, y)
    >>> model.score(x, y) > 0.9, model.predict_proba(x[:1]).shape
    (True, (1, 3))
    """

    _method = Method.LOGISTIC

    def __init__(
        self, *, tol: float = 1e-3, C: Any = None, penalise_bias: bool = False, class_weight: Any = None,
        max_iter: int = -1, standardise: bool = True, random_state: Any = None, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column each."""
        return self._probabilities(X)
