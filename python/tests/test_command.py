"""What Python saves, the command reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from groat import GroatError
from groat._groat import BatchLearner, KernelPca
from numpy.typing import NDArray

Array = NDArray[np.float64]
NAMES = ["height", "weight"]


def predicted(command: str, folder: Path, x: Array, *options: str) -> list[list[str]]:
    """What the command says of rows that stand in the file with their columns the other way round."""
    data = folder / "rows.csv"
    np.savetxt(data, x[:, ::-1], delimiter=",", header=",".join(NAMES[::-1]), comments="", fmt="%.17g")
    call = [command, "predict", str(folder / "model.safetensors"), str(data), *options]
    done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line.split(",") for line in done.stdout.splitlines()]


def test_numbers_with_their_error_bars(command: str, wave: tuple[Array, Array], tmp_path: Path) -> None:
    x, y = wave[0] * [1000.0, 1e-3] + 50.0, wave[1]
    learner = BatchLearner("ols", width=1.0).fit(x, y, feature_names=NAMES)
    learner.model.save(tmp_path / "model.safetensors")
    header, *rows = predicted(command, tmp_path, x, "--std")
    assert header == ["prediction", "std"]
    expected = np.column_stack([learner.predict(x), learner.predict_std(x)])
    np.testing.assert_allclose(np.array(rows, dtype=float), expected, rtol=1e-12)


def test_intervals(command: str, wave: tuple[Array, Array], tmp_path: Path) -> None:
    x, y = wave
    model = BatchLearner("sparse").fit(x, y, feature_names=NAMES).model
    model.save(tmp_path / "model.safetensors")
    header, *rows = predicted(command, tmp_path, x, "--interval", "0.8")
    assert header == ["prediction", "lower", "upper"]
    lower, upper = model.predict_interval(x, 0.8)
    np.testing.assert_allclose(np.array(rows, dtype=float)[:, 1:], np.column_stack([lower, upper]), rtol=1e-12)
    assert np.mean((lower <= y) & (y <= upper)) > 0.7
    with pytest.raises(GroatError):
        model.predict_interval(x, 1.5)


def test_classes(command: str, wave: tuple[Array, Array], tmp_path: Path) -> None:
    x, labels = wave[0], np.where(wave[1] > 0, "up", "down")
    learner = BatchLearner("krr", task="classification").fit(x, labels, feature_names=NAMES)
    learner.model.save(tmp_path / "model.safetensors")
    _, *rows = predicted(command, tmp_path, x)
    assert [row[0] for row in rows] == learner.predict(x).tolist()


def test_components(command: str, wave: tuple[Array, Array], tmp_path: Path) -> None:
    x = wave[0]
    analysis = KernelPca(components=2, standardise=True).fit(x, feature_names=NAMES)
    analysis.model.save(tmp_path / "model.safetensors")
    _, *rows = predicted(command, tmp_path, x)
    np.testing.assert_allclose(np.array(rows, dtype=float), analysis.transform(x), rtol=1e-9, atol=1e-12)
