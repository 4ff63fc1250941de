"""Learners of streams in the manner of scikit-learn, with ``partial_fit``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from groat._groat import Algorithm, Model, OnlineLearner
from groat.estimators._engine import Rows, rows_of, seed_of, threads_of
from groat.estimators._levels import Levels
from groat.estimators._parameters import documented, keep

__all__ = ["OnlineClassifier", "OnlineRegressor"]

# Rows that are converted at a time.
_BLOCK = 8192


class _Online(BaseEstimator):
    """What regression and classification share."""

    def __init__(
        self, algorithm: str = Algorithm.AUTO, *, kernel: Any = None, settings: dict[str, Any] | None = None,
        standardise: bool = True, coverage: float = 0.9, on_drift: str = "note", shuffle: bool = True,
        random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        keep(self, locals())

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows, from nothing; in random order unless ``shuffle=False``.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        self : object
        """
        self.__dict__.pop("learners_", None)
        return self._learn(X, y, shuffle=self.shuffle)

    def _fresh(self) -> OnlineLearner:
        return OnlineLearner(
            self.algorithm,
            self.kernel,
            standardise=self.standardise,
            coverage=self.coverage,
            on_drift=self.on_drift,
            **(self.settings or {}),
        )

    def _rows(self, x: Any, *, reset: bool) -> Rows:
        return rows_of(self, x, reset=reset, sparse=False)

    def _numbers(self, rows: Rows) -> Any:
        """The rows as the learners take them."""
        return self._levels.encoded(rows.given) if isinstance(rows.given, dict) else rows.given

    def _outputs(self, x: Any) -> Any:
        """What each learner says of the rows, one column each."""
        check_is_fitted(self, "learners_")
        rows = self._numbers(self._rows(x, reset=False))
        with threads_of(self.n_jobs):
            blocks = range(0, len(rows), _BLOCK)
            parts = [[one.predict(rows[at : at + _BLOCK]) for at in blocks] for one in self.learners_]
        return np.column_stack([np.concatenate(part) for part in parts])

    def _learn(self, x: Any, y: Any, *, shuffle: bool) -> Any:
        raise NotImplementedError

    def _learn_rows(self, rows: Rows, targets: list[Any], shuffle: bool) -> None:
        if isinstance(rows.given, dict):
            self._levels.learn(rows.given)
        numbers = self._numbers(rows)
        if shuffle:
            order = np.random.default_rng(seed_of(self.random_state)).permutation(rows.count)
            numbers, targets = numbers[order], [target[order] for target in targets]
        for at in range(0, rows.count, _BLOCK):
            block = numbers[at : at + _BLOCK]
            for learner, target in zip(self.learners_, targets, strict=True):
                learner.partial_fit(block, target[at : at + _BLOCK])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learners_")

    @property
    def drifts_(self) -> list[int]:
        """list of int: the samples, counted from 1, at which the errors had grown."""
        return sorted({step for learner in self._learners() for step in learner.summary()["drifts"]})

    def _learners(self) -> list[OnlineLearner]:
        learners = self.__dict__.get("learners_")
        if learners is None:
            raise AttributeError(f"this {type(self).__name__} has not been fitted; call fit or partial_fit first")
        return learners  # type: ignore[no-any-return]


