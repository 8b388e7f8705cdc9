"""What members of pairs say, as votes and as probabilities of all classes."""

from __future__ import annotations

import numpy as np

from margin.export.graph import Graph

__all__ = ["coupled", "votes_of_pairs"]


def votes_of_pairs(graph: Graph, decisions: str, n: int) -> str:
    """Votes of pairs, and how clear they were as less than half a vote."""
    if n == 2:
        return graph.side_by_side([decisions, graph("Neg", decisions)])
    first, second = np.triu_indices(n, 1)
    pairs = np.arange(len(first))
    side = np.zeros((len(pairs), n))
    side[pairs, first], side[pairs, second] = 1.0, -1.0
    for_first = graph.as_double(graph("Greater", decisions, 0.0))
    votes = graph(
        "Add",
        graph.times(for_first, (side > 0).astype(np.float64)),
        graph.times(graph("Sub", 1.0, for_first), (side < 0).astype(np.float64)),
    )
    clear = graph.times(graph("Clip", decisions, -1e300, 1e300), side)
    return graph("Add", votes, graph("Div", clear, graph("Mul", graph("Add", graph("Abs", clear), 1.0), 3.0)))


def coupled(graph: Graph, pairwise: str, n: int) -> str:
    """(Q + 11ᵀ) p = 1, brought to the sum 1, by elimination: the matrix is positive definite, and needs no pivots."""
    first, second = np.triu_indices(n, 1)
    which = np.full((n, n), 2 * len(first))
    which[first, second], which[second, first] = np.arange(len(first)), len(first) + np.arange(len(first))
    parts = [pairwise, graph("Sub", 1.0, pairwise), graph("Mul", graph.columns(pairwise, [0]), 0.0)]
    wins = graph("Reshape", graph.columns(graph.side_by_side(parts), which.ravel()), np.array([-1, n, n]))
    losses = graph("Transpose", wins, perm=[0, 2, 1])
    on_diagonal = graph("ReduceSum", graph("Mul", wins, wins), np.array([1]), keepdims=1)
    equations = graph("Sub", graph("Add", graph("Mul", on_diagonal, np.eye(n)), 1.0), graph("Mul", wins, losses))
    ones = graph("Add", graph("Mul", graph("Gather", equations, np.array([0]), axis=2), 0.0), 1.0)
    whole = graph("Concat", equations, ones, axis=2)
    for k in range(n):
        row = graph("Gather", whole, np.array([k]), axis=1)
        row = graph("Div", row, graph("Gather", row, np.array([k]), axis=2))
        column = graph("Gather", whole, np.array([k]), axis=2)
        whole = graph("Sub", whole, graph("Mul", graph("Sub", column, np.eye(n)[:, [k]]), row))
    found = graph("Reshape", graph("Gather", whole, np.array([n]), axis=2), np.array([-1, n]))
    return graph.as_shares(graph("Max", found, 0.0))
