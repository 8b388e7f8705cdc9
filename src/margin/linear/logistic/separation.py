r"""Classes that a plane separates: without a penalty their coefficients grow without end.

Directions :math:`\beta` with :math:`y_i\, x_i \cdot \beta \ge 0` for all rows, and above 0 for some, exist exactly if
no finite coefficients are best (Albert, Anderson 1984). A linear programme finds one or shows that there is none
(Konis 2007). Often it is not needed: a fit that answers all rows rightly is such a direction, and a fit whose next
Newton step hardly moves a score shows that there is none, since its residuals are positive weights that balance all
rows (Stiemke).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from margin.errors import InputError, listing
from margin.linear.logistic.certificate import scores
from margin.linear.logistic.solve import Solved
from margin.linear.problem import Problem
from margin.typing import LabelsLike, TableLike

__all__ = ["Separation", "separation", "separation_at"]

# Numbers that the linear programme may hold; beyond, only the fit itself is asked.
MOST_NUMBERS = 1_000_000
# What counts as above 0 in columns whose largest magnitude is 1.
CLEARLY = 1e-7


@dataclass(frozen=True, eq=False)
class Separation:
    """How a plane separates classes.

    Attributes
    ----------
    kind
        ``"complete"`` if every row is strictly on its side, ``"quasi-complete"`` if some lie on the plane.
    columns
        Places of the columns that separate, those that do it alone first.
    alone
        Whether each of them separates by itself.
    direction
        Coefficients along which the likelihood never falls, one row per score; None if they are only suspected.
    certain
        False where the problem is too large for the linear programme and only its fit was seen to diverge.
    """

    kind: Literal["complete", "quasi-complete"]
    columns: tuple[int, ...]
    alone: bool
    direction: np.ndarray | None
    certain: bool = True

    def told(self, names: list[str]) -> str:
        """In words, with the names of the columns."""
        who = listing([names[j] for j in self.columns])
        plural = len(self.columns) > 1
        if self.alone:
            how = f"column{'s' * plural} {who} {'each separate' if plural else 'separates'} the classes"
        else:
            how = f"columns {who} together separate the classes" if plural else f"column {who} separates the classes"
        if self.kind == "quasi-complete":
            how += ", up to rows on the boundary"
        return how if self.certain else how.replace("separate", "seem to separate", 1)


def separation(X: TableLike, y: LabelsLike, *, intercept: bool = True) -> Separation | None:
    """Whether a plane separates the classes of y in the numbers X, found by linear programming; None if none does.

    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 4.0], [4.0, 1.0]])
    >>> found = separation(X, ["a", "a", "b", "b"])
    >>> found.kind, found.columns
    ('complete', (0,))
    >>> separation(X, ["a", "b", "a", "b"], intercept=False) is None
    True
    """
    cells = np.asarray(X, dtype=np.float64)
    if cells.ndim != 2 or not np.isfinite(cells).all():
        raise InputError("separation(X=…): X must be a table of finite numbers.")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(codes) != len(cells):
        raise InputError(f"separation(y=…): {len(codes)} labels for {len(cells)} rows.")
    if len(classes) < 2:
        return None
    return _by_programme(cells, codes, len(classes), intercept)


def separation_at(problem: Problem, done: Solved) -> Separation | None:
    """Whether the classes of a problem without penalty are separated, from where its fit ended if that says it."""
    if problem.n_classes < 2 or problem.X.shape[1] == 0:
        return None
    z = scores(problem, done.point.coef) + done.point.intercept
    if _smallest_lead(z, problem.y) > CLEARLY:
        return _described(problem, "complete", done.point.coef)
    if done.curved is not None and done.curved.movement < 0.5 and _all_in_doubt(done.point.p, problem.y):
        return None
    n_columns = problem.X.shape[1] + problem.intercept
    if problem.X.shape[0] * n_columns * max(1, problem.n_classes - 1) ** 2 <= MOST_NUMBERS:
        cells = np.asarray(problem.X.todense()) if problem.is_sparse else np.asarray(problem.X, dtype=np.float64)
        return _by_programme(cells, problem.y, problem.n_classes, problem.intercept)
    if done.converged and done.curved is None:
        return None
    if done.curved is not None and done.curved.movement < 0.5:
        return None
    reach = np.abs(done.point.coef).max(axis=0)
    return Separation("quasi-complete", tuple(np.argsort(-reach, kind="stable")[:5].tolist()), False, None, False)


def _smallest_lead(z: np.ndarray, y: np.ndarray) -> float:
    """By how much the true class leads in the row where it leads least."""
    if z.shape[1] == 1:
        return float(np.where(y == 1, z[:, 0], -z[:, 0]).min())
    rows = np.arange(len(z))
    others = z.copy()
    others[rows, y] = -np.inf
    return float((z[rows, y] - others.max(axis=1)).min())


def _all_in_doubt(p: np.ndarray, y: np.ndarray) -> bool:
    """Whether every residual is large enough to be told from rounding."""
    if p.shape[1] == 1:
        return bool((np.abs(p[:, 0] - (y == 1)) > 1e-10).all())
    return bool((1 - p[np.arange(len(p)), y] > 1e-10).all())


def _by_programme(X: np.ndarray, y: np.ndarray, n_classes: int, intercept: bool) -> Separation | None:
    """Maximise the sum of the leads of the true classes, none of which may be below 0, in a box of directions."""
    from scipy.optimize import linprog

    reach = np.abs(X).max(axis=0, initial=0.0)
    cells = X / np.where(reach > 0, reach, 1.0)
    if intercept:
        cells = np.column_stack([cells, np.ones(len(cells))])
    leads = _leads(cells, y, n_classes)
    found = linprog(-leads.mean(axis=0), A_ub=-leads, b_ub=np.zeros(len(leads)), bounds=(-1, 1), method="highs")
    if found.x is None or -found.fun < CLEARLY / len(leads) or (leads @ found.x).max() < CLEARLY:
        return None
    wide = np.column_stack([-leads, np.ones(len(leads))])
    cost = np.append(np.zeros(leads.shape[1]), -1.0)
    strict = linprog(cost, A_ub=wide, b_ub=np.zeros(len(leads)), bounds=(-1, 1), method="highs")
    complete = strict.x is not None and -strict.fun > CLEARLY
    direction = (strict.x[:-1] if complete else found.x).reshape(-1, cells.shape[1])[:, : X.shape[1]]
    problem = Problem(X, y, None, n_classes, 0.0, 0.0, intercept)
    return _described(
        problem, "complete" if complete else "quasi-complete", direction / np.where(reach > 0, reach, 1.0)
    )


def _leads(cells: np.ndarray, y: np.ndarray, n_classes: int) -> np.ndarray:
    """Rows of the programme: how much the true class leads each other one, linear in all coefficients."""
    if n_classes == 2:
        return cells * np.where(y == 1, 1.0, -1.0)[:, None]
    n, d = cells.shape
    found = np.zeros((n, n_classes, n_classes, d))
    rows = np.arange(n)
    for k in range(n_classes):
        found[rows, k, y] += cells
        found[:, k, k] -= cells
    return found.reshape(n, n_classes, n_classes * d)[np.arange(n_classes)[None, :] != y[:, None]]


def _described(problem: Problem, kind: Literal["complete", "quasi-complete"], direction: np.ndarray) -> Separation:
    """Name the columns: those that separate alone, or those that matter most in the direction."""
    alone = _separate_alone(problem)
    if alone:
        return Separation(kind, alone, True, direction)
    X = problem.X
    spread = np.abs(X).max(axis=0)
    spread = np.asarray(spread.todense()).ravel() if problem.is_sparse else spread
    matters = np.abs(direction).max(axis=0) * spread
    order = np.argsort(-matters, kind="stable")
    taken = [int(j) for j in order if matters[j] > 1e-3 * matters[order[0]]]
    return Separation(kind, tuple(taken), False, direction)


def _separate_alone(problem: Problem) -> tuple[int, ...]:
    """Columns of which a single threshold separates two classes, with at most ties on it."""
    if problem.n_classes != 2 or problem.is_sparse or not problem.intercept:
        return ()
    first, second = problem.X[problem.y == 0], problem.X[problem.y == 1]
    apart = (first.max(axis=0) <= second.min(axis=0)) | (second.max(axis=0) <= first.min(axis=0))
    varies = problem.X.min(axis=0) != problem.X.max(axis=0)
    return tuple(np.flatnonzero(apart & varies).tolist())
