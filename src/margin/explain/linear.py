"""How linear models explain one answer: what each column adds to the score."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.explain.explanation import Explanation, Reason
from margin.explain.generative import by_column
from margin.explain.models import MOST_COLUMNS, answer_of, explain, factor_in_words, of_one_class
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.presolve import NEVER
from margin.typing import TableLike

__all__ = ["average_in_words", "column_reasons", "middle", "strongest"]


@explain.register
def _(model: LinearClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    if len(model.classes_) == 1:
        return of_one_class(model, X)
    scores = np.atleast_1d(model.decision_function(X)[0])
    first, second = _first_two(scores)
    weights, start = _against(model, first, second)
    sides = str(model.classes_[first]), str(model.classes_[second])
    how, reasons, total = column_reasons(model, X, weights, start, sides, _multiplies_odds(model))
    if np.isfinite(total) and not np.isclose(total, _lead(scores, first, second), rtol=1e-6, atol=1e-9):
        how += " The answer itself is a vote of many such sums, of which the lines show the mean."
    return Explanation(type(model).__name__, answer, probabilities, how, reasons)


def column_reasons(
    model: Any, X: TableLike, weights: np.ndarray, start: float, sides: tuple[str, str], odds: bool
) -> tuple[str, tuple[Reason, ...], float]:
    """What the columns of one row add to a linear score of one class against another, and their sum.

    ``odds`` says that the score is a logarithm of odds.
    """
    winner, loser = sides
    row = model._encoded(X, "explain")
    if not isinstance(row, np.ndarray) and model._columns.schema is not None:
        row = row.toarray()  # a table's very many one-hot columns are told by the names of its own columns
    if isinstance(row, np.ndarray):
        basis_row = middle(model)
        pulls = by_column(
            model._columns, dict(zip(model._encoder.names_out(), weights * (row[0] - basis_row))), X, model
        )
        begin, against = float(start + weights @ basis_row), "the average case itself"
        basis = average_in_words(model)
    else:
        pulls, begin, against = _stored_pulls(model, row, weights), start, "the row of zeros itself"
        basis = "a row of zeros"
    tell = _factor if odds else _points
    reasons = [Reason(what, tell(pull, loser), pull) for what, pull in strongest(pulls)]
    reasons.append(Reason(against, tell(begin, loser), begin))
    verb = "multiplies the odds" if odds else "adds to the score"
    how = f"Each line {verb} of {winner} against {loser}, compared with {basis}."
    return how, tuple(reasons), begin + sum(pull for _, pull in pulls)


def _first_two(scores: np.ndarray) -> tuple[int, int]:
    """The places of the class with the largest score and of the next."""
    if len(scores) == 1:
        return (1, 0) if scores[0] > 0 else (0, 1)
    ranked = np.argsort(-scores, kind="stable")
    return int(ranked[0]), int(ranked[1])


def _lead(scores: np.ndarray, first: int, second: int) -> float:
    return float(abs(scores[0])) if len(scores) == 1 else float(scores[first] - scores[second])


def _against(model: LinearClassifier, first: int, second: int) -> tuple[np.ndarray, float]:
    """The weights and the intercept of one class against another."""
    coef, intercept = model._layer("explain")
    if len(coef) == 1:
        sign = 1.0 if first == 1 else -1.0
        return sign * coef[0], _lead_at_zero(sign * intercept[0])
    return coef[first] - coef[second], _lead_at_zero(intercept[first] - intercept[second])


def _lead_at_zero(difference: float) -> float:
    """Infinite where the other class is never answered."""
    return float(np.inf if difference >= -NEVER / 2 else difference)


def middle(model: Any) -> np.ndarray:
    """An average case in the columns of the matrix: numbers at their training mean, 0 if unknown; every level alike."""
    encoder = model._encoder
    numbers = (np.nan_to_num(encoder.fill) - encoder.center) / encoder.spread
    levels = (np.full(len(c.levels), 1 / len(c.levels)) for c in encoder.one_hot)
    return np.concatenate([numbers, *levels, *(np.zeros(len(each.buckets)) for each in encoder.texts)])


def average_in_words(model: Any) -> str:
    fill = model._encoder.fill
    where = "0, their means being unknown" if np.isnan(fill).any() else "their training means"
    parts = [f"numbers at {where}"] if fill.size else []
    parts += ["every word of a column alike"] if model._encoder.one_hot else []
    parts += ["texts without a word that is known"] if model._encoder.texts else []
    return f"an average case ({', '.join(parts)})"


def _stored_pulls(model: Any, row: Any, weights: np.ndarray) -> list[tuple[str, float]]:
    """What each stored cell adds, under the name of its column and the value on the model's scale."""
    names = [column.name for column in model._columns.described()]
    cells = row.data * (1.0 if model.scale is None else model._encoder.spread[row.indices])
    return [
        (f"{names[at]} = {cell:g}", float(weights[at] * value))
        for at, cell, value in zip(row.indices.tolist(), cells.tolist(), row.data.tolist())
    ]


def strongest(pulls: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """The strongest first; beyond the first hundred they are taken together."""
    pulls = sorted(((what, float(pull)) for what, pull in pulls), key=lambda item: -abs(item[1]))
    rest = pulls[MOST_COLUMNS:]
    together = [(f"{len(rest):,} other columns together", sum(pull for _, pull in rest))] if rest else []
    return pulls[:MOST_COLUMNS] + together


def _multiplies_odds(model: LinearClassifier) -> bool:
    """Whether the logarithm of the odds is linear: softmax, and the sigmoid of two classes."""
    if not model._gives_probabilities():
        return False
    link = model._link()
    return link == "softmax" or (link == "one_vs_rest" and len(model.classes_) == 2)


def _factor(pull: float, loser: str) -> str:
    return factor_in_words(pull, loser)


def _points(pull: float, loser: str) -> str:
    if pull == 0:
        return "adds nothing"
    return f"rules {loser} out" if np.isinf(pull) else f"{pull:+.3g}"
