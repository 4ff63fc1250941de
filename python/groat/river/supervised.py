"""Regression and classification."""

from __future__ import annotations

from typing import Any

from river import base

from groat._groat import Algorithm, OnlineLearner
from groat.river._features import Features, numbers_of

__all__ = ["KernelClassifier", "KernelRegressor"]


class _Kernel(base.Estimator):
    """What the learners share: one groat learner per output, over features that come and go."""

    def __init__(
        self,
        algorithm: str = Algorithm.AUTO,
        kernel: str | None = None,
        settings: dict[str, Any] | None = None,
        standardise: bool = True,
        coverage: float = 0.9,
        on_drift: str = "note",
    ) -> None:
        self.algorithm = algorithm
        self.kernel = kernel
        self.settings = settings
        self.standardise = standardise
        self.coverage = coverage
        self.on_drift = on_drift
        self._features = Features()
        # One learner per label; a regression has the one label None.
        self._learners: dict[Any, OnlineLearner] = {}
        self._drifts: list[int] = []
        self._steps = 0
        self._fresh()  # wrong settings are told now

    def _fresh(self) -> OnlineLearner:
        return OnlineLearner(
            self.algorithm,
            self.kernel,
            standardise=self.standardise,
            coverage=self.coverage,
            on_drift=self.on_drift,
            **(self.settings or {}),
        )

    def _target(self, label: Any, y: Any) -> float:
        raise NotImplementedError

    def _learn(self, x: dict[str, float], y: Any) -> None:
        self._steps += 1
        if self._features.take(x, y):
            for label in self._learners:
                self._learners[label] = self._taught(label)
            return
        row = self._features.row(x)
        drifted = False
        for label, learner in self._learners.items():
            before = learner.drifts
            learner.learn_one(row, self._target(label, y))
            drifted |= learner.drifts > before
        if drifted:
            self._drifts.append(self._steps)

    def _taught(self, label: Any) -> OnlineLearner:
        """A learner that has learnt the samples that are remembered, this one included."""
        learner = self._fresh()
        for x, y in self._features.recent:
            learner.learn_one(self._features.row(x), self._target(label, y))
        return learner

    @property
    def drift_detected(self) -> bool:
        """Whether the errors had grown with the last sample."""
        return bool(self._drifts) and self._drifts[-1] == self._steps

    @property
    def drifts(self) -> list[int]:
        """The samples, counted from 1, at which the errors had grown."""
        return list(self._drifts)


class KernelRegressor(_Kernel, base.Regressor):
    """Online kernel regression.

    Parameters
    ----------
    algorithm
        One of ``groat.algorithms()``. 'auto' needs no settings: last value, running mean, linear and kernel predictors side
        by side, weighted by how they did.
    kernel
        The kernel, such as 'gaussian:width=0.5'; by default the width of a Gaussian is found from the first samples.
    settings
        Settings of the algorithm by name; ``groat.algorithm_settings(algorithm)`` lists them.
    standardise
        Whether features and target are standardised by what the first samples say.
    coverage
        Share of targets that the intervals hold in the long run.
    on_drift
        What to do when the errors have grown: 'note', 'forget' or 'restart'.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from groat.river import KernelRegressor
    >>> model = KernelRegressor()
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 0.5
    True
    >>> low, high = model.predict_interval_one(next(iter(datasets.TrumpApproval()))[0])
    """

    def _target(self, label: Any, y: Any) -> float:
        return float(y)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn from one sample."""
        if not self._learners:
            self._learners[None] = self._fresh()
        self._learn(numbers_of(x), y)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The predicted number; 0 before anything was learnt."""
        if not self._learners:
            return 0.0
        return self._learners[None].predict_one(self._features.row(numbers_of(x)))

    def predict_interval_one(self, x: dict[Any, Any]) -> tuple[float | None, float | None]:
        """Ends of an interval that holds the share ``coverage`` of all targets in the long run; None before two errors are
        known."""
        if not self._learners:
            return None, None
        _, low, high = self._learners[None].predict_interval(self._features.row(numbers_of(x)))
        return low, high


class KernelClassifier(_Kernel, base.Classifier):
    """Online kernel classification: one learner per label, each of which predicts +1 or -1.

    Labels may turn up at any time.

    Parameters
    ----------
    algorithm
        One of ``groat.algorithms()``. 'auto' needs no settings.
    kernel
        The kernel, such as 'gaussian:width=0.5'; by default the width of a Gaussian is found from the first samples.
    settings
        Settings of the algorithm by name; ``groat.algorithm_settings(algorithm)`` lists them.
    standardise
        Whether features are standardised by what the first samples say.
    coverage
        Share of targets that the learners' intervals hold in the long run.
    on_drift
        What to do when the errors have grown: 'note', 'forget' or 'restart'.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from groat.river import KernelClassifier
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), KernelClassifier(), metrics.Accuracy())
    >>> metric.get() > 0.85
    True
    """

    def _target(self, label: Any, y: Any) -> float:
        return 1.0 if y == label else -1.0

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn from one sample."""
        if y not in self._learners:
            # It learns what is remembered of the others, so that it knows what it is not.
            self._learners[y] = self._taught(y)
        self._learn(numbers_of(x), y)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The probability of each label seen so far, as least squares with targets +1 and -1 estimates it."""
        row = self._features.row(numbers_of(x))
        values = {label: max((one.predict_one(row) + 1) / 2, 1e-12) for label, one in self._learners.items()}
        total = sum(values.values())
        return {label: value / total for label, value in values.items()}
