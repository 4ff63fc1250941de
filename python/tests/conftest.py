from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)


@pytest.fixture
def wave(rng: np.random.Generator) -> tuple[Array, Array]:
    """A noisy sine of the first of two features."""
    x = rng.uniform(-3.0, 3.0, size=(120, 2))
    return x, np.sin(2.0 * x[:, 0]) + 0.05 * rng.normal(size=120)


@pytest.fixture(scope="session")
def command() -> str:
    """The command: GROAT_COMMAND, or what the tests in Rust have built. Without one, tests of it are skipped, which is
    a failure where nothing may be missing."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = Path(os.environ.get("GROAT_COMMAND", target / "debug" / "groat"))
    if found.is_file():
        return str(found)
    text = f"no command at {found}: cargo build -p groat-cli, or name one by GROAT_COMMAND"
    if os.environ.get("GROAT_REQUIRE_DATA") == "1":
        pytest.fail(text)
    pytest.skip(text)
