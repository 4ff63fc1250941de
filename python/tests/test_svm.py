"""Support vector machines by the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from groat import GroatError, Kernel
from groat._groat import BatchLearner
from numpy.typing import NDArray


def moons() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, np.pi, 300)
    side = rng.integers(0, 2, 300)
    x = np.c_[np.cos(angle), np.sin(angle)] * np.where(side, 1, -1)[:, None] + np.c_[side, 0.4 * side]
    return x + 0.15 * rng.standard_normal(x.shape), side


def test_a_machine_that_was_cut_short_goes_on_from_its_model() -> None:
    x, y = moons()
    settings: dict[str, Any] = {"task": "classification", "cost": 10.0, "tolerance": 1e-6}
    whole = BatchLearner("svc", Kernel.gaussian(0.7), **settings).fit(x, y)
    cut = BatchLearner("svc", Kernel.gaussian(0.7), max_iterations=20, **settings).fit(x, y)
    assert np.abs(cut.decision_function(x) - whole.decision_function(x)).max() > 0.01
    # Kernel and cost are those of the model.
    on = BatchLearner("svc", task="classification", tolerance=1e-6).fit(x, y, start=cut.model)
    np.testing.assert_allclose(on.decision_function(x), whole.decision_function(x), atol=1e-4)
    with pytest.raises(GroatError, match="a model of svc"):
        BatchLearner("nu-svc", task="classification").fit(x, y, start=cut.model)
