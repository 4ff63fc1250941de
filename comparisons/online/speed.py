"""Online learners: groat beside dlib's krls and NumPy on the same stream, in the same run, on one core.

    comparisons/run online/speed [--dlib INCLUDE_FOLDER] [--blas LINKER_FLAGS]

Mackey-Glass series, 7 lags, one step ahead. Each program passes over the stream once to fill its dictionary,
then is timed per sample in as many passes; contenders take turns and the least time of each counts. The thresholds are chosen so
that the dictionaries of krls hold about 100 and 500 vectors; dlib gets the same threshold. All of them get one
sample at a time; "rows at once" is groat's `learn_many`, which gives the same numbers and may look ahead. dlib's
headers are those of Debian's libdlib-dev; without them that part is reported as missing.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS="1")

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from common import Verdicts, example  # noqa: E402
from numpy_filters import KlmsCoherence, Krls, Spl, measure  # noqa: E402

BINARY = example("online_speed")
GAMMA, LAGS, ROWS = 4.0, 7, 4000
PASSES = 5
AT_ONCE = "microseconds_at_once"
# No sample is as far as this from a full dictionary, so that every step is a projection.
MU0 = 1e-12


def mackey_glass(length):
    """Delay 30, Euler steps of 0.1 s, a value every 6 s, history 1.2, the first 1000 s dropped."""
    steps, delay, dropped = 60, 300, 10_000
    x = np.full(delay + 1 + dropped + steps * length, 1.2)
    for t in range(dropped + steps * length):
        now, then = x[t + delay], x[t]
        x[t + delay + 1] = now + 0.1 * (0.2 * then / (1.0 + then**10) - 0.1 * now)
    return x[delay + dropped :: steps][:length]


def call(command):
    return json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True).stdout)


class Stream:
    def __init__(self, folder):
        series = mackey_glass(ROWS + LAGS)
        windows = np.lib.stride_tricks.sliding_window_view(series, LAGS + 1)
        self.x, self.y = windows[:, :LAGS].copy(), windows[:, LAGS].copy()
        self.file = folder / "stream.f64"
        np.ascontiguousarray(windows, "<f8").tofile(self.file)

    def groat(self, preset, settings, passes=PASSES):
        return call([BINARY, self.file, LAGS, f"gaussian:gamma={GAMMA}", preset, settings, passes])

    def threshold(self, preset, setting, m, low, high, grows):
        """The value of `setting` at which the dictionary holds about m vectors."""
        for _ in range(30):
            middle = (low * high) ** 0.5
            size = self.groat(preset, f"eta=0.01,{setting}={middle}" if preset == "klms-coherence" else f"{setting}={middle}", 1)["size"]
            if abs(size - m) <= m // 50:
                break
            low, high = (middle, high) if (size < m) == grows else (low, middle)
        return middle


def least(rounds):
    """Of several rounds of {name: result}, the least times of each name."""
    return {
        name: {key: min(r[name][key] for r in rounds) for key in rounds[0][name] if key != "bytes"}
        for name in rounds[0]
    }


def compile_dlib(include, blas, folder):
    """The programs that can be built: with dlib's own loops, and with a BLAS as Debian configures it."""
    flags = ["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", f"-I{include}", HERE / "dlib_krls.cpp"]
    kinds = {"dlib krls": ["-DWITHOUT_BLAS"], "dlib krls with BLAS": blas.split()}
    built = {}
    for name, more in kinds.items():
        program = folder / name.replace(" ", "_")
        if subprocess.run([*flags, *more, "-o", program, "-lpthread"], capture_output=True).returncode == 0:
            built[name] = program
    return built


def show(title, results):
    print(title)
    for name, result in results.items():
        at_once = f"   {result[AT_ONCE]:.3f} us with rows at once" if AT_ONCE in result else ""
        print(f"  {name:<24} {result['microseconds']:10.3f} us a sample   {result['size']:5d} vectors{at_once}")


