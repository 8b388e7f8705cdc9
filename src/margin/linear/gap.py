r"""How far a solution of penalised cross-entropy can be from the best one: the duality gap.

Any distributions :math:`q_i` over the classes give a lower bound of the mean objective (Fenchel):

.. math:: D(q) = \frac1S \sum_i s_i H(q_i) - g^*(-G), \qquad G = \frac1S \sum_i s_i (q_i - e_{y_i}) x_i^\top

with the entropy H and the conjugate of the penalty, :math:`g^*(V) = \sum (|V| - \lambda_1)_+^2 / 2\lambda_2`. For
the probabilities of a model the mean entropy is the mean loss less :math:`\langle G, W\rangle`: no pass of its own.
Unpenalised intercepts ask that the :math:`q_i` give every class its share; the probabilities of the model do so after
the intercepts alone were made optimal. Without :math:`\lambda_2` no entry of G may exceed :math:`\lambda_1`, which
moving the :math:`q_i` towards the true classes brings about.
"""

from __future__ import annotations

import numpy as np

from margin.linear.passes import chances, loss_and_gradient, scores
from margin.linear.problem import Problem

__all__ = ["balanced_intercepts", "dual_value", "duality_gap", "intercept_step"]


def duality_gap(problem: Problem, coef: np.ndarray, intercept: np.ndarray) -> float | None:
    """How much the mean objective at a point is above its minimum, at most; None without a penalty.

    Costs a few passes over the rows. Exact up to rounding, some 1e-15 of the objective.

    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([0, 1, 1], dtype=np.int32)
    >>> problem = Problem(X, y, None, 2, l1=0.0, l2=1.0, intercept=True)
    >>> round(duality_gap(problem, np.zeros((1, 1)), np.zeros(1)), 4)
    0.1122
    """
    if not problem.is_penalised:
        return None
    value = loss_and_gradient(problem, coef, intercept)[0] + problem.penalty(coef)
    if problem.intercept:
        intercept = balanced_intercepts(problem, scores(problem, coef), intercept)
    loss, slope, _, _ = loss_and_gradient(problem, coef, intercept)
    return max(0.0, value - dual_value(problem, coef, loss, slope))


def dual_value(problem: Problem, coef: np.ndarray, loss: float, slope: np.ndarray) -> float:
    """A lower bound of the mean objective from the mean loss and its gradient, where the intercepts are balanced."""
    entropy = loss - float(np.multiply(slope, coef).sum())
    if problem.l2 > 0:
        beyond = np.maximum(np.abs(slope) - problem.l1, 0.0)
        return entropy - float((beyond**2).sum() / (2 * problem.l2))
    steepest = float(np.abs(slope).max(initial=0.0))
    # Entropy is concave and 0 where a class is certain: on the way there at least its share is left.
    return entropy * min(1.0, problem.l1 / steepest if steepest > 0 else 1.0)


def intercept_step(problem: Problem, p: np.ndarray, at_zero: np.ndarray) -> np.ndarray:
    """The Newton step of the intercepts alone, cut to at most 2 so that none goes astray."""
    s = np.full(len(p), 1.0) if problem.weight is None else problem.weight
    s = s / problem.total
    if len(at_zero) == 1:
        return np.clip(at_zero / max(float((s * p[:, 0] * (1 - p[:, 0])).sum()), 1e-300), -2.0, 2.0)
    bend = np.diag(s @ p) - (p * s[:, None]).T @ p
    return np.clip(np.linalg.lstsq(bend, at_zero, rcond=1e-13)[0], -2.0, 2.0)


def balanced_intercepts(problem: Problem, z: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The intercepts that are best for given coefficients: every class then gets its share on average.

    Newton steps; needs every class to have a row.
    """
    share = np.full(len(z), 1 / problem.total) if problem.weight is None else problem.weight / problem.total
    counts = np.bincount(problem.y, share, max(problem.n_classes, 2))
    wanted = counts[1:] if z.shape[1] == 1 else counts
    b = start.astype(np.float64, copy=True)
    for _ in range(100):
        p = chances(z + b)
        slope = share @ p - wanted
        if np.abs(slope).max() < 1e-15:
            break
        step = intercept_step(problem, p, slope)
        b = b - step
        if np.abs(step).max() <= 4e-16 * np.abs(b).max(initial=1.0):
            break
    return b
