"""How machines with kernels explain one answer: by the training rows that pull at it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from margin.data.rows import ready_for
from margin.explain.explanation import Explanation, Reason
from margin.explain.linear import column_reasons
from margin.explain.models import MOST_COLUMNS, answer_of, explain, of_one_class
from margin.linear.linear_classifier import LinearClassifier
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.model import KernelModel
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.matrix import values_of
from margin.svm.linear_machine.linear_svr import LinearSVR
from margin.svm.pegasos.classifier import PegasosClassifier
from margin.svm.pegasos.kernel import KernelMemory
from margin.svm.reject import Reject
from margin.svm.single_problem.one_class import OneClassSVM
from margin.svm.single_problem.single_model import SingleKernelModel
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: KernelModel, X: TableLike) -> Explanation:
    machine = model._machine
    if machine is None:
        return of_one_class(model, X)
    name = type(model).__name__
    answer, probabilities = answer_of(model, X)
    row = model._encoded(X, "explain")
    first, second = _first_two(model, machine, row)
    winner, loser = (str(model.classes_[model._places[k]]) for k in (first, second))
    signs = _signs(machine, first, second)
    start = float(signs @ machine.intercept)
    if machine.planes is not None:
        how, reasons, _ = column_reasons(model, X, signs @ machine.planes, start, (winner, loser), False)
        return Explanation(name, answer, probabilities, how, reasons)
    kernel = _kernel_values(machine, row)
    weights = _weights(machine, signs)
    labels = np.repeat(model.classes_, model.n_support_)
    reasons = (*_vector_reasons(model, labels, weights, kernel), Reason("constant", f"{start:+.3g}", start))
    how = (
        f"Each support vector adds its weight times its kernel value with this row to the score of {winner} against "
        f"{loser}."
    )
    return Explanation(name, answer, probabilities, how, reasons)


def _first_two(model: KernelModel, machine: Machine, row: Any) -> tuple[int, int]:
    """The class that is answered and the next, as places among those that had rows."""
    decisions = model._decisions(row)
    first = int(model._winners(decisions)[0])
    scores = machine.layout.scores(decisions)[0].copy()
    scores[first] = -np.inf
    return first, int(scores.argmax())


def _signs(machine: Machine, first: int, second: int) -> np.ndarray:
    """How the score of one class against another is made of the problems' decisions: a factor for each."""
    sides = machine.layout.sides()
    signs = np.zeros(len(sides))
    for i, (positive, negative) in enumerate(sides):
        if negative is None:
            signs[i] = 1.0 if positive == first else -1.0 if positive == second else 0.0
        elif {positive, negative} == {first, second}:
            signs[i] = 1.0 if positive == first else -1.0
    return signs


def _weights(machine: Machine, signs: np.ndarray) -> np.ndarray:
    """The weight of each support vector in that score."""
    coef, layout = machine.expansion.coef, machine.layout
    if not layout.in_pairs:
        return signs @ coef
    weights = np.zeros(coef.shape[1])
    problem = int(np.flatnonzero(signs)[0])
    a, b = (int(side[problem]) for side in layout.pairs)
    bounds = machine.expansion.bounds
    for own, table_row in ((a, b - 1), (b, a)):  # scikit-learn's layout of the weights of pairs
        part = slice(bounds[own], bounds[own + 1])
        weights[part] = signs[problem] * coef[table_row, part]
    return weights


def _kernel_values(machine: Machine, row: Any) -> np.ndarray:
    """The kernel of the row with each support vector."""
    if machine.function is not None:
        return values_of(machine.function, row, machine.vectors, "explain")[0]
    if machine.columns is not None:
        values = row[:, machine.columns]
        return np.asarray(values if isinstance(values, np.ndarray) else values.toarray())[0]
    return machine.expansion.kernel.matrix(row, machine.vectors)[0]


@explain.register
def _(model: SingleKernelModel, X: TableLike) -> Explanation:
    answer, _ = answer_of(model, X)
    machine = model._machine
    assert machine is not None
    row, start = model._encoded(X, "explain"), float(machine.intercept[0])
    what = "decision, which is not below 0 inside" if isinstance(model, OneClassSVM) else "answer"
    if machine.planes is not None:
        reasons = _plane_reasons(model, machine.planes[0], row)
        how = f"Each column adds its coefficient times its number to the {what}."
    else:
        reasons = _vector_reasons(model, None, machine.expansion.coef[0], _kernel_values(machine, row))
        how = f"Each support vector adds its weight times its kernel value with this row to the {what}."
    constant = Reason("constant", f"{start:+.3g}", start)
    return Explanation(type(model).__name__, answer, {}, how, (*reasons, constant))


@explain.register
def _(model: LinearSVR, X: TableLike) -> Explanation:
    answer, _ = answer_of(model, X)
    coef, intercept = model._layer("explain")
    reasons = _plane_reasons(model, coef[0], model._encoded(X, "explain"))
    constant = Reason("constant", f"{intercept[0]:+.3g}", float(intercept[0]))
    how = "Each column adds its coefficient times its number to the answer."
    return Explanation(type(model).__name__, answer, {}, how, (*reasons, constant))


