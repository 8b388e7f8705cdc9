"""How boosted models explain one answer: what each round added, or voted for."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.base.meta.inner_model import last_step
from margin.base.meta.members import Member
from margin.boosting.additive.additive_classifier import AdditiveClassifier
from margin.boosting.margins.voting_trees import VotingTrees
from margin.boosting.margins.weighted_votes import WeightedVotes
from margin.boosting.rusboost import RUSBoostClassifier
from margin.explain.adaboost import tree_text
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


@explain.register
def _(model: WeightedVotes, X: TableLike) -> Explanation:
    who, labels, answer = type(model).__name__, model.classes_.tolist(), model.predict(X)[0]
    encoded = model._encoded(X, "predict")
    check_one_row(encoded, f"explain({who}, X)")
    if not model.ensembles_:
        return Explanation(who, answer, {}, "There is one class only.", ())
    place = labels.index(answer.item() if hasattr(answer, "item") else answer)
    two = len(labels) == 2
    each = model.ensembles_[0 if two else place]
    side = -1.0 if two and place == 0 else 1.0
    reasons = []
    for number, vote in zip(np.flatnonzero(each.weights).tolist(), each.votes(encoded), strict=True):
        if isinstance(each, VotingTrees):
            told = tree_text(each.trees, number, model._columns.described())
        else:
            told = _told(each.members[number])
        lean = side * float(vote[0])
        reasons.append(Reason(f"round {number + 1}: {told}", f"{lean:+.4g}", lean))
    total = sum(reason.strength for reason in reasons)
    against = labels[1 - place] if two else "the rest"
    how = f"{len(reasons):,} weak classifiers vote on {answer} against {against}; weighted, that is {total:+.4g}."
    return Explanation(who, answer, {}, how, tuple(reasons))


@explain.register
def _(model: RUSBoostClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded, labels = model._encoded(X, "predict"), model.classes_.tolist()
    check_one_row(encoded, "explain(RUSBoostClassifier, X)")
    reasons = []
    for number, (member, alpha) in enumerate(zip(model.members_, model.weights_.tolist(), strict=True), 1):
        said = labels[int(member.answers(encoded)[0])]
        reasons.append(
            Reason(f"round {number}: {_told(member)}", f"{alpha:.4g} for {said}", alpha if said == answer else -alpha)
        )
    how = (
        f"{len(reasons):,} weak classifiers, learnt from as many rows of each class, vote with the weights that follow."
    )
    return Explanation("RUSBoostClassifier", answer, probabilities, how, tuple(reasons))


def _told(member: Member) -> str:
    """A weak classifier in words: a tree of one question by what it asks, others by what they are."""
    if member.model is None:
        return "always the same"
    model: Any = last_step(member.model)
    tree = getattr(model, "tree_", None)
    if tree is None or not hasattr(model, "text"):
        return type(model).__name__
    if tree.n_leaves == 1:
        return "always the same"
    question = str(model.text()).splitlines()[0].rsplit(":", 1)[0]
    return question if tree.n_leaves == 2 else f"tree of {tree.n_leaves} leaves, first {question}"
