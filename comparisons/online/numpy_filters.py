"""The same recursions in NumPy, as a careful user would write them.

Arrays are allocated once, products go through BLAS (one thread), nothing is copied that need not be. Kernel values
come from differences, as groat computes them: the expanded square |v|^2 - 2 v.x + |x|^2 is a little faster in NumPy
at m = 100 (and up to 1.6 times as fast at m = 500), but loses half of the digits of nearby vectors, which is where the inverse
Gram matrix needs them. Symmetric updates (dsyr, dsymv) are not within reach of NumPy.
"""

import time

import numpy as np


class Dictionary:
    """Room for `most` vectors."""

    def __init__(self, most, d, gamma):
        self.v, self.alpha = np.zeros((most, d)), np.zeros(most)
        self.gamma, self.m = gamma, 0

    def row(self, x):
        difference = self.v[: self.m] - x
        square = np.einsum("ij,ij->i", difference, difference)
        square *= -self.gamma
        return np.exp(square, out=square)

    def push(self, x, alpha):
        self.v[self.m], self.alpha[self.m] = x, alpha
        self.m += 1

    def remove(self, r):
        m = self.m
        self.v[r : m - 1], self.alpha[r : m - 1] = self.v[r + 1 : m], self.alpha[r + 1 : m]
        self.m = m - 1


def grow(q, k, nu, s, m):
    """The inverse of the Gram matrix with one row more, in place."""
    q[:m, :m] += np.outer(nu, nu / s)
    q[:m, m] = q[m, :m] = -nu / s
    q[m, m] = 1.0 / s


class Krls(Dictionary):
    def __init__(self, most, d, gamma, nu):
        super().__init__(most, d, gamma)
        self.q, self.p, self.threshold = np.zeros((most, most)), np.zeros((most, most)), nu

    def learn(self, x, y):
        m, k = self.m, self.row(x)
        error = y - k @ self.alpha[:m]
        a = self.q[:m, :m] @ k
        s = 1.0 - k @ a
        if s > self.threshold and m < len(self.v):
            grow(self.q, k, a, s, m)
            self.p[m, m] = 1.0
            self.alpha[:m] -= a * (error / s)
            self.push(x, error / s)
            return
        pa = self.p[:m, :m] @ a
        gain = pa / (1.0 + a @ pa)
        self.p[:m, :m] -= np.outer(gain, pa)
        self.alpha[:m] += (self.q[:m, :m] @ gain) * error


def cut(a, r, m):
    """The symmetric matrix of order m without row and column r, in place."""
    a[r : m - 1, :m] = a[r + 1 : m, :m]
    a[:m, r : m - 1] = a[:m, r + 1 : m]


class Spl(Dictionary):
    """Sequential projections under a coherence criterion; the first `most` samples enter unconditionally. When a
    sample enters a full dictionary, the older of the two most coherent vectors leaves."""

    def __init__(self, most, d, gamma, eta, mu0, floor):
        super().__init__(most + 1, d, gamma)
        self.q, self.gram = np.zeros((most + 1, most + 1)), np.zeros((most + 1, most + 1))
        self.most, self.eta, self.mu0, self.floor = most, eta, mu0, floor

    def learn(self, x, y):
        m, k = self.m, self.row(x)
        prediction = k @ self.alpha[:m]
        step = self.eta * (y - prediction)
        nu = self.q[:m, :m] @ k
        s = 1.0 - k @ nu
        if s > self.floor and (m < self.most or k.max() < self.mu0):
            grow(self.q, k, nu, s, m)
            # The diagonal stays 0: the largest element is the coherence of the dictionary.
            self.gram[m, :m] = self.gram[:m, m] = k
            self.push(x, step)
            if self.m > self.most:
                self.evict()
        else:
            self.alpha[:m] += step * nu
        return prediction

    def evict(self):
        m = self.m
        r = min(np.unravel_index(np.argmax(self.gram[:m, :m]), (m, m)))
        column, pivot = self.q[:m, r].copy(), self.q[r, r]
        self.alpha[:m] -= (self.alpha[r] / pivot) * column
        self.q[:m, :m] -= np.outer(column, column / pivot)
        cut(self.q, r, m)
        cut(self.gram, r, m)
        self.gram[m - 1, :m] = self.gram[:m, m - 1] = 0.0
        self.remove(r)


class KlmsCoherence(Dictionary):
    def __init__(self, most, d, gamma, eta, mu0):
        super().__init__(most, d, gamma)
        self.eta, self.mu0 = eta, mu0

    def learn(self, x, y):
        m, k = self.m, self.row(x)
        error = y - k @ self.alpha[:m]
        novel = m == 0 or k.max() < self.mu0
        self.alpha[:m] += (self.eta * error) * k
        if novel and m < len(self.v):
            self.push(x, self.eta * error)


def measure(learner, x, y, passes, timed):
    """The size, and the least microseconds per sample over `timed` samples after one whole pass."""
    for row, target in zip(x, y):
        learner.learn(row, target)
    best = float("inf")
    for _ in range(passes):
        begin = time.perf_counter()
        for row, target in zip(x[:timed], y[:timed]):
            learner.learn(row, target)
        best = min(best, (time.perf_counter() - begin) / timed)
    return {"size": learner.m, "microseconds": 1e6 * best}
