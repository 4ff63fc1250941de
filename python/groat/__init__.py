"""Sparse, online and scalable kernel learning.

``Kernel`` says what k(x, y) is, and ``Model`` is the one fitted model f(x) = b + sum_i alpha_i k(v_i, x) with all that
surrounds it: it predicts, loads and saves. ``OnlineLearner`` learns from one sample at a time;
``compare`` and ``tune`` help to choose one.

The work is done by the compiled module ``groat._groat``, the engine. It also holds the methods that learn from all
data at once, ``BatchLearner`` and ``KernelPca``; estimators in the manner of scikit-learn and river, with public names
of their own, have their place in ``groat/estimators/`` on top of it. Exceptions are in ``groat.errors``.
"""

from groat._groat import (
    Kernel,
    Model,
    OnlineLearner,
    Step,
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
from groat.streams import compare, tune

__all__ = [
    "DataError",
    "GroatError",
    "Kernel",
    "MemoryLimitError",
    "Model",
    "ModelFileError",
    "NotFiniteError",
    "NotFittedError",
    "NumericalError",
    "OnlineLearner",
    "ParameterError",
    "ShapeError",
    "Step",
    "StoppedError",
    "__version__",
    "algorithm_settings",
    "algorithms",
    "compare",
    "set_threads",
    "threads",
    "tune",
    "tune_support",
]