def projection_family(stream, dlib, verdicts):
    # Short runs suffer more from a busy machine, so there are more of them.
    for m, against_dlib, rounds_wanted in ((100, 3, 9), (500, 2, 3)):
        nu = stream.threshold("krls-ald", "nu", m, 1e-9, 1.0, grows=False)
        spl = f"budget={m},mu0={MU0},floor=1e-9"
        rounds = []
        for _ in range(rounds_wanted):
            results = {"groat krls-ald": stream.groat("krls-ald", f"nu={nu}")}
            results["groat spl-coherence"] = stream.groat("spl-coherence", spl)
            for name, program in dlib.items():
                results[name] = call([program, stream.file, GAMMA, nu, PASSES])
            if m == 100:
                x, y = stream.x, stream.y
                results["NumPy krls"] = measure(Krls(m + m // 20, LAGS, GAMMA, nu), x, y, PASSES, 1000)
                results["NumPy spl"] = measure(Spl(m, LAGS, GAMMA, 0.45, MU0, 1e-9), x, y, PASSES, 1000)
            rounds.append(results)
        best = least(rounds)
        show(f"\nprojection family, m = {m}, nu = {nu:.3g}", best)
        time = {name: result["microseconds"] for name, result in best.items()}
        for ours in ("krls-ald", "spl-coherence"):
            for name in dlib:
                verdicts.at_least(f"{ours} against {name}", time[name] / time[f"groat {ours}"], against_dlib)
            if m == 100:
                peer = time["NumPy krls" if ours == "krls-ald" else "NumPy spl"]
                verdicts.at_least(f"{ours} against NumPy", peer / time[f"groat {ours}"], 20)
                at_once = best[f"groat {ours}"][AT_ONCE]
                verdicts.at_least(f"{ours} with rows at once against NumPy", peer / at_once, 20)


def klms_family(stream, verdicts):
    m = 500
    mu0 = stream.threshold("klms-coherence", "mu0", m, 0.01, 0.99999, grows=True)
    rounds = [
        {
            "groat klms-coherence": stream.groat("klms-coherence", f"eta=0.01,mu0={mu0}"),
            "NumPy klms-coherence": measure(KlmsCoherence(2 * m, LAGS, GAMMA, 0.01, mu0), stream.x, stream.y, PASSES, 2000),
        }
        for _ in range(9)
    ]
    best = least(rounds)
    show(f"\nKLMS family, mu0 = {mu0:.4g}", best)
    ratio = best["NumPy klms-coherence"]["microseconds"] / best["groat klms-coherence"]["microseconds"]
    verdicts.at_least("klms-coherence against NumPy", ratio, 12)


def reading(m):
    """Microseconds in which this core reads the numbers of a triangle of order m once, by BLAS' dot product."""
    numbers = np.ones(m * (m + 1) // 2)

    def once():
        begin = time.perf_counter()
        numbers.dot(numbers)
        return time.perf_counter() - begin

    return 1e6 * min(once() for _ in range(200))


def growth(stream, verdicts):
    """Exponents of m, fitted to sizes large enough that what is paid once per sample no longer counts."""
    sizes = (250, 500, 1000, 2000)
    families = {
        "klms-coherence (budget frozen)": ("klms-coherence", "eta=0.001,mu0=1,strategy=freeze,budget={}", 1, sizes),
        "krls-ald": ("krls-ald", "nu=1e-9,budget={}", 2, sizes[:3]),
        "spl-coherence": ("spl-coherence", "budget={}," + f"mu0={MU0},floor=1e-9", 2, sizes[:3]),
    }
    print("\ngrowth with m")
    for name, (preset, settings, order, chosen) in families.items():
        results = [min((stream.groat(preset, settings.format(m), 2) for _ in range(2)), key=lambda r: r["microseconds"]) for m in chosen]
        m, times = ([r[key] for r in results] for key in ("size", "microseconds"))
        exponent = np.polyfit(np.log(m), np.log(times), 1)[0]
        points = ", ".join(f"{a}: {b:.2f} us" for a, b in zip(m, times))
        print(f"  {name:<32} {points}")
        verdicts.at_most(f"{name}: exponent of m (order {order})", exponent, order + 0.25)
    # A step of spl-coherence reads one triangle, one of krls-ald two, of which it writes one: once they no longer fit
    # into the second cache, their times are those of the memory behind it.
    points = ", ".join(f"{m}: {reading(m):.2f} us" for m in sizes[:3])
    print(f"  {'reading one triangle of numbers':<32} {points}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dlib", default="/usr/include", help="folder that holds dlib/svm.h")
    parser.add_argument("--blas", default="-lopenblas", help="what links a BLAS")
    options = parser.parse_args()
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stream = Stream(folder)
        dlib = compile_dlib(options.dlib, options.blas, folder)
        for name in {"dlib krls", "dlib krls with BLAS"} - dlib.keys():
            print(f"{name} cannot be built (libdlib-dev, --dlib, --blas): not run, so the comparison is not complete")
            verdicts.met = False
        projection_family(stream, dlib, verdicts)
        klms_family(stream, verdicts)
        growth(stream, verdicts)
    return verdicts.exit_code()


if __name__ == "__main__":
    sys.exit(main())
