"""How boosted trees explain one answer: what each column adds to the score, as Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting.gradient.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain, of_one_class
from margin.typing import TableLike

__all__: list[str] = []

#: Columns that have a line of their own.
MOST_COLUMNS = 20


@explain.register
def _(model: GradientBoostingClassifier, X: TableLike) -> Explanation:
    if len(model.classes_) == 1:
        return of_one_class(model, X)
    answer, probabilities = answer_of(model, X)
    place = model.classes_.tolist().index(answer)
    values, base = model.shap_values(X)[0], model.shap_base()
    if values.ndim == 2:
        values, base = values[:, place], float(base[place])
        what = f"the score of {answer}"
    else:
        sign = 1.0 if place == 1 else -1.0
        values, base = sign * values, sign * base
        what = f"the {'half ' if model.loss == 'exponential' else ''}log odds of {answer}"
    how = f"Each line adds to {what} what its column is worth here (Shapley value), from a mean of {base:+.3g} on."
    return Explanation(type(model).__name__, answer, probabilities, how, _reasons(model, values))


@explain.register
def _(model: GradientBoostingRegressor, X: TableLike) -> Explanation:
    answer = model.predict(X)[0].item()
    values, base = model.shap_values(X)[0], model.shap_base()
    what = "the logarithm of the answer" if model.loss == "poisson" else "the answer"
    how = f"Each line adds to {what} what its column is worth here (Shapley value), from a mean of {base:.4g} on."
    return Explanation(type(model).__name__, f"{answer:.6g}", {}, how, _reasons(model, values))


def _reasons(model: Any, values: np.ndarray) -> tuple[Reason, ...]:
    names = model._columns.described().names
    order = np.argsort(-np.abs(values), kind="stable")
    shown = [k for k in order.tolist() if values[k] != 0]
    reasons = [Reason(names[k], f"{values[k]:+.4g}", float(values[k])) for k in shown[:MOST_COLUMNS]]
    if rest := shown[MOST_COLUMNS:]:
        left = float(values[rest].sum())
        reasons.append(Reason(f"{len(rest):,} further columns", f"{left:+.4g}", left))
    return tuple(reasons)
