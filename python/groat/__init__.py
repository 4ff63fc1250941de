"""Sparse, online and scalable kernel learning.

``Kernel`` says what k(x, y) is, and ``Expansion`` is the one fitted model f(x) = b + sum_i alpha_i k(v_i, x).
Learners make one: ``OlsRegressor``, ``OlsClassifier`` and ``OlsDensity`` (few vectors, chosen by leave-one-out),
``LeastSquaresSvm`` and ``KernelRidge`` (all vectors) from all data at once, ``OnlineLearner`` from one sample at a
time. ``KernelPca`` finds principal components.

The work is done by the compiled module ``groat._groat``; exceptions are in ``groat.errors``. Estimators in the
manner of scikit-learn and river have their place in ``groat/estimators/``, on top of what is here; nothing
here depends on them.
"""

from groat._groat import (
    BatchLearner,
    Expansion,
    Kernel,
    KernelPca,
    KernelRidge,
    LeastSquaresSvm,
    OlsClassifier,
    OlsDensity,
    OlsRegressor,
    OnlineLearner,
    Step,
    Trial,
    __version__,
    algorithm_settings,
    algorithms,
    set_threads,
    threads,
    tune_support,
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
    "KernelPca",
    "KernelRidge",
    "LeastSquaresSvm",
    "MemoryLimitError",
    "ModelFileError",
    "NotFiniteError",
    "NotFittedError",
    "NumericalError",
    "OlsClassifier",
    "OlsDensity",
    "OlsRegressor",
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
    "tune_support",
]
