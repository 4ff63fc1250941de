from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)


@pytest.fixture
def wave(rng: np.random.Generator) -> tuple[Array, Array]:
    """A noisy sine of the first of two features."""
    x = rng.uniform(-3.0, 3.0, size=(120, 2))
    return x, np.sin(2.0 * x[:, 0]) + 0.05 * rng.normal(size=120)
