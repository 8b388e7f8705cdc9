"""The linear program of the largest soft margin, over the weak classifiers found so far.

    max  rho - sum_i D_i xi_i        s.t.  sum_j a_j y_i h_j(x_i) + xi_i >= rho,  sum_j a_j = 1,  a, xi >= 0
    min  beta                        s.t.  sum_i u_i y_i h_j(x_i) <= beta for all j,  sum_i u_i = 1,  0 <= u_i <= D_i

The second is the dual of the first: u are weights of rows under which no classifier found so far is better than beta.
Any u bounds the first program over all classifiers by the largest edge that any of them has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ParameterError

__all__ = ["SoftMargin", "best_margin", "solve_soft_margin"]

#: Steps of the simplex method, and 50 for each row and classifier, after which the interior point method is asked.
MOST_PIVOTS = 5000


def best_margin(margins: np.ndarray, limit: np.ndarray) -> tuple[float, float]:
    """The largest rho - sum D (rho - margin)+ of given margins, and the rho it is reached at; D are the limits.

    It rises up to the margin at which the limits of the rows below add up to 1.

    >>> best_margin(np.array([-1.0, 0.5, 1.0]), np.array([0.5, 0.5, 0.5]))
    (-0.25, 0.5)
    """
    order = np.argsort(margins, kind="stable")
    at = int(np.searchsorted(np.cumsum(limit[order]), 1.0 - 1e-12))
    rho = float(margins[order[min(at, len(order) - 1)]])
    return rho - float(limit @ np.maximum(rho - margins, 0.0)), rho


def solve_soft_margin(right: np.ndarray, limit: np.ndarray, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The weights a of the classifiers and u of the rows; ``right`` holds y h, rows x classifiers.

    What HiGHS gives is put inside its bounds; how good it is, is for the caller to work out from it.
    """
    from scipy.optimize import linprog

    n, n_columns = right.shape
    # In units in which a row at its limit is 1 and limits are about 1: tolerances of the solver are absolute.
    scaled = limit * n
    edges = np.hstack([(right * scaled[:, None]).T, -np.ones((n_columns, 1))])
    program: Any = {
        "c": np.concatenate([np.zeros(n), [1.0]]),
        "A_ub": edges,
        "b_ub": np.zeros(n_columns),
        "A_eq": np.concatenate([scaled, [0.0]])[None, :],
        "b_eq": [float(n)],
        "bounds": [(0.0, 1.0)] * n + [(None, None)],
    }
    # HiGHS left to choose its method was seen to go round in circles on 98 classifiers of 175 rows. Looking beforehand
    # for what can be left out finds nothing here, and took a third of the time.
    options = {"maxiter": MOST_PIVOTS + 50 * (n + n_columns), "presolve": False}
    found = linprog(**program, method="highs-ds", options=options)
    if found.status == 1:
        found = linprog(**program, method="highs-ipm")
    if found.status != 0 or found.x is None:
        raise ParameterError(
            f"{who}: the linear program of {n:,} kinds of rows and {n_columns:,} weak classifiers must have a solution "
            f"that HiGHS finds, but it says: {found.message.strip()} (another nu or weights that differ less may help)."
        )
    weights = np.maximum(-found.ineqlin.marginals, 0.0)
    share = np.clip(found.x[:n], 0.0, 1.0) * limit
    return weights / weights.sum(), share / share.sum()


class SoftMargin:
    """The program as classifiers are added to it one by one.

    Rows on which all classifiers are right or wrong alike are one row of the program. It weighs what they weigh
    together, so that weighted rows and repeated ones give the same program in every bit, of whose solutions HiGHS takes
    the same.

    Parameters
    ----------
    weight
        Of the rows.
    unit
        What D is for a weight of 1.
    """

    def __init__(self, weight: np.ndarray, unit: float, who: str) -> None:
        self.weight, self.unit, self.who = weight, unit, who
        self.group = np.zeros(len(weight), dtype=np.int64)
        self.columns: list[np.ndarray] = []

    def knows(self, right: np.ndarray) -> bool:
        """Whether a classifier that is right and wrong of the same rows is there already."""
        return any(np.array_equal(right, each) for each in self.columns)

    def add(self, right: np.ndarray) -> None:
        """One more classifier: y h, 1 where it is right of a row and -1 where it is not."""
        self.columns.append(right)
        _, first, self.group = np.unique(2 * self.group + (right > 0), return_index=True, return_inverse=True)
        self.together = np.bincount(self.group, self.weight)
        self.patterns = np.column_stack([each[first] for each in self.columns])

    def best(self, votes: np.ndarray) -> tuple[float, float]:
        """The soft margin of some weights of the classifiers, and its rho."""
        return best_margin(self.patterns @ votes, self.together * self.unit)

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the classifiers; and those of the rows, for each unit that a row weighs."""
        votes, of_group = solve_soft_margin(self.patterns, self.together * self.unit, self.who)
        return votes, (of_group / self.together)[self.group]
