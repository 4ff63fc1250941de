"""The same recursions in NumPy, as a careful user would write them: arrays grown once, products by BLAS."""

import time

import numpy as np


class Dictionary:
    """Room for `most` vectors, with the squared norms that make a kernel row one product."""

    def __init__(self, most, d, gamma):
        self.v, self.square, self.alpha = np.zeros((most, d)), np.zeros(most), np.zeros(most)
        self.gamma, self.m = gamma, 0

    def row(self, x):
        m = self.m
        distance = self.square[:m] - 2.0 * (self.v[:m] @ x)
        distance += x @ x
        np.maximum(distance, 0.0, out=distance)
        distance *= -self.gamma
        return np.exp(distance, out=distance)

    def push(self, x, alpha):
        self.v[self.m], self.square[self.m], self.alpha[self.m] = x, x @ x, alpha
        self.m += 1


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


class Spl(Dictionary):
    """Sequential projections under a coherence criterion so strict that a full dictionary stays as it is."""

    def __init__(self, most, d, gamma, eta, mu0, floor):
        super().__init__(most, d, gamma)
        self.q, self.eta, self.mu0, self.floor = np.zeros((most, most)), eta, mu0, floor

    def learn(self, x, y):
        m, k = self.m, self.row(x)
        step = self.eta * (y - k @ self.alpha[:m])
        nu = self.q[:m, :m] @ k
        s = 1.0 - k @ nu
        if m < len(self.v) and s > self.floor:
            grow(self.q, k, nu, s, m)
            self.push(x, step)
            return
        if k.max() < self.mu0:
            raise NotImplementedError("a full dictionary that takes in a vector")
        self.alpha[:m] += step * nu


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
