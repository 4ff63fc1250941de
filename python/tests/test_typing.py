"""The stubs say what the compiled module has, and the package and its tests type-check strictly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["mypy.stubtest", "groat", "--mypy-config-file", "pyproject.toml"],
        ["mypy", "--config-file", "pyproject.toml", "-p", "groat"],
        ["mypy", "--config-file", "pyproject.toml", "tests"],
    ],
    ids=["stubtest", "package", "tests"],
)
def test_types(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
