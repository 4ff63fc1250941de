"""Every estimator is described in full, and its example runs."""

from __future__ import annotations

import doctest
import inspect
from typing import Any

import groat
import groat.river
import pytest

CLASSES = [getattr(groat, name) for name in groat._ESTIMATORS]
CLASSES += [getattr(groat.river, name) for name in groat.river.__all__]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_example(cls: Any) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    tests = [test for test in doctest.DocTestFinder(recurse=False).find(cls, cls.__name__) if test.examples]
    assert tests, f"{cls.__name__} has no example"
    for test in tests:
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_parameters_are_described(cls: Any) -> None:
    text = inspect.getdoc(cls) or ""
    assert "Examples\n--------" in text
    for name in inspect.signature(cls).parameters:
        assert f"\n{name}" in text, f"{cls.__name__} does not say what {name} is"
