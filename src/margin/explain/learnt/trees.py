"""What trees have learnt: their questions, their rules, what they were cut back to."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.sections import Section, table
from margin.tree.tree_model import TreeModel

__all__ = ["importance_table"]

#: Rules that are told.
MOST_RULES = 50


def importance_table(title: str, how: str, names: list[str], shares: np.ndarray) -> Section:
    """Columns by their importance, the largest first."""
    order = np.argsort(-shares, kind="stable")
    return table(title, how, ("column", "importance"), ((names[j], float(shares[j])) for j in order if shares[j] != 0))


@sections_of.register
def _(fitted: TreeModel, given: Given) -> list[Section]:
    tree, names = fitted.tree_, list(fitted._columns.described().names)
    size = [("leaves", tree.n_leaves), ("questions on the longest way", tree.depth), ("nodes", tree.n_nodes)]
    found = [
        Section("Tree", "Each line is a question and what its rows are; a branch ends where an answer stands.",
                lines=fitted.text()),
        table("Size", "", ("what", "value"), size),
    ]  # fmt: skip
    if tree.n_leaves > 1:
        how = "By how much the questions about a column lower the impurity, as a share of all."
        found.append(importance_table("Importances", how, names, np.asarray(fitted.feature_importances_)))
        found.append(_rules(fitted))
    return [*found, *_pruning(fitted)]


def _rules(fitted: Any) -> Section:
    rules = fitted.rules()
    return Section("Rules", "Every way through the tree as a rule, with how many rows it is about.",
                   lines="\n".join(str(rule) for rule in list(rules)[:MOST_RULES]))  # fmt: skip


def _pruning(fitted: Any) -> list[Section]:
    found = []
    for name, title in (("pruning_path_", "Cost-complexity pruning"), ("pruning_trace_", "Pruning")):
        record = vars(fitted).get(name)
        if record is not None:
            found.append(Section(title, lines=str(record)))
    return found
