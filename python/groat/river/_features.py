"""Samples by name, whose names come and go, as rows of numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A name that turns up later is taken for a feature once so many samples had it.
ADOPT_AFTER = 10
# Samples that a learner is taught again when it gets a new feature.
REMEMBERED = 256
# Names that wait to be adopted; of more, the rarest are forgotten.
WAITING = 1000


def numbers_of(x: Mapping[Hashable, Any]) -> dict[str, float]:
    """Numbers by name; a text becomes an indicator, as in ``{"colour": "red"}`` -> ``{"colour=red": 1.0}``."""
    found = {}
    for name, value in x.items():
        if isinstance(value, str):
            found[f"{name}={value}"] = 1.0
        else:
            found[str(name)] = float(value)
    return found


class Features:
    """Which names are features, and what stands in for one that a sample lacks: its mean so far, 0 for an indicator."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.means: dict[str, float] = {}
        self.counts: dict[str, int] = {}
        self.waiting: dict[str, int] = {}
        self.recent: deque[tuple[dict[str, float], Any]] = deque(maxlen=REMEMBERED)

    def row(self, x: Mapping[str, float]) -> NDArray[np.float64]:
        """The sample as a row; names that are no features are left out."""
        means = self.means
        values = [x[name] if name in x else means[name] for name in self.names]
        return np.array(values or [0.0])

    def take(self, x: dict[str, float], y: Any) -> bool:
        """Gets to know a sample; true when there are new features, so that learners have to start anew."""
        first = not self.recent
        for name in sorted(name for name in x if name not in self.counts):
            self.waiting[name] = self.waiting.get(name, 0) + 1
        adopted = sorted(name for name, seen in self.waiting.items() if first or seen >= ADOPT_AFTER)
        for name in adopted:
            del self.waiting[name]
            self.names.append(name)
            self.counts[name], self.means[name] = 0, 0.0
        if len(self.waiting) > WAITING:
            kept = sorted(self.waiting.items(), key=lambda item: (-item[1], item[0]))[: WAITING // 2]
            self.waiting = dict(kept)
        for name, value in x.items():
            if name in self.counts and "=" not in name:
                self.counts[name] += 1
                self.means[name] += (value - self.means[name]) / self.counts[name]
        self.recent.append((dict(x), y))
        return bool(adopted) and not first
