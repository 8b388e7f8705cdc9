"""Solvers of penalised cross-entropy, each for the shapes it is quickest at."""

from __future__ import annotations

from margin.errors import ParameterError, listing
from margin.linear.problem import Problem, Solver
from margin.linear.solvers.newton import newton

__all__ = ["SOLVERS", "check_solver", "choose_solver", "newton"]

SOLVERS: dict[str, Solver] = {"newton": newton}


def choose_solver(problem: Problem) -> tuple[str, str]:
    """The name of the solver for a problem, and the reason in words."""
    return "newton", "few columns: second derivatives are cheap"


def check_solver(name: str, problem: Problem, who: str) -> None:
    """Refuse a solver that cannot solve a problem, and name those that can."""
