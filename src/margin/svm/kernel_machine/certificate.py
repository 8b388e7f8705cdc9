"""What can be proved of a fitted support vector machine, and where training rows lie, apart from the solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.readout import shown_in_notebooks
from margin.svm.kernel_machine.dual import DualProblem
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.multiclass import Signed
from margin.svm.kernel_machine.polish import conditions
from margin.svm.kernel_machine.solve import Gap, gap_of, steepened
from margin.typing import Encoded

__all__ = ["INSIDE", "ON", "OUTSIDE", "WORDS", "Evidence", "MarginCertificate", "categories"]


@shown_in_notebooks
@dataclass(frozen=True)
class MarginCertificate:
    r"""How good the solution is, in numbers that hold whoever found it.

    No solution of the problem costs less than ``dual``; this one costs ``primal``.

    Attributes
    ----------
    primal
        :math:`\tfrac12\|w\|^2 + \sum_i c_i \xi_i`.
    dual
        :math:`\sum_i \alpha_i - \tfrac12\|w\|^2`; LIBSVM prints it with the sign turned.
    gap, relative_gap
        primal - dual, and as a share of the cost. ``tol`` is about the latter.
    violation
        The largest violation of the conditions of optimality, in units of the decision.
    balance
        :math:`\sum_i s_i \alpha_i`, which must be 0.
    margin_width
        The distance :math:`2/\|w\|` between the two edges of the margin, in the space of the kernel.
    n_outside, n_on, n_inside
        Rows outside the margin, on its edge, and inside it or beyond.
    n_misclassified
        Those of them on the wrong side of the boundary.
    n_support, n_bounded
        Rows with a weight above 0, and those at their largest.
    slack
        The sum of all slacks.
    of
        What the problem is about, where there are several.
    parts
        With more than two classes, the certificates of all problems. The numbers above are then sums (costs and
        counts), or the worst of all (relative gap, violation, balance, width).
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    violation: float
    balance: float
    margin_width: float
    n_outside: int
    n_on: int
    n_inside: int
    n_misclassified: int
    n_support: int
    n_bounded: int
    slack: float
    of: str = ""
    parts: tuple[MarginCertificate, ...] = ()

    @classmethod
    def empty(cls) -> MarginCertificate:
        """Of a model that knows one class: nothing to separate, and nothing to pay."""
        return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, float("inf"), 0, 0, 0, 0, 0, 0, 0.0)

    def __str__(self) -> str:
        head = [f"{len(self.parts)} problems, sums and worst of all"] if self.parts else []
        return "\n".join(
            [
                *head,
                f"primal objective:   {self.primal:.8g}",
                f"dual objective:     {self.dual:.8g}",
                f"gap:                {self.gap:.3g} ({self.relative_gap:.2g} of the objective)",
                f"largest violation:  {self.violation:.2g}",
                f"sum of signed α:    {self.balance:.2g}",
                f"margin width 2/‖w‖: {self.margin_width:.6g}",
                f"support vectors:    {self.n_support}, {self.n_bounded} of them bounded",
                f"rows:               {self.n_outside} outside the margin, {self.n_on} on its edge, "
                f"{self.n_inside} inside ({self.n_misclassified} of them misclassified)",
                f"sum of slacks:      {self.slack:.6g}",
            ]
        )


