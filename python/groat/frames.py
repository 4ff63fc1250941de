"""Data frames of pandas and polars as columns that the engine reads: numbers as arrays, anything else as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, "NDArray[Any] | list[str | None]"]


def is_frame(x: Any) -> bool:
    """Whether this is a frame whose columns all have names."""
    if isinstance(x, np.ndarray) or not hasattr(x, "columns") or not hasattr(x, "dtypes"):
        return False
    return len(x.columns) > 0 and all(isinstance(name, str) for name in x.columns)


def _series(frame: Any) -> Iterator[tuple[str, Any]]:
    """The columns in order, with their names."""
    if hasattr(frame, "iter_columns"):  # polars
        return ((str(series.name), series) for series in frame.iter_columns())
    return ((str(name), frame.iloc[:, at]) for at, name in enumerate(frame.columns))


def _categories(series: Any) -> Any:
    """The categories of a pandas column that has some, else None."""
    return getattr(series.dtype, "categories", None) if hasattr(series, "iloc") else None


def _is_number(series: Any) -> bool:
    if not hasattr(series, "iloc"):
        return bool(series.dtype.is_numeric()) or str(series.dtype) == "Boolean"
    categories = _categories(series)
    return getattr(series.dtype if categories is None else categories.dtype, "kind", "O") in "biuf"


def _numbers(series: Any) -> NDArray[Any]:
    """The numbers of a column, NaN where one is missing; one type for all rows, and no copy where that is not needed."""
    if hasattr(series, "iloc"):
        kept = type(series.dtype).__module__.startswith("numpy")
        return np.asarray(series.to_numpy() if kept else series.to_numpy(dtype=float, na_value=np.nan))
    import polars

    missing = series.null_count() > 0 or series.dtype == polars.Boolean
    return np.asarray((series.cast(polars.Float64) if missing else series).to_numpy())


def _texts(name: str, series: Any) -> list[str | None]:
    """The texts of a column, None where one is missing."""
    kind = str(series.dtype)
    if kind.lower().startswith(("date", "time", "period", "list", "array", "struct", "duration")):
        raise ValueError(f"column {name!r} holds values of type {kind}, not numbers, truth values or text; leave it out")
    missing = series.isna() if hasattr(series, "iloc") else series.is_null()
    return [None if absent else str(value) for value, absent in zip(series.to_list(), missing.to_list(), strict=True)]


def columns_of(frame: Any) -> Columns:
    """The columns of a frame by name."""
    columns: Columns = {}
    for name, series in _series(frame):
        if name in columns:
            raise ValueError(f"two columns of the frame are called {name!r}; rename one")
        columns[name] = _numbers(series) if _is_number(series) else _texts(name, series)
    return columns


def categorical_of(frame: Any) -> list[str]:
    """The columns of numbers that the frame declares to be categories."""
    return [name for name, series in _series(frame) if _categories(series) is not None and _is_number(series)]


def name_of(y: Any) -> str | None:
    """What a target is called, where it is a column of a frame."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name and not isinstance(y, np.ndarray) else None
