"""Fits on a cluster give what one machine gives, whoever holds the rows and whoever is lost on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array
import groat
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from groat._groat import BatchLearner
from groat.distributed import ParquetPart, Serial, fit, fit_parts
from groat.distributed._dask import DaskEngine
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Dask and its web server have warnings of their own.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with dask.config.set({"distributed.worker.daemon": False}):
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                yield client


def rows(n: int = 3000) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    x = rng.normal(loc=[5.0, -200.0, 0.0], scale=[1.0, 30.0, 0.01], size=(n, 3))
    z = (x - [5.0, -200.0, 0.0]) / [1.0, 30.0, 0.01]
    return x, np.sin(2 * z[:, 0]) + z[:, 1] * z[:, 2] + 0.1 * rng.normal(size=n)


def split(x: Array, y: Any, bounds: list[int]) -> Serial:
    edges = [0, *bounds, len(x)]
    return Serial([(x[a:b], y[a:b]) for a, b in zip(edges, edges[1:])])


def apart(one: Any, other: Any) -> float:
    """The relative difference of the coefficients of two models, whose vectors stand in the same order."""
    np.testing.assert_allclose(one.model.vectors, other.model.vectors, rtol=1e-10)
    a, b = one.model.weights, other.model.weights
    return float(np.linalg.norm(a - b) / np.linalg.norm(a))


@pytest.mark.parametrize("method", ["nystrom", "falkon"])
def test_parts_give_what_one_machine_gives(method: str) -> None:
    x, y = rows()
    settings: dict[str, Any] = {"rank": 60, "ridge": 0.1, "tolerance": 1e-12}
    # As they are, everything but the ridge is chosen, from the same rows.
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    alone = BatchLearner(method, standardise=False, **settings).fit(z, y)
    for bounds in ([], [1500], [1, 700, 701, 2990]):
        spread = fit_parts(split(z, y, bounds), method, standardise=False, **settings)
        assert str(spread.model.kernel) == str(alone.model.kernel)
        assert apart(alone, spread) < 1e-8
        assert spread.expected_error == pytest.approx(alone.expected_error, rel=1e-6)


@pytest.mark.parametrize("method", ["nystrom", "falkon", "rff"])
def test_standardised_parts_give_what_one_machine_gives(method: str) -> None:
    x, y = rows()
    both: list[dict[str, Any]] = [{"ridge": 0.1}, {}]
    for settings in both:
        alone = BatchLearner(method, rank=60, tolerance=1e-12, **settings).fit(x, y)
        spread = fit_parts(split(x, y, [1, 700, 701, 2990]), method, rank=60, **settings)
        assert str(spread.model.kernel) == str(alone.model.kernel)
        assert apart(alone, spread) < 1e-8


def test_choices_do_not_depend_on_the_parts() -> None:
    x, y = rows()
    reference = fit_parts(split(x, y, []), rank=50)
    shuffled = np.random.default_rng(0).permutation(len(x))
    assert reference.model.record["rows"] == 3000
    for bounds in ([300, 2000], [10, 20, 30, 2999]):
        assert apart(reference, fit_parts(split(x, y, bounds), rank=50)) < 1e-8
        assert apart(reference, fit_parts(split(x[shuffled], y[shuffled], bounds), rank=50)) < 1e-8
    deviation = float(np.std(y))
    assert reference.expected_error is not None and reference.expected_error < 0.3 * deviation
    other = groat.NystromRegressor(50).fit(x, y)
    assert abs(other.score(x, y) - 1 + np.mean((reference.predict(x) - y) ** 2) / deviation**2) < 0.02


def test_random_features_and_several_targets() -> None:
    x, y = rows(1500)
    both = np.column_stack([y, y**2])
    settings: dict[str, Any] = {"rank": 80, "ridge": 0.1, "tolerance": 1e-12, "kernel": "gaussian:width=1.5"}
    one = fit_parts(split(x, both, [700]), "rff", **settings)
    two = fit_parts(split(x, both, [1, 2, 1400]), "rff", **settings)
    np.testing.assert_allclose(one.predict(x), two.predict(x), rtol=1e-8, atol=1e-10)
    assert one.predict(x).shape == (1500, 2)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_classes_that_few_parts_have(loss: str) -> None:
    x, y = rows(1200)
    labels = np.where(y > 1, "high", np.where(y < -1, "low", "middle"))
    labels[:1190][labels[:1190] == "low"] = "middle"
    labels[-1] = "low"
    settings: dict[str, Any] = {"rank": 40, "ridge": 1.0, "loss": loss, "kernel": "gaussian:width=2", "estimate": False}
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    spread = fit_parts(split(z, labels, [400, 1195]), task="classification", standardise=False, **settings)
    alone = BatchLearner("nystrom", task="classification", standardise=False, tolerance=1e-12, **settings).fit(z, labels)
    assert list(spread.classes if spread.classes is not None else []) == ["high", "low", "middle"]
    assert apart(alone, spread) < 1e-8
    assert np.all(spread.predict(z) == alone.predict(z))


def test_wrong_parts_are_refused() -> None:
    x, y = rows(100)
    holes = x.copy()
    holes[70, 1] = np.nan
    with pytest.raises(groat.DataError, match="NaN"):
        fit_parts(split(holes, y, [50]), rank=10)
    with pytest.raises(groat.DataError, match="2 and 3 features|3 and 2 features"):
        fit_parts(Serial([(x[:50], y[:50]), (x[50:, :2], y[50:])]), rank=10)
    with pytest.raises(groat.DataError, match="no rows"):
        fit_parts(Serial([(x[:0], y[:0])]), rank=10)
    with pytest.raises(groat.ParameterError, match="nystrom, falkon or rff"):
        fit_parts(split(x, y, [50]), "sparse")

    class Broken(Serial):
        def reduce(self, work: Any, join: Any, *shared: Any) -> Any:
            if shared:
                raise OSError("the cable")
            return super().reduce(work, join)

    with pytest.raises(OSError, match="the cable"):
        fit_parts(Broken([(x, y)]), rank=10)


def test_every_collection_gives_the_same(client: Client, tmp_path: Path) -> None:
    import dask.dataframe

    x, y = rows()
    settings: dict[str, Any] = {"rank": 50, "ridge": 0.1, "kernel": "gaussian:width=1.5"}
    reference = fit_parts(split(x, y, []), **settings)
    # Chunks of x and y differ, and x is cut between its columns too.
    spread = fit(dask.array.from_array(x, chunks=(700, 2)), dask.array.from_array(y, chunks=500), **settings)
    assert apart(reference, spread) < 1e-8
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=y)
    table = dask.dataframe.from_pandas(frame, npartitions=5)
    named = fit(table, target="y", client=client, **settings)
    assert apart(reference, named) < 1e-8
    assert apart(reference, fit(table[["a", "b", "c"]], table["y"], **settings)) < 1e-8
    assert named.model.target_names == ["y"]
    paths = []
    for k, part in enumerate(np.array_split(np.arange(3000), 9)):
        paths.append(tmp_path / f"{k}.parquet")
        frame.iloc[part].to_parquet(paths[-1])
    iterative = fit(paths, target="y", method="falkon", **settings)
    assert apart(reference, iterative) < 1e-8
    named.model.save(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(groat.Model.load(tmp_path / "model.safetensors").values(x), named.model.values(x))
    with pytest.raises(groat.DataError, match="'kind' holds no numbers"):
        fit(dask.dataframe.from_pandas(frame.assign(kind="u"), npartitions=2), target="y")
    with pytest.raises(groat.DataError, match="no column 'z'"):
        fit(paths, target="z")
    with pytest.raises(groat.ParameterError, match="target is missing"):
        fit(paths)


class Fragile:
    """Rows whose reading kills the process that reads them, once, the third time that they are asked for."""

    def __init__(self, folder: Path, x: Array, y: Array) -> None:
        self.folder, self.x, self.y = folder, x, y

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        calls = len(list(self.folder.iterdir()))
        (self.folder / str(calls)).touch()
        if calls == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        yield self.x, self.y


def test_a_worker_that_dies_costs_time_alone(client: Client, tmp_path: Path) -> None:
    x, y = rows()
    settings: dict[str, Any] = {"rank": 50, "ridge": 0.1, "kernel": "gaussian:width=1.5"}
    for method in ("nystrom", "falkon"):
        folder = tmp_path / method
        folder.mkdir()
        parts: list[Any] = [(x[a : a + 500], y[a : a + 500]) for a in range(0, 2500, 500)]
        parts.append(Fragile(folder, x[2500:], y[2500:]))
        engine = DaskEngine([dask.delayed(part, traverse=False) for part in parts], client)
        survived = fit_parts(engine, method, **settings)
        assert len(list(folder.iterdir())) > 3, "the worker died in the middle and its part was asked again"
        assert apart(fit_parts(split(x, y, []), method, **settings), survived) < 1e-8


def test_a_file_is_read_in_batches(tmp_path: Path) -> None:
    x, y = rows(1000)
    path = tmp_path / "rows.parquet"
    pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=y).to_parquet(path)
    blocks = list(ParquetPart(str(path), ("a", "c"), ("y",), batch=300))
    assert [len(block[0]) for block in blocks] == [300, 300, 300, 100]
    np.testing.assert_array_equal(np.concatenate([block[0] for block in blocks]), x[:, [0, 2]])
