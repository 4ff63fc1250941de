"""The engine of Dask: parts are chunks of arrays, partitions of frames, or Parquet files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from distributed import Client, Future, get_client

from groat.distributed._parts import Block, ParquetPart, block_of
from groat.errors import DataError, ParameterError

T = TypeVar("T")

# Answers that are joined by one task.
FAN_IN = 8
# Values from this many bytes on are sent by themselves, once, instead of with every task.
LARGE = 100_000


class DaskEngine:
    """Parts that Dask holds or makes; a part that is lost with a worker is made again."""

    def __init__(self, parts: Sequence[Delayed], client: Client | None = None) -> None:
        if not parts:
            raise DataError("there are no rows to learn from")
        self.parts = parts
        self.client = client or _client()
        self._sent: dict[str, Future] = {}

    def reduce(self, work: Callable[..., T | None], join: Callable[[T | None, T | None], T | None], *shared: Any) -> T | None:
        """Join the answers ``work(part, *shared)`` of all parts, in a tree."""
        values = [self._send(value) for value in shared]
        answers = [delayed(work, pure=False)(part, *values) for part in self.parts]
        while len(answers) > 1:
            groups = [answers[start : start + FAN_IN] for start in range(0, len(answers), FAN_IN)]
            answers = [delayed(_join_all, pure=False)(join, group) for group in groups]
        result: T | None = self.client.compute(answers[0]).result()
        return result

    def _send(self, value: Any) -> Any:
        """A value as tasks take it. A large one is the result of a task of its own: workers pass it on to each other, and
        the scheduler makes it again should all who had it be lost."""
        if not isinstance(value, bytes) or len(value) < LARGE:
            return value
        name = f"groat-{hashlib.blake2b(value, digest_size=16).hexdigest()}"
        if name not in self._sent:
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
                self._sent = {name: self.client.submit(_same, value, key=name)}
        return self._sent[name]


def _same(value: T) -> T:
    return value


def _join_all(join: Callable[[Any, Any], Any], answers: Sequence[Any]) -> Any:
    joined = answers[0]
    for answer in answers[1:]:
        joined = join(joined, answer)
    return joined


def _client() -> Client:
    try:
        return get_client()
    except ValueError as error:
        raise ParameterError(
            "there is no Dask cluster: make a distributed.Client first (Client() starts workers on this machine), or give one"
        ) from error


def parts_of(data: Any, y: Any, target: str | Sequence[str] | None) -> tuple[list[Delayed], list[str] | None, str | None]:
    """The parts of what a user has, the names of the features, and that of a single target."""
    if isinstance(data, (str, bytes)) or hasattr(data, "__fspath__"):
        data = [data]
    if isinstance(data, (list, tuple)):
        return _files(data, y, target)
    if hasattr(data, "partitions") and hasattr(data, "columns"):
        return _frames(data, y, target)
    if hasattr(data, "chunks"):
        return _arrays(data, y, target)
    raise DataError(
        f"data of type {type(data).__name__}: expected a dask.array, a dask.dataframe or a list of Parquet files"
    )


def _names(target: str | Sequence[str] | None) -> list[str]:
    if target is None:
        raise ParameterError("target is missing: name the column that is to be predicted")
    return [target] if isinstance(target, str) else list(target)


def _features(columns: Sequence[str], targets: Sequence[str], texts: Sequence[str]) -> list[str]:
    unknown = [name for name in targets if name not in columns]
    if unknown:
        raise DataError(f"there is no column {unknown[0]!r}; there are {', '.join(map(repr, columns))}")
    features = [name for name in columns if name not in targets]
    wrong = [name for name in texts if name in features]
    if wrong:
        raise DataError(f"column {wrong[0]!r} holds no numbers: leave it out, or turn its categories into numbers first")
    if not features:
        raise DataError("there is no column beside the target")
    return features


def _files(paths: Sequence[Any], y: Any, target: Any) -> tuple[list[Delayed], list[str], str | None]:
    import pyarrow.parquet

    if y is not None:
        raise ParameterError("y is given beside files: name the column of the target by target")
    if not paths:
        raise DataError("there are no files")
    targets = _names(target)
    schema = pyarrow.parquet.read_schema(paths[0])
    kinds = pyarrow.types
    texts = [
        field.name
        for field in schema
        if not (kinds.is_integer(field.type) or kinds.is_floating(field.type) or kinds.is_boolean(field.type))
    ]
    features = _features(schema.names, targets, texts)
    parts = [delayed(ParquetPart(str(path), tuple(features), tuple(targets)), traverse=False) for path in paths]
    return parts, features, targets[0] if len(targets) == 1 else None


def _frames(frame: Any, y: Any, target: Any) -> tuple[list[Delayed], list[str], str | None]:
    columns = [str(name) for name in frame.columns]
    texts = [name for name, kind in zip(columns, frame.dtypes, strict=True) if getattr(kind, "kind", "O") not in "biuf"]
    if y is None:
        targets = _names(target)
        features = _features(columns, targets, texts)
        parts = [delayed(block_of, pure=False)(part, features, targets) for part in frame.to_delayed()]
        return parts, features, targets[0] if len(targets) == 1 else None
    if not hasattr(y, "partitions") or y.npartitions != frame.npartitions:
        raise DataError("y must be a dask Series or frame with the partitions of the features")
    features = _features(columns, [], texts)
    pairs = zip(frame.to_delayed(), y.to_delayed(), strict=True)
    parts = [delayed(_frame_pair, pure=False)(part, answers, features) for part, answers in pairs]
    name = getattr(y, "name", None)
    return parts, features, None if name is None else str(name)


def _frame_pair(frame: Any, y: Any, features: Sequence[str]) -> Block:
    x, _ = block_of(frame, features, features[:1])
    return x, np.asarray(y)


def _arrays(x: Any, y: Any, target: Any) -> tuple[list[Delayed], None, str | None]:
    if y is None or not hasattr(y, "chunks"):
        raise DataError("y must be a dask.array, as the features are")
    if x.ndim != 2 or y.ndim not in (1, 2):
        raise DataError(f"x has {x.ndim} dimension(s) and y {y.ndim}: 2, and 1 or 2, are needed")
    if x.shape[0] == x.shape[0] and y.shape[0] == y.shape[0]:
        if x.shape[0] != y.shape[0]:
            raise DataError(f"x has {x.shape[0]} rows and y {y.shape[0]}")
        y = y.rechunk({0: x.chunks[0]})
    elif x.numblocks[0] != y.numblocks[0]:
        raise DataError("x and y have chunks of unknown sizes and not as many: compute_chunk_sizes() tells them")
    x = x.rechunk({1: -1}) if x.numblocks[1] > 1 else x
    y = y.rechunk({1: -1}) if y.ndim == 2 and y.numblocks[1] > 1 else y
    pairs = zip(x.to_delayed().ravel(), y.to_delayed().ravel(), strict=True)
    return [delayed(_pair, pure=False)(a, b) for a, b in pairs], None, target if isinstance(target, str) else None


def _pair(x: Any, y: Any) -> Block:
    return np.asarray(x), np.asarray(y)
