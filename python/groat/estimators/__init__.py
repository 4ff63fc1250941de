"""Estimators in the manner of scikit-learn: thin, over the engine. ``groat.SVC`` is ``groat.estimators.SVC``.

All take NumPy arrays of any type and order, SciPy's sparse matrices, and frames of pandas and polars with text columns.
``model_`` is a ``groat.Model`` that the command reads, with the names of the columns and their categories in it.
"""

from groat.estimators import _limits
from groat.estimators.components import KernelPCA
from groat.estimators.features import (
    Nystroem,
    NystromClassifier,
    NystromRegressor,
    RandomFeatureClassifier,
    RandomFeatureRegressor,
    RandomFeatures,
)
from groat.estimators.linear import LinearSVC, LinearSVR, LogisticRegression
from groat.estimators.online import OnlineClassifier, OnlineRegressor
from groat.estimators.ridge import KernelRidge, LSSVMClassifier, LSSVMRegressor
from groat.estimators.sparse import SparseClassifier, SparseDensity, SparseRegressor
from groat.estimators.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
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
]

_limits.register()
