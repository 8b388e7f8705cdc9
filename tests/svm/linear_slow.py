"""Linear support vector machines by definition: quadratic programs for a barrier method."""

from __future__ import annotations

import numpy as np

__all__ = [
    "crammer_singer_objective",
    "data",
    "objective",
    "slow_crammer_singer",
    "slow_minimum",
    "slow_tube",
    "tube_objective",
]


def data(seed: int, n: int = 20, d: int = 3, n_classes: int = 2, noise: float = 1.0):
    """Classes around centres of their own, every class present."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) * noise + 2 * rng.normal(size=(n_classes, d))[y] + 3
    return X, y, rng.integers(1, 4, n).astype(np.float64)


def objective(coef, intercept, X, sign, bound, squared, l1=False, intercept_penalty=0.0) -> float:
    """What the weights and the rows inside the margin cost."""
    short = np.maximum(0, 1 - sign * (X @ coef + intercept))
    penalty = np.abs(coef).sum() if l1 else 0.5 * coef @ coef
    return float(penalty + 0.5 * intercept_penalty * intercept**2 + bound @ (short**2 if squared else short))


def slow_minimum(X, sign, bound, squared, l1=False, intercept=True, intercept_penalty=0.0) -> float:
    """Variables: w (up and down where its size is penalised), b, one slack per row that makes up for its margin."""
    n, d = X.shape
    z = sign[:, None] * X
    parts = [z, -z] if l1 else [z]
    width = len(parts) * d
    margins = np.hstack([*parts, sign[:, None] * intercept, np.eye(n)])
    cost, squares = np.zeros((2, width + 1 + n))
    (cost if l1 else squares)[:width] = 1.0
    squares[width] = intercept_penalty if intercept else 1.0
    (squares if squared else cost)[width + 1 :] = 2 * bound if squared else bound
    at_least_zero = np.delete(np.eye(len(cost)), width if l1 else slice(width + 1), axis=0)
    start = np.concatenate([np.full(width, float(l1)), [0.0], np.full(n, 2.0)])
    return _program(np.diag(squares), cost, margins, at_least_zero, start)


def crammer_singer_objective(coef, intercept, X, y, bound) -> float:
    scores = X @ coef.T + intercept
    own = scores[np.arange(len(y)), y]
    ahead = scores + 1
    ahead[np.arange(len(y)), y] = own
    return float(0.5 * (coef**2).sum() + bound @ (ahead.max(axis=1) - own))


def slow_crammer_singer(X, y, bound, n_classes, intercept=True) -> float:
    """Variables: weights and intercept of each class, one slack per row; a constraint for each row and other class."""
    n, d = X.shape
    lines = []
    for i in range(n):
        for k in set(range(n_classes)) - {y[i]}:
            line = np.zeros(n_classes * (d + 1) + n)
            for of, turn in ((y[i], 1.0), (k, -1.0)):
                line[of * (d + 1) : (of + 1) * (d + 1)] = turn * np.append(X[i], float(intercept))
            line[n_classes * (d + 1) + i] = 1.0
            lines.append(line)
    penalised = np.zeros(n_classes * (d + 1) + n)
    penalised[: n_classes * (d + 1)] = np.tile(np.append(np.ones(d), 0.0), n_classes)
    costs = np.concatenate([np.zeros(n_classes * (d + 1)), bound])

    penalised[d : n_classes * (d + 1) : d + 1] = 0.0 if intercept else 1.0
    penalised[d] = 1.0  # only differences of intercepts count
    slacks = np.eye(len(costs))[n_classes * (d + 1) :]
    start = np.concatenate([np.zeros(n_classes * (d + 1)), np.full(n, 2.0)])
    return _program(np.diag(penalised), costs, np.array(lines), slacks, start)


def _program(quadratic, cost, at_least, at_least_zero, start, least=1.0) -> float:
    """min v'Qv / 2 + c'v by a logarithmic barrier, which leaves a gap of (number of constraints) / t."""
    G = np.vstack([at_least, at_least_zero])
    h = np.concatenate([np.broadcast_to(least, len(at_least)), np.zeros(len(at_least_zero))])
    v = start

    def barrier(at, t):
        room = G @ at - h
        return np.inf if room.min() <= 0 else t * (0.5 * at @ quadratic @ at + cost @ at) - np.log(room).sum()

    for t in 10.0 ** np.arange(0, 10):
        for _ in range(50):
            inverse = 1 / (G @ v - h)
            slope = t * (quadratic @ v + cost) - G.T @ inverse
            bend = t * quadratic + (G.T * inverse**2) @ G
            step = np.linalg.solve(bend + 1e-14 * np.trace(bend) * np.eye(len(v)), slope)
            if slope @ step < 1e-10:
                break
            length, now = 1.0, barrier(v, t)
            while barrier(v - length * step, t) > now - 1e-4 * length * (slope @ step) and length > 1e-12:
                length /= 2
            v = v - length * step
    return float(0.5 * v @ quadratic @ v + cost @ v)


def tube_objective(coef, intercept, X, y, bound, tube, squared, intercept_penalty=0.0) -> float:
    """What the weights and the rows outside of the tube cost."""
    out = np.maximum(0, np.abs(y - X @ coef - intercept) - tube)
    return float(0.5 * coef @ coef + 0.5 * intercept_penalty * intercept**2 + bound @ (out**2 if squared else out))


def slow_tube(X, y, bound, tube, squared, intercept=True, intercept_penalty=0.0) -> float:
    """Variables: w, b, one slack per row that makes up for what is outside of the tube, above or below."""
    n, d = X.shape
    ones = np.full((n, 1), float(intercept))
    lines = np.vstack([np.hstack([X, ones, np.eye(n)]), np.hstack([-X, -ones, np.eye(n)])])
    least = np.concatenate([y - tube, -y - tube])
    cost, squares = np.zeros((2, d + 1 + n))
    squares[:d] = 1.0
    squares[d] = intercept_penalty if intercept else 1.0
    (squares if squared else cost)[d + 1 :] = 2 * bound if squared else bound
    start = np.concatenate([np.zeros(d + 1), np.abs(y) + tube + 2.0])
    return _program(np.diag(squares), cost, lines, np.eye(d + 1 + n)[d + 1 :], start, least)
