"""What the README shows is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_examples() -> None:
    readme = Path(__file__).parent.parent / "README.md"
    found = doctest.testfile(str(readme), module_relative=False)
    assert found.attempted > 10 and found.failed == 0