def _plane_reasons(model: SingleKernelModel | LinearSVR, coef: np.ndarray, row: Any) -> list[Reason]:
    """One reason for each column that pulls, strongest first; beyond the first hundred they are one."""
    cells = np.asarray(row if isinstance(row, np.ndarray) else row.toarray(), dtype=np.float64)[0]
    pulls, names = coef * cells, model.coef_names_
    order = np.argsort(-np.abs(pulls), kind="stable")
    order = order[pulls[order] != 0]
    shown, rest = order[:MOST_COLUMNS], order[MOST_COLUMNS:]
    reasons = [
        Reason(names[at], f"{cells[at]:.3g} × {coef[at]:.3g} = {pulls[at]:+.3g}", float(pulls[at])) for at in shown
    ]
    if rest.size:
        together = float(pulls[rest].sum())
        reasons.append(Reason(f"{len(rest):,} other columns together", f"{together:+.3g}", together))
    return reasons


def _vector_reasons(
    model: KernelModel | SingleKernelModel, labels: np.ndarray | None, weights: np.ndarray, kernel: np.ndarray
) -> list[Reason]:
    """One reason for each support vector that pulls, strongest first; beyond the first hundred they are one."""
    pulls = weights * kernel
    order = np.argsort(-np.abs(pulls), kind="stable")
    order = order[weights[order] != 0]
    shown, rest = order[:MOST_COLUMNS], order[MOST_COLUMNS:]
    reasons = [
        Reason(
            f"training row {model.support_[at]}",
            f"{'' if labels is None else f'{labels[at]}, '}"
            f"weight {abs(weights[at]) if labels is not None else weights[at]:.3g} × kernel {kernel[at]:.3g} = "
            f"{pulls[at]:+.3g}",
            float(pulls[at]),
            int(model.support_[at]),
        )
        for at in shown
    ]
    if rest.size:
        together = float(pulls[rest].sum())
        reasons.append(Reason(f"{len(rest):,} other support vectors together", f"{together:+.3g}", together))
    return reasons


@explain.register
def _(model: Reject, X: TableLike) -> Explanation:
    answer, _ = answer_of(model, X)
    inside = explain(model.model_, ready_for(model.model_, model._encoded(X, "explain")))
    sure = float(model.confidences(X)[0])
    if model.threshold_ == -np.inf and answer is not None:
        told = "It always answers."
    else:
        side = "above" if sure > model.threshold_ else "not above"
        told = f"Its confidence {sure:.3g} is {side} the threshold {model.threshold_:.3g}."
        if answer is None:
            told = f"{told} It would have answered {inside.answer}." if inside.answer is not None else told
    return replace(inside, model=f"Reject({inside.model})", answer=answer, how=f"{told} {inside.how}")


@explain.register
def _(model: PegasosClassifier, X: TableLike) -> Explanation:
    expansion = model._fitted("explain")._expansion
    if expansion is None or len(model.classes_) == 1:
        return explain.dispatch(LinearClassifier)(model, X)
    answer, probabilities = answer_of(model, X)
    row = model._encoded(X, "explain")
    signs, sides = _pegasos_signs(model, row)
    start = float(signs @ model.intercept_)
    reasons = (*_row_reasons(model, expansion, signs, row), Reason("constant", f"{start:+.3g}", start))
    how = (
        f"Each training row that was too close to the boundary adds its weight times its kernel value with this row to "
        f"the score of {sides[0]} against {sides[1]}."
    )
    return Explanation("PegasosClassifier", answer, probabilities, how, reasons)


def _pegasos_signs(model: PegasosClassifier, row: Any) -> tuple[np.ndarray, tuple[str, str]]:
    """A factor for each score that makes the lead of the answer over the next class, and what these are called."""
    scores = model._scores(row)[0]
    first, second = (int(k) for k in np.argsort(-scores, kind="stable")[:2])
    names = str(model.classes_[first]), str(model.classes_[second])
    if len(model.intercept_) == 1:
        return np.array([1.0 if first == 1 else -1.0]), names
    signs = np.zeros(len(scores))
    signs[first], signs[second] = 1.0, -1.0
    return signs, names


def _row_reasons(model: PegasosClassifier, expansion: Expansion, signs: np.ndarray, row: Any) -> list[Reason]:
    """One reason for each row that pulls, strongest first; beyond the first hundred they are one."""
    weights, kernel = signs @ expansion.coef, expansion.kernel.matrix(row, expansion.vectors)[0]
    pulls = weights * kernel
    order = np.argsort(-np.abs(pulls), kind="stable")
    numbers = getattr(model, "support_", np.zeros(0, dtype=int))
    labels = model.classes_[cast(KernelMemory, model._memory).y]
    reasons = [
        Reason(
            f"training row {numbers[at]}" if at < len(numbers) else f"row {at} that came in parts",
            f"{labels[at]}, weight {abs(weights[at]):.3g} × kernel {kernel[at]:.3g} = {pulls[at]:+.3g}",
            float(pulls[at]),
        )
        for at in order[:MOST_COLUMNS]
    ]
    rest = order[MOST_COLUMNS:]
    if rest.size:
        together = float(pulls[rest].sum())
        reasons.append(Reason(f"{len(rest):,} other rows together", f"{together:+.3g}", together))
    return reasons
