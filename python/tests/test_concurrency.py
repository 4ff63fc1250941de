"""The interpreter stays free, fits can be watched and interrupted, forks work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import groat
import numpy as np
import pytest
from engine import KernelRidge
from groat import Kernel
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Minutes of work, with a look at whether to stop between one width and the next.
MANY_WIDTHS = np.geomspace(0.01, 100.0, 2000)
# Nothing that works takes as long as this, on whatever machine.
FOREVER = 600


def ticks_during(work: Callable[[], object]) -> int:
    """How often another thread gets to run while the work is being done."""
    ticks: list[float] = []
    over = threading.Event()

    def tick() -> None:
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.perf_counter()
    work()
    end = time.perf_counter()
    over.set()
    ticker.join()
    return sum(begin < t < end for t in ticks)


def test_other_threads_run_during_the_work(rng: np.random.Generator) -> None:
    kernel = Kernel.gaussian(1.0)
    # Held throughout, the lock would let at most one tick through at either end, however long the work takes; so it
    # may take longer and longer, until a machine that is fast or busy ticks often enough.
    for rows in (20_000, 40_000, 80_000, 160_000):
        x, weights = rng.normal(size=(rows, 8)), rng.normal(size=rows)
        ticks = ticks_during(lambda: kernel.weighted_sum(x, x, weights))
        if ticks > 5:
            return
    pytest.fail(f"only {ticks} ticks")


def test_two_threads_make_progress_together(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    learner = KernelRidge(width=1.0, ridge=0.1)
    expected = learner.fit(x, y).predict(x)
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(lambda: KernelRidge(width=1.0, ridge=0.1).fit(x, y).predict(x)) for _ in range(8)]
        shared = [pool.submit(learner.predict, x) for _ in range(8)]
        again = [pool.submit(learner.fit, x, y) for _ in range(2)]
    for future in fits + shared:
        np.testing.assert_array_equal(future.result(), expected)
    assert all(future.result() is learner for future in again)


def test_progress_is_reported_by_the_calling_thread(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    heard: list[tuple[str, int, int | None, str]] = []

    def progress(stage: str, done: int, total: int | None, detail: str) -> None:
        assert threading.current_thread() is threading.main_thread()
        heard.append((stage, done, total, detail))

    KernelRidge().fit(x, y, progress=progress)
    assert {"choosing the width", "solving"} <= {stage for stage, *_ in heard}
    assert all(total is None or 0 <= done <= total for _, done, total, _ in heard)


def test_progress_can_stop_the_fit(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(800, 2)), rng.normal(size=800)

    heard = []

    def stop(*news: object) -> bool:
        heard.append(news)
        return False

    so_far = KernelRidge(width=MANY_WIDTHS).fit(x, y, progress=stop)
    assert len(heard) < len(MANY_WIDTHS) and so_far.predict(x).shape == (800,)

    def fail(*news: object) -> None:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        KernelRidge(width=MANY_WIDTHS).fit(x, y, progress=fail)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("told", [True, False])
def test_an_interrupt_ends_a_long_fit(rng: np.random.Generator, told: bool) -> None:
    x, y = rng.normal(size=(800, 2)), rng.normal(size=800)
    learner = KernelRidge(width=MANY_WIDTHS)
    begun = threading.Event()
    most = 0

    def progress(stage: str, done: int, total: int | None, detail: str) -> None:
        nonlocal most
        most = max(most, done)
        begun.set()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    # A process started in the background may have been told to ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            if told:
                learner.fit(x, y, progress=progress)
            else:
                # Without a callback the fit shows no sign of having begun; the signal may also come just before.
                begun.set()
                learner.fit(x, y)
    finally:
        begun.set()
        sender.join()
        signal.signal(signal.SIGINT, before)
    assert most < len(MANY_WIDTHS) and not learner.is_fitted


def _child(x: Array, queue: multiprocessing.Queue[float]) -> None:
    queue.put(float(Kernel.gaussian(1.0).gram(x).sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_gets_threads_of_its_own(rng: np.random.Generator) -> None:
    x = rng.normal(size=(500, 3))
    expected = float(Kernel.gaussian(1.0).gram(x).sum())
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[float] = context.Queue()
    process = context.Process(target=_child, args=(x, queue))
    process.start()
    try:
        assert queue.get(timeout=FOREVER) == expected
    finally:
        process.join(FOREVER)
        if process.is_alive():
            process.kill()


def test_limits_of_the_callers_are_followed() -> None:
    import threadpoolctl
    from groat import _groat
    from groat.estimators._engine import threads_of

    before = groat.threads()
    with threads_of(3):
        assert groat.threads() == 3
        with ThreadPoolExecutor(1) as other:
            assert other.submit(groat.threads).result() == before
    with threads_of(-1):
        assert groat.threads() == len(os.sched_getaffinity(0))
    assert groat.threads() == before and _groat.limit_threads(None) is None
    with threadpoolctl.threadpool_limits(limits=1):
        assert groat.threads() == 1
    assert groat.threads() == before


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"])
def test_the_environment_is_followed(name: str) -> None:
    code = "import groat; print(groat.threads())"
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", code], env={**kept, name: "3"}, capture_output=True, text=True)
    assert done.stdout == "3\n", done.stderr


def test_the_number_of_threads_never_changes_a_result(rng: np.random.Generator) -> None:
    x = rng.normal(size=(300, 4))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    one, three = groat.SparseRegressor(n_jobs=1).fit(x, y), groat.SparseRegressor(n_jobs=3).fit(x, y)
    assert one.model_ == three.model_
    np.testing.assert_array_equal(one.predict(x), three.predict(x))


def test_importing_brings_in_nothing_but_numpy() -> None:
    code = """
import sys, groat
heavy = {"sklearn", "scipy", "pandas", "polars", "river", "matplotlib", "joblib"} & set(sys.modules)
assert not heavy, heavy
assert "SVC" in dir(groat)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("name", "package"), [("SVC", "sklearn"), ("river", "river")])
def test_what_is_missing_is_named(name: str, package: str) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
try:
    from groat import {name}
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install groat[{package}]" in done.stdout, done.stdout + done.stderr


# Those that tell of each width that was tried.
LONG = ["KernelRidge", "LSSVMClassifier", "NuSVR", "NystromRegressor", "RandomFeatureClassifier", "SVC", "SVR", "SparseClassifier"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_a_long_fit_of_every_kind(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    class Listener:
        def __init__(self, name: str) -> None: ...

        def __call__(self, stage: str, done: int, total: int | None, detail: str) -> None:
            begun.set()

        def close(self) -> None: ...

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("groat.estimators._base.ProgressBar", Listener)
    x = rng.normal(size=(300, 4))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = threading.Thread(target=interrupt)
    sender.start()
    model = getattr(groat, name)(verbose=1, width=list(MANY_WIDTHS))
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(x, (x[:, 0] + x[:, 1] ** 2 > 1).astype(int))
    finally:
        begun.set()
        sender.join()
        signal.signal(signal.SIGINT, before)
    assert not hasattr(model, "_learner")
