"""Answers for several C of support vector machines: rows are read once, and solutions begin at the one before."""

from __future__ import annotations

import numpy as np

from margin import params
from margin.base.parameter_path import PathTask
from margin.evaluation.predictions.from_model import Predictions, predict_all, predict_each, with_learnt
from margin.params import Positive, rule_of
from margin.svm.kernel_machine.path import learnt_along
from margin.svm.kernel_machine.svc import SVC
from margin.svm.linear_machine.linear_svc import LinearSVC

__all__ = ["answers_along_linear", "answers_along_penalty"]


def answers_along_penalty(model: SVC, task: PathTask) -> list[list[Predictions]] | None:
    """What a kernel machine says for each C, from wide margins to narrow ones.

    Probabilities need machines of their own; so does a machine that did not come near its optimum.
    """
    Cs = task.values
    other = model.probability is not None or model.budget is not None or model.hard_margin
    if other or not all(rule_of(Positive).accepts(C) for C in Cs):
        return None
    along = SVC(**model.get_params(deep=False))
    values, at = np.unique(np.asarray(Cs, dtype=np.float64), return_inverse=True)
    machines = learnt_along(along, values, task.X, task.y, task.sample_weight).machines
    if not machines:
        return [[predict_all(along, X) for X in task.queries]] * len(Cs)
    if max(gap.relative for machine in machines for gap in machine.solutions.gaps) > along.tol:
        return None
    predictions = predict_each((along._with_machine(machine) for machine in machines), task.queries)
    return [predictions[place] for place in at]


def answers_along_linear(model: LinearSVC, task: PathTask) -> list[list[Predictions]] | None:
    """What a linear machine says for each C; its solvers begin anew, from rows that were read once."""
    if not all(rule_of(Positive).accepts(C) for C in task.values):
        return None
    along = LinearSVC(**model.get_params(deep=False))
    params.check(along)
    X, y, rows = along._read_rows(task.X, task.y, task.sample_weight, f"{type(along).__name__}.fit")
    options = along._options()
    part, layers = along._reduced(X, y, options), []
    for C in task.values:
        along.C = float(C)
        done = along._solved(part, y, rows.weight, options).found
        if not done.converged:
            return None
        layers.append(part.whole(done.coef, done.intercept))
    return predict_each((with_learnt(along, coef_=coef, intercept_=b) for coef, b in layers), task.queries)
