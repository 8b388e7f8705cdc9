r"""How far a solution of penalised cross-entropy can be from the best one: the duality gap.

Any distributions :math:`q_i` over the classes give a lower bound of the mean objective (Fenchel):

.. math:: D(q) = \frac1S \sum_i s_i H(q_i) - g^*(-G), \qquad G = \frac1S \sum_i s_i (q_i - e_{y_i}) x_i^\top

with the entropy H and the conjugate of the penalty, :math:`g^*(V) = \sum (|V| - \lambda_1)_+^2 / 2\lambda_2`.
Unpenalised intercepts ask that the :math:`q_i` give every class its share; the probabilities of the model do so after
the intercepts alone were made optimal. Without :math:`\lambda_2` no entry of G may exceed :math:`\lambda_1`, which
moving the :math:`q_i` towards the true classes brings about.
"""

from __future__ import annotations

import numpy as np

from margin.linear.passes import chances, gradient, residuals, scores
from margin.linear.problem import Problem

__all__ = ["balanced_intercepts", "dual_value", "duality_gap"]


def duality_gap(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float | None:
    """How much the mean objective at a point is above its minimum, at most; None without a penalty.

    Costs two passes over the rows. Exact up to rounding, some 1e-15 of the objective.

    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 1], dtype=np.int32)
    >>> problem = Problem(X, y, None, 2, l1=0.0, l2=1.0, intercept=True)
    >>> round(duality_gap(problem, np.zeros((1, 1)), np.zeros(1)), 4)
    0.1122
    """
    from margin.linear.passes import mean_loss

    if not problem.is_penalised:
        return None
    z = scores(problem, coef)
    value = mean_loss(problem, z + intercept) + problem.penalty(coef)
    return max(0.0, value - dual_value(problem, z, intercept))


def dual_value(problem: Problem, z: np.ndarray, intercept: np.ndarray) -> float:
    """A lower bound of the mean objective from scores z (without intercepts)."""
    p = chances(z + (balanced_intercepts(problem, z, intercept) if problem.intercept else 0.0))
    slope, _ = gradient(problem, residuals(problem, p))
    if problem.l2 > 0:
        beyond = np.maximum(np.abs(slope) - problem.l1, 0.0)
        return _mean_entropy(problem, p, 1.0) - float((beyond**2).sum() / (2 * problem.l2))
    steepest = float(np.abs(slope).max(initial=0.0))
    return _mean_entropy(problem, p, 1.0 if steepest <= problem.l1 else problem.l1 / steepest)


def _mean_entropy(problem: Problem, p: np.ndarray, share: float) -> float:
    """The mean entropy of the distributions ``share`` of the way from the true classes to p."""
    if p.shape[1] == 1:
        p = np.where(problem.y == 1, p[:, 0], 1.0 - p[:, 0])[:, None]  # of the true class
        q = np.column_stack([1.0 - share * (1.0 - p), share * (1.0 - p)])
    else:
        q = share * p
        q[np.arange(len(q)), problem.y] += 1.0 - share
    entropy = -(q * np.log(np.maximum(q, 1e-300))).sum(axis=1)
    return float((entropy.sum() if problem.weight is None else problem.weight @ entropy) / problem.total)


def balanced_intercepts(problem: Problem, z: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The intercepts that are best for given coefficients: every class then gets its share on average.

    Newton steps, cut to at most 2 so that none goes astray. Needs every class to have a row.
    """
    s = np.full(len(z), 1.0) if problem.weight is None else problem.weight
    s = s / problem.total
    b = start.astype(np.float64, copy=True)
    for _ in range(100):
        p = chances(z + b)
        slope = residuals(problem, p).sum(axis=0)
        if np.abs(slope).max() < 1e-15:
            break
        if len(b) == 1:
            step = slope / max(float(s @ (p[:, 0] * (1 - p[:, 0]))), 1e-300)
        else:
            bend = np.diag(s @ p) - (p * s[:, None]).T @ p
            step = np.linalg.lstsq(bend, slope, rcond=1e-13)[0]
        step = np.clip(step, -2.0, 2.0)
        b = b - step
        if np.abs(step).max() <= 4e-16 * np.abs(b).max(initial=1.0):
            break
    return b
