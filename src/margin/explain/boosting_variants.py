"""How boosted models explain one answer: what each round added, or voted for."""

from __future__ import annotations

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.boosting.additive.additive_classifier import AdditiveClassifier
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: AdditiveClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    who, labels = type(model).__name__, model.classes_.tolist()
    check_one_row(model._encoded(X, "predict"), f"explain({who}, X)")
    if not model.trees_:
        return Explanation(who, answer, probabilities, "There is one class only.", ())
    added, rounds = model.contributions(X)[0], model.rounds_
    place = labels.index(answer)
    if len(labels) == 2:
        lead, column = added[:, 0] * (1 if place == 1 else -1), 0
        how = f"The sum of what {len(rounds):,} rounds add, {lead.sum():+.4g}, is half the log odds of {answer}."
    else:
        # What a round adds for the answer beyond the class that is next: only differences between scores matter.
        column, scores = place, model._scores(model._encoded(X, "predict"))[0]
        second = int(np.argsort(-scores, kind="stable")[1 if scores.argmax() == place else 0])
        lead = added[:, place] - added[:, second]
        how = (
            f"{len(rounds):,} rounds add up to a score for each class; {answer} leads {labels[second]} by what follows."
        )
    reasons = tuple(
        Reason(f"round {record.number}: {record.rules[column]}", f"{gain:+.4g}", float(gain))
        for record, gain in zip(rounds, lead.tolist(), strict=True)
    )
    return Explanation(who, answer, probabilities, how, reasons)
