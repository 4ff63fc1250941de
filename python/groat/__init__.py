"""Sparse, online and scalable kernel learning.

``Kernel`` says what k(x, y) is, and ``Expansion`` is the one fitted model f(x) = b + sum_i alpha_i k(v_i, x).
Learners make one: ``KernelRidge`` from all data at once, ``OnlineLearner`` from one sample at a time.

The work is done by the compiled module ``groat._groat``; exceptions are in ``groat.errors``. Estimators in the
manner of scikit-learn and river have their place in ``groat/estimators/``, on top of what is here; nothing
here depends on them.
"""

from groat._groat import (
    BatchLearner,
    Expansion,
    Kernel,
    KernelRidge,
    OnlineLearner,
    Step,
    Trial,
    __version__,
    algorithm_settings,
    algorithms,
    set_threads,
    threads,
)
from groat.errors import (
    DataError,
    GroatError,
    MemoryLimitError,
    ModelFileError,
    NotFiniteError,
    NotFittedError,
    NumericalError,
    ParameterError,
    ShapeError,
    StoppedError,
)

__all__ = [
    "BatchLearner",
    "DataError",
    "Expansion",
    "GroatError",
    "Kernel",
    "KernelRidge",
    "MemoryLimitError",
    "ModelFileError",
    "NotFiniteError",
    "NotFittedError",
    "NumericalError",
    "OnlineLearner",
    "ParameterError",
    "ShapeError",
    "Step",
    "StoppedError",
    "Trial",
    "__version__",
    "algorithm_settings",
    "algorithms",
    "set_threads",
    "threads",
]
