"""A few sealed cases told in full: where the best model was surest, least sure, and wrong."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data import Table
from margin.evaluation import Evaluation
from margin.explain import Explanation, explain

__all__ = ["Case", "telling_cases"]


@dataclass(frozen=True)
class Case:
    """One row, why it was chosen, what is true of it, and how the model came to its answer."""

    title: str
    truth: str
    explanation: Explanation

    def text(self) -> str:
        return f"{self.title} (in truth {self.truth})\n{self.explanation.text()}"

    def html(self) -> str:
        title = f"<h3>{html.escape(self.title)} <small>in truth {html.escape(self.truth)}</small></h3>"
        return title + self.explanation.html()


def telling_cases(model: Any, inputs: Table, opened: Evaluation) -> tuple[Case, ...]:
    """Cases of the opened test that show how the model works: a sure one, a doubtful one, a mistake.

    ``model`` is the one that was opened with; without probabilities there is nothing to choose by, and no case.
    """
    if opened.probabilities is None:
        return ()
    sureness = opened.probabilities.max(axis=1)
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
            found = explain(model, inputs.take([row]))
            cases[place] = Case(f"{title}: row {row + 1}", str(opened.truth[place]), found)
    return tuple(cases.values())


def _extreme(values: np.ndarray, among: np.ndarray) -> int | None:
    """Where the largest value stands among some; the first of equals."""
    places = np.flatnonzero(among)
    return int(places[values[places].argmax()]) if places.size else None
