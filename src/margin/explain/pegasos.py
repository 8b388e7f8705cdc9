"""How sub-gradient descent with a kernel explains one answer: the rows that were too close to the boundary."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from margin.explain.explanation import Explanation, Reason
from margin.explain.models import MOST_COLUMNS, answer_of, explain
from margin.linear.model import LinearClassifier
from margin.svm.expansion import Expansion
from margin.svm.kernel_sgd import KernelMemory
from margin.svm.pegasos import PegasosClassifier

__all__: list[str] = []


@explain.register
def _(model: PegasosClassifier, X: Any) -> Explanation:
    expansion = model._fitted("explain")._expansion
    if expansion is None or len(model.classes_) == 1:
        return explain.dispatch(LinearClassifier)(model, X)
    answer, probabilities = answer_of(model, X)
    row = model._encoded(X, "explain")
    signs, sides = _signs(model, row)
    start = float(signs @ model.intercept_)
    reasons = (*_row_reasons(model, expansion, signs, row), Reason("constant", f"{start:+.3g}", start))
    how = (
        f"Each training row that was too close to the boundary adds its weight times its kernel value with this row to "
        f"the score of {sides[0]} against {sides[1]}."
    )
    return Explanation("PegasosClassifier", answer, probabilities, how, reasons)


def _signs(model: PegasosClassifier, row: Any) -> tuple[np.ndarray, tuple[str, str]]:
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
