"""Where the boxes of a tree stand: leaves side by side, every other one over the middle of its branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.tree.reading.named_tree import DescribedTree

__all__ = ["Box", "boxes_that_fit"]

# A node with more branches shows the heaviest and one box for the others; beyond so many boxes in a row only the
# upper levels are drawn.
MOST_BRANCHES, MOST_ACROSS = 12, 48


@dataclass
class Box:
    """What is drawn of a node, or of the lighter branches of one taken together."""

    depth: int
    parent: int
    title: str
    is_answer: bool
    edge: str
    weight: float
    value: np.ndarray
    note: str
    below: str = ""
    x: float = 0.0
    children: list[int] = field(default_factory=list)


def boxes_that_fit(
    described: DescribedTree, max_depth: int | None, digits: int, most_across: int = MOST_ACROSS
) -> tuple[list[Box], int]:
    """The boxes, and how many stand side by side: as many levels as find room."""
    depth = described.tree.depth if max_depth is None else min(max_depth, described.tree.depth)
    boxes = _boxes(described, depth, digits)
    while depth > 1 and sum(not box.children for box in boxes) > most_across:
        depth -= 1
        boxes = _boxes(described, depth, digits)
    return boxes, _place(boxes)


def _boxes(described: DescribedTree, max_depth: int, digits: int) -> list[Box]:
    """The boxes in preorder."""
    tree = described.tree
    boxes: list[Box] = []
    waiting: list[tuple[Any, int, int, str]] = [(0, 0, -1, "")]
    while waiting:
        node, depth, parent, edge = waiting.pop()
        at = len(boxes)
        boxes.append(_box(described, node, depth, parent, edge, max_depth, digits))
        if parent >= 0:
            boxes[parent].children.append(at)
        if isinstance(node, list) or tree.is_leaf[node] or depth == max_depth:
            continue
        for branch, words in reversed(_shown_branches(described, node, digits)):
            waiting.append((branch, depth + 1, at, words))
    return boxes


def _shown_branches(described: DescribedTree, node: int, digits: int) -> list[tuple[Any, str]]:
    """The nodes to draw below one and what leads to them; the lightest of very many as one list."""
    tree = described.tree
    children = tree.children(node).tolist()
    words = [condition.relation(digits) for condition in described.conditions(node)]
    if len(children) <= MOST_BRANCHES:
        return list(zip(children, words, strict=True))
    heavy = np.sort(np.argsort(-tree.weight[children], kind="stable")[: MOST_BRANCHES - 1])
    light = sorted(set(range(len(children))) - set(heavy.tolist()))
    shown: list[tuple[Any, str]] = [(children[b], words[b]) for b in heavy]
    return [*shown, ([children[b] for b in light], f"{len(light)} others")]


def _box(described: DescribedTree, node: Any, depth: int, parent: int, edge: str, max_depth: int, digits: int) -> Box:
    tree = described.tree
    if isinstance(node, list):
        weight = float(tree.weight[node].sum())
        value = tree.value[node].sum(axis=0) if not described.is_regression else np.array([np.nan])
        return Box(depth, parent, "…", True, edge, weight, value, f"{weight:.6g} cases")
    is_leaf = bool(tree.is_leaf[node])
    is_answer = is_leaf or depth == max_depth
    title = described.answer_text(node, digits) if is_answer else described.column_of(node).name
    below = "" if is_leaf or not is_answer else f"… {int(tree.is_leaf[node : tree.end[node]].sum())} leaves"
    note = described.cases_text(node)
    return Box(depth, parent, title, is_answer, edge, float(tree.weight[node]), tree.value[node], note, below)


def _place(boxes: list[Box]) -> int:
    """Leaves side by side, every other box over the middle of its branches; how many stand side by side."""
    across = 0
    for box in boxes:
        if not box.children:
            box.x = across
            across += 1
    for box in reversed(boxes):
        if box.children:
            box.x = (boxes[box.children[0]].x + boxes[box.children[-1]].x) / 2
    return across
