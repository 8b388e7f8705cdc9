"""How AdaBoost explains itself: its rounds as a list, and for one answer what each round asks and for whom it votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.base.meta.inner_model import last_step
from margin.base.meta.members import Member
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.adaboost.label_boosting import AdaBoostMHClassifier
from margin.boosting.adaboost.regressor import AdaBoostRegressor
from margin.boosting.tree_sum import TreeSum
from margin.data.schema import Schema
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import answer_of, explain
from margin.tree.reading.conditions import answer_words
from margin.typing import TableLike

__all__ = ["rounds_text", "tree_text"]


def rounds_text(model: AdaBoostClassifier | AdaBoostMHClassifier) -> str:
    """The rounds as a list: what each asks, its error, the weight of its vote, and the bound on the training error.

    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> model = AdaBoostClassifier(n_estimators=2).fit(X, ["n", "n", "y", "n", "y", "y"])
    >>> print(rounds_text(model))
       1  x0 <= 2.5   ε 0.167  α 0.805  wrong 16.7%  at most 74.5%
       2  x0 <= 4.5   ε 0.100  α 1.099  wrong 16.7%  at most 44.7%
    ended: as many rounds as asked for
    """
    rules = [rule_text(model, record.number - 1) for record in model.rounds_]
    width = max(map(len, rules), default=0) + 2
    lines = [
        f"{record.number:>4}  {rule:<{width}} ε {record.epsilon:.3f}  α {record.alpha:.3f}  "
        f"wrong {record.training_error:.1%}"
        + ("" if np.isnan(record.bound) else f"  at most {min(record.bound, 1.0):.1%}")
        for record, rule in zip(model.rounds_, rules, strict=True)
    ]
    return "\n".join([*lines, f"ended: {model.ended_}"])


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


@explain.register
def _(model: AdaBoostMHClassifier, X: TableLike) -> Explanation:
    encoded = model._encoded(X, "predict")
    check_one_row(encoded, "explain(AdaBoostMHClassifier, X)")
    labels = _label_names(model)
    votes = np.array([sums[0].copy() for sums in model.trees_.staged(encoded)])
    votes = np.diff(votes, axis=0, prepend=0.0)[: len(model._rounds)]
    reasons = tuple(
        Reason(
            f"round {number + 1}: {rule_text(model, number)}",
            "votes for " + (", ".join(name for name, one in zip(labels, vote) if one > 0) or "none"),
            float(np.abs(vote).max()),
        )
        for number, vote in enumerate(votes)
    )
    answer = model.predict(X)[0]
    shown = answer_words(tuple(answer.tolist()) if isinstance(answer, np.ndarray) else answer)
    how = f"{len(reasons):,} rounds say yes or no of each label, and their votes are added up."
    return Explanation("AdaBoostMHClassifier", shown, {}, how, reasons)


def _label_names(model: AdaBoostMHClassifier) -> list[str]:
    """What a vote above 0 is for: the second class of two, or each class."""
    if "labels_" in vars(model):
        return [str(label) for label in model.labels_]
    lists, names = model._class_lists(), vars(model).get("target_names_")
    found = []
    for k, classes in enumerate(lists):
        target = "" if len(lists) == 1 else f"{names[k] if names else f'target {k}'} "
        shown = list(classes[1:] if len(classes) == 2 else classes if len(classes) > 2 else classes[:0])
        found += [f"{target}{one}" for one in shown]
    return found


@explain.register
def _(model: AdaBoostRegressor, X: TableLike) -> Explanation:
    encoded = model._encoded(X, "predict")
    check_one_row(encoded, "explain(AdaBoostRegressor, X)")
    said, alpha = model._said_by_each(encoded)[0], model._record[:, 2]
    answer, order = model.predict(X)[0].item(), np.argsort(said, kind="stable")
    reasons = tuple(
        Reason(
            f"{len(part):,} members",
            f"{said[part[0]]:.4g} to {said[part[-1]]:.4g}, {alpha[part].sum() / alpha.sum():.0%} of the weight",
            float(np.average(said[part], weights=alpha[part]) - answer),
        )
        for part in np.array_split(order, min(len(order), 4))
    )
    how = f"The answer is the median of what {len(said):,} members say, each with the weight of its vote."
    return Explanation("AdaBoostRegressor", f"{answer:.6g}", {}, how, reasons)


def rule_text(model: AdaBoostClassifier | AdaBoostMHClassifier, number: int) -> str:
    """The rule of a round in words, counted from 0."""
    if isinstance(model, AdaBoostMHClassifier) or "trees_" in vars(model):
        return tree_text(model.trees_, number, model._columns.described())
    member: Any = model.members_[number]
    if not isinstance(member, Member):
        return f"{member.text} -> {model.classes_.tolist()[member.code]}"
    return "one class" if member.model is None else type(last_step(member.model)).__name__


def tree_text(trees: TreeSum, number: int, columns: Schema) -> str:
    """What a tree asks first, counted from 0; ``columns`` are those of the model."""
    root = int(trees.start[number])
    n_nodes = int(trees.start[number + 1]) - root
    if n_nodes == 1:
        return "always the same"
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
