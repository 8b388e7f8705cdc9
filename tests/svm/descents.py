"""Sub-gradient descent on the soft margin as the lectures write it, row by row, and rows to try it on."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin.random import seed_for


def rows(seed, n=40, d=4, n_classes=2):
    """Rows of which some are on the wrong side of any plane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=(n_classes, d)).T + 0.5 * rng.normal(size=(n, n_classes))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    return X, y.astype(np.int32)


def orders_of(n, passes, seed=0):
    """The orders of the passes of a model with this random state."""
    key = seed_for(seed, "pegasos", "order of rows")
    return [_core.linear.visits(n, key, number) for number in range(passes)]


def batches_of(orders, size):
    return [order[first : first + size] for order in orders for first in range(0, len(order), size)]


def slow_pegasos(X, sign, batches, lambda_, intercept=True, eta=None, project=False, factor=None):
    """Weights and intercept before every step, and after the last."""
    w, b = np.zeros(X.shape[1]), 0.0
    factor = np.ones(len(X)) if factor is None else factor
    history = [(w, b)]
    for t, batch in enumerate(batches, start=1):
        step = 1 / (lambda_ * t) if eta is None else eta
        close = [i for i in batch if sign[i] * (w @ X[i] + b) < 1]
        pull = sum((factor[i] * sign[i] * X[i] for i in close), np.zeros(X.shape[1])) / len(batch)
        w = w - step * (lambda_ * w - pull)
        if intercept:
            along = min(step, t**-0.5) if eta is None else eta
            b = b + along * sum(factor[i] * sign[i] for i in close) / len(batch)
        if project:
            w = w * min(1.0, 1 / (np.sqrt(lambda_) * max(np.linalg.norm(w), 1e-300)))
        history.append((w, b))
    return history


def slow_kernel_sgd(K, sign, order, lambda_, intercept=False):
    """β and the intercept before every step, and after the last: the lecture's loop, to which an intercept is added."""
    beta, b = np.zeros(len(K)), 0.0
    history = [(beta.copy(), b)]
    for t, i in enumerate(order, start=1):
        alpha = beta / (lambda_ * t)
        if sign[i] * (alpha @ K[i] + b) < 1:
            beta[i] += sign[i]
            if intercept:
                b += sign[i] * min(1 / (lambda_ * (t + 1)), (t + 1) ** -0.5)
        history.append((beta.copy(), b))
    return history


def objective(X, sign, w, b, lambda_, share=None):
    """λ/2 ‖w‖² + the mean hinge loss."""
    share = np.full(len(X), 1 / len(X)) if share is None else share
    return lambda_ / 2 * w @ w + share @ np.maximum(0, 1 - sign * (X @ w + b))
