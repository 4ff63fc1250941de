"""Models with few vectors: regression, classification, density."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.metaestimators import available_if

from groat._groat import Method
from groat.estimators._base import BatchEstimator, Classifier, Regressor, VectorsMixin
from groat.estimators._engine import seed_of, threads_of
from groat.estimators._parameters import documented, keep

__all__ = ["SparseClassifier", "SparseDensity", "SparseRegressor"]


_KERNEL = (
    "As the command has it, None leaves it to the data: 'rbf', or 'linear' where that does as well on rows that were left out. "
    "Otherwise 'rbf' (``gaussian``), 'laplacian', 'matern32', 'matern52', 'inverse-multiquadric', 'wendland', 'linear', 'poly', "
    "'sigmoid'; a text such as 'matern32:width=2'; or a ``groat.Kernel``."
)
_TOLERANCE = "How much larger than that of the full machine the error may be, as a share of it; None is 0.02."


class _Chosen(VectorsMixin, BatchEstimator):
    """By the default fit, or by forward selection as in the paper."""

    def _method_name(self) -> str:
        return str(self.method)

    @property
    def expected_error_(self) -> float | None:
        """float or None: error on rows that nothing was chosen on, root mean square or share of wrong classes; None where it was
        not estimated."""
        return self._fitted().expected_error


@documented(kernel=_KERNEL, tol=_TOLERANCE)
class SparseRegressor(_Chosen, Regressor):
    """Kernel regression with the fewest vectors that do as well as all of them.

    What the full kernel machine reaches is found first, then the smallest model within a tolerance of that. Width and
    ridge are found by held-out errors.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.linspace(-3, 3, 200).reshape(-1, 1)
    >>> y = np.sin(2 * x[:, 0])
    >>> model = groat.SparseRegressor().fit(x, y)
    >>> len(model.support_vectors_) < 40, round(model.score(x, y), 3)
    (True, 1.0)
    >>> lower, upper = model.predict_interval([[0.5]], coverage=0.8)
    >>> bool(lower[0] < np.sin(1.0) < upper[0])
    True
    """

    def __init__(
        self, *, method: str = Method.SPARSE, kernel: Any = None, width: Any = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, alpha: Any = None, tol: Any = None, smallest: bool = False, best: bool = False,
        per_feature: bool | None = None, max_terms: int | None = None, candidates: int | None = None,
        selection_rows: int | None = None, estimate: bool = True, standardise: bool = True, memory: str | None = None,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())


@documented(kernel=_KERNEL, tol=_TOLERANCE)
class SparseClassifier(_Chosen, Classifier):
    """Kernel classification with the fewest vectors that do as well as all of them.

    All classes share one set of vectors. Probabilities come from rows that were left out.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> model = groat.SparseClassifier().fit(x, y)
    >>> model.score(x, y) > 0.95, model.predict_proba(x[:2]).shape
    (True, (2, 3))
    """

    def __init__(
        self, *, method: str = Method.SPARSE, kernel: Any = None, width: Any = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, alpha: Any = None, tol: Any = None, smallest: bool = False, best: bool = False,
        per_feature: bool | None = None, max_terms: int | None = None, candidates: int | None = None,
        selection_rows: int | None = None, estimate: bool = True, class_weight: Any = None, standardise: bool = True,
        memory: str | None = None, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _promises_probabilities(self) -> bool:
        return bool(self.estimate) and self.method == Method.SPARSE

    @available_if(Classifier._has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column each."""
        return self._probabilities(X)


@documented()
class SparseDensity(DensityMixin, BatchEstimator):
    """A probability density as a mixture of few Gaussians.

    It stands for the Parzen estimate of all rows, with as few of them as come near it. Where few kernels are far worse on
    rows that were left out, as in many dimensions, it is the Parzen estimate itself, and ``notes_`` says so.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> density = groat.SparseDensity().fit(x)
    >>> bool(density.score_samples([[0.0, 0.0]])[0] > density.score_samples([[3.0, 3.0]])[0])
    True
    >>> density.sample(5, random_state=0).shape
    (5, 2)
    """

    _task = "density"
    _takes_sparse = False

    def __init__(
        self, *, method: str = Method.SPARSE, width: Any = None, parzen_width: float | None = None, standardise: bool = True,
        random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def _method_name(self) -> str:
        return str(self.method)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Estimate the density of rows.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self : object
        """
        self._learn(x=X, y=None, sample_weight=sample_weight)
        return self

    def score_samples(self, X: Any) -> Any:
        """log p(x) of each row."""
        rows = self._rows(X)
        with threads_of(self.n_jobs):
            return self._learner.score_samples(rows)

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of log p(x) over all rows, as scikit-learn's KernelDensity has it."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Independent draws, one per row."""
        return self._fitted().sample(n_samples, seed=seed_of(random_state))

    @property
    def centres_(self) -> Any:
        """array of shape (n_vectors, n_features): means of the Gaussians."""
        return self.model_.vectors

    @property
    def weights_(self) -> Any:
        """array of shape (n_vectors,): shares of the Gaussians, which sum to 1."""
        widths = np.broadcast_to(np.asarray(self.model_.kernel.width, dtype=float), (self.model_.features,))
        weights = self.model_.weights[:, 0] * np.prod(np.sqrt(2 * np.pi) * widths)
        return weights
