"""What it costs to cross from Python into the engine, and to import it.

    comparisons/run python/crossing

A filter of two features whose dictionary has come to rest at few vectors, so that a step costs next to nothing: the time of
a call of ``learn_one`` with a NumPy row, less that of the same step inside ``learn_many``, is what crossing costs. The least
of several runs. For batch calls, the time of predicting rows one call at a time less that of one call for all.
"""

import subprocess
import sys
import timeit

import numpy as np

import groat


def least(work, number, repeats=7):
    return min(timeit.repeat(work, number=number, repeat=repeats)) / number


def main():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2000, 2)), rng.normal(size=2000)
    rows, targets = list(x), y.tolist()
    met = True
    for name, options in (("lms", {}), ("knlms", {"mu0": 0.1})):
        learner = groat.OnlineLearner(name, standardise=False, **options).partial_fit(x, y)

        def singly(learner=learner):
            learn = learner.learn_one
            for row, target in zip(rows, targets, strict=True):
                learn(row, target)

        one = 1e6 * least(singly, 1) / len(rows)
        many = 1e6 * least(lambda learner=learner: learner.learn_many(x, y), 1) / len(rows)
        print(f"{name:8} {learner.size:3} vectors: learn_one {one:.2f} us, inside learn_many {many:.2f} us, crossing {one - many:.2f} us")
        met &= one - many <= 2.0
    model = groat.OnlineLearner("knlms", mu0=0.1).partial_fit(x, y).snapshot()
    single = 1e6 * least(lambda: model.predict(x[:1]), 200)
    print(f"model.predict of one row: {single:.1f} us a call; of {len(x)} rows: {1e6 * least(lambda: model.predict(x), 20):.0f} us")

    def imported(code):
        call = [sys.executable, "-c", f"import time, numpy; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"]
        return min(float(subprocess.run(call, capture_output=True, text=True, check=True).stdout) for _ in range(7))

    seconds = imported("import groat")
    print(f"import groat, beyond NumPy: {1000 * seconds:.0f} ms (at most 150 wanted)")
    met &= seconds <= 0.150
    print("met" if met else "NOT MET")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
