"""Rows in parts, whoever holds them: what each part is asked, and how the answers are joined.

Nothing here knows an engine. A part is a pair of arrays (features, target) or something that yields such pairs, as
``ParquetPart`` does; it is handed to the functions of this module where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groat._groat import RowSums, drawing_order
from groat.errors import DataError

Array = NDArray[Any]
Block = tuple[Array, Array]
Part = Block | Iterable[Block]
# Means and deviations of the features.
Scaling = tuple[tuple[float, ...], tuple[float, ...]]

# Digits to which means and deviations are rounded. Sums over other parts differ beyond these, and rows must be the same to
# the last bit for the same ones to be drawn.
DIGITS = 40


def blocks_of(part: Part) -> Iterator[Block]:
    """The pairs of features and target of a part."""
    if isinstance(part, tuple):
        yield part
    else:
        yield from part


@dataclass(frozen=True)
class ParquetPart:
    """The rows of one Parquet file, read a batch at a time."""

    path: str
    features: tuple[str, ...]
    targets: tuple[str, ...]
    batch: int = 65_536

    def __iter__(self) -> Iterator[Block]:
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=self.batch, columns=[*self.features, *self.targets]):
                columns = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
                yield block_of(columns, self.features, self.targets)


def block_of(columns: Any, features: Iterable[str], targets: Iterable[str]) -> Block:
    """Features and target from named columns."""
    x = np.column_stack([np.asarray(columns[name], dtype=np.float64) for name in features])
    y = [np.asarray(columns[name]) for name in targets]
    return x, y[0] if len(y) == 1 else np.column_stack(y)


@dataclass
class Survey:
    """What has to be known of all rows before a fit: how many there are, means and deviations, labels, and some rows that
    are drawn by what they hold, so that they are the same however the rows are spread."""

    rows: int
    mean: Array
    squares: Array
    order: Array
    x: Array
    y: Array
    labels: Array | None

    @staticmethod
    def of(part: Part, scaling: Scaling | None, size: int, seed: int, classes: bool) -> Survey | None:
        """The survey of one part, which draws at most so many rows, by what they hold once they are scaled; None where it has
        none."""
        found: Survey | None = None
        for x, y in blocks_of(part):
            x, y = _checked(x, y, classes)
            if len(x):
                found = Survey.joined(found, _survey(x, y, scaling, seed, classes), size)
        return found

    @staticmethod
    def joined(one: Survey | None, other: Survey | None, size: int) -> Survey | None:
        """The survey of both (Chan, Golub, LeVeque 1983, equation 2.1)."""
        if one is None or other is None:
            return _drawn(one or other, size)
        if one.x.shape[1] != other.x.shape[1]:
            raise DataError(f"parts have {one.x.shape[1]} and {other.x.shape[1]} features: all must have the same")
        rows = one.rows + other.rows
        delta = other.mean - one.mean
        both = Survey(
            rows,
            one.mean + delta * (np.longdouble(other.rows) / rows),
            one.squares + other.squares + delta**2 * (np.longdouble(one.rows) * other.rows / rows),
            np.concatenate([one.order, other.order]),
            np.concatenate([one.x, other.x]),
            np.concatenate([one.y, other.y]),
            None if one.labels is None or other.labels is None else np.union1d(one.labels, other.labels),
        )
        return _drawn(both, size)

    def standardisation(self) -> tuple[Array, Array]:
        """Means and deviations, the same to the last bit however the rows are spread."""
        scale = np.sqrt(self.squares / self.rows)
        scale = np.where(scale > 1e-14 * np.abs(self.mean), scale, 1.0)
        step = np.ldexp(np.longdouble(1.0), np.frexp(scale)[1] - DIGITS)
        rounded = [np.round(values / step) * step for values in (self.mean, scale)]
        return rounded[0].astype(np.float64), rounded[1].astype(np.float64)


def _checked(x: Array, y: Array, classes: bool) -> Block:
    x, y = np.ascontiguousarray(x, dtype=np.float64), np.asarray(y)
    if x.ndim != 2 or len(x) != len(y):
        raise DataError(f"a part has features of shape {x.shape} and a target of shape {y.shape}: one row each is needed")
    if not np.isfinite(x).all() or (not classes and not np.isfinite(y.astype(np.float64)).all()):
        raise DataError("features or target hold NaN or an infinity; leave these rows out")
    return x, y


def _survey(x: Array, y: Array, scaling: Scaling | None, seed: int, classes: bool) -> Survey:
    exact = x.astype(np.longdouble)
    mean = exact.mean(axis=0)
    squares = ((exact - mean) ** 2).sum(axis=0)
    scaled = x if scaling is None else (x - np.asarray(scaling[0])) / np.asarray(scaling[1])
    return Survey(len(x), mean, squares, drawing_order(scaled, seed), x, y, np.unique(y) if classes else None)


def _drawn(survey: Survey | None, size: int) -> Survey | None:
    """The survey with the first of its rows in drawing order, and of every label the first row."""
    if survey is None:
        return None
    y = survey.y if survey.y.ndim > 1 else survey.y[:, None]
    # Rows with the same features are told apart by their target.
    keys = [*(y[:, column] for column in range(y.shape[1])), survey.order]
    place = np.lexsort(keys)
    kept = place[:size]
    if survey.labels is not None and len(place) > size:
        firsts = [place[np.flatnonzero(survey.y[place] == label)[:1]] for label in survey.labels]
        kept = np.concatenate([kept, *(first for first in firsts if len(first) and first[0] not in kept)])
    return replace(survey, order=survey.order[kept], x=survey.x[kept], y=survey.y[kept])


def targets_of(y: Array, labels: Array | None) -> Array:
    """Numbers to be met: the target itself, or -1 and +1 for classes, one column each where there are more than two."""
    if labels is None:
        return np.asarray(y, dtype=np.float64)
    codes = np.searchsorted(labels, y)
    if len(labels) == 2:
        return np.where(codes == 1, 1.0, -1.0)
    return np.where(codes[:, None] == np.arange(len(labels)), 1.0, -1.0)


@lru_cache(maxsize=4)
def _row_sums(map_: bytes, mean: tuple[float, ...] | None, scale: tuple[float, ...] | None) -> RowSums:
    """What answers for a map in this process; it is the same throughout a fit."""
    return RowSums(map_, mean, scale)


def sum_of(
    part: Part,
    map_: bytes,
    pass_: bytes,
    scaling: Scaling | None,
    labels: Array | None,
) -> Array | None:
    """The sum over the rows of a part that a fit asks for; None where it has none."""
    sums = _row_sums(map_, *(scaling or (None, None)))
    total: Array | None = None
    for x, y in blocks_of(part):
        x, y = _checked(x, y, labels is not None)
        if len(x):
            total = added(total, sums.sum(pass_, x, targets_of(y, labels)))
    return total


def added(one: Array | None, other: Array | None) -> Array | None:
    """The sum over the rows of both."""
    if one is None or other is None:
        return other if one is None else one
    return np.add(one, other)
