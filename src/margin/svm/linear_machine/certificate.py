"""How near the optimum a linear support vector machine is: both sides of its problem, and the gap between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.readout import shown_in_notebooks
from margin.errors import ConvergenceWarning, warn
from margin.svm.linear_machine.problem import LinearSolution

__all__ = ["LinearCertificate", "warn_of_convergence"]


@shown_in_notebooks
@dataclass(frozen=True)
class LinearCertificate:
    """The objective that was reached and a bound that no other weights can get below.

    Attributes
    ----------
    primal
        The objective, ½‖w‖² (or ‖w‖₁) plus the weighted losses, summed over the scores (one for two classes).
    dual
        The objective of the dual problem at multipliers of the rows that obey its constraints: no weights have a
        primal objective below it.
    gap, relative_gap
        primal - dual, and that of the worst score in units of its own primal objective, which is what ``tol`` is about.
    margins
        The width 2/‖w‖ of the margin of each score; empty with an L1 penalty, for Crammer and Singer's
        objective, and for a quantity.
    tol
        What the relative gap was asked to come below.
    solver, reason
        Who solved the problem, and why that solver was chosen.
    n_iter, converged
        Iterations, and whether the tolerance was met.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    margins: tuple[float, ...]
    tol: float
    solver: str
    reason: str
    n_iter: int
    converged: bool

    def __str__(self) -> str:
        end = "converged" if self.converged else "did not converge"
        return "\n".join(
            [
                f"{self.solver} ({self.reason}): {end} in {self.n_iter} iteration{'s' * (self.n_iter != 1)}",
                f"  primal       {self.primal:.10g}",
                f"  dual         {self.dual:.10g}",
                f"  gap          {self.gap:<14.3g} relative {self.relative_gap:.3g}, asked for at most {self.tol:g}",
            ]
        )

    @classmethod
    def of(cls, found: LinearSolution, tol: float, solver: str, reason: str, wide: bool) -> LinearCertificate:
        """What a solution says; ``wide`` where its scores have margins whose width is 2/‖w‖."""
        apart = np.maximum(found.primal - found.dual, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(apart > 0, apart / np.maximum(np.abs(found.primal), np.finfo(float).tiny), 0.0)
            width = 2 / np.sqrt(np.multiply(found.coef, found.coef).sum(axis=1))
        return cls(
            primal=float(found.primal.sum()),
            dual=float(found.primal.sum() - apart.sum()),
            gap=float(apart.sum()),
            relative_gap=float(relative.max(initial=0.0)),
            margins=tuple(width.tolist()) if wide else (),
            tol=tol,
            solver=solver,
            reason=reason,
            n_iter=found.n_iter,
            converged=found.converged,
        )


def warn_of_convergence(found: LinearCertificate, who: str, max_iter: int, scale: str | None) -> None:
    """Say how far from its tolerance a solver stopped, and what may help."""
    advice = "" if scale == "standard" else "scale='standard' if columns differ much in size, "
    warn(
        f"{who}.fit: {found.solver} stopped after {found.n_iter} iterations with a relative duality gap of "
        f"{found.relative_gap:.2g}, {found.relative_gap / found.tol:.3g} times the tolerance "
        f"(try {advice}max_iter={4 * max_iter}, or accept it with a larger tol).",
        ConvergenceWarning,
    )
