"""Trees that send missing cells down several branches: the part of a row in every node, level by level."""

from __future__ import annotations

import numpy as np

from margin.errors import ExportError
from margin.export.graph import Graph
from margin.export.tree_questions import Questions, Test, answered

__all__ = ["leaf_parts", "summed_up"]

#: Nodes of a tree that is walked in parts: each of them takes a number for every row.
MOST_NODES = 20_000


def leaf_parts(graph: Graph, questions: Questions, matrix: str) -> tuple[np.ndarray, str]:
    """The nodes in which rows may end, in preorder, and the part of each row that ends there."""
    tree = questions.tree
    if tree.n_nodes > MOST_NODES:
        raise ExportError(
            f"to_onnx: the tree sends missing cells down several branches and has {tree.n_nodes:,} nodes, more than "
            f"the {MOST_NODES:,} that can be walked so in ONNX (prune it, or fit with another way for missing cells)."
        )
    edges = [_edges(questions, node) for node in range(tree.n_nodes)]
    tests = [test for found in edges for _, test in found]
    first = np.concatenate([[0], np.cumsum([len(found) for found in edges])])
    worth = answered(graph, questions, matrix, tests)
    # Nodes of a level, and whether rows end in them anyhow.
    here = [(child, child == 0) for child, _ in edges[0]]
    mass = graph.columns(worth, np.arange(len(here)))
    ends: list[int] = []
    parts: list[str] = []
    while here:
        final = {i for i, (node, ended) in enumerate(here) if ended or tree.is_leaf[node]}
        if final:
            ends += [here[i][0] for i in sorted(final)]
            parts.append(graph.columns(mass, sorted(final)))
        inner = [(i, node) for i, (node, _) in enumerate(here) if i not in final]
        above = [i for i, node in inner for _ in edges[node]]
        which = [first[node] + e for _, node in inner for e in range(len(edges[node]))]
        here = [(child, child == node) for _, node in inner for child, _ in edges[node]]
        if here:
            mass = graph("Mul", graph.columns(mass, above), graph.columns(worth, which))
    order = np.argsort(ends, kind="stable")
    return np.array(ends)[order], graph.columns(graph.side_by_side(parts), order)


def _edges(questions: Questions, node: int) -> list[tuple[int, Test]]:
    """Where the rows of a node go, and how much of each: a node that leads to itself keeps its rows."""
    tree = questions.tree
    children = tree.children(node).tolist()
    weight = tree.weight[children]
    total = weight.cumsum()[-1] if len(weight) else 0.0
    one_way = tree.missing[node] >= 0
    nobody = len(children) > 0 and not one_way and not total > 0
    found = []
    for branch, child in enumerate(children):
        if one_way:
            missing = float(tree.missing[node] == branch)
        else:
            missing = 0.0 if nobody else float(weight[branch] / total)
        found.append((child, _branch_test(questions, node, branch, len(children), missing)))
    if nobody:  # no case ever came this way: what is known of the node itself
        found.insert(0, (node, Test(questions.column[node], inside=0.0, outside=0.0, missing=1.0)))
    return found


def _branch_test(questions: Questions, node: int, branch: int, n: int, missing: float) -> Test:
    column, codes, cuts = questions.column[node], questions.codes[node], questions.cuts[node]
    if codes is not None:
        first = float(branch == 0)
        return Test(column, codes=codes, inside=first, outside=1.0 - first, missing=missing)
    low = -np.inf if branch == 0 else float(cuts[branch - 1])
    high = np.inf if branch == n - 1 else float(cuts[branch])
    return Test(column, low, high, missing=missing)


def summed_up(graph: Graph, parts: str, said: np.ndarray) -> str:
    """What the leaves say, by the part of a row in each, added up in their order as the core does."""
    sums = []
    for k in range(said.shape[1]):
        running = graph("CumSum", graph("Mul", parts, said[:, k].reshape(1, -1)), np.array(1))
        sums.append(graph.columns(running, [len(said) - 1]))
    return graph.side_by_side(sums)
