"""The stubs say what the compiled module has, and the package and its tests type-check strictly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CONFIG = str(TESTS.parent / "pyproject.toml")


@pytest.mark.parametrize(
    "command",
    [
        ["mypy.stubtest", "groat._groat", "--mypy-config-file", CONFIG],
        ["mypy", "--config-file", CONFIG, "-p", "groat"],
        ["mypy", "--config-file", CONFIG, str(TESTS)],
    ],
    ids=["stubtest", "package", "tests"],
)
def test_types(command: list[str], tmp_path: Path) -> None:
    # Elsewhere, so that the installed package is looked at and not the sources beside these tests.
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
