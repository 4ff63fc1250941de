"""Kernels as scikit-learn's users name them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from groat._groat import Kernel
from groat.estimators._engine import Rows

_SPELLINGS = {"rbf": "gaussian", "poly": "polynomial"}
_WITHOUT_WIDTH = ("polynomial", "sigmoid", "linear")


def variance(given: Any) -> float:
    """The variance of all numbers of an array or sparse matrix."""
    if sparse.issparse(given):
        mean = float(given.mean())
        return float(given.multiply(given).mean()) - mean * mean
    return float(np.asarray(given).var(dtype=np.float64))


def gamma_of(gamma: Any, rows: Rows, features: int, standardise: bool) -> float:
    """A number for "scale" and "auto", as scikit-learn has them, for features as the kernel sees them."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / features
    if gamma != "scale":
        raise ValueError(f"gamma = {gamma!r} is not allowed: 'scale', 'auto', a number above 0, or None to have it found")
    if isinstance(rows.given, dict) or (standardise and not sparse.issparse(rows.given)):
        return 1.0 / features
    spread = variance(rows.given)
    return 1.0 / (features * spread) if spread > 0 else 1.0


def kernel_of(estimator: Any, rows: Rows, features: int) -> Kernel | str | None:
    """The kernel of an estimator; one whose width is left open is a text without it, and none leaves it to the method."""
    kernel, gamma, width = estimator.kernel, estimator.gamma, estimator.width
    if kernel is None:
        if gamma is None:
            return None
        kernel = "rbf"
    if isinstance(kernel, Kernel):
        if gamma is not None or width is not None:
            raise ValueError("gamma and width belong to a kernel given by its name; this one has its own")
        return kernel
    if not isinstance(kernel, str):
        raise ValueError(
            f"kernel = {kernel!r} is not allowed: a name such as 'rbf', a text such as 'matern32:width=2', or a groat.Kernel"
        )
    if kernel == "precomputed":
        raise ValueError("kernel = 'precomputed' is not offered: the engine works the kernel out itself, block by block")
    name, _, values = kernel.partition(":")
    name = _SPELLINGS.get(name, name)
    if values:
        return f"{name}:{values}"
    if name == "linear":
        return name
    if name in _WITHOUT_WIDTH:
        scale = gamma_of("scale" if gamma is None else gamma, rows, features, estimator.standardise)
        degree = f"degree={estimator.degree}," if name == "polynomial" else ""
        return f"{name}:{degree}scale={scale!r},offset={float(estimator.coef0)!r}"
    if gamma is None:
        return name
    if width is not None:
        raise ValueError("give either gamma or width: gamma = 1 / (2 width^2)")
    if name == "gaussian":
        scale = gamma_of(gamma, rows, features, estimator.standardise)
        return f"gaussian:gamma={scale!r}"
    if name == "laplacian":
        return f"laplacian:gamma={gamma_of(gamma, rows, features, estimator.standardise)!r}"
    raise ValueError(f"gamma is for 'rbf', 'laplacian', 'poly' and 'sigmoid'; {name} takes a width")
