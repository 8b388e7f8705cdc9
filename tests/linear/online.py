"""Slow definitions of learning row by row, and rows to try them on."""

from __future__ import annotations

import numpy as np


def dot(x, w):
    """Eight running sums, column j in sum j mod 8, joined by halves: the order of additions that the core states."""
    sums = [0.0] * 8
    for j in range(len(x)):
        sums[j % 8] += x[j] * w[j]
    a, b, c, d = (sums[j] + sums[j + 4] for j in range(4))
    return (a + c) + (b + d)


def slow_perceptron(X, y, orders, eta=1.0, intercept=True, step=None):
    """Weights after every visit, and the mistakes of every pass. One vector for two classes, else one per class."""
    n_scores = 1 if y.max() <= 1 else y.max() + 1
    w, b = np.zeros((n_scores, X.shape[1])), np.zeros(n_scores)
    history, mistakes = [], []
    for order in orders:
        mistakes.append([])
        for i in order:
            factor = eta * (1.0 if step is None else step[i])
            scores = np.array([dot(X[i], w[k]) + b[k] for k in range(n_scores)])
            if n_scores == 1:
                sign = 1.0 if y[i] else -1.0
                changes = [(0, sign * factor)] if sign * scores[0] <= 0 else []
            else:
                others = np.where(np.arange(n_scores) == y[i], -np.inf, scores)
                best = int(others.argmax())
                changes = [(y[i], factor), (best, -factor)] if scores[y[i]] <= scores[best] else []
            if changes:
                mistakes[-1].append(int(i))
            for k, change in changes:
                w[k] += change * X[i]
                b[k] += change * intercept
            history.append((w.copy(), b.copy()))
    return history, mistakes


def whole_numbers(seed, n=40, d=5, n_classes=2, noise=0.0):
    """Rows of small whole numbers, which sums are exact for, and classes that a plane (or several) separates."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(float)
    planes = rng.normal(size=(n_classes, d))
    y = (X @ planes.T + noise * rng.normal(size=(n, n_classes))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X, y.astype(np.int32)
