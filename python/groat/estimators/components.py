"""Kernel principal components."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from groat._groat import KernelPca, Model
from groat.estimators._engine import ProgressBar, rows_of, seed_of, threads_of
from groat.estimators._kernels import kernel_of
from groat.estimators._parameters import documented, keep

__all__ = ["KernelPCA"]


@documented(
    width="Width of the kernel: exp(-r^2 / (2 width^2)); None takes the median distance of the rows.",
    gamma="As for the other estimators; None takes the median distance of the rows for a width.",
    n_components="How many components are found; fewer where there are fewer rows.",
    tol="Relative residual at which an eigenvector is near enough.",
    standardise="Whether every feature is brought to mean 0 and deviation 1 first.",
)
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel principal component analysis.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> x, _ = load_iris(return_X_y=True)
    >>> analysis = groat.KernelPCA(n_components=3)
    >>> analysis.fit_transform(x).shape
    (150, 3)
    >>> analysis.inverse_transform(analysis.transform(x[:1])).shape
    (1, 4)
    """

    def __init__(
        self, n_components: int = 2, *, kernel: Any = "rbf", width: float | None = None, gamma: Any = None, degree: int = 3,
        coef0: float = 1.0, centre: bool = True, standardise: bool = False, tol: float | None = None,
        n_landmarks: int | None = None, n_random_features: int | None = None, random_state: Any = None,
        memory: int | None = None, n_jobs: int | None = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find the leading components of rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : object
        """
        if self.n_landmarks is not None and self.n_random_features is not None:
            raise ValueError("n_landmarks and n_random_features are two ways to the same end: give one of them")
        rows = rows_of(self, X, reset=True, least=2)
        kernel = kernel_of(self, rows, self.n_features_in_)
        if self.width is not None and isinstance(kernel, str):
            kernel = f"{kernel}:width={float(self.width)!r}"
        analysis = KernelPca(
            kernel,
            components=min(self.n_components, rows.count),
            centre=self.centre,
            standardise=self.standardise,
            tolerance=self.tol,
            memory=self.memory,
            rank=self.n_landmarks if self.n_random_features is None else self.n_random_features,
            random=self.n_random_features is not None,
            seed=seed_of(self.random_state),
        )
        bar = ProgressBar(type(self).__name__) if self.verbose else None
        with threads_of(self.n_jobs):
            analysis.fit(rows.given, categorical=rows.categorical, progress=bar)
        if bar is not None:
            bar.close()
        self._analysis = analysis
        return self

    def transform(self, X: Any) -> Any:
        """The components of rows, one column each."""
        check_is_fitted(self, "_analysis")
        rows = rows_of(self, X, reset=False).given
        with threads_of(self.n_jobs):
            return self._analysis.transform(rows)

    def inverse_transform(self, X: Any) -> Any:
        """Points whose components come near the given ones, for radial kernels."""
        check_is_fitted(self, "_analysis")
        components = check_array(X, input_name="X")
        with threads_of(self.n_jobs):
            return self._analysis.inverse_transform(components)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_analysis")

    def _fitted(self) -> KernelPca:
        analysis = self.__dict__.get("_analysis")
        if analysis is None:
            raise AttributeError("this KernelPCA has not been fitted; call fit first")
        return analysis  # type: ignore[no-any-return]

    @property
    def _n_features_out(self) -> int:
        return self.model_.outputs

    @property
    def model_(self) -> Model:
        """groat.Model: the fitted model; ``model_.save(path)`` writes the file that the command ``groat`` reads."""
        return self._fitted().model

    @property
    def eigenvalues_(self) -> Any:
        """array of shape (n_components,): largest eigenvalues of the (centred) kernel matrix."""
        return self._fitted().eigenvalues

    @property
    def explained_variance_ratio_(self) -> Any:
        """array of shape (n_components,): share of the variance in feature space that each component holds."""
        return self._fitted().explained

    @property
    def notes_(self) -> list[str]:
        """list of str: what was chosen on the way."""
        return self._fitted().notes
