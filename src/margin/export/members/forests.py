"""Forests: one ``TreeEnsemble`` with a target for each tree, and a table of what leaves say.

A leaf names its row of the table, so that shares are those of the forest in every bit; a mean over the trees follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.ensemble.forest.answering import ForestClassifier, ForestRegressor
from margin.ensemble.forest.forest_model import ForestModel
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.trees import LEQ, MEMBER, cells_of, winner_of

__all__ = ["tree_ensemble"]


@answer.register
def _(model: ForestClassifier, rows: RawRows) -> Answer:
    graph, trees = rows.graph, model.trees_
    named = graph.as_int(_answers(model, rows))
    table = np.vstack([np.eye(trees.shares.shape[1]), trees.shares])
    said = graph("Gather", table, named, axis=0)
    shares = graph("ReduceMean", said, np.array([1]), keepdims=0)
    return Answer(winner_of(graph, shares, model._costs), shares)


@answer.register
def _(model: ForestRegressor, rows: RawRows) -> Answer:
    graph, trees = rows.graph, model.trees_
    said = _answers(model, rows)
    if not trees.by_rows:
        return Answer(value=graph("ReduceMean", said, np.array([1]), keepdims=0))
    n = trees.shares.shape[1]
    several = graph("Gather", np.vstack([np.zeros((n, n)), trees.shares]), graph.as_int(said), axis=0)
    return Answer(value=graph("ReduceMean", several, np.array([1]), keepdims=0), n_columns=n)


def _answers(model: ForestModel, rows: RawRows) -> str:
    """What the leaf of each row says in each tree: a number, or a row of the table."""
    graph, trees = rows.graph, model.trees_
    matrix = cells_of(rows, rows.mixed(model._encoder))
    found = graph.ml("TreeEnsemble", matrix, **tree_ensemble(graph, trees))
    return str(found)


def tree_ensemble(graph: Graph, trees: Any) -> dict[str, Any]:
    """The nodes as ``TreeEnsemble`` lists them, leaves apart; a tree of one leaf asks anything and goes there."""
    is_leaf, n_nodes = trees.is_leaf, np.diff(trees.start)
    tree_of = np.repeat(np.arange(trees.n_trees), n_nodes)
    place = np.where(is_leaf, np.cumsum(is_leaf), np.cumsum(~is_leaf)) - 1
    inner = np.flatnonzero(~is_leaf)
    low = trees.start[tree_of[inner]] + trees.first[inner]
    lone = trees.start[:-1][n_nodes == 1]
    roots = place[trees.start[:-1]].copy()
    roots[n_nodes == 1] = len(inner) + np.arange(len(lone))

    def with_lone(of_inner: np.ndarray, of_lone: Any) -> list[Any]:
        return np.concatenate([of_inner, np.broadcast_to(of_lone, len(lone))]).tolist()

    subset = trees.is_subset[inner]
    modes = np.concatenate([np.where(subset, MEMBER, LEQ), np.full(len(lone), LEQ)]).astype(np.uint8)
    splits = np.array(with_lone(np.where(subset, 0.0, trees.threshold[inner]), 0.0), dtype=np.float64)
    members = [code for node in inner[subset] for code in (*_codes(trees, int(node)), np.nan)]
    attributes = {"membership_values": graph.tensor(np.array(members), "members")} if members else {}
    return {
        "tree_roots": roots.tolist(),
        "nodes_modes": graph.tensor(modes, "modes"),
        "nodes_featureids": with_lone(trees.column[inner], 0),
        "nodes_splits": graph.tensor(splits, "splits"),
        "nodes_missing_value_tracks_true": with_lone(1 - trees.missing[inner], 1),
        "nodes_truenodeids": with_lone(place[low], place[lone]),
        "nodes_trueleafs": with_lone(is_leaf[low].astype(np.int64), 1),
        "nodes_falsenodeids": with_lone(place[low + 1], place[lone]),
        "nodes_falseleafs": with_lone(is_leaf[low + 1].astype(np.int64), 1),
        "leaf_targetids": tree_of[is_leaf].tolist(),
        "leaf_weights": graph.tensor(np.ascontiguousarray(trees.threshold[is_leaf]), "leaves"),
        "n_targets": trees.n_trees,
        "aggregate_function": 1,
        "post_transform": 0,
        **attributes,
    }


def _codes(trees: Any, node: int) -> list[float]:
    """The levels of branch 0; one that no row has where only missing cells go there."""
    return list(map(float, trees.levels(node))) or [-1.0]