@documented(kernel="The kernel, such as 'gaussian:width=0.5'; None has the width of a Gaussian found from the first rows.")
class OnlineRegressor(RegressorMixin, _Online):
    """Kernel regression that learns from one sample after the other.

    ``fit`` starts anew with rows in random order, ``partial_fit`` goes on in the order given, as for a series. All algorithms
    of ``groat.algorithms()``, and mixes of their parts. Text columns of a frame become indicators; levels that come later
    too, up to eight in each column.

    Examples
    --------
    >>> import numpy as np, groat
    >>> x = np.random.default_rng(0).uniform(-3, 3, size=(500, 1))
    >>> y = np.sin(2 * x[:, 0])
    >>> model = groat.OnlineRegressor().partial_fit(x[:300], y[:300]).partial_fit(x[300:], y[300:])
    >>> model.score(x, y) > 0.9
    True
    >>> model = groat.OnlineRegressor("klms", settings={"novelty": "coherence", "mu0": 0.9, "eta": 0.5}).fit(x, y)
    >>> model.model_.size < 100
    True
    """

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Learn from further rows in order.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        self : object
        """
        return self._learn(X, y, shuffle=False)

    def _learn(self, x: Any, y: Any, *, shuffle: bool) -> Any:
        first = not hasattr(self, "learners_")
        rows = self._rows(x, reset=first)
        if y is None:
            raise ValueError("OnlineRegressor requires y to be passed, but the target y is None.")
        target = np.asarray(_check_y(column_or_1d(y, warn=True), y_numeric=True, estimator=self), dtype=np.float64)
        check_consistent_length(np.empty(rows.count), target)
        if first:
            self._levels = Levels(rows)
            self.learners_ = [self._fresh()]
        self._learn_rows(rows, [target], shuffle)
        return self

    def predict(self, X: Any) -> Any:
        """The predicted number of each row."""
        return self._outputs(X)[:, 0]

    def predict_interval(self, X: Any) -> Any:
        """Ends of intervals that hold the share ``coverage`` of all targets in the long run.

        Returns
        -------
        lower, upper : arrays of shape (n_samples,)
            NaN before two errors are known.
        """
        values = self.predict(X)
        learner = self.learners_[0]
        _, low, high = learner.predict_interval(np.zeros(learner.features or 1))
        half = np.nan if low is None or high is None else (high - low) / 2
        return values - half, values + half

    @property
    def model_(self) -> Model:
        """groat.Model: what has been learnt so far, for algorithms with one kernel ('auto' has several)."""
        return self._learners()[0].snapshot()

    @property
    def summary_(self) -> dict[str, Any]:
        """dict: errors so far, those of the baselines, and words of advice."""
        return self._learners()[0].summary()


@documented(kernel="The kernel, such as 'gaussian:width=0.5'; None has the width of a Gaussian found from the first rows.")
class OnlineClassifier(ClassifierMixin, _Online):
    """Kernel classification that learns from one sample after the other.

    ``fit`` starts anew with rows in random order, ``partial_fit`` goes on in the order given. One learner for two classes, one
    per class for more, each of which predicts +1 or -1. Text columns of a frame become indicators; levels that come later
    too, up to eight in each column.

    Examples
    --------
    >>> import groat
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.utils import shuffle
    >>> x, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    >>> model = groat.OnlineClassifier().partial_fit(x[:75], y[:75], classes=[0, 1, 2]).partial_fit(x[75:], y[75:])
    >>> model.score(x, y) > 0.9
    True
    """

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Learn from further rows in order.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of shape (n_classes,), optional
            All labels there will be, in the first call; those of its y otherwise.

        Returns
        -------
        self : object
        """
        return self._learn(X, y, shuffle=False, classes=classes)

    def _learn(self, x: Any, y: Any, *, shuffle: bool, classes: Any = None) -> Any:
        first = not hasattr(self, "learners_")
        rows = self._rows(x, reset=first)
        if y is None:
            raise ValueError("OnlineClassifier requires y to be passed, but the target y is None.")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        check_consistent_length(np.empty(rows.count), labels)
        if first:
            found = np.unique(labels if classes is None else classes)
            if len(found) < 2:
                raise ValueError(f"OnlineClassifier needs at least 2 classes, but there is one class: {found[0]!r}")
            self.classes_ = found
            self._levels = Levels(rows)
            self.learners_ = [self._fresh() for _ in range(1 if len(found) == 2 else len(found))]
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y holds the labels {unknown.tolist()}, which are none of the classes {self.classes_.tolist()}")
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self._learn_rows(rows, [np.where(labels == label, 1.0, -1.0) for label in positive], shuffle)
        return self

    def decision_function(self, X: Any) -> Any:
        """How clearly each row speaks for each class; for two classes one number, above 0 for the second."""
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> Any:
        """The predicted label of each row."""
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, as least squares with targets +1 and -1 estimates it."""
        values = (self.decision_function(X) + 1) / 2
        if values.ndim == 1:
            positive = np.clip(values, 0.0, 1.0)
            return np.column_stack([1 - positive, positive])
        shares = np.maximum(values, 1e-12)
        return shares / shares.sum(axis=1, keepdims=True)
