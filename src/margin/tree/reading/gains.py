"""What every column could do at a node: the best split of each, how much it gains, and what its branches would hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from margin.tree.reading.conditions import answer_words, number
from margin.tree.reading.named_tree import DescribedTree

__all__ = ["Branch", "ColumnGain", "Gains", "gain_of"]

#: How classes are drawn in letters, and how long a bar is.
MARKS, BAR = "█▒░▚▞▤▥▦", 20


@dataclass(frozen=True)
class Branch:
    """One branch of a split.

    Attributes
    ----------
    test
        What leads there: ``"outlook = sunny"``.
    weight
        The weight of its cases.
    counts
        The weight of each class among them; empty for a regression and for several outputs.
    answer
        What it would answer.
    """

    test: str
    weight: float
    counts: dict[Any, float]
    answer: Any


@dataclass(frozen=True)
class ColumnGain:
    """The best split of one column at a node.

    Attributes
    ----------
    column
        Its name.
    gain
        How much the split lowers the impurity, as the tree counts it; 0 where the column can split nothing.
    ratio
        The gain for each bit of the entropy of the branches.
    branches
        What they would hold; empty where there is no split.
    asked
        Whether the node asks about this column.
    """

    column: str
    gain: float
    ratio: float
    branches: tuple[Branch, ...]
    asked: bool


class Gains(Sequence[ColumnGain]):
    """The columns at a node, the one that gains most first."""

    def __init__(self, node: int, columns: Sequence[ColumnGain], classes: tuple[Any, ...] | None) -> None:
        self.node = node
        self.classes = classes
        self._columns = tuple(sorted(columns, key=lambda found: -found.gain))

    @overload
    def __getitem__(self, at: int) -> ColumnGain: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[ColumnGain, ...]: ...
    def __getitem__(self, at: int | slice) -> ColumnGain | tuple[ColumnGain, ...]:
        return self._columns[at]

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[ColumnGain]:
        return iter(self._columns)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per column, for a data frame."""
        return [
            {
                "column": found.column,
                "gain": found.gain,
                "ratio": found.ratio,
                "split": "; ".join(branch.test for branch in found.branches),
                "asked": found.asked,
            }
            for found in self._columns
        ]

    def text(self, most: int | None = None) -> str:
        """A line per column with its gain, and below it one per branch with a bar of its classes."""
        shown = self._columns if most is None else self._columns[:most]
        lines = []
        if self.classes is not None:
            marks = [f"{MARKS[k % len(MARKS)]} {label}" for k, label in enumerate(self.classes)]
            lines.append(f"node {self.node}: {'  '.join(marks)}")
        for found in shown:
            mark = " (asked)" if found.asked else ""
            split = "" if found.branches else ": no split"
            lines.append(f"{found.column}  gain {found.gain:.4f}, ratio {found.ratio:.4f}{mark}{split}")
            width = max((len(branch.test) for branch in found.branches), default=0)
            lines += [f"  {branch.test:{width}}  {self._in_letters(branch)}" for branch in found.branches]
        return "\n".join(lines)

    def _in_letters(self, branch: Branch) -> str:
        if self.classes is None:
            return f"{number(branch.weight)}: {answer_words(branch.answer, 4)}"
        ends = np.cumsum([branch.counts.get(label, 0.0) for label in self.classes])
        places = np.round(ends / max(float(ends[-1]), 1e-300) * BAR).astype(int)
        bar = "".join(MARKS[k % len(MARKS)] * n for k, n in enumerate(np.diff(places, prepend=0).tolist()))
        return f"{bar} {', '.join(f'{label} {number(w)}' for label, w in branch.counts.items())}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Gains({len(self)})\n{self}"


def gain_of(stump: DescribedTree, asked: bool) -> ColumnGain:
    """What a tree of one question about one column shows."""
    tree, name = stump.tree, stump.columns[0].name
    if tree.is_leaf[0]:
        return ColumnGain(name, 0.0, 0.0, (), asked)
    branches, weights = [], []
    for child, condition in zip(tree.children(0).tolist(), stump.conditions(0), strict=True):
        weight = float(tree.weight[child])
        counts = {}
        if stump.classes is not None and weight > 0:
            counts = {label: float(w) for label, w in zip(stump.classes, tree.value[child], strict=True) if w > 0}
        answer = stump.answers[child]
        branches.append(Branch(condition.text(), weight, counts, answer.item() if hasattr(answer, "item") else answer))
        weights.append(weight)
    shares = np.array([weight for weight in weights if weight > 0]) / sum(weights)
    bits, gain = float(-(shares * np.log2(shares)).sum()), float(tree.gain[0])
    return ColumnGain(name, gain, gain / bits if bits > 0 else 0.0, tuple(branches), asked)
