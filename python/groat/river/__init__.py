"""Kernel learners for river: regression, classification, anomalies, drift. ``pip install groat[river]``.

Samples are dicts whose keys may come and go. A key that is missing counts as its mean so far; one that is new becomes a
feature once ten samples had it, and the learner then learns the last 256 samples anew; texts become indicators.
"""

from __future__ import annotations

try:
    import river as _river
except ModuleNotFoundError as error:
    raise ImportError("groat.river needs river: pip install groat[river]") from error

from groat.river.anomaly import KernelAnomalyDetector
from groat.river.drift import DriftDetector
from groat.river.supervised import KernelClassifier, KernelRegressor

__all__ = ["DriftDetector", "KernelAnomalyDetector", "KernelClassifier", "KernelRegressor"]

del _river
