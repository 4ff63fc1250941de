"""Methods and algorithms are named in the library's tables and nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

import groat
from groat import _groat

SOURCES = sorted(Path(groat.__file__).parent.rglob("*.py"))


def test_the_names_are_those_of_the_tables() -> None:
    spelled = {name for name in vars(_groat.Method).values() if isinstance(name, str)}
    assert spelled >= {method["name"] for method in _groat.methods()}
    assert {name: vars(_groat.Algorithm)[name.upper().replace("-", "_")] for name in groat.algorithms()} == {
        name: name for name in groat.algorithms()
    }


def test_no_source_spells_one() -> None:
    # "auto" is also one of scikit-learn's words for gamma, and "logistic" a loss.
    names = {*(method["name"] for method in _groat.methods()), *groat.algorithms()} - {"auto", "logistic"}
    assert len(SOURCES) > 15
    for path in SOURCES:
        constants = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
        found = [(node.lineno, node.value) for node in constants if isinstance(node.value, str) and node.value in names]
        assert not found, f"{path}: {found}"
