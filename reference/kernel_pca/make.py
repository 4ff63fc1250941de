"""Components of kernel PCA computed by scikit-learn, for the tests of groat.

Writes kernel_pca.json next to this file:  python reference/kernel_pca/make.py
Made with scikit-learn 1.9.1, NumPy 2.4.6.
"""

import json
import pathlib

import numpy as np
from sklearn.decomposition import KernelPCA

rng = np.random.default_rng(20)
centres = np.array([[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]])
x = np.repeat(centres, 20, axis=0) + 0.1 * rng.standard_normal((60, 2))
new = rng.uniform(-1, 1, (10, 2))
width, support, power = 0.35, 0.8, 3


def compact(a, b):
    r = np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))
    return np.clip(1 - r / support, 0, None) ** power * np.exp(-(r**2) / (2 * width**2))


cases = {}
gaussian = KernelPCA(n_components=5, kernel="rbf", gamma=1 / (2 * width**2), eigen_solver="dense").fit(x)
cases[f"gaussian:width={width}"] = (gaussian.eigenvalues_, gaussian.transform(new))
tapered = KernelPCA(n_components=5, kernel="precomputed", eigen_solver="dense").fit(compact(x, x))
cases[f"gaussian:width={width},support={support},power={power}"] = (
    tapered.eigenvalues_,
    tapered.transform(compact(new, x)),
)
out = {
    "x": x.tolist(),
    "new": new.tolist(),
    "cases": {k: {"eigenvalues": v[0].tolist(), "transformed": v[1].tolist()} for k, v in cases.items()},
}
path = pathlib.Path(__file__).with_name("kernel_pca.json")
path.write_text(json.dumps(out, indent=0))
