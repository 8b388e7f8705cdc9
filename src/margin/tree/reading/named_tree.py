"""A tree with the names of its columns, levels and classes: what all ways of reading it start from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from margin.data.schema import Column
from margin.tree.nodes import Ask, Tree
from margin.tree.reading.conditions import Condition, answer_words, number

__all__ = ["DescribedTree"]

#: Classes whose counts or shares are named at a node.
MOST_CLASSES = 4


@dataclass(frozen=True, eq=False)
class DescribedTree:
    """A tree and its words.

    Attributes
    ----------
    tree
        The nodes.
    columns
        The columns as the tree counts them, numbers first.
    classes
        The labels, or None for a regression and for several outputs.
    answers
        What each node would answer if it were a leaf; of several outputs a tuple.
    """

    tree: Tree
    columns: tuple[Column, ...]
    classes: tuple[Any, ...] | None
    answers: np.ndarray

    @property
    def is_regression(self) -> bool:
        return self.classes is None

    @cached_property
    def shares(self) -> np.ndarray:
        """The shares of the classes at each node."""
        total = self.tree.value.sum(axis=1, keepdims=True)
        return self.tree.value / np.where(total > 0, total, 1.0)

    @cached_property
    def answer_codes(self) -> np.ndarray:
        """The class that each node answers, as its place in ``classes``."""
        places = {label: k for k, label in enumerate(self.classes or ())}
        return np.array([places[label] for label in self.answers.tolist()], dtype=np.int64)

    def column_of(self, node: int) -> Column:
        """The column a node asks about."""
        return self.columns[self.tree.column[node]]

    def conditions(self, node: int) -> list[Condition]:
        """What each branch of a node demands."""
        tree, column = self.tree, self.column_of(node)
        gone, tell = int(tree.missing[node]), self.tells_missing(node)
        n_branches = len(tree.children(node))
        return [
            Condition(column, missing=gone == branch, tell_missing=tell, **self._range(node, branch))
            for branch in range(n_branches)
        ]

    def _range(self, node: int, branch: int) -> dict[str, Any]:
        tree, levels = self.tree, range(len(self.column_of(node).levels))
        details, ask = tree.details(node), tree.ask[node]
        if ask == Ask.LEVEL:
            return {"codes": (branch,)}
        if ask == Ask.SUBSET:
            chosen = {int(code) for code in details}
            return {"codes": tuple(code for code in levels if (code in chosen) == (branch == 0))}
        cuts = details if ask == Ask.INTERVAL else tree.threshold[node : node + 1]
        ends = [-math.inf, *map(float, cuts), math.inf]
        low, high = ends[branch], ends[branch + 1]
        if self.column_of(node).is_numeric:
            return {"low": low, "high": high}
        return {"codes": tuple(code for code in levels if low < code <= high)}

    def tells_missing(self, node: int) -> bool:
        """Whether the way of missing cells is worth a word.

        Where no cell was missing at fit they go the way of most cases; any other way was learnt.
        """
        tree, gone = self.tree, int(self.tree.missing[node])
        if gone < 0:
            return False
        if np.isinf(tree.threshold[node]):
            return True
        children = tree.children(node)
        cases, weight = tree.cases[children], tree.weight[children]
        return bool(cases[gone] < cases.max() and weight[gone] < weight.max())

    def answer_text(self, node: int, digits: int = 6) -> str:
        """What a node answers."""
        answer = self.answers[node]
        several = isinstance(answer, tuple)
        return answer_words(answer if several or not self.is_regression else float(answer), digits)

    def counts_text(self, node: int, *, as_shares: bool = False) -> str:
        """The classes at a node with their weights or shares, the most frequent first: ``yes 9, no 5``."""
        if self.classes is None:
            return ""
        at = self.shares[node] if as_shares else self.tree.value[node]
        order = [k for k in np.argsort(-at, kind="stable") if at[k] > 0]
        rest = order[MOST_CLASSES:] if len(order) > MOST_CLASSES + 1 else []
        shown = order[: len(order) - len(rest)]
        words = [f"{self.classes[k]} {f'{at[k]:.1%}' if as_shares else number(float(at[k]))}" for k in shown]
        return ", ".join([*words, *([f"… {len(rest)} more"] if rest else [])])

    def cases_text(self, node: int) -> str:
        """How many training cases reached a node; parts of cases are counted as parts."""
        tree = self.tree
        n = float(tree.weight[node]) if tree.weight[node] < tree.cases[node] else float(tree.cases[node])
        return f"{number(n)} case{'' if n == 1 else 's'}"
