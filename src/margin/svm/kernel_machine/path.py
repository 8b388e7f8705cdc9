"""Support vector machines along C, from wide margins to narrow ones, each begun where the last one ended."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin import params
from margin.errors import ParameterError
from margin.linear.logistic.path import Strengths, strengths
from margin.params import rule_of
from margin.svm.kernel_machine.certificate import Evidence
from margin.svm.kernel_machine.learner import Learnt
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernel_machine.solve import SoftMargin, Solutions
from margin.svm.kernel_machine.svc import SVC
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["LearntAlongC", "SVMPath", "along", "learnt_along", "svm_path"]


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


@dataclass(frozen=True, eq=False)
class LearntAlongC:
    """Machines for several C (none where a single class has rows), and the rows that they were learnt from.

    ``counts`` are the weights of rows, ``weight`` the same with class weights.
    """

    machines: list[Learnt]
    X: Any
    y: np.ndarray
    weight: np.ndarray
    counts: np.ndarray


def learnt_along(
    model: SVC, Cs: np.ndarray, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None
) -> LearntAlongC:
    """Have the model read rows, and learn a machine for each C, begun at the one before; it keeps the last one."""
    params.check(model)
    X, y, rows = model._read_rows(X, y, sample_weight, f"{type(model).__name__}.fit")
    codes, weight = model._weighed(y, rows)
    machines: list[Learnt] = []
    if len(model._places) < 2:
        model._keep_nothing()
        return LearntAlongC(machines, X, codes, weight, rows.weights())
    learner = model._learner(X, rows, Layout(len(model._places), model.multiclass))
    for C in Cs.tolist():
        start = machines[-1].solutions if machines else None
        machines.append(learner.learn(SoftMargin(C), codes, weight, start=start))
    model._keep(machines[-1])
    return LearntAlongC(machines, learner.X, codes, weight, rows.weights())


def _path_of(learnt: LearntAlongC, Cs: np.ndarray, names: list[str]) -> SVMPath:
    """What the machines are like."""
    X, y, machines = learnt.X, learnt.y, learnt.machines
    found = [
        Evidence(each.machine, each.alphas, X, y, learnt.weight, each.solutions.C, names).certificate()
        for each in machines
    ]
    parts = [each.parts or (each,) for each in found]
    wrong = [float(learnt.counts @ (each.machine.layout.answers(each.machine.decisions(X)) != y)) for each in machines]
    return SVMPath(
        C=Cs,
        margin_width=np.array([[part.margin_width for part in each] for each in parts]),
        slack=np.array([[part.slack for part in each] for each in parts]),
        objective=np.array([each.primal for each in found]),
        relative_gap=np.array([each.relative_gap for each in found]),
        n_support=np.array([each.n_support for each in found]),
        n_bounded=np.array([each.n_bounded for each in found]),
        error=np.array(wrong) / learnt.counts.sum(),
        n_iter=np.array([_steps(each.solutions) for each in machines]),
        problems=tuple(names),
    )


def _steps(solutions: Solutions) -> int:
    return sum(each.steps for each in solutions.found)


def along(Cs: Any, settings: dict[str, Any], who: str) -> tuple[SVC, np.ndarray]:
    """A model with these settings of SVC, and the C: those named, or a number of them between 0.001 and 1000."""
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
    return SVC(**settings), np.logspace(-3, 3, int(Cs)) if np.ndim(Cs) == 0 else strengths(Cs)


def svm_path(
    X: TableLike, y: LabelsLike, Cs: Any = 7, *, sample_weight: WeightsLike | None = None, **settings: Any
) -> SVMPath:
    """Margins, slacks and support vectors for several C: a number of them between 0.001 and 1000, or a list.

    Other settings are those of :class:`SVC`. A larger C never makes a margin wider, nor the sum of slacks larger.

    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> path = svm_path(X, [each == "Iris-virginica" for each in y], Cs=[0.1, 1, 10])
    >>> path.margin_width[:, 0].round(2).tolist(), path.n_support.tolist()
    ([0.99, 0.41, 0.21], [93, 47, 21])
    """
    model, values = along(Cs, settings, "svm_path")
    learnt = learnt_along(model, values, X, y, sample_weight)
    if not learnt.machines:
        raise ParameterError("svm_path: y must hold at least two classes.")
    return _path_of(learnt, values, model._problem_names(learnt.machines[0].machine.layout))
