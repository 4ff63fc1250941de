"""What may be handed to an estimator: frames with text, sparse matrices, any type and order of numbers."""

from __future__ import annotations

import subprocess
import tracemalloc
from pathlib import Path
from typing import Any

import groat
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from groat import GroatError
from numpy.typing import NDArray

Array = NDArray[np.float64]


@pytest.fixture
def houses(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Rents that depend on area and town, and a count that is a category."""
    towns = np.array(["Ulm", "Bonn", "Kiel"])[rng.integers(0, 3, 150)]
    area, floor = rng.uniform(20, 150, 150), rng.integers(0, 3, 150)
    rent = 10 * area + 500 * (towns == "Bonn") - 300 * (floor == 1) + rng.normal(0, 5, 150)
    frame = pd.DataFrame({"town": towns, "area": area, "floor": pd.Categorical(floor), "new": floor > 1})
    return frame, pd.Series(rent, name="rent")


def test_text_columns_are_categories(houses: tuple[Any, Any]) -> None:
    frame, rent = houses
    model = groat.SparseRegressor().fit(frame, rent)
    assert model.score(frame, rent) > 0.95
    assert list(model.feature_names_in_) == ["town", "area", "floor", "new"] and model.n_features_in_ == 4
    assert model.model_.columns == [
        ("town", ["Bonn", "Kiel", "Ulm"]), ("area", None), ("floor", ["0", "1", "2"]), ("new", None)
    ]  # fmt: skip
    assert model.model_.target_names == ["rent"]
    np.testing.assert_array_equal(model.model_.predict(frame), model.predict(frame))
    # A model by itself takes columns in any order, by name.
    np.testing.assert_array_equal(model.model_.predict(frame[["new", "floor", "area", "town"]]), model.predict(frame))


def test_polars_is_read_like_pandas(houses: tuple[Any, Any]) -> None:
    frame, rent = houses
    frame = frame.assign(floor=frame["floor"].astype(int))
    a = groat.KernelRidge().fit(frame, rent)
    same = pl.DataFrame({name: column.to_list() for name, column in frame.items()})
    b = groat.KernelRidge().fit(same, pl.Series("rent", rent.to_numpy()))
    assert a.model_ == b.model_
    np.testing.assert_array_equal(a.predict(frame), b.predict(same))


def test_columns_of_every_kind() -> None:
    from groat.frames import categorical_of, columns_of

    whole = pd.array([1, 2, None], dtype="Int64")
    frame = pd.DataFrame({
        "whole": whole, "flag": pd.array([True, False, None], dtype="boolean"), "text": ["x", None, "y"],
        "count": pd.Categorical([1.5, 2.5, 1.5]), "kind": pd.Categorical(["u", "v", None]), "single": np.array([1, 2, 3], dtype=np.float32),
    })  # fmt: skip
    found = columns_of(frame)
    assert found["text"] == ["x", None, "y"] and found["kind"] == ["u", "v", None]
    for name, values in {"whole": [1, 2, np.nan], "flag": [1, 0, np.nan], "count": [1.5, 2.5, 1.5]}.items():
        np.testing.assert_array_equal(found[name], values)
    assert isinstance(found["single"], np.ndarray) and found["single"].dtype == np.float32
    assert categorical_of(frame) == ["count"]
    columns = {"whole": [1, 2, None], "flag": [True, False, None], "text": ["x", None, "y"]}
    theirs = columns_of(pl.DataFrame(columns).with_columns(kind=pl.Series(["u", "v", None], dtype=pl.Categorical)))
    assert theirs["kind"] == ["u", "v", None] and theirs["text"] == found["text"]
    np.testing.assert_array_equal(theirs["flag"], found["flag"])
    for dates in (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}), pl.DataFrame({"day": pd.to_datetime(["2020-01-01"])})):
        with pytest.raises(ValueError, match="day.*leave it out"):
            columns_of(dates)


def test_columns_in_another_order_are_refused(houses: tuple[Any, Any]) -> None:
    frame, rent = houses
    model = groat.LSSVMRegressor().fit(frame, rent)
    for wrong in (frame[frame.columns[::-1]], frame.rename(columns={"town": "city"}), frame[["town", "area"]]):
        with pytest.raises(ValueError, match="feature names|features"):
            model.predict(wrong)


def test_unknown_and_missing_values_are_told(houses: tuple[Any, Any]) -> None:
    frame, rent = houses
    model = groat.SparseRegressor(estimate=False).fit(frame, rent)
    with pytest.raises(GroatError, match="Rome.*Bonn, Kiel, Ulm"):
        model.predict(frame.assign(town="Rome"))
    with pytest.raises(GroatError, match="row 1, column area.*missing"):
        model.predict(frame.assign(area=np.nan))
    with pytest.raises(GroatError, match="column town"):
        groat.SparseRegressor().fit(frame.assign(town=None), rent)


@pytest.mark.parametrize("task", ["regression", "classification", "components"])
def test_the_command_reads_the_same_table(command: str, houses: tuple[Any, Any], tmp_path: Path, task: str) -> None:
    frame, rent = houses
    if task == "components":
        model: Any = groat.KernelPCA(n_components=2, standardise=True).fit(frame)
        expected = model.transform(frame)
    elif task == "classification":
        dear = pd.Series(np.where(rent > rent.median(), "dear", "cheap"), name="price")
        model = groat.SVC(C=1.0, gamma="scale").fit(frame, dear)
        expected = model.predict(frame)
    else:
        model = groat.SparseRegressor(estimate=False).fit(frame, rent)
        expected = model.predict(frame)
    model.model_.save(tmp_path / "model.safetensors")
    frame.astype({"new": int})[["floor", "town", "new", "area"]].to_csv(tmp_path / "houses.csv", index=False)
    call = [command, "predict", str(tmp_path / "model.safetensors"), str(tmp_path / "houses.csv")]
    done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    if task == "classification":
        assert [row[0] for row in rows] == expected.tolist()
    else:
        np.testing.assert_allclose(np.squeeze(np.array(rows, dtype=float)), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", ["wave", "plane"])
def test_the_default_fit_is_the_commands(command: str, wave: tuple[Array, Array], shape: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(wave[0], columns=["a", "b"])
    noisy_plane = wave[0] @ [2.0, -1.0] + 0.1 * wave[1][::-1]
    target = pd.Series(wave[1] if shape == "wave" else noisy_plane, name="y")
    frame.assign(y=target).to_csv(tmp_path / "wave.csv", index=False)
    out = tmp_path / "model.safetensors"
    call = [command, "fit", str(tmp_path / "wave.csv"), "--target", "y", "--test", "0", "-o", str(out)]
    done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    theirs, ours = groat.Model.load(out), groat.SparseRegressor().fit(frame, target).model_
    assert theirs.kernel == ours.kernel
    # Neither is told which kernel to take.
    assert ours.kernel.name == ("linear" if shape == "plane" else "gaussian")
    np.testing.assert_array_equal(theirs.vectors, ours.vectors)
    np.testing.assert_array_equal(theirs.weights, ours.weights)
    assert theirs.columns == ours.columns and theirs.target_names == ours.target_names


@pytest.mark.parametrize("kind", [np.float32, np.int8, np.uint16, np.int64, bool, "fortran", "strided"])
def test_numbers_of_any_type_and_order(rng: np.random.Generator, kind: Any) -> None:
    x = rng.integers(0, 2 if kind is bool else 9, size=(60, 3)).astype(float)
    y = x @ [1.0, -2.0, 0.5]
    given: Any = {"fortran": np.asfortranarray(x), "strided": np.repeat(x, 2, axis=0)[::2]}.get(str(kind))
    given = x.astype(kind) if given is None else given
    plain, other = groat.KernelRidge(alpha=0.1, width=1.0).fit(x, y), groat.KernelRidge(alpha=0.1, width=1.0).fit(given, y)
    assert plain.model_ == other.model_
    np.testing.assert_array_equal(plain.predict(given), plain.predict(x))


def test_no_second_copy_of_the_whole(rng: np.random.Generator) -> None:
    """NumPy's allocations are counted: a conversion of the whole would be 32 MB."""
    x = rng.normal(size=(200_000, 20)).astype(np.float32)
    y = x[:, 0].astype(float)
    model = groat.LinearSVR(C=1.0, epsilon=0.5, max_iter=2)
    for work in ("fit", "predict"):
        tracemalloc.start()
        model.fit(x, y) if work == "fit" else model.predict(x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12e6, peak


@pytest.mark.parametrize("estimator", [groat.SVC(C=1.0), groat.LinearSVC(C=1.0), groat.SparseClassifier(estimate=False)])
def test_sparse_rows(rng: np.random.Generator, estimator: Any) -> None:
    """Very wide: filled with zeros, these rows would take 8 GB."""
    rows = sp.random_array((200, 5_000_000), density=4e-6, format="csr", rng=rng)
    kind = rng.integers(0, 2, 200)
    marks = sp.csr_array((np.ones(200), (np.arange(200), kind)), shape=rows.shape)
    x = (rows + 3.0 * marks).tocsr()
    model = estimator.fit(x, kind)
    assert model.score(x, kind) > 0.95
    np.testing.assert_array_equal(model.predict(x.tocoo().tocsc()), model.predict(x))


def test_sparse_and_dense_are_the_same(rng: np.random.Generator) -> None:
    x = rng.normal(size=(80, 6)) * (rng.random((80, 6)) < 0.4)
    y = x[:, 0] - x[:, 1]
    dense = groat.SVR(C=1.0, width=1.0, epsilon=0.1, standardise=False).fit(x, y)
    sparse = groat.SVR(C=1.0, width=1.0, epsilon=0.1, standardise=False).fit(sp.csr_array(x), y)
    np.testing.assert_allclose(sparse.predict(x), dense.predict(x), atol=2e-3)
    np.testing.assert_allclose(sparse.predict(sp.csc_array(x)), sparse.predict(x), atol=1e-12)


@pytest.mark.parametrize("as_polars", [False, True], ids=["pandas", "polars"])
def test_a_stream_takes_text_columns_and_levels_that_come_later(houses: tuple[Any, Any], as_polars: bool) -> None:
    frame, rent = houses

    def here(some: pd.DataFrame) -> Any:
        return pl.DataFrame({name: some[name].to_list() for name in some}) if as_polars else some

    model = groat.OnlineRegressor().partial_fit(here(frame[:100]), rent[:100])
    assert model.score(here(frame), rent) > 0.9
    known = model.predict(here(frame))

    # A town that nothing is known of is none of the others, and asking about it changes nothing.
    later = frame.assign(town="Jena")
    asked = model.predict(here(later))
    np.testing.assert_array_equal(model.predict(here(later)), asked)
    np.testing.assert_array_equal(model.predict(here(frame)), known)

    rent_there = 10 * frame["area"] - 2000
    for _ in range(3):
        model.partial_fit(here(later), rent_there).partial_fit(here(frame), rent)
    assert model.score(here(later), rent_there) > 0.9 and model.score(here(frame), rent) > 0.9
    lower, upper = model.predict_interval(here(later))
    assert np.all(lower < upper)

    # When all places are taken, a further town is none of those known.
    for town in "abcdefghij":
        model.partial_fit(here(frame[:2].assign(town=town)), rent[:2])
    np.testing.assert_array_equal(model.predict(here(frame.assign(town="j"))), model.predict(here(frame.assign(town="k"))))


def test_a_stream_says_what_is_wrong_with_a_column(houses: tuple[Any, Any]) -> None:
    frame, rent = houses
    model = groat.OnlineClassifier().fit(frame, rent > rent.median())
    assert model.score(frame, rent > rent.median()) > 0.9
    with pytest.raises(ValueError, match="column 'area' holds text, but held numbers"):
        model.predict(frame.assign(area="large"))
    many = pd.DataFrame({"id": [f"row {i}" for i in range(101)], "a": 1.0})
    with pytest.raises(ValueError, match="101 different texts, more than 100; leave it out"):
        groat.OnlineRegressor().fit(many, np.arange(101.0))
