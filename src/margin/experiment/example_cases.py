"""A few sealed cases told in full: where the best model was surest, least sure, and wrong."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.meta.confidence import answers_with_confidence
from margin.data import Table
from margin.evaluation import Evaluation
from margin.experiment.table_prediction import share_of_answer
from margin.explain import Explanation, explain
from margin.typing import ClassifierLike

__all__ = ["Case", "telling_cases"]

#: Classes whose probability is shown beside an answer.
MOST_CLASSES = 3


@dataclass(frozen=True)
class Case:
    """One row, why it was chosen, what is true of it, and how the model came to its answer."""

    title: str
    truth: str
    explanation: Explanation

    def text(self) -> str:
        return f"{self.title} (in truth {self.truth})\n{self.explanation.text()}"

    def html(self) -> str:
        """A card: what was answered and what is true, beside the reasons."""
        explanation = self.explanation
        title, _, row = self.title.partition(": ")
        answer = "no answer" if explanation.answer is None else str(explanation.answer)
        side = "right" if answer == self.truth else "wrong"
        return (
            f'<div class="case"><div><p class="eyebrow">{html.escape(title)}</p>'
            f'<p class="case-answer">{html.escape(answer)}</p>'
            f'<p class="truth {side}">{html.escape(row)}, in truth <b>{html.escape(self.truth)}</b></p>'
            f"{_chances(explanation.probabilities)}</div><div>{explanation.reasons_html()}</div></div>"
        )


def _chances(probabilities: Mapping[Any, float]) -> str:
    """The most probable classes with a bar each."""
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])
    return "".join(
        f'<div class="chance"><span>{html.escape(str(label))}</span><span>{share:.1%}</span>'
        f'<i style="--share:{share:.3f}"></i></div>'
        for label, share in ranked[:MOST_CLASSES]
    )


def telling_cases(
    model: ClassifierLike, inputs: Table, opened: Evaluation, numbers: np.ndarray | None = None
) -> tuple[Case, ...]:
    """Cases of the opened test that show how the model works: a sure one, a doubtful one, a mistake.

    ``model`` is the one that was opened with; without probabilities or scores there is nothing to choose by, and no
    case. ``numbers`` says which row of the table each row of ``inputs`` is, where some were left out.
    """
    sureness = _sureness(model, inputs, opened)
    if sureness is None:
        return ()
    right = np.array([answer == truth for answer, truth in zip(opened.predictions, opened.truth)])
    choices = {
        "The surest right answer": _extreme(sureness, right),
        "The most doubtful answer": _extreme(-sureness, np.ones_like(right)),
        "The surest mistake": _extreme(sureness, ~right),
    }
    cases: dict[int, Case] = {}
    for title, place in choices.items():
        if place is not None and place not in cases:
            row = int(opened.rows[place])
            explanation = explain(model, inputs.take([row]))
            number = row if numbers is None else int(numbers[row])
            cases[place] = Case(f"{title}: row {number + 1}", str(opened.truth[place]), explanation)
    return tuple(cases.values())


def _sureness(model: ClassifierLike, inputs: Table, opened: Evaluation) -> np.ndarray | None:
    """How sure each answer is: its probability, or how far the score of the answer is above the next."""
    if opened.probabilities is not None:
        return share_of_answer(opened.predictions, opened.classes, opened.probabilities)
    if not hasattr(model, "decision_function"):
        return None
    return answers_with_confidence(model, inputs.take(opened.rows), "margin", "telling_cases")[1]


def _extreme(values: np.ndarray, among: np.ndarray) -> int | None:
    """Where the largest value stands among some; the first of equals."""
    places = np.flatnonzero(among)
    return int(places[values[places].argmax()]) if places.size else None
