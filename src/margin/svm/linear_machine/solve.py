"""From rows and options to coefficients: the solver of a linear support vector machine chosen and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.inputs.arrays import dense_from_sparse
from margin.errors import NotSeparableError, ParameterError
from margin.linear.geometry.hard_margin import largest_margin, widest_gap
from margin.svm.linear_machine.dual import crammer_singer, solve_dual
from margin.svm.linear_machine.l1 import l1_descent
from margin.svm.linear_machine.newton import newton
from margin.svm.linear_machine.problem import LinearProblem, LinearSolution, TubeProblem
from margin.svm.linear_machine.sparse_newton import sparse_newton
from margin.typing import Encoded

__all__ = ["LARGEST_BOUND", "Solved", "SolverOptions", "solve", "solve_tube"]

# Up to so many columns the products of all of them with each other are worth their making.
FEW_COLUMNS, MANY_COLUMNS = 500, 3000
# Passes over the rows that are many: what has not converged then has stalled.
MANY_PASSES = 1000
# So many cells of sparse rows may be written out where there are few columns.
FEW_CELLS = 20_000_000
#: Beyond it nothing changes, and products with it stay numbers.
LARGEST_BOUND = 1e100


@dataclass(frozen=True)
class SolverOptions:
    """What a fit is to do; ``who`` asks is for messages."""

    penalty: str
    squared: bool
    together: bool
    dual: bool | str
    tol: float
    max_iter: int
    intercept: bool
    #: The number whose column has the intercept as its coefficient; None for an intercept that is not penalised.
    intercept_column: float | None
    random_state: Any
    who: str


@dataclass(frozen=True, eq=False)
class Solved:
    """What a solver found, its name, and why it was chosen."""

    found: LinearSolution
    solver: str
    reason: str


def solve(X: Encoded, y: np.ndarray, n_classes: int, bound: np.ndarray | float, options: SolverOptions) -> Solved:
    """Coefficients and intercepts for rows with classes 0 … ``n_classes`` - 1, each of which has rows."""
    if n_classes < 2:
        none = np.zeros(1)
        return Solved(LinearSolution(np.zeros((1, X.shape[1])), none, none, none, 0, True), "none", "one class only")
    target = np.arange(1 if n_classes == 2 else 0, n_classes, dtype=np.int32)

    def answered(X: Any, free: bool) -> Solved:
        problem = LinearProblem(X, y, target, bound, options.squared, free, options.penalty == "l1")
        if isinstance(bound, float) and not np.isfinite(bound):
            return _hard(problem, options)
        if not options.together:
            return _soft(problem, options)
        found = crammer_singer(problem, n_classes, options.tol, options.max_iter, options.random_state)
        return Solved(found, "dual coordinate descent", "one objective for all classes: row after row")

    return _with_intercept(X, options, answered)


def solve_tube(X: Encoded, y: np.ndarray, tube: float, bound: np.ndarray | float, options: SolverOptions) -> Solved:
    """Coefficients and the intercept for rows with a quantity, outside of whose tube a unit costs ``bound``.

    Solvers round in units of 1: the quantity is put into units of its spread, around its mean where an intercept takes
    that up, and the answer back.
    """
    free = options.intercept and options.intercept_column is None
    middle = float(np.average(y, weights=None if isinstance(bound, float) else bound)) if free else 0.0
    unit = _size_of(y - middle)
    prices = bound if options.squared else np.minimum(bound / unit, LARGEST_BOUND)
    prices = prices if isinstance(prices, np.ndarray) else float(prices)
    z, one = np.ascontiguousarray((y - middle) / unit), np.zeros(1, dtype=np.int32)

    def answered(X: Any, free: bool) -> Solved:
        return _soft(TubeProblem(X, z, one, prices, options.squared, free, tube=tube / unit), options)

    done = _with_intercept(X, options, answered)
    found, square = done.found, unit * unit
    coef, intercept = found.coef * unit, found.intercept * unit + middle
    found = replace(found, coef=coef, intercept=intercept, primal=found.primal * square, dual=found.dual * square)
    return replace(done, found=found)


def _size_of(y: np.ndarray) -> float:
    """The root of the mean square, or 1 where all are 0, without overflow."""
    largest = float(np.abs(y).max(initial=0.0))
    return largest * float(np.sqrt(np.mean(np.square(y / largest)))) if largest > 0 else 1.0


def _with_intercept(X: Encoded, options: SolverOptions, answered: Callable[[Any, bool], Solved]) -> Solved:
    """What a solver finds for X, whose intercept is free, the coefficient of one more column, or none."""
    n_columns, column = X.shape[1], options.intercept_column if options.intercept else None
    if column is not None:
        X = _with_column(X, column)
    if X.shape[1] == 0:
        X = np.zeros((X.shape[0], 1))  # solvers want something to look at
    done = answered(X, options.intercept and column is None)
    coef, intercept = done.found.coef, done.found.intercept
    if column is not None:
        coef, intercept = coef[:, :-1], coef[:, -1] * column
    coef = np.ascontiguousarray(coef[:, :n_columns])
    return replace(done, found=replace(done.found, coef=coef, intercept=intercept))


def _soft(problem: LinearProblem, options: SolverOptions) -> Solved:
    if problem.l1:
        reason = "an L1 penalty has corners: one coefficient after another"
        if problem.is_sparse and _is_narrow(problem):
            problem = replace(problem, X=np.ascontiguousarray(problem.X.toarray()))
        return Solved(l1_descent(problem, options.tol, options.max_iter), "coordinate descent", reason)
    by_dual, reason = _choice(problem, options)
    if by_dual:
        found = solve_dual(problem, options.tol, options.max_iter, options.random_state)
        if not found.converged and options.max_iter >= MANY_PASSES and _is_narrow(problem):
            return _finished(problem, found, reason, options)
        return Solved(found, "dual coordinate descent", reason)
    return _by_newton(problem, reason, options)


def _finished(problem: LinearProblem, stalled: LinearSolution, reason: str, options: SolverOptions) -> Solved:
    """Newton's answer where row after row hardly moves any more: with few columns that may be before the optimum."""
    done = _by_newton(problem, f"{reason}; then by second derivatives, since rows hardly moved it any more", options)
    n_iter = stalled.n_iter + done.found.n_iter
    if not done.found.converged:
        return Solved(replace(stalled, n_iter=n_iter), "dual coordinate descent", reason)
    return replace(done, found=replace(done.found, n_iter=n_iter), solver="dual coordinate descent, then newton")


