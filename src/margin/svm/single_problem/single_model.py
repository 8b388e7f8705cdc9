"""What machines of a single problem share: the machine put together, and what can be read off it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from margin.base.representations.representation import TrainingRows
from margin.svm.kernel_machine.kernel_estimator import KernelEstimator
from margin.svm.kernel_machine.learner import Learner
from margin.svm.kernel_machine.multiclass import LaidOut, Layout
from margin.svm.kernel_machine.solve import VIOLATION
from margin.svm.single_problem.evidence import DualCertificate, DualEvidence
from margin.typing import Encoded

__all__ = ["SingleKernelModel", "Solved", "spread_of", "violation_in"]

#: One problem, and so one decision.
ONE = Layout(2, "one_vs_one")
# No smaller violation is asked for, in units of the spread of the targets.
LEAST_VIOLATION = 1e-5


class Solved:
    """Weights b between their bounds and a constant, the problem they solve, and how long it took."""

    def __init__(
        self,
        b: np.ndarray,
        bias: float,
        target: np.ndarray,
        bounds: tuple[np.ndarray, np.ndarray],
        tube: float = 0.0,
        total: float = 0.0,
        steps: int = 1,
    ) -> None:
        self.b = b
        self.bias = bias
        self.target = target
        self.lower, self.upper = bounds
        self.tube = tube
        self.total = total
        self.steps = steps


class SingleKernelModel(KernelEstimator):
    """An estimator whose answers are one sum of kernels over support vectors, and a constant.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        Rows with a weight other than 0: their numbers, themselves, and how many they are.
    dual_coef_
        Their weights, as one row.
    intercept_
        The constant.
    coef_
        With the linear kernel, the coefficients of the columns, as one row.
    gamma_
        The value in use.
    n_iter_
        Steps of the solver.
    """

    support_: np.ndarray
    n_support_: np.ndarray
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    #: What the certificate is made of.
    _evidence: DualEvidence

    def _begin(self, X: Encoded, rows: TrainingRows) -> Learner:
        self._check_kernel()
        self._kept, self._n_given = rows.kept, rows.n_given
        return self._learner(X, rows, ONE)

    def _keep(self, learner: Learner, solved: Solved) -> None:
        """The machine of a solution, its evidence, and a warning where its gap is too large."""
        support = np.flatnonzero(solved.b)
        coef = np.ascontiguousarray(solved.b[support][None])
        table = LaidOut(support, np.array([len(support)]), coef, np.array([0, len(support)], dtype=np.int64))
        machine = learner.machine(table, np.array([solved.bias]))
        self.support_ = (support if self._kept is None else self._kept[support]).astype(np.int64)
        # New rows have kernel values with all training rows, those of weight 0 included.
        self._machine = machine if machine.columns is None else replace(machine, columns=self.support_)
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.dual_coef_, self.intercept_ = coef, machine.intercept
        self.n_iter_ = max(1, solved.steps)
        quick = machine.planes is not None or machine.columns is not None
        self._evidence = DualEvidence(
            machine,
            solved.b,
            learner.X if quick else learner.X.copy(),
            solved.target,
            solved.lower,
            solved.upper,
            solved.tube,
            solved.total,
            1e-12 * solved.total**2 * float(np.abs(learner.solver.source.diagonal()).max(initial=0.0)),
        )

    def _check_gap(self, learner: Learner, solved: Solved, gap: float) -> None:
        """Warn of a gap that is too large, by decisions where sums of kernel values lose too many digits."""
        quick = self._machine is not None and self._machine.planes is not None
        if quick or learner.loses_digits(float(np.abs(solved.b).sum())):
            gap = self._evidence.gap().relative
        self._warn_of_gaps([gap])

    def _sums(self, X: Encoded) -> np.ndarray:
        return np.ascontiguousarray(self._decisions(X)[:, 0])

    @property
    def certificate_(self) -> DualCertificate:
        """Primal and dual objective, gap, violation and how rows lie, worked out when asked."""
        return self._fitted("certificate_")._evidence.certificate()


def spread_of(y: np.ndarray, weight: np.ndarray) -> float:
    """The standard deviation of targets, or 1 where there is none: what their residuals are measured in."""
    mean = float(weight @ y) / float(weight.sum())
    spread = float(np.sqrt(weight @ np.square(y - mean) / weight.sum()))
    return spread if spread > 1e-300 and np.isfinite(spread) else 1.0


def violation_in(unit: float) -> float:
    """LIBSVM's violation in such units, within reason."""
    return float(np.clip(VIOLATION / unit, LEAST_VIOLATION, VIOLATION))
