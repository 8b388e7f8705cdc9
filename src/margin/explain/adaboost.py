"""How AdaBoost explains one answer: what each round asks, and for whom it votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.base.meta.inner_model import last_step
from margin.base.meta.members import Member
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.typing import TableLike

__all__: list[str] = []


@explain.register
def _(model: AdaBoostClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    encoded, labels = model._encoded(X, "predict"), model.classes_.tolist()
    check_one_row(encoded, "explain(AdaBoostClassifier, X)")
    place, before, reasons = labels.index(answer), 0.0, []
    for record, votes in zip(model.rounds_, model._staged_votes(encoded)):
        scores = model._by_class(votes)[0]
        others = np.delete(scores, place)
        lead = float(scores[place] - others.max()) / (2 if len(labels) == 2 else 1)
        added, before = lead - before, lead
        said = f"ε {record.epsilon:.3f}, vote {added:+.3f}; so far {lead:+.3f}"
        reasons.append(Reason(f"round {record.number}: {rule_text(model, record.number - 1)}", said, added))
    if not reasons:
        return Explanation("AdaBoostClassifier", answer, probabilities, "No round was taken.", ())
    how = f"The votes of {len(reasons):,} rounds for {answer} lead those for any other class by {before:.3f}."
    return Explanation("AdaBoostClassifier", answer, probabilities, how, tuple(reasons))


def rule_text(model: AdaBoostClassifier, number: int) -> str:
    """The rule of a round in words, counted from 0."""
    if "trees_" in vars(model):
        return _question(model, number)
    member: Any = model.members_[number]
    if not isinstance(member, Member):
        return f"{member.text} -> {model.classes_.tolist()[member.code]}"
    return "one class" if member.model is None else type(last_step(member.model)).__name__


def _question(model: AdaBoostClassifier, number: int) -> str:
    trees = model.trees_
    root = int(trees.start[number])
    n_nodes = int(trees.start[number + 1]) - root
    if n_nodes == 1:
        return "always the same"
    columns = model._columns.described()
    ordered = [column for column in columns if column.is_numeric] + [c for c in columns if not c.is_numeric]
    column = ordered[int(trees.column[root])]
    if trees.is_subset[root]:
        words = [str(column.levels[code]) for code in trees.levels(root) if code < len(column.levels)]
        asked = f"{column.name} in {{{', '.join(words)}}}"
    elif np.isinf(trees.threshold[root]):
        asked = f"{column.name} is known"
    elif column.is_numeric:
        asked = f"{column.name} <= {trees.threshold[root]:.6g}"
    else:
        asked = f"{column.name} up to {column.levels[int(trees.threshold[root])]}"
    return asked if n_nodes == 3 else f"tree of {(n_nodes + 1) // 2} leaves, first {asked}"