def _by_newton(problem: LinearProblem, reason: str, options: SolverOptions) -> Solved:
    if isinstance(problem, TubeProblem) and _by_products(problem):
        return Solved(sparse_newton(problem, options.tol, options.max_iter), "newton", reason)
    if problem.is_sparse:
        X = np.ascontiguousarray(dense_from_sparse(problem.X, f"{options.who}(dual={options.dual!r})"))
        problem = replace(problem, X=X)
    return Solved(newton(problem, options.tol, options.max_iter), "newton", reason)


def _choice(problem: LinearProblem, options: SolverOptions) -> tuple[bool, str]:
    """Whether to solve the dual, and the reason in words."""
    n, d = problem.X.shape
    if options.dual == "auto":
        if _is_narrow(problem):
            return False, "few columns: second derivatives are cheap"
        if _by_products(problem) and d <= n:
            return False, "more sparse rows than columns: second derivatives along directions"
        if not problem.is_sparse and 2 * d <= n and d <= MANY_COLUMNS:
            return False, "many more rows than columns"
        return True, "sparse rows: one after another" if problem.is_sparse else "many columns: row after row"
    if not options.dual and d > MANY_COLUMNS and not _by_products(problem):
        raise ParameterError(
            f"{options.who}(dual=False): Newton's method makes a table of all pairs of columns, and {d} are more than "
            f"{MANY_COLUMNS} (use dual='auto')."
        )
    return bool(options.dual), "as asked for"


def _by_products(problem: LinearProblem) -> bool:
    """Whether Newton's steps come out of products with sparse rows."""
    return problem.is_sparse and problem.squared and isinstance(problem, TubeProblem)


def _is_narrow(problem: LinearProblem) -> bool:
    """Few columns, and rows that are dense or can be written out."""
    n, d = problem.X.shape
    return d <= FEW_COLUMNS and (not problem.is_sparse or n * d <= max(FEW_CELLS, 4 * problem.X.nnz))


def _hard(problem: LinearProblem, options: SolverOptions) -> Solved:
    """No row inside the margin: the shortest vector between the hulls of the classes."""
    coef, intercept = np.zeros((len(problem.target), problem.X.shape[1])), np.zeros(len(problem.target))
    primal, dual = np.zeros((2, len(problem.target)))
    for k in range(len(problem.target)):
        sign = problem.signs(k)
        gap = widest_gap(problem.X, sign) if problem.intercept else largest_margin(problem.X, sign, False)
        if not gap.separable:
            raise NotSeparableError(
                f"{options.who}(C=inf): no plane separates class {problem.target[k]} (counted from 0) from the others, "
                f"and a hard margin needs one (give a finite C)."
            )
        coef[k], intercept[k] = gap.direction / gap.margin, gap.intercept / gap.margin
        primal[k], dual[k] = 0.5 / gap.margin**2, 0.5 / gap.upper_bound**2
    converged = bool((primal - dual <= max(options.tol, 1e-9) * primal).all())
    return Solved(LinearSolution(coef, intercept, primal, dual, 1, converged), "nearest point", "a hard margin")


def _with_column(X: Encoded, value: float) -> Any:
    """X with a column of one number after the others."""
    if isinstance(X, np.ndarray):
        return np.column_stack([X, np.full(len(X), value, X.dtype)])
    import scipy.sparse

    column = scipy.sparse.csr_matrix(np.full((X.shape[0], 1), value, X.dtype))
    found = scipy.sparse.hstack([X, column], format="csr", dtype=X.dtype)
    found.sort_indices()
    return found
