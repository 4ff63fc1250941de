"""Every estimator passes scikit-learn's own checks. What is expected to fail is listed with its reason."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

import groat
import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

# As they stand, except that two whose search for a cost takes long are given one.
_GIVEN: dict[str, dict[str, Any]] = {"SVR": {"C": 1.0}, "NuSVR": {"C": 1.0}}
ESTIMATORS = [getattr(groat, name)(**_GIVEN.get(name, {})) for name in groat._ESTIMATORS]

_WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
_SEARCH = (
    "width, cost and ridge are searched for on parts of the rows, or by their distances, which depend on the rows that there "
    "are: a row of weight 2 is one row there. With these given, weights are repetitions for the estimators of "
    "test_weights_are_repetitions; not for the default fit, which also chooses vectors on parts of the rows, nor for "
    "OneClassSVM, whose rows on the boundary lie on either side of it by rounding"
)
EXPECTED: dict[str, dict[str, str]] = {
    name: dict.fromkeys(_WEIGHTS, _SEARCH) for name in groat._ESTIMATORS if not name.startswith(("Online", "KernelPCA", "SparseDensity"))
}
EXPECTED["NuSVC"]["check_class_weight_classifiers"] = (
    "with weights of 1000 and 0.0001 no share nu of violated margins can be had, which is told"
)


def expected(estimator: Any) -> dict[str, str]:
    return EXPECTED.get(type(estimator).__name__, {})


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)  # type: ignore[untyped-decorator]
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    try:
        check(estimator)
    except unittest.SkipTest as reason:
        # Arrays of other libraries are checked by scikit-learn only where this is set, which changes SciPy as a whole.
        assert "SCIPY_ARRAY_API" in str(reason)


_EXACT: dict[str, Any] = {"width": 1.0, "tol": 1e-12}
GIVEN = [
    groat.KernelRidge(alpha=0.1, width=1.0),
    groat.KernelRidge(alpha=0.1, solver="cg", **_EXACT),
    groat.KernelRidge(alpha=0.1, width=1.0, solver="nystrom"),
    groat.LSSVMClassifier(alpha=0.1, **_EXACT),
    groat.LSSVMRegressor(alpha=0.1, **_EXACT),
    groat.LinearSVC(C=1.0, tol=1e-12),
    groat.LinearSVR(C=1.0, epsilon=0.1, tol=1e-12),
    groat.LogisticRegression(C=1.0, tol=1e-12),
    groat.NuSVC(nu=0.1, **_EXACT),
    groat.NuSVR(C=1.0, **_EXACT),
    groat.NystromClassifier(alpha=0.1, width=1.0, estimate=False),
    groat.NystromRegressor(alpha=0.1, estimate=False, solver="falkon", **_EXACT),
    groat.RandomFeatureClassifier(100, alpha=0.1, width=1.0, estimate=False),
    groat.RandomFeatureRegressor(100, alpha=0.1, width=1.0, estimate=False),
    groat.SVC(C=1.0, **_EXACT),
    groat.SVR(C=1.0, epsilon=0.1, **_EXACT),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", _WEIGHTS)
@pytest.mark.parametrize("estimator", GIVEN, ids=lambda estimator: type(estimator).__name__)
def test_weights_are_repetitions(estimator: Any, check: str) -> None:
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)
