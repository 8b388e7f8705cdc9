"""Solvers of penalised cross-entropy, each for the shapes it is quickest at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from margin.base.inputs.arrays import dense_from_sparse
from margin.errors import ParameterError
from margin.linear.problem import Problem, Solver
from margin.linear.solvers.coordinate_descent import coordinate_descent
from margin.linear.solvers.newton import newton, suits_newton
from margin.linear.solvers.quasi_newton import lbfgs
from margin.linear.solvers.truncated_newton import truncated_newton

__all__ = ["SOLVERS", "check_solver", "choose_solver", "shaped_for"]

SOLVERS: dict[str, Solver] = {
    "newton": newton,
    "lbfgs": lbfgs,
    "truncated_newton": truncated_newton,
    "coordinate_descent": coordinate_descent,
}


def choose_solver(problem: Problem) -> tuple[str, str]:
    """The name of the solver for a problem, and the reason in words."""
    if problem.l1 > 0:
        return "coordinate_descent", "an L1 penalty has corners: one coefficient after another"
    if problem.is_sparse:
        return "truncated_newton", "sparse rows: second derivatives only along directions"
    if suits_newton(problem):
        return "newton", "few columns: second derivatives are cheap"
    return "lbfgs", "many columns: second derivatives are built up from gradients"


def check_solver(name: str, problem: Problem, who: str) -> None:
    """Refuse a solver that cannot solve a problem, and name those that can."""
    if problem.l1 > 0 and name != "coordinate_descent":
        raise ParameterError(
            f"{who}(solver={name!r}): only solver='coordinate_descent' can do an L1 penalty (or use 'auto')."
        )


def shaped_for(name: str, problem: Problem, who: str) -> Problem:
    """The problem with its rows dense or sparse, as a solver that was asked for by name wants them."""
    if name in ("newton", "lbfgs") and problem.is_sparse:
        return replace(problem, X=np.ascontiguousarray(dense_from_sparse(problem.X, f"{who}(solver={name!r})")))
    if name == "truncated_newton" and not problem.is_sparse:
        import scipy.sparse

        return replace(problem, X=scipy.sparse.csr_array(problem.X))
    return problem
