"""The way of one record through a tree, with the numbers at each node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedData
from margin.data.schema import Column
from margin.tree.nodes import Tree
from margin.tree.reading.conditions import Condition, answer_words, number
from margin.tree.reading.named_tree import DescribedTree

__all__ = ["Path", "Step", "path_of"]


@dataclass(frozen=True)
class Step:
    """One node that the record, or a part of it, reaches.

    Attributes
    ----------
    node
        The node.
    depth
        How many questions lead to it.
    part
        How much of the record gets there; less than 1 behind a missing cell whose parts go several ways.
    test
        The branch that led here: ``"outlook = sunny"``; empty at the root.
    gain
        What the test gained when the tree was grown; 0 at the root.
    cases, weight
        Training cases at the node, and their weight.
    shares
        The shares of the classes among them; empty for a regression and for several outputs.
    answer
        What the node would answer.
    is_leaf
        Whether the way ends here.
    text
        All of it in words.
    """

    node: int
    depth: int
    part: float
    test: str
    gain: float
    cases: int
    weight: float
    shares: dict[Any, float]
    answer: Any
    is_leaf: bool
    text: str


@dataclass(frozen=True)
class Path:
    """The steps of a record from the root to its leaf, or to several leaves in parts."""

    steps: tuple[Step, ...]
    answer: Any

    @property
    def leaves(self) -> tuple[Step, ...]:
        """Where the way ends."""
        return tuple(step for step in self.steps if step.is_leaf)

    def __str__(self) -> str:
        return "\n".join([*(step.text for step in self.steps), f"answer: {answer_words(self.answer)}"])

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True)
class _Way:
    """One branch that a record takes: where it leads, how much of the record goes there, and why."""

    child: int
    part: float
    words: str


def path_of(described: DescribedTree, X: MixedData, answer: Any) -> Path:
    """The path of the one row X."""
    tree, row = described.tree, row_of(X)
    steps: list[Step] = []
    # A node, the part that reaches it, what led there, the gain of that, and how far its line is indented.
    waiting: list[tuple[int, float, str, float, int]] = [(0, 1.0, "", 0.0, 0)]
    while waiting:
        node, part, words, gain, indent = waiting.pop()
        steps.append(_step(described, node, part, words, gain, indent))
        if tree.is_leaf[node]:
            continue
        ways = _ways(described, node, row)
        deeper = indent + 1 if indent or len(ways) > 1 else 0  # behind a fork it must show what belongs to which way
        for way in reversed(ways):
            of_it = f"{part * way.part:.1%} of it: " if len(ways) > 1 else ""
            waiting.append((way.child, part * way.part, of_it + way.words, float(tree.gain[node]), deeper))
    return Path(tuple(steps), answer.item() if hasattr(answer, "item") else answer)


def row_of(X: MixedData) -> np.ndarray:
    """The cells of the one row X as the tree counts its columns; NaN where missing."""
    numbers = X.numeric if isinstance(X.numeric, np.ndarray) else X.numeric.toarray()
    codes = [math.nan if column[0] < 0 else float(column[0]) for column in X.codes]
    return np.array([*numbers[0].astype(np.float64), *codes])


def _step(described: DescribedTree, node: int, part: float, words: str, gain: float, indent: int) -> Step:
    tree = described.tree
    shares, answer = {}, described.answers[node]
    if described.classes is not None:
        shares = {label: float(s) for label, s in zip(described.classes, described.shares[node], strict=True)}
        says = described.counts_text(node, as_shares=True)
    else:
        says = f"{'answers' if isinstance(answer, tuple) else 'value'} {described.answer_text(node)}"
    answer = answer.item() if hasattr(answer, "item") else answer
    numbers = f"{described.cases_text(node)}{', ' if words else ': '}{says}"
    text = f"{'  ' * indent}{words} (gain {gain:.3g}): {numbers}" if words else numbers
    is_leaf = bool(tree.is_leaf[node])
    return Step(
        node=node,
        depth=int(tree.depths[node]),
        part=part,
        test=words,
        gain=gain,
        cases=int(tree.cases[node]),
        weight=float(tree.weight[node]),
        shares=shares,
        answer=answer,
        is_leaf=is_leaf,
        text=text,
    )


def _ways(described: DescribedTree, node: int, row: np.ndarray) -> list[_Way]:
    """The branches that a row takes at a node."""
    tree, conditions = described.tree, described.conditions(node)
    children, cell = tree.children(node).tolist(), float(row[tree.column[node]])
    if not math.isnan(cell):
        branch = next(b for b, condition in enumerate(conditions) if condition.holds(cell))
        return [_Way(children[branch], 1.0, _value_in_words(conditions[branch], cell))]
    name = described.column_of(node).name
    found = _by_surrogate(described, node, row)
    if found is not None:
        branch, words = found
        return [_Way(children[branch], 1.0, f"{name} is missing, but {words}: {conditions[branch].text()}")]
    branch = int(tree.missing[node])
    if branch >= 0:
        return [_Way(children[branch], 1.0, f"{name} is missing, as if {_known(conditions[branch])}")]
    weight = tree.weight[children]
    if not weight.sum() > 0:
        return []
    parts = weight / weight.sum()
    return [
        _Way(children[b], float(parts[b]), f"{name} is missing, {conditions[b].text()}")
        for b in range(len(children))
        if parts[b] > 0
    ]


def _known(condition: Condition) -> str:
    return "nothing were known" if condition.only_missing else replace(condition, tell_missing=False).text()


def _value_in_words(condition: Condition, cell: float) -> str:
    """The cell and, unless that is the same, the condition that it meets."""
    value = _value(condition.column, cell)
    relation = replace(condition, tell_missing=False).relation()
    return value if relation == f"= {_cell_text(condition.column, cell)}" else f"{value}, {relation}"


def _value(column: Column, cell: float) -> str:
    return f"{column.name} = {_cell_text(column, cell)}"


def _cell_text(column: Column, cell: float) -> str:
    return number(cell) if column.is_numeric else str(column.levels[int(cell)])


def _by_surrogate(described: DescribedTree, node: int, row: np.ndarray) -> tuple[int, str] | None:
    """The branch that the first surrogate with a cell in this row chooses, and that cell in words."""
    tree: Tree = described.tree
    for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
        cell = float(row[tree.surrogate_column[s]])
        if math.isnan(cell):
            continue
        codes = tree.surrogate_detail[tree.surrogate_detail_start[s] : tree.surrogate_detail_start[s + 1]]
        low = cell in codes if len(codes) else cell <= tree.surrogate_threshold[s]
        branch = int(tree.surrogate_low[s])
        return (branch if low else 1 - branch), _value(described.columns[tree.surrogate_column[s]], cell)
    return None
