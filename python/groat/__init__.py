"""Sparse, online and scalable kernel learning.

``Kernel`` says what k(x, y) is, and ``Model`` is the one fitted model f(x) = b + sum_i alpha_i k(v_i, x) with all that
surrounds it: it predicts, loads and saves. ``OnlineLearner`` learns from one sample at a time;
``compare`` and ``tune`` help to choose one. ``Statistics`` are sums over rows of features, to be added up in pieces and merged.

Estimators in the manner of scikit-learn (``SparseRegressor``, ``SVC``, ``KernelPCA``, ...) are imported when they are first
asked for, since scikit-learn is an extra: ``pip install groat[sklearn]``. Learners for river are in ``groat.river``.

The work is done by the compiled module ``groat._groat``, the engine. Exceptions are in ``groat.errors``.
"""

from typing import TYPE_CHECKING, Any

from groat._groat import (
    Kernel,
    Model,
    OnlineLearner,
    Statistics,
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

if TYPE_CHECKING:
    from groat.estimators import KernelPCA as KernelPCA
    from groat.estimators import KernelRidge as KernelRidge
    from groat.estimators import LSSVMClassifier as LSSVMClassifier
    from groat.estimators import LSSVMRegressor as LSSVMRegressor
    from groat.estimators import LinearSVC as LinearSVC
    from groat.estimators import LinearSVR as LinearSVR
    from groat.estimators import LogisticRegression as LogisticRegression
    from groat.estimators import NuSVC as NuSVC
    from groat.estimators import NuSVR as NuSVR
    from groat.estimators import Nystroem as Nystroem
    from groat.estimators import NystromClassifier as NystromClassifier
    from groat.estimators import NystromRegressor as NystromRegressor
    from groat.estimators import OneClassSVM as OneClassSVM
    from groat.estimators import OnlineClassifier as OnlineClassifier
    from groat.estimators import OnlineRegressor as OnlineRegressor
    from groat.estimators import RandomFeatureClassifier as RandomFeatureClassifier
    from groat.estimators import RandomFeatureRegressor as RandomFeatureRegressor
    from groat.estimators import RandomFeatures as RandomFeatures
    from groat.estimators import SVC as SVC
    from groat.estimators import SVR as SVR
    from groat.estimators import SparseClassifier as SparseClassifier
    from groat.estimators import SparseDensity as SparseDensity
    from groat.estimators import SparseRegressor as SparseRegressor

_ESTIMATORS = (
    "KernelPCA",
    "KernelRidge",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "NystromClassifier",
    "NystromRegressor",
    "OneClassSVM",
    "OnlineClassifier",
    "OnlineRegressor",
    "RandomFeatureClassifier",
    "RandomFeatureRegressor",
    "RandomFeatures",
    "SVC",
    "SVR",
    "SparseClassifier",
    "SparseDensity",
    "SparseRegressor",
)

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
    "Statistics",
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


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'groat' has no attribute {name!r}")
    try:
        from groat import estimators
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "scipy"):
            raise
        raise ImportError(f"groat.{name} needs scikit-learn: pip install groat[sklearn]") from error
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS})
