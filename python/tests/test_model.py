"""The model: predictions, files, pickling, and the plain safetensors reader."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import groat
import numpy as np
import pytest
import safetensors
import safetensors.numpy
from groat import Kernel, Model


@pytest.fixture
def model(rng: np.random.Generator) -> Model:
    return Model(
        "gaussian:width=1.2",
        rng.normal(size=(7, 3)),
        rng.normal(size=(7, 2)),
        [0.5, -1.0],
        feature_names=["a", "b", "c"],
        target_names=["u", "v"],
        mean=[1.0, 2.0, 3.0],
        scale=[2.0, 1.0, 0.5],
    )


def test_predictions_follow_the_formula(model: Model, rng: np.random.Generator) -> None:
    x = rng.normal(size=(11, 3))
    assert model.standardisation is not None and model.bias is not None
    mean, scale = model.standardisation
    expected = model.bias + model.kernel.cross((x - mean) / scale, model.vectors) @ model.weights
    np.testing.assert_allclose(model.values(x), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(x), model.values(x))
    assert (model.size, model.features, model.outputs, len(model)) == (7, 3, 2, 7)
    assert model.feature_names == ["a", "b", "c"] and model.target_names == ["u", "v"]
    assert model.task == "regression" and model.classes == []
    assert model.memory_bytes == 8 * (7 * 3 + 7 * 2 + 2 + 6)
    assert "7 vectors of 3 features" in repr(model)


def test_one_output_gives_one_dimension() -> None:
    model = Model(Kernel.gaussian(1.0), [[0.0], [1.0]], [1.0, -1.0], 0.25)
    assert model.predict([[0.5]]).shape == (1,)
    assert model.predict([[0.5]])[0] == pytest.approx(0.25, abs=1e-15)
    assert model.values([[0.5]]).shape == (1, 1)
    assert model.predict(np.zeros((0, 1))).shape == (0,)
    with pytest.raises(groat.ParameterError, match="knows no classes"):
        model.classify([[0.5]])


def test_classes() -> None:
    two = Model("linear", [[1.0]], [1.0], classes=["down", "up"])
    assert two.classify([[-2.0], [3.0]]).tolist() == ["down", "up"]
    assert two.predict([[-2.0], [3.0]]).tolist() == ["down", "up"]
    assert two.codes([[-2.0], [3.0]]).tolist() == [0, 1]
    three = Model("linear", np.eye(3), np.eye(3), classes=["r", "g", "b"])
    assert three.predict(np.eye(3)).tolist() == ["r", "g", "b"]
    assert three.task == "classification" and three.classes == ["r", "g", "b"]


def test_files_round_trip(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model.save(path)
    assert Model.load(path) == model == Model.load(str(path))
    assert Model.from_bytes(model.to_bytes()) == model
    assert path.read_bytes() == model.to_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["model.safetensors"]


def test_pickles_and_copies(model: Model) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(model, protocol)) == model
    assert copy.deepcopy(model) == model


def test_plain_safetensors_reads_a_model(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model.save(path)
    tensors = safetensors.numpy.load_file(path)
    np.testing.assert_array_equal(tensors["vectors"], model.vectors)
    np.testing.assert_array_equal(tensors["weights"], model.weights)
    np.testing.assert_array_equal(tensors["bias"], model.bias)
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert any("gaussian:width=1.2" in value for value in metadata.values())


def test_merging(rng: np.random.Generator) -> None:
    vectors = np.array([[0.0], [1.0], [0.0], [2.0]])
    model = Model("gaussian", vectors, [1.0, 2.0, 3.0, 0.0])
    merged = model.merge_duplicates()
    assert (model.size, merged.size) == (4, 2)
    x = rng.normal(size=(9, 1))
    np.testing.assert_allclose(merged.predict(x), model.predict(x), rtol=1e-14)


def test_vectors_are_copies(model: Model) -> None:
    model.vectors[:] = 0.0
    assert np.any(model.vectors != 0.0)


def test_files_that_are_not_there_or_no_models(model: Model, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.safetensors") as caught:
        Model.load(tmp_path / "none.safetensors")
    assert caught.value.filename == str(tmp_path / "none.safetensors")
    with pytest.raises(FileNotFoundError) as failure:
        model.save(tmp_path / "no" / "such" / "folder" / "m.safetensors")
    assert ".part" not in str(failure.value)
    data = model.to_bytes()
    for length in range(0, len(data), 7):
        with pytest.raises(groat.ModelFileError):
            Model.from_bytes(data[:length])
    foreign = safetensors.numpy.save({"vectors": np.zeros((2, 2))})
    with pytest.raises(groat.ModelFileError, match="version"):
        Model.from_bytes(foreign)


def test_random_damage_never_panics(model: Model, rng: np.random.Generator) -> None:
    data = np.frombuffer(model.to_bytes(), dtype=np.uint8)
    for _ in range(2000):
        damaged = data.copy()
        places = rng.integers(0, len(data), size=rng.integers(1, 4))
        damaged[places] = rng.integers(0, 256, size=len(places))
        try:
            Model.from_bytes(damaged.tobytes())
        except groat.GroatError:
            pass
