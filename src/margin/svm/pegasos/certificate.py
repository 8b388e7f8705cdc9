r"""How far a descent on the soft margin is from the optimum, proved by a point of the dual.

For weights :math:`0 \le a_i \le s_i` of the rows (with an intercept also :math:`\sum a_i y_i = 0`),

.. math:: D(a) = \sum_i a_i - \frac\lambda2 \lVert w(a)\rVert^2,\quad w(a) = \frac1\lambda \sum_i a_i y_i x_i

is at most the smallest objective there is. Descent hands such weights over for nothing: λ w is the sum of all rows
that were too close, each as often as it was, over the number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.readout import shown_in_notebooks

__all__ = ["PegasosCertificate", "best_multiple", "evened", "hinge_of"]

#: Objectives below it are as good as none.
TINY = 1e-300


@shown_in_notebooks
@dataclass(frozen=True)
class PegasosCertificate:
    r"""What is known of the optimum after a fit; means over the scores where there are several.

    Attributes
    ----------
    objective
        λ/2 ‖w‖² + the mean hinge loss of the model that answers.
    lower_bound
        What no weights get below. Not a number where the kernel is no product of any space (sigmoid).
    steps
        t, the steps that were made.
    guarantee
        What theory promises for the mean of all steps on rows drawn one by one, without an intercept: in expectation
        the objective is at most so far above the smallest, :math:`2 R^2 (1 + \ln t) / (\lambda t)` with R the length
        of the longest row. None for other settings.
    """

    objective: float
    lower_bound: float
    steps: int
    guarantee: float | None

    @property
    def gap(self) -> float:
        """The objective is at most so far above the smallest there is."""
        return float(np.maximum(self.objective - self.lower_bound, 0.0))  # a bound that is no number stays one

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective: what ``tol`` is compared with."""
        return self.gap / max(self.objective, TINY)

    def __str__(self) -> str:
        return (
            f"objective {self.objective:.6g} after {self.steps} steps, the smallest is at least "
            f"{self.lower_bound:.6g}: at most {self.relative_gap:.2%} of it too much"
        )


def hinge_of(margins: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The mean hinge loss of each score, from scores × rows of margins."""
    return (share * np.maximum(0.0, 1.0 - margins)).sum(axis=1)


def evened(a: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The weights of each score (scores × rows) with those of the heavier side made smaller until both are equal."""
    for_it = (a * positive).sum(axis=1)
    against = a.sum(axis=1) - for_it
    least = np.minimum(for_it, against)
    with np.errstate(divide="ignore", invalid="ignore"):
        down, up = (np.where(side > 0, least / side, 0.0)[:, None] for side in (against, for_it))
    return a * np.where(positive, up, down)


def best_multiple(total: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """The largest θ · total - θ² · penalty for θ from 0 to 1: shorter weights are allowed, too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        theta = np.where(penalty > 0, np.minimum(1.0, total / (2 * penalty)), 1.0)
    return theta * total - theta**2 * penalty
