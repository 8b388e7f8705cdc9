"""Trees: one ``TreeEnsemble`` that names the leaf of a row, and a table of what the leaves say.

The leaf is looked up rather than added up, so that probabilities are those of the tree in every bit. Questions with
several branches are asked as questions with two. Rows that surrogates lead on, or that go down several branches in
parts (:mod:`margin.export.tree_parts`), are answered apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.export.answer import Answer, answer
from margin.export.columns import MixedColumns, RawRows
from margin.export.graph import Graph
from margin.export.tree_parts import leaf_parts, summed_up
from margin.export.tree_questions import Questions, questions_of, with_surrogates
from margin.tree.nodes import Tree
from margin.tree.tree_model import TreeClassifier, TreeModel, TreeRegressor

__all__ = ["LEQ", "MEMBER", "cells_of", "leaf_shares", "winner_of"]

LEQ, MEMBER = 0, 6


@answer.register
def _(model: TreeClassifier, rows: RawRows) -> Answer:
    graph = rows.graph
    shares = _said(model, rows)
    return Answer(winner_of(graph, shares, getattr(model, "_costs", None)), shares)


def winner_of(graph: Graph, shares: str, costs: np.ndarray | None) -> str:
    """The class with the largest share, or the one that costs least."""
    if costs is None:
        return graph.winner(shares)
    return str(graph("ArgMin", graph.times(shares, costs), axis=1, keepdims=0, select_last_index=0))


@answer.register
def _(model: TreeRegressor, rows: RawRows) -> Answer:
    said = _said(model, rows)
    if model.n_outputs_ > 1:
        return Answer(value=said, n_columns=model.n_outputs_)
    return Answer(value=rows.graph.flat(said))


def _said(model: TreeModel, rows: RawRows) -> str:
    graph, tree = rows.graph, model.tree_
    table = leaf_shares(tree) if isinstance(model, TreeClassifier) else tree.value
    if tree.n_nodes == 1:
        return graph.repeated(table[0], rows.count())
    mixed = rows.mixed(model._encoder)
    matrix, questions = cells_of(rows, mixed), questions_of(tree, mixed)
    said = graph("Gather", table, _leaf(graph, questions, matrix), axis=0)
    inner = np.flatnonzero(~tree.is_leaf)
    in_parts = bool((tree.missing[inner] < 0).any())
    if not in_parts and not len(tree.surrogate_column):
        return said
    # Rows without a cell that is asked about are few as a rule, and their ways long: they are answered apart.
    holes = graph("IsNaN", graph.columns(matrix, np.unique(tree.column[inner])))
    special = graph("Cast", graph("ReduceMax", graph.as_int(holes), np.array([1]), keepdims=0), to=graph.types.BOOL)
    questions, cells = with_surrogates(graph, questions, graph("Compress", matrix, special, axis=0), mixed)
    if in_parts:
        leaves, parts = leaf_parts(graph, questions, cells)
        apart = summed_up(graph, parts, table[leaves])
    else:
        apart = graph("Gather", table, _leaf(graph, questions, cells), axis=0)
    return graph("ScatterND", said, graph("Transpose", graph("NonZero", special)), apart)


def leaf_shares(tree: Tree) -> np.ndarray:
    """The shares of the classes at each node, summed in the order in which the core sums them."""
    total = tree.value.cumsum(axis=1)[:, -1:]
    return np.divide(tree.value, total, out=np.zeros_like(tree.value), where=total != 0)


def cells_of(rows: RawRows, mixed: MixedColumns) -> str:
    """The columns as the tree counts them: numbers first, then codes as doubles, NaN where a cell is missing."""
    parts = [] if mixed.numeric is None else [mixed.numeric]
    return rows.graph.side_by_side([*parts, *(rows.ranks(column) for column in mixed.coded)])


@dataclass
class _Ensemble:
    """The nodes of a tree of two branches as ``TreeEnsemble`` lists them; a branch leads to a node or to a leaf."""

    mode: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    missing_is_true: list[int] = field(default_factory=list)
    true: list[int] = field(default_factory=list)
    true_is_leaf: list[int] = field(default_factory=list)
    false: list[int] = field(default_factory=list)
    false_is_leaf: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)

    def node(self, mode: int, column: int, split: float, missing_is_true: bool) -> int:
        """A further node, whose branches are told later."""
        self.mode.append(mode)
        self.column.append(column)
        self.split.append(split)
        self.missing_is_true.append(int(missing_is_true))
        for places in (self.true, self.true_is_leaf, self.false, self.false_is_leaf):
            places.append(0)
        return len(self.mode) - 1

    def leaf(self, node: int) -> int:
        """A further leaf, which names a node of the tree."""
        self.leaves.append(node)
        return len(self.leaves) - 1


def _leaf(graph: Graph, questions: Questions, matrix: str) -> str:
    """The leaf that each row reaches, as its place in the tree."""
    ensemble = _ensemble(questions)
    found = graph.ml(
        "TreeEnsemble",
        matrix,
        tree_roots=[0],
        nodes_modes=graph.tensor(np.array(ensemble.mode, dtype=np.uint8), "modes"),
        nodes_featureids=ensemble.column,
        nodes_splits=graph.tensor(np.array(ensemble.split), "splits"),
        nodes_missing_value_tracks_true=ensemble.missing_is_true,
        nodes_truenodeids=ensemble.true,
        nodes_trueleafs=ensemble.true_is_leaf,
        nodes_falsenodeids=ensemble.false,
        nodes_falseleafs=ensemble.false_is_leaf,
        leaf_targetids=[0] * len(ensemble.leaves),
        leaf_weights=graph.tensor(np.array(ensemble.leaves, dtype=np.float64), "leaves"),
        n_targets=1,
        aggregate_function=1,
        post_transform=0,
        **_membership(graph, ensemble),
    )
    return graph.flat(graph.as_int(found))


def _membership(graph: Graph, ensemble: _Ensemble) -> dict[str, Any]:
    return {"membership_values": graph.tensor(np.array(ensemble.members), "members")} if ensemble.members else {}


def _ensemble(questions: Questions) -> _Ensemble:
    """Every question as questions with two branches: branches in order are bisected."""
    made, tree = _Ensemble(), questions.tree
    # What is still to be written: a node and its branches from ... to, and whose branch that is.
    waiting: list[tuple[int, int, int, int, bool]] = [(0, 0, len(tree.children(0)), -1, True)]
    while waiting:
        node, first, end, above, on_true = waiting.pop()
        if end - first == 1:
            node = int(tree.children(node)[first])
            if not tree.is_leaf[node]:
                waiting.append((node, 0, len(tree.children(node)), above, on_true))
                continue
            place, is_leaf = made.leaf(node), 1
        else:
            middle = (first + end) // 2
            place, is_leaf = _binary(made, questions, node, middle), 0
            waiting += [(node, middle, end, place, False), (node, first, middle, place, True)]
        if above >= 0:
            (made.true if on_true else made.false)[above] = place
            (made.true_is_leaf if on_true else made.false_is_leaf)[above] = is_leaf
    return made


def _binary(made: _Ensemble, questions: Questions, node: int, middle: int) -> int:
    """Whether a row takes a branch before the middle one."""
    missing_is_true = bool(questions.tree.missing[node] < middle)
    codes = questions.codes[node]
    if codes is None:
        return made.node(LEQ, questions.column[node], questions.cuts[node][middle - 1], missing_is_true)
    made.members += [*(codes if len(codes) else [-1.0]), np.nan]
    return made.node(MEMBER, questions.column[node], 0.0, missing_is_true)
