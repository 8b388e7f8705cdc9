"""Linear models: one matrix product, and what is made of its scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.baseline import MajorityClassifier
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.linear.linear_classifier import LinearClassifier
from margin.linear.online.perceptron_state import Voters

__all__ = ["layer_answer", "linear_answer", "sigmoids", "two_shares"]

# Scores below it belong to classes without training rows.
NEVER = -5e299


@answer.register
def layer_answer(model: LinearClassifier, rows: RawRows) -> Answer:
    """The answers of one linear layer, or of the voters of a voted perceptron."""
    graph, matrix = rows.graph, rows.matrix(model._encoder)
    if len(model.classes_) == 1:
        zeros = graph.repeated(np.zeros(1), rows.count())
        return _made_of(graph, model, zeros)
    voters = getattr(model, "voters_", None)
    if voters is not None:
        return _made_of(graph, model, _votes(graph, matrix, voters, len(model.classes_)))
    coef, intercept = model._layer("to_onnx")
    return _made_of(graph, model, graph("Add", graph.times(matrix, coef.T), intercept))


def _made_of(graph: Graph, model: LinearClassifier, scores: str) -> Answer:
    link = model._link() if model._gives_probabilities() else None
    return linear_answer(graph, scores, len(model.classes_), link)


def linear_answer(graph: Graph, scores: str, n_classes: int, link: str | None) -> Answer:
    """Winner and probabilities out of scores: one column for two classes, else one per class."""
    if n_classes == 1:
        winner = graph.flat(graph("Mul", graph.as_int(scores), 0))
        return Answer(winner, None if link is None else graph("Add", graph("Mul", scores, 0.0), 1.0), scores)
    if n_classes == 2:
        winner = graph.flat(graph.as_int(graph("Greater", scores, 0.0)))
    else:
        winner = graph.winner(scores)
    makers = {"softmax": _softmax, "one_vs_rest": _one_vs_rest, "modified_huber": _clipped}
    return Answer(winner, None if link is None else makers[link](graph, scores, n_classes), scores)


def two_shares(graph: Graph, scores: str) -> str:
    """1 / (1 + e^s) and 1 / (1 + e^-s), both to full precision."""
    e = graph("Exp", graph("Neg", graph("Abs", scores)))
    more = graph("Div", 1.0, graph("Add", e, 1.0))
    less = graph("Mul", e, more)
    second = graph("Greater", scores, 0.0)
    return graph.side_by_side([graph("Where", second, less, more), graph("Where", second, more, less)])


def _softmax(graph: Graph, scores: str, n_classes: int) -> str:
    return two_shares(graph, scores) if n_classes == 2 else graph.softmax(scores)


def sigmoids(graph: Graph, scores: str) -> str:
    """1 / (1 + e^-s) of every cell, to full precision also where it is small."""
    e = graph("Exp", graph("Neg", graph("Abs", scores)))
    more = graph("Div", 1.0, graph("Add", e, 1.0))
    return graph("Where", graph("Greater", scores, 0.0), more, graph("Mul", e, more))


def _one_vs_rest(graph: Graph, scores: str, n_classes: int) -> str:
    if n_classes == 2:
        return two_shares(graph, scores)
    shares = sigmoids(graph, scores)
    total = graph.sums(shares)
    # So far below 0 that all of them vanish, 1 / (1 + e^-s) is e^s.
    return graph("Where", graph("Greater", total, 0.0), graph("Div", shares, total), graph.softmax(scores))


def _clipped(graph: Graph, scores: str, n_classes: int) -> str:
    shares = graph("Div", graph("Add", graph("Clip", scores, -1.0, 1.0), 1.0), 2.0)
    if n_classes == 2:
        return graph.side_by_side([graph("Sub", 1.0, shares), shares])
    total = graph.sums(shares)
    anyone = graph.as_shares(graph.as_double(graph("Greater", scores, NEVER)))
    return graph("Where", graph("Greater", total, 0.0), graph("Div", shares, total), anyone)


def _votes(graph: Graph, matrix: str, voters: Voters, n_classes: int) -> str:
    """The shares of the votes of a voted perceptron; of two classes as the lead of the second."""
    n_voters, n_scores, width = voters.coef.shape
    flat = graph("Add", graph.times(matrix, voters.coef.reshape(-1, width).T), voters.intercept.reshape(1, -1))
    total, survived = float(voters.survived.sum()), voters.survived.reshape(-1, 1)
    if n_scores == 1:
        share = graph("Div", graph.times(graph.as_double(graph("Greater", flat, 0.0)), survived), total)
        return graph("Sub", graph("Mul", share, 2.0), 1.0)
    scores = graph("Reshape", flat, np.array([-1, n_voters, n_scores]))
    best = graph("ArgMax", scores, axis=2, keepdims=0)
    shares = [graph.times(graph.as_double(graph("Equal", best, np.array(k))), survived) for k in range(n_classes)]
    return graph("Div", graph.side_by_side(shares), total)


@answer.register
def _(model: MajorityClassifier, rows: RawRows) -> Answer:
    shares: Any = rows.graph.repeated(model.priors_, rows.count())
    return Answer(rows.graph.winner(shares), shares)
