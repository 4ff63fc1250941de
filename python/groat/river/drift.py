"""Changes in a series of numbers."""

from __future__ import annotations

from river import base

from groat._groat import DriftWindow

__all__ = ["DriftDetector"]


class DriftDetector(base.DriftDetector):
    """ADWIN: a window of numbers that shrinks when their mean has changed.

    The detector that runs beside every learner of groat, on its errors; for any numbers. It raises the alarms of river's
    ``drift.ADWIN`` with its defaults.

    Examples
    --------
    >>> import random
    >>> from groat.river import DriftDetector
    >>> rng, detector = random.Random(1), DriftDetector()
    >>> alarms = []
    >>> for i in range(2000):
    ...     detector.update(rng.gauss(0.2 if i < 1000 else 0.8, 0.1))
    ...     if detector.drift_detected:
    ...         alarms.append(i)
    >>> alarms[0] in range(1000, 1100)
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self._window = DriftWindow()

    def update(self, x: float) -> None:
        """Take in a number. After an alarm the window starts anew, as river's does."""
        if self.drift_detected:
            self._window = DriftWindow()
        self._drift_detected: bool = self._window.push(float(x))

    @property
    def width(self) -> int:
        """Numbers in the window."""
        return self._window.width

    @property
    def estimation(self) -> float:
        """Their mean."""
        return self._window.mean
