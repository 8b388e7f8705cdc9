"""Trees as questions with two branches each, and how they are laid out as boosted trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from margin.boosting import BoostedTrees
from margin.tree.reading.packed_nodes import LEAF, MISSING_RIGHT

__all__ = ["Leaf", "Node", "Question", "laid_out", "of_categories"]


@dataclass(frozen=True)
class Leaf:
    """What a leaf adds to a score, and the second derivatives of its rows."""

    value: float
    cover: float


@dataclass(frozen=True)
class Question:
    """Numbers up to the threshold go low; missing cells where it is said."""

    column: int
    threshold: float
    missing_low: bool
    low: Node
    high: Node
    gain: float
    cover: float


Node: TypeAlias = "Leaf | Question"


def of_categories(asked: Question, categories: Iterable[int]) -> Question | Leaf:
    """The same branches for whole numbers that are in a set (low) or not (high), as questions about thresholds.

    A cell is cut to a whole number first, as both packages do, so that 0 stands for all that lies above -1 and below 1.
    Rows of a branch are shared out evenly among the places where it stands now.
    """
    ends = [-np.inf]  # a set is a union of stretches: ends[i] < x <= ends[i + 1], every other of them in the set
    for k in sorted(set(categories)):
        begin = -1.0 if k == 0 else float(np.nextafter(k, -np.inf))
        if ends[-1] == begin:
            ends.pop()
        else:
            ends.append(begin)
        ends.append(float(np.nextafter(k + 1, -np.inf)))
    n_in, n_out = (len(ends) - 1) // 2, (len(ends) + 1) // 2

    def stretch(i: int) -> Node:
        return _shared(asked.low, n_in) if i % 2 else _shared(asked.high, n_out)

    def among(first: int, last: int) -> Node:
        if first == last:
            return stretch(first)
        middle = (first + last) // 2
        low, high = among(first, middle), among(middle + 1, last)
        gain = asked.gain if (first, last) == (0, len(ends) - 1) else 0.0
        # Missing cells go the way that leads to their branch: to the first stretch of the set, or below all.
        goes_low = not asked.missing_low or middle >= 1
        return Question(asked.column, ends[middle + 1], goes_low, low, high, gain, low.cover + high.cover)

    return among(0, len(ends) - 1)


def _shared(node: Node, n: int) -> Node:
    if n == 1:
        return node
    if isinstance(node, Leaf):
        return Leaf(node.value, node.cover / n)
    low, high = _shared(node.low, n), _shared(node.high, n)
    return Question(node.column, node.threshold, node.missing_low, low, high, node.gain / n, node.cover / n)


def laid_out(trees: Sequence[Node], base: np.ndarray, n_columns: int) -> BoostedTrees:
    """Trees one after another as margin keeps them, branches side by side."""
    nodes, gain, cover, start = list[tuple[int, int]](), list[float](), list[float](), [0]
    for root in trees:
        order = [root]
        for place, node in enumerate(order):  # grows while it is gone through
            cover.append(max(node.cover, 0.0))
            if isinstance(node, Leaf):
                gain.append(0.0)
                nodes.append((_bits(node.value), place | LEAF << 32))
                continue
            gain.append(node.gain)
            tag = node.column | (0 if node.missing_low else MISSING_RIGHT)
            nodes.append((_bits(node.threshold), len(order) | tag << 32))
            order += [node.low, node.high]
        start.append(start[-1] + len(order))
    return BoostedTrees(
        np.array(nodes, np.uint64).reshape(-1, 2),
        np.array(start, np.int64),
        np.empty(0, np.uint64),
        np.array(gain),
        np.array(cover),
        np.asarray(base, np.float64),
        n_columns,
    )


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.uint64))
