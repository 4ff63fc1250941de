"""scikit-learn's callbacks (from its version 1.9 on): ``estimator.set_callbacks(ProgressBar())``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Nothing to tear down."""
        return method


__all__ = ["CallbackSupportMixin", "Steps", "together", "with_callbacks"]


class Steps:
    """Tells the callbacks of an estimator of every step of a fit that the engine tells of."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.context = estimator._init_callback_context(max_subtasks=None)
        self.context.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, stage: str, done: int, total: int | None, detail: str) -> bool:
        step = self.context.subcontext(task_name=stage)
        step.call_on_fit_task_begin(estimator=self.estimator)
        # A callback may ask to stop.
        return not step.call_on_fit_task_end(estimator=self.estimator)

    def close(self) -> None:
        self.context.call_on_fit_task_end(estimator=self.estimator)

    @classmethod
    def of(cls, estimator: Any) -> Steps | None:
        """None where nobody listens."""
        return cls(estimator) if getattr(estimator, "_skl_callbacks", None) else None


def together(listeners: list[Any]) -> Callable[[str, int, int | None, str], bool] | None:
    """All listeners as one; the fit goes on unless one says no."""
    if not listeners:
        return None
    return lambda *news: all([listener(*news) is not False for listener in listeners])
