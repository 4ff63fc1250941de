"""The fit that asks parts for sums and solves, with any engine.

An engine is anything with one method, ``reduce``: apply a function to every part where the part stands, join the answers two
by two, and bring the last one here. With Spark that is ``rdd.map(...).treeReduce(...)``, with Ray a task per part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, Protocol, TypeVar

from groat._groat import BatchLearner, Method
from groat.distributed._parts import Part, Scaling, Survey, added, sum_of
from groat.errors import DataError

T = TypeVar("T")

# Rows that are brought here at the least, on which width, ridge and landmarks are chosen.
DRAWN = 20_000
# Residual at which passes end. Parts change the rounding of sums, and nothing else shall be seen of them.
TOLERANCE = 1e-12


class Engine(Protocol):
    """Whoever holds the parts."""

    def reduce(self, work: Callable[..., T | None], join: Callable[[T | None, T | None], T | None], *shared: Any) -> T | None:
        """Join the answers ``work(part, *shared)`` of all parts. What is shared is the same for all, and may be large."""


class Serial:
    """The engine without a cluster: one part after the other, in this process."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    def reduce(self, work: Callable[..., T | None], join: Callable[[T | None, T | None], T | None], *shared: Any) -> T | None:
        return reduce(join, (work(part, *shared) for part in self.parts), None)


def fit_parts(
    engine: Engine,
    method: str = Method.NYSTROM,
    kernel: Any = None,
    *,
    task: str = "regression",
    standardise: bool = True,
    feature_names: Sequence[str] | None = None,
    target_name: str | None = None,
    progress: Any = None,
    **settings: Any,
) -> BatchLearner:
    """Fit a model to the parts that an engine holds: ``fit`` for engines of your own.

    One survey of all parts, or two where features are standardised, then one ``reduce`` for each sum that the fit needs: one
    for the normal equations and one or two to refine their solution, or one for each step of conjugate gradients.
    """
    settings.setdefault("tolerance", TOLERANCE)
    learner = BatchLearner(method, kernel, task=task, standardise=standardise, **settings)  # type: ignore[arg-type]
    rank = int(settings.get("rank") or 1000)
    seed = int(settings.get("seed") or 0)
    size = max(DRAWN, int(1.3 * min(max(4 * rank, 5000), 50_000)), 4 * rank)
    classes = task == "classification"

    def surveyed(scaling: Scaling | None, drawn: int) -> Survey:
        survey: Survey | None = engine.reduce(partial(Survey.of, size=drawn, seed=seed, classes=classes), partial(Survey.joined, size=drawn), scaling)
        if survey is None:
            raise DataError("there are no rows to learn from")
        return survey

    # Rows are drawn by what they hold as the kernel sees them, which means and deviations have to be known for.
    mean, scale = surveyed(None, 0).standardisation() if standardise else (None, None)
    scaling = None if mean is None or scale is None else (tuple(mean.tolist()), tuple(scale.tolist()))
    survey = surveyed(scaling, size)

    def total(map_: bytes, pass_: bytes) -> Any:
        return engine.reduce(sum_of, added, map_, pass_, scaling, survey.labels)

    return learner.fit_elsewhere(
        survey.x,
        survey.y,
        total,
        survey.rows,
        mean=mean,
        scale=scale,
        feature_names=feature_names,
        target_name=target_name,
        progress=progress,
    )
