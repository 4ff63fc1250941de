"""Choosing an online learner by trial: ``compare`` ranks algorithms on one stream, ``tune`` looks for settings."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from groat._groat import Algorithm, OnlineLearner, algorithm_settings, algorithms

# What `tune` tries, by setting; an algorithm tries those it takes, in this order. The command tries the same.
_VALUES: Mapping[str, Sequence[float]] = {
    "eta": (0.05, 0.1, 0.2, 0.5, 1.0),
    "mu0": (0.3, 0.5, 0.7, 0.9, 0.95, 0.99),
    "nu": (1e-1, 1e-2, 1e-3, 1e-4),
    "epsu": (0.1, 0.3, 1.0),
    "sn2": (1e-1, 1e-2, 1e-3, 1e-4),
    "ridge": (1e-1, 1e-2, 1e-3, 1e-4),
    "lambda": (1.0, 0.9999, 0.999, 0.998, 0.99, 0.98),
    "budget": (30, 60, 100, 200),
}


def _taken(algorithm: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    known = algorithm_settings(algorithm)
    return {name: value for name, value in settings.items() if name.rstrip("_") in known}


def _run(
    x: ArrayLike, y: ArrayLike, algorithm: str, habits: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    learner = OnlineLearner(algorithm, **habits, **_taken(algorithm, settings))
    started = time.perf_counter()
    learner.partial_fit(x, y)
    seconds = time.perf_counter() - started
    summary = learner.summary()
    return {
        "algorithm": algorithm,
        "settings": learner.settings,
        "mean_squared": summary["mean_squared"],
        "against_baseline": summary["against_baseline"],
        "diverged": summary["diverged"],
        "size": learner.size,
        "microseconds": 1e6 * seconds / max(learner.steps, 1),
        "memory_bytes": int(learner.diagnostics()["memory_bytes"]),
    }


def compare(
    x: ArrayLike,
    y: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    standardise: bool = True,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Ranks algorithms (all of them unless names are given) by their error on a stream, each sample predicted before it
    is learnt from. Settings go to the algorithms that take them; ``lags`` says that features are the target's past."""
    habits = {"standardise": standardise}
    found = [_run(x, y, name, habits, settings) for name in names or algorithms()]
    return sorted(found, key=lambda place: (place["diverged"], place["mean_squared"]))


def tune(
    x: ArrayLike,
    y: ArrayLike,
    algorithm: str = Algorithm.AUTO,
    *,
    standardise: bool = True,
    rounds: int = 2,
    **settings: Any,
) -> dict[str, Any]:
    """Looks for the settings of an algorithm on a stream, one at a time, by the error before each sample is learnt from.
    What is given stays. ``OnlineLearner(found["algorithm"], **found["settings"])`` is the best that was found."""
    habits = {"standardise": standardise}
    given = {name.rstrip("_") for name in settings}
    free = [name for name in _VALUES if name in algorithm_settings(algorithm) and name not in given]
    best = _run(x, y, algorithm, habits, settings)
    tried = 1
    for _ in range(rounds):
        before = best["mean_squared"]
        for name in free:
            for value in _VALUES[name]:
                trial = _run(x, y, algorithm, habits, {**best["settings"], name: value})
                tried += 1
                if not trial["diverged"] and np.less(trial["mean_squared"], best["mean_squared"]):
                    best = trial
        if best["mean_squared"] == before:
            break
    return {**best, "trials": tried}
