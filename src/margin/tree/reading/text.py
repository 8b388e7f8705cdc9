"""A tree in letters: printed in the manner of C4.5, or as a graph in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from margin.tree.reading.conditions import number
from margin.tree.reading.named_tree import DescribedTree

__all__ = ["Show", "dot_of", "shown_nodes", "text_of"]

Show = Literal["errors", "counts", "shares"]


def text_of(described: DescribedTree, max_depth: int | None = None, digits: int = 6, show: Show = "errors") -> str:
    """One line per branch, indented by depth; leaves say what they answer and how many cases they hold."""
    tree = described.tree
    if tree.n_nodes == 1:
        return f"all cases: {_leaf_text(described, 0, digits, show)}"
    lines = []
    for node, words in _branches(described, max_depth, digits):
        depth = int(tree.depths[node])
        line = "|   " * (depth - 1) + words
        if tree.is_leaf[node]:
            line += f": {_leaf_text(described, node, digits, show)}"
        elif max_depth is not None and depth >= max_depth:
            below = int(tree.is_leaf[node : tree.end[node]].sum())
            line += f": {_leaf_text(described, node, digits, show)} … {below} leaves below"
        lines.append(line)
    return "\n".join(lines)


def shown_nodes(described: DescribedTree, max_depth: int | None) -> np.ndarray:
    """The nodes down to a depth, in preorder."""
    depths = described.tree.depths
    return np.flatnonzero(depths <= (depths.max() if max_depth is None else max_depth))


def _branches(described: DescribedTree, max_depth: int | None, digits: int) -> Iterator[tuple[int, str]]:
    """Every node but the root, in preorder, with what leads to it."""
    tree = described.tree
    words: dict[int, str] = {}
    for node in shown_nodes(described, max_depth).tolist():
        if node:
            yield node, words.pop(node)
        if not tree.is_leaf[node]:
            for child, condition in zip(tree.children(node).tolist(), described.conditions(node), strict=True):
                words[child] = condition.text(digits)


def _leaf_text(described: DescribedTree, node: int, digits: int, show: Show) -> str:
    tree, answer = described.tree, described.answer_text(node, digits)
    weight = float(tree.weight[node])
    if described.is_regression:
        return f"{answer} ({number(weight)})"
    if show == "counts":
        return f"{answer} ({described.counts_text(node) if weight > 0 else 0})"
    if show == "shares":
        return f"{answer} ({described.counts_text(node, as_shares=True)})"
    wrong = weight - float(tree.value[node, described.answer_codes[node]]) if weight > 0 else 0.0
    return f"{answer} ({weight:.1f}/{wrong:.1f})" if wrong > 0.05 else f"{answer} ({weight:.1f})"


def dot_of(described: DescribedTree, max_depth: int | None = None, digits: int = 4) -> str:
    """A graph that ``dot`` of Graphviz draws: questions in the boxes, what they led to on the edges."""
    tree = described.tree
    lines = [
        "digraph tree {",
        '    node [shape=box, style="rounded", fontname="Helvetica", fontsize=10];',
        '    edge [fontname="Helvetica", fontsize=9];',
    ]
    for node in shown_nodes(described, max_depth).tolist():
        cut = max_depth is not None and tree.depths[node] >= max_depth and not tree.is_leaf[node]
        lines.append(f"    {node} [label={_quoted(_box_lines(described, node, digits, cut))}];")
        if not tree.is_leaf[node] and not cut:
            for child, condition in zip(tree.children(node).tolist(), described.conditions(node), strict=True):
                lines.append(f"    {node} -> {child} [label={_quoted([condition.relation(digits)])}];")
    return "\n".join([*lines, "}"])


def _box_lines(described: DescribedTree, node: int, digits: int, cut: bool) -> list[str]:
    is_leaf = described.tree.is_leaf[node]
    head = described.answer_text(node, digits) if is_leaf or cut else described.column_of(node).name
    counts = described.counts_text(node)
    return [head + (" …" if cut else ""), described.cases_text(node), *([counts] if counts else [])]


def _quoted(lines: list[str]) -> str:
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for line in lines]
    return '"' + "\\n".join(escaped) + '"'
