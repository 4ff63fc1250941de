"""Timing that is fair on a machine that does other things too, verdicts, and our own programs, built."""

from __future__ import annotations

import datetime
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Timed:
    """The least time of several runs, the least CPU time of all threads together, and the last result."""

    seconds: float
    cpu_seconds: float
    result: Any

    def __str__(self) -> str:
        return f"{self.seconds:.4f} s ({self.cpu_seconds:.4f} s of CPU)"


def race(repeats: int, *contenders: Callable[[], Any]) -> list[Timed]:
    """Runs the contenders in turn, `repeats` times round, and keeps the least time of each.

    Taking turns makes a slow spell of the machine hit all alike; the least time is the one that was
    disturbed least. The CPU time tells how much of a time was waiting for others.
    """
    best = [Timed(float("inf"), float("inf"), None) for _ in contenders]
    for _ in range(repeats):
        for timed, contender in zip(best, contenders):
            timed.result = None  # a large result must not be alive twice
            begin, cpu = time.perf_counter(), time.process_time()
            timed.result = contender()
            timed.seconds = min(timed.seconds, time.perf_counter() - begin)
            timed.cpu_seconds = min(timed.cpu_seconds, time.process_time() - cpu)
    return best


def example(name: str) -> pathlib.Path:
    """Builds one of the library's example programs and says where it is. GROAT_PROFILE=dev takes the development build, which
    is there already where the tests have been run: for ratios on the way, not for the record."""
    root = pathlib.Path(__file__).resolve().parents[1]
    profile = os.environ.get("GROAT_PROFILE", "release")
    build = ["cargo", "build", "--quiet", "--profile", profile, "--workspace", "--all-features", "--example", name]
    subprocess.run(build, cwd=root, check=True)
    return root / "target" / ("debug" if profile == "dev" else profile) / "examples" / name


class _Both:
    """Writes to two files at once."""

    def __init__(self, *files) -> None:
        self.files = files

    def write(self, text: str) -> int:
        for file in self.files:
            file.write(text)
            file.flush()
        return len(text)

    def flush(self) -> None:
        for file in self.files:
            file.flush()


def keep(name: str) -> None:
    """From here on what is printed also goes to comparisons/runs/<today>/NAME.txt."""
    folder = pathlib.Path(__file__).resolve().parent / "runs" / datetime.date.today().isoformat()
    folder.mkdir(parents=True, exist_ok=True)
    sys.stdout = _Both(sys.stdout, (folder / f"{name}.txt").open("w"))


class Verdicts:
    """Prints what was found beside what was aimed at, and remembers whether all aims were met."""

    def __init__(self) -> None:
        self.met = True

    def at_least(self, what: str, found: float, target: float) -> None:
        self._say(what, f"{found:.2f}", f">= {target:g}", found >= target)

    def at_most(self, what: str, found: float, target: float) -> None:
        self._say(what, f"{found:.3g}", f"<= {target:g}", found <= target)

    def _say(self, what: str, found: str, target: str, met: bool) -> None:
        self.met = self.met and met
        print(f"  {what:<58} {found:>10}   target {target:<9} {'met' if met else 'NOT MET'}")

    def exit_code(self) -> int:
        return 0 if self.met else 1
