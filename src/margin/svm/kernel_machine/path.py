"""Support vector machines along C, from wide margins to narrow ones, each begun where the last one ended."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.representations.representation import TrainingRows
from margin.errors import ParameterError
from margin.linear.logistic.path import Strengths, strengths
from margin.params import rule_of
from margin.svm.kernel_machine.certificate import Evidence
from margin.svm.kernel_machine.learner import Learnt
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernel_machine.solve import SoftMargin, Solutions
from margin.svm.kernel_machine.svc import SVC

__all__ = ["SVMPath", "along", "svm_path"]


@dataclass(frozen=True, eq=False)
class SVMPath:
    """What becomes of the margin as slack grows dearer.

    Attributes
    ----------
    C
        Ascending.
    margin_width, slack
        2/‖w‖ and the sum of slacks (C × problems); two classes are one problem.
    objective
        The primal objective, summed over problems.
    relative_gap
        The largest share by which an objective can be above its optimum.
    n_support, n_bounded
        Support vectors, and those of them whose weight is at its bound, summed over problems.
    error
        Share of the training rows that are answered wrongly, each with its weight.
    n_iter
        Steps of the solver from the solution before.
    problems
        What each problem is about.
    """

    C: np.ndarray
    margin_width: np.ndarray
    slack: np.ndarray
    objective: np.ndarray
    relative_gap: np.ndarray
    n_support: np.ndarray
    n_bounded: np.ndarray
    error: np.ndarray
    n_iter: np.ndarray
    problems: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.C)

    def __str__(self) -> str:
        lines = [f"{'C':>10}  {'width':>10}  {'slack':>10}  {'vectors':>8}  {'bounded':>8}  {'error':>7}"]
        for i, C in enumerate(self.C):
            width, slack = self.margin_width[i].min(), self.slack[i].sum()
            counts = f"{self.n_support[i]:8d}  {self.n_bounded[i]:8d}  {self.error[i]:7.2%}"
            lines.append(f"{C:10.4g}  {width:10.4g}  {slack:10.4g}  {counts}")
        return "\n".join(lines)


class AlongC(SVC):
    """Reads rows as SVC does, and learns a machine for each of several C."""

    machines: list[Learnt]
    _Cs: np.ndarray
    _noted: tuple[Any, np.ndarray, np.ndarray, np.ndarray]

    def _train(self, X: Any, y: np.ndarray, weight: np.ndarray, rows: TrainingRows) -> None:
        learner = self._learner(X, rows, Layout(len(self._places), self.multiclass))
        self.machines = []
        start: Solutions | None = None
        for C in self._Cs.tolist():
            self.machines.append(learner.learn(SoftMargin(C), y, weight, start=start))
            start = self.machines[-1].solutions
        self._keep(self.machines[-1], rows.kept)
        self._noted = learner.X, y, weight, rows.weights()

    def path(self) -> SVMPath:
        """What the machines are like."""
        X, y, weight, counts = self._noted
        names = self._problem_names(self.machines[0].machine.layout)
        found = [
            Evidence(each.machine, each.alphas, X, y, weight, each.solutions.C, names).certificate()
            for each in self.machines
        ]
        parts = [each.parts or (each,) for each in found]
        wrong = [
            float(counts @ (each.machine.layout.answers(each.machine.decisions(X)) != y)) for each in self.machines
        ]
        return SVMPath(
            C=self._Cs,
            margin_width=np.array([[part.margin_width for part in each] for each in parts]),
            slack=np.array([[part.slack for part in each] for each in parts]),
            objective=np.array([each.primal for each in found]),
            relative_gap=np.array([each.relative_gap for each in found]),
            n_support=np.array([each.n_support for each in found]),
            n_bounded=np.array([each.n_bounded for each in found]),
            error=np.array(wrong) / counts.sum(),
            n_iter=np.array([_steps(each.solutions) for each in self.machines]),
            problems=tuple(names),
        )


def _steps(solutions: Solutions) -> int:
    return sum(each.steps for each in solutions.found)


def along(Cs: Any, settings: dict[str, Any], who: str) -> AlongC:
    """A model for these C, or a number of them between 0.001 and 1000, with other settings of SVC."""
    if not rule_of(Strengths).accepts(Cs) or np.isinf(np.asarray(Cs, dtype=np.float64)).any():
        shown = reprlib.repr(Cs)  # it may be a whole column, given in the place of Cs
        raise ParameterError(
            f"{who}(Cs={shown}): Cs must be a whole number of at least 1 or a list of numbers above 0."
        )
    for name, reason in (("C", "is what is tried; name its values in Cs"), ("budget", "says C in another way"),
                         ("hard_margin", "has no C")):  # fmt: skip
        if name in settings:
            raise ParameterError(f"{who}({name}={settings[name]!r}): {name} {reason}.")
    unknown = [name for name in settings if name not in SVC().get_params()]
    if unknown:
        raise ParameterError(f"{who}({unknown[0]}=…): is not a setting of SVC.")
    model = AlongC(**settings)
    model._Cs = np.logspace(-3, 3, int(Cs)) if np.ndim(Cs) == 0 else strengths(Cs)
    return model


def svm_path(X: Any, y: Any, Cs: Any = 7, *, sample_weight: Any = None, **settings: Any) -> SVMPath:
    """Margins, slacks and support vectors for several C: a number of them between 0.001 and 1000, or a list.

    Other settings are those of :class:`SVC`. A larger C never makes a margin wider, nor the sum of slacks larger.

    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> path = svm_path(X, [each == "Iris-virginica" for each in y], Cs=[0.1, 1, 10])
    >>> path.margin_width[:, 0].round(2).tolist(), path.n_support.tolist()
    ([0.99, 0.41, 0.21], [93, 47, 21])
    """
    model = along(Cs, settings, "svm_path")
    model.fit(X, y, sample_weight)
    if model._machine is None:
        raise ParameterError("svm_path: y must hold at least two classes.")
    return model.path()
