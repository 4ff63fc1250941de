"""Sparse, online and scalable kernel learning.

``Kernel`` says what k(x, y) is, ``Expansion`` is the one fitted model f(x) = b + sum_i alpha_i k(v_i, x), and
learners such as ``KernelRidge`` make one. The work is done by the compiled module ``groat._groat``; exceptions
are in ``groat.errors``. Estimators in the manner of scikit-learn and river have their place in
``groat/estimators/``, on top of what is here; nothing here depends on them.
"""

from groat._groat import (
    Expansion,
    Kernel,
    KernelRidge,
    Learner,
    Trial,
    __version__,
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
    "DataError",
    "Expansion",
    "GroatError",
    "Kernel",
    "KernelRidge",
    "Learner",
    "MemoryLimitError",
    "ModelFileError",
    "NotFiniteError",
    "NotFittedError",
    "NumericalError",
    "ParameterError",
    "ShapeError",
    "StoppedError",
    "Trial",
    "__version__",
    "set_threads",
    "threads",
]
