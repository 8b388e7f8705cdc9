r"""What can be proved of a machine for a quantity or for one class, apart from the solver.

Of weights b between :math:`l_i` and :math:`u_i` and a constant t, with :math:`f = \sum_i b_i k(x_i, \cdot) + t` and
targets p,

.. math:: P = \tfrac12\|w\|^2 + \sum_i u_i (p_i - f_i - \varepsilon)_+ - l_i (f_i - p_i - \varepsilon)_+ + t \sum_i b_i

is what the machine costs, and no machine costs less than
:math:`D = \sum_i p_i b_i - \varepsilon \sum_i |b_i| - \tfrac12\|w\|^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.readout import shown_in_notebooks
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.solve import Gap
from margin.typing import Encoded

__all__ = ["DualCertificate", "DualEvidence"]


@shown_in_notebooks
@dataclass(frozen=True)
class DualCertificate:
    r"""How good the solution is, in numbers that hold whoever found it.

    No solution of the problem costs less than ``dual``; this one costs ``primal``.

    Attributes
    ----------
    primal, dual
        What the machine costs, and what none can cost less than.
    gap, relative_gap
        primal - dual, and as a share of the cost. ``tol`` is about the latter.
    violation
        The largest violation of the conditions of optimality, in units of the decision.
    loss
        The part of the cost that rows outside the tube, or outside the class, make up.
    n_rows, n_outside, n_support, n_bounded
        Rows; those that lose something; those with a weight; those whose weight is at its largest.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    violation: float
    loss: float
    n_rows: int
    n_outside: int
    n_support: int
    n_bounded: int

    def __str__(self) -> str:
        return "\n".join(
            [
                f"primal objective:   {self.primal:.8g}",
                f"dual objective:     {self.dual:.8g}",
                f"gap:                {self.gap:.3g} ({self.relative_gap:.2g} of the objective)",
                f"largest violation:  {self.violation:.2g}",
                f"support vectors:    {self.n_support}, {self.n_bounded} of them bounded",
                f"rows:               {self.n_rows}, {self.n_outside} of them outside",
                f"sum of losses:      {self.loss:.6g}",
            ]
        )


class DualEvidence:
    """What a certificate is made of: the training rows, until they have been decided on, and then the decisions.

    ``total`` is what b adds up to, where that is not 0; objectives below ``nothing`` are 0 but for rounding. A copy of
    the rows is kept so that the kernel need not be computed once more in every fit; a saved or pickled model holds the
    decisions instead.
    """

    def __init__(
        self,
        machine: Machine,
        b: np.ndarray,
        X: Encoded,
        target: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        tube: float,
        total: float,
        nothing: float,
    ) -> None:
        self.machine = machine
        self.b = b
        self.X = X
        self.target = target
        self.lower = lower
        self.upper = upper
        self.tube = tube
        self.total = total
        self.nothing = nothing
        self.values: np.ndarray | None = None

    def settled(self) -> np.ndarray:
        """The decision about each row, in double precision."""
        if self.values is None:
            self.values = np.ascontiguousarray(self.machine.exactly().decisions(self.X)[:, 0])
            self.X = None
        return self.values

    def __getstate__(self) -> dict[str, Any]:
        self.settled()
        return self.__dict__

    def _losses(self) -> np.ndarray:
        """What each row loses."""
        away = self.target - self.settled()
        return self.upper * np.maximum(0.0, away - self.tube) - self.lower * np.maximum(0.0, -away - self.tube)

    def gap(self) -> Gap:
        bias = float(self.machine.intercept[0])
        half = 0.5 * max(0.0, float(self.b @ (self.settled() - bias)))
        primal = half + float(self._losses().sum()) + bias * self.total
        dual = float(self.target @ self.b) - self.tube * float(np.abs(self.b).sum()) - half
        return Gap(0.0, 0.0) if max(abs(primal), abs(dual)) < self.nothing else Gap(primal, dual)

    def _violation(self) -> float:
        residual = self.target - self.settled()
        up = residual - np.where(self.b >= 0, self.tube, -self.tube)
        down = residual - np.where(self.b > 0, self.tube, -self.tube)
        high = float(up[self.b < self.upper].max(initial=-np.inf))
        low = float(down[self.b > self.lower].min(initial=np.inf))
        return max(0.0, high - low) if np.isfinite(high) and np.isfinite(low) else 0.0

    def certificate(self) -> DualCertificate:
        """The certificate."""
        gap, losses = self.gap(), self._losses()
        violation = self._violation()
        return DualCertificate(
            primal=gap.primal,
            dual=gap.dual,
            gap=gap.absolute,
            relative_gap=gap.relative,
            violation=violation,
            loss=float(losses.sum()),
            n_rows=len(self.b),
            n_outside=int((losses > violation * np.maximum(self.upper, -self.lower)).sum()),
            n_support=int((self.b != 0).sum()),
            n_bounded=int(((self.b != 0) & ((self.b >= self.upper) | (self.b <= self.lower))).sum()),
        )
