"""What every estimator shares on the way to the engine: rows, weights, seeds, threads and progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    _num_samples,
    validate_data,
)

from groat._groat import limit_threads
from groat.frames import categorical_of, columns_of, is_frame


@dataclass
class Rows:
    """Rows that were looked at: an array as it came, a sparse matrix, or columns by name."""

    given: Any
    count: int
    categorical: list[str] = field(default_factory=list)

    def take(self, chosen: Any) -> Rows:
        """Some of the rows."""
        if not isinstance(self.given, dict):
            return Rows(self.given[chosen], int(np.count_nonzero(chosen)))
        places = np.flatnonzero(chosen)
        some = {
            name: values[places] if isinstance(values, np.ndarray) else [values[i] for i in places]
            for name, values in self.given.items()
        }
        return Rows(some, len(places), self.categorical)


def rows_of(estimator: Any, x: Any, *, reset: bool, sparse: bool = True, least: int = 1) -> Rows:
    """Rows as the engine takes them; names and number of the features must be those of the fit.

    Nothing is converted: float32, int8 and Fortran-ordered arrays reach the engine as they are.
    """
    if not is_frame(x):
        given = validate_data(
            estimator, x, reset=reset, accept_sparse="csr" if sparse else False, dtype="numeric", ensure_min_samples=least
        )
        return Rows(given, int(given.shape[0]))
    _check_feature_names(estimator, x, reset=reset)
    _check_n_features(estimator, x, reset=reset)
    count = int(x.shape[0])
    if count < least:
        raise ValueError(f"Found array with {count} sample(s) (shape={x.shape}) while a minimum of {least} is required.")
    return Rows(columns_of(x), count, categorical_of(x) if reset else [])


def weights_of(sample_weight: Any, x: Any) -> Any:
    """One weight per row, none of them negative; None where all rows count once."""
    if sample_weight is None:
        return None
    like = np.empty((_num_samples(x), 1))
    weights = _check_sample_weight(sample_weight, like, dtype=np.float64, ensure_non_negative=True)
    return None if np.all(weights == 1.0) else weights


def seed_of(random_state: Any) -> int:
    """The seed of the engine: 0 unless something is given, so that a fit repeats itself; a whole number is the seed."""
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@contextmanager
def threads_of(n_jobs: int | None) -> Iterator[None]:
    """Work runs on so many threads; -1 is one per core, -2 leaves one core free, None follows ``groat.set_threads``."""
    if n_jobs is None:
        yield
        return
    if n_jobs == 0:
        raise ValueError("n_jobs = 0 has no meaning: give a number of threads, or -1 for one per core")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    before = limit_threads(n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs))
    try:
        yield
    finally:
        limit_threads(before)


class ProgressBar:
    """Says on the terminal how far a fit is, a few times a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shown = 0.0
        self.width = 0

    def __call__(self, stage: str, done: int, total: int | None, detail: str) -> None:
        now = time.monotonic()
        if now - self.shown < 0.1 and done != total:
            return
        self.shown = now
        share = f"[{'#' * (20 * done // total):<20}] {done}/{total}" if total else str(done)
        text = f"{self.name}: {stage} {share} {detail}".rstrip()
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\n")
