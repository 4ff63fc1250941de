"""Least squares with all rows as vectors: kernel ridge regression and least-squares support vector machines."""

from __future__ import annotations

from typing import Any, ClassVar

from groat._groat import Method
from groat.estimators._base import BatchEstimator, Classifier, Regressor, VectorsMixin
from groat.estimators._parameters import documented, keep

__all__ = ["KernelRidge", "LSSVMClassifier", "LSSVMRegressor"]


class _LeaveOneOut(VectorsMixin, BatchEstimator):
    @property
    def leave_one_out_error_(self) -> float | None:
        """float or None: mean squared error when each row is predicted without it, or None where it was not worked out."""
        return self._fitted().leave_one_out_mean_squared


@documented(
    solver="'exact' factors the kernel matrix; 'cg' solves with it by conjugate gradients, for more rows than memory holds a "
    "matrix of; 'nystrom' and 'falkon' keep landmarks, for very many rows.",
    n_components="Landmarks of 'nystrom' and 'falkon', columns of the preconditioner of 'cg' (``rank``).",
)
class KernelRidge(_LeaveOneOut, Regressor):
    """Kernel ridge regression, exact or on landmarks.

    Differs from scikit-learn's in that features are standardised, the model has a constant, and width and ridge are
    found by leave-one-out errors unless they are given: ``KernelRidge(alpha=1, gamma=0.1, standardise=False,
    fit_intercept=False)`` is scikit-learn's ``KernelRidge(alpha=1, kernel="rbf", gamma=0.1)``.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.linspace(-3, 3, 100).reshape(-1, 1)
    >>> y = np.sin(2 * x[:, 0])
    >>> round(groat.KernelRidge().fit(x, y).score(x, y), 3)
    1.0
    """

    def __init__(
        self, alpha: Any = None, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, solver: str = "exact", n_components: int = 1000, fit_intercept: bool = True,
        leave_one_out: bool | None = None, tol: float | None = None, max_iter: int = -1,
        selection_rows: int | None = None, standardise: bool = True, memory: str | None = None, random_state: Any = None,
        n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    _own = (*BatchEstimator._own, "solver")
    _solvers: ClassVar[dict[str, str]] = {
        "exact": Method.KRR,
        "cg": Method.KRR_CG,
        Method.NYSTROM: Method.NYSTROM,
        Method.FALKON: Method.FALKON,
    }

    def _method_name(self) -> str:
        if self.solver not in self._solvers:
            raise ValueError(f"solver = {self.solver!r} is not allowed: one of {', '.join(map(repr, self._solvers))}")
        return self._solvers[self.solver]

    def _settings(self) -> dict[str, Any]:
        settings = super()._settings()
        if self.solver == "exact":
            # It has all rows as landmarks.
            settings.pop("rank", None)
        return settings


class _LeastSquaresSvm(_LeaveOneOut):
    _method = Method.LSSVM

    def __init__(
        self, *, kernel: Any = "rbf", width: Any = None, gamma: Any = None, degree: int = 3, coef0: float = 1.0,
        alpha: Any = None, support: Any = None, solver: str | None = None, tol: Any = None,
        leave_one_out: bool | None = None, standardise: bool = True, memory: str | None = None, random_state: Any = None,
        n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented()
class LSSVMRegressor(_LeastSquaresSvm, Regressor):
    """Least-squares support vector machine for numbers.

    With ``support`` the kernel is zero beyond a distance, and the system sparse: for many rows and few features.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.linspace(-3, 3, 400).reshape(-1, 1)
    >>> y = np.sin(2 * x[:, 0])
    >>> model = groat.LSSVMRegressor(width=0.3, alpha=1e-3, support=1.0).fit(x, y)
    >>> round(model.score(x, y), 2), model.model_.kernel.support
    (1.0, 1.0)
    """


@documented()
class LSSVMClassifier(_LeastSquaresSvm, Classifier):
    """Least-squares support vector machine for labels.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> groat.LSSVMClassifier().fit(x, y).score(x, y) > 0.95
    True
    """