class Evidence:
    """What a certificate is made of: the training rows, until they have been decided on, and then the decisions.

    A copy of the rows is kept so that the kernel need not be computed once more in every fit. A saved or pickled model
    holds the decisions instead.
    """

    def __init__(
        self,
        machine: Machine,
        alphas: list[np.ndarray],
        X: Encoded,
        y: np.ndarray,
        weight: np.ndarray,
        C: np.ndarray,
        names: list[str],
    ) -> None:
        self.machine = machine
        self.alphas = alphas
        self.X = X
        self.y = y
        self.weight = weight
        self.C = C
        self.names = names
        self.values: list[np.ndarray] | None = None

    def problems(self) -> list[Signed]:
        return self.machine.layout.problems(self.y)

    def settled(self) -> list[np.ndarray]:
        """The decision f(x) of each problem about each of its rows, in double precision."""
        if self.values is None:
            decisions = self.machine.exactly().decisions(self.X)
            self.values = [decisions[problem.rows, i] for i, problem in enumerate(self.problems())]
            self.X = None
        return self.values

    def __getstate__(self) -> dict[str, Any]:
        self.settled()
        return self.__dict__

    def slacks(self) -> list[np.ndarray]:
        """max(0, 1 - s f(x)) of each row of each problem."""
        signs = (problem.sign for problem in self.problems())
        return [np.maximum(0.0, 1.0 - sign * values) for sign, values in zip(signs, self.settled())]

    def categories(self) -> list[np.ndarray]:
        """Where each row of each problem lies: outside the margin, on its edge or inside, as codes."""
        return [
            categories(problem.sign * values, self.alphas[i], self._upper(i, problem), self._violation(i, problem))
            for i, (problem, values) in enumerate(zip(self.problems(), self.settled()))
        ]

    def _upper(self, i: int, problem: Signed) -> np.ndarray:
        """The largest weight that each row of a problem may have."""
        return self.C[i] * self.weight[problem.rows]

    def _violation(self, i: int, problem: Signed) -> float:
        gradient = problem.sign * (self.settled()[i] - self.machine.intercept[i]) - 1.0
        given = DualProblem(problem.rows, problem.sign, self._upper(i, problem))
        return conditions(given, self.alphas[i], gradient)[1]

    def gaps(self) -> list[Gap]:
        """The gap of each problem, by the decisions about its rows."""
        return [self._gap(i, problem) for i, problem in enumerate(self.problems())]

    def _gap(self, i: int, problem: Signed) -> Gap:
        values, alpha, bias = self.settled()[i], self.alphas[i], self.machine.intercept[i]
        without_bias = problem.sign * (values - bias)
        if np.isinf(self.C[i]):
            half = 0.5 * max(0.0, float(alpha @ without_bias))
            return steepened(half, float((problem.sign * values).min()), float(alpha.sum()) - half)
        return gap_of(alpha, self._upper(i, problem), without_bias, problem.sign * bias)

    def certificate(self) -> MarginCertificate:
        """The certificate of the whole."""
        parts = [self._part(i, problem) for i, problem in enumerate(self.problems())]
        if len(parts) == 1:
            return parts[0]
        sums = ("primal", "dual", "gap", "n_outside", "n_on", "n_inside", "n_misclassified", "n_support", "n_bounded")
        total = {name: sum(getattr(part, name) for part in parts) for name in (*sums, "slack")}
        return MarginCertificate(
            **total,
            relative_gap=max((part.relative_gap for part in parts), default=0.0),
            violation=max((part.violation for part in parts), default=0.0),
            balance=max((part.balance for part in parts), key=abs, default=0.0),
            margin_width=min((part.margin_width for part in parts), default=np.inf),
            parts=tuple(parts),
        )

    def _part(self, i: int, problem: Signed) -> MarginCertificate:
        values, upper, alpha, s = self.settled()[i], self._upper(i, problem), self.alphas[i], problem.sign
        squared = max(0.0, float(alpha @ (s * (values - self.machine.intercept[i]))))
        gap, violation = self._gap(i, problem), self._violation(i, problem)
        where = categories(s * values, alpha, upper, violation)
        return MarginCertificate(
            primal=gap.primal,
            dual=gap.dual,
            gap=gap.absolute,
            relative_gap=gap.relative,
            violation=violation,
            balance=float(s @ alpha),
            margin_width=float(2.0 / np.sqrt(squared)) if squared > 0 else float("inf"),
            n_outside=int((where == OUTSIDE).sum()),
            n_on=int((where == ON).sum()),
            n_inside=int((where == INSIDE).sum()),
            n_misclassified=int((s * values <= 0).sum()),
            n_support=int((alpha > 0).sum()),
            n_bounded=int((alpha >= upper).sum()),
            slack=float(np.maximum(0.0, 1.0 - s * values).sum()),
            of=self.names[i],
        )


OUTSIDE, ON, INSIDE = 0, 1, 2
#: The words of the three codes.
WORDS = np.array(["outside", "on", "inside"])
# Decisions are rounded to about this.
ROUNDING = 1e-9


def categories(margins: np.ndarray, alpha: np.ndarray, upper: np.ndarray, violation: float) -> np.ndarray:
    """Codes out of s f(x), the weights, their bounds and how exactly the problem was solved.

    A row whose weight is strictly between 0 and its bound is on the edge; so is any whose s f(x) is 1 within the
    violation that is left.

    >>> where = categories(np.array([2.0, 1.0, 0.3, -1.0]), np.array([0, 0.5, 1, 1]), np.ones(4), 0.0)
    >>> WORDS[where].tolist()
    ['outside', 'on', 'inside', 'inside']
    """
    near = max(violation, ROUNDING * max(1.0, float(np.abs(margins).max(initial=0.0))))
    on = ((alpha > 0) & (alpha < upper)) | (np.abs(margins - 1.0) <= near)
    return np.where(on, ON, np.where(margins > 1.0, OUTSIDE, INSIDE)).astype(np.int8)
