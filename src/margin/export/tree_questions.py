"""What the nodes of a tree ask, all at once: cuts or sets of codes, and what surrogates say where a cell is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margin.export.columns import MixedColumns
from margin.export.graph import Graph
from margin.tree.nodes import Ask, Tree

__all__ = ["Questions", "Test", "answered", "questions_of", "with_surrogates"]


@dataclass(frozen=True)
class Questions:
    """For each node the column it asks about, and its cuts in ascending order or the codes of its first branch.

    A cell takes branch b if it is above cut b - 1 and not above cut b. ``n_levels`` are the levels of each column of
    codes, by column.
    """

    tree: Tree
    column: list[int]
    cuts: list[np.ndarray]
    codes: list[np.ndarray | None]
    n_levels: dict[int, int]


@dataclass(frozen=True)
class Test:
    """What a cell is worth: ``inside`` if it is in (low, high], or one of the codes, else ``outside``."""

    column: int
    low: float = -np.inf
    high: float = np.inf
    codes: np.ndarray | None = None
    inside: float = 1.0
    outside: float = 0.0
    missing: float = np.nan


def questions_of(tree: Tree, mixed: MixedColumns) -> Questions:
    """The questions of a tree, surrogates aside."""
    n_levels = {mixed.n_numeric + i: len(column.levels) for i, column in enumerate(mixed.coded)}
    column, cuts, codes = [], [], []
    for node in range(tree.n_nodes):
        ask, detail = tree.ask[node], tree.details(node)
        column.append(int(tree.column[node]))
        codes.append(detail if ask == Ask.SUBSET else None)
        if ask == Ask.THRESHOLD:
            cuts.append(tree.threshold[node : node + 1])
        elif ask == Ask.LEVEL:
            cuts.append(np.arange(len(tree.children(node)) - 1, dtype=np.float64))
        else:
            cuts.append(detail)
    return Questions(tree, column, cuts, codes, n_levels)


def with_surrogates(graph: Graph, questions: Questions, matrix: str, mixed: MixedColumns) -> tuple[Questions, str]:
    """The same with a column of its own for each node with surrogates, added to the cells.

    It holds the branch by the cell that is asked about, else by the first surrogate that has one.
    """
    helped = np.flatnonzero(np.diff(questions.tree.surrogate_start) > 0)
    if not len(helped):
        return questions, matrix
    tree = questions.tree
    tests = [_primary(questions, int(node)) for node in helped] + [
        _surrogate(tree, s)
        for node in helped
        for s in range(tree.surrogate_start[node], tree.surrogate_start[node + 1])
    ]
    # A column that is always missing stands in where a node has fewer surrogates than others.
    tests.append(Test(tests[0].column, inside=np.nan, outside=np.nan))
    said = answered(graph, questions, matrix, tests)
    count = np.diff(tree.surrogate_start)[helped]
    first = len(helped) + np.concatenate([[0], np.cumsum(count)[:-1]])
    branch = graph.columns(said, np.arange(len(helped)))
    for slot in range(int(count.max())):
        which = np.where(slot < count, first + slot, len(tests) - 1)
        branch = graph("Where", graph("IsNaN", branch), graph.columns(said, which), branch)
    n_columns = mixed.n_numeric + len(mixed.coded)
    column, cuts, codes = list(questions.column), list(questions.cuts), list(questions.codes)
    for place, node in enumerate(helped):
        column[node], cuts[node], codes[node] = n_columns + place, np.zeros(1), None
    return replace(questions, column=column, cuts=cuts, codes=codes), graph.side_by_side([matrix, branch])


def _primary(questions: Questions, node: int) -> Test:
    codes = questions.codes[node]
    high = np.inf if codes is not None else float(questions.cuts[node][0])
    return Test(questions.column[node], high=high, codes=codes, inside=0.0, outside=1.0)


def _surrogate(tree: Tree, s: int) -> Test:
    codes = tree.surrogate_detail[tree.surrogate_detail_start[s] : tree.surrogate_detail_start[s + 1]]
    low = float(tree.surrogate_low[s])
    return Test(
        int(tree.surrogate_column[s]),
        high=float(tree.surrogate_threshold[s]),
        codes=codes if len(codes) else None,
        inside=low,
        outside=1.0 - low,
    )


def answered(graph: Graph, questions: Questions, matrix: str, tests: Sequence[Test]) -> str:
    """What each row's cell is worth in each test, a column for each."""
    parts, order = [], []
    ranges = [i for i, test in enumerate(tests) if test.codes is None]
    if ranges:
        parts.append(_in_ranges(graph, matrix, [tests[i] for i in ranges]))
        order += ranges
    for column in sorted({test.column for test in tests if test.codes is not None}):
        asked = [i for i, test in enumerate(tests) if test.codes is not None and test.column == column]
        parts.append(_among_codes(graph, matrix, [tests[i] for i in asked], questions.n_levels[column]))
        order += asked
    found = graph.side_by_side(parts)
    return found if order == sorted(order) else graph.columns(found, np.argsort(order))


def _in_ranges(graph: Graph, matrix: str, tests: list[Test]) -> str:
    def row(name: str) -> np.ndarray:
        return np.array([[getattr(test, name) for test in tests]], dtype=np.float64)

    cells = graph.columns(matrix, [test.column for test in tests])
    inside = graph("LessOrEqual", cells, row("high"))
    if np.isfinite(row("low")).any():
        inside = graph("And", inside, graph("Greater", cells, row("low")))
    known = graph("Where", inside, row("inside"), row("outside"))
    return graph("Where", graph("IsNaN", cells), row("missing"), known)


def _among_codes(graph: Graph, matrix: str, tests: list[Test], n_levels: int) -> str:
    """One table of all levels and a missing cell, a column for each test, looked up by the code."""
    table = np.empty((n_levels + 1, len(tests)))
    for i, test in enumerate(tests):
        assert test.codes is not None
        table[:, i] = test.outside
        table[test.codes.astype(np.int64), i] = test.inside
        table[-1, i] = test.missing
    cells = graph.flat(graph.columns(matrix, [tests[0].column]))
    place = graph.as_int(graph("Where", graph("IsNaN", cells), float(n_levels), cells))
    return graph("Gather", table, place, axis=0)
