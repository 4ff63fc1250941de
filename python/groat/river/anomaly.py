"""Samples unlike those seen before."""

from __future__ import annotations

from typing import Any

import numpy as np
from river import base

from groat._groat import Algorithm, OnlineLearner
from groat.river._features import Features, numbers_of

__all__ = ["KernelAnomalyDetector"]


class KernelAnomalyDetector(base.AnomalyDetector):
    """How far a sample lies from those seen before, as a Gaussian process sees it.

    The score is the predictive variance of a kernel recursive least-squares tracker (Van Vaerenbergh, Lazaro-Gredilla,
    Santamaria, 2012), which depends on where samples were and not on what they said: 0 where there were many like it, 1 far
    from all. Forgetting lets old samples count less.

    Parameters
    ----------
    kernel
        The kernel, such as 'gaussian:width=0.5'; by default the width of a Gaussian is found from the first samples.
    budget
        Most samples that are kept.
    forgetting
        1 never forgets; 0.999 forgets half in about 700 samples.
    noise
        Variance below which samples count as the same.

    Examples
    --------
    >>> import random
    >>> from groat.river import KernelAnomalyDetector
    >>> rng, detector = random.Random(0), KernelAnomalyDetector()
    >>> for _ in range(300):
    ...     detector.learn_one({"a": rng.gauss(0, 1), "b": rng.gauss(0, 1)})
    >>> detector.score_one({"a": 6.0, "b": 6.0}) > 0.9 > detector.score_one({"a": 0.1, "b": 0.1})
    True
    """

    def __init__(self, kernel: str | None = None, budget: int = 100, forgetting: float = 1.0, noise: float = 0.01) -> None:
        self.kernel = kernel
        self.budget = budget
        self.forgetting = forgetting
        self.noise = noise
        self._features = Features()
        self._learner: OnlineLearner | None = None
        self._steps = 0
        self._fresh()

    def _fresh(self) -> OnlineLearner:
        settings: dict[str, Any] = {"budget": self.budget, "lambda_": self.forgetting, "sn2": self.noise}
        return OnlineLearner(Algorithm.KRLS_TRACKER, self.kernel, **settings)

    def learn_one(self, x: dict[Any, Any]) -> None:
        """Get to know one sample."""
        sample = numbers_of(x)
        if self._features.take(sample, None) or self._learner is None:
            self._learner = self._fresh()
            samples = [each for each, _ in self._features.recent]
        else:
            samples = [sample]
        for each in samples:
            # What is learnt does not matter, but the tracker takes its scale from it: +1 and -1 in turn.
            self._steps += 1
            self._learner.learn_one(self._features.row(each), 1.0 if self._steps % 2 else -1.0)

    def score_one(self, x: dict[Any, Any]) -> float:
        """From 0, like many samples before, to 1, far from all."""
        if self._learner is None:
            return 0.0
        row = self._features.row(numbers_of(x))
        # s^2 (noise + novelty) here, s^2 (noise + 1) far from all samples.
        here, far = self._learner.variance_one(row), self._learner.variance_one(np.full_like(row, 1e9))
        if not here or not far:
            return 0.0
        return min(max(here / far * (1 + self.noise) - self.noise, 0.0), 1.0)
