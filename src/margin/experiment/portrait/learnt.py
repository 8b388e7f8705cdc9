"""What a tree or a linear model has learnt, as plain data for its picture; other models have none of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from margin.experiment.portrait.parts import Branch, Weight
from margin.linear.coefficient_lines import coefficient_lines
from margin.linear.linear_classifier import LinearClassifier
from margin.plots.coefficients import UNITS
from margin.plots.trees.layout import boxes_that_fit
from margin.tree.reading.readable import TreeReading

__all__ = ["inner_of", "tree_branches", "weights_of"]

#: Levels of a tree, how many of its boxes stand side by side, and weights that are drawn.
MOST_DEEP, MOST_ACROSS, MOST_WEIGHTS = 3, 14, 15


def inner_of(model: Any) -> Any:
    """The model itself, inside those that choose a threshold, calibrate or search around it."""
    while hasattr(model, "model_"):
        model = model.model_
    return model


def tree_branches(model: Any) -> tuple[Branch, ...]:
    """The upper levels of a tree, in preorder.

    >>> from margin import ID3
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> [(branch.edge, branch.title) for branch in tree_branches(ID3().fit(X, y))][:3]
    [('', 'outlook'), ('= overcast', 'yes'), ('= rainy', 'windy')]
    """
    if not isinstance(model, TreeReading):
        return ()
    described = model._described("compare")
    if described.is_regression:
        return ()
    boxes, _ = boxes_that_fit(described, MOST_DEEP, 4, MOST_ACROSS)
    whole = max(boxes[0].weight, 1e-300)
    return tuple(
        Branch(box.parent, box.depth, box.edge, box.title, box.is_answer, box.note, box.weight / whole,
               tuple(np.round(box.value / max(float(box.value.sum()), 1e-300), 4).tolist()), float(box.x), box.below)
        for box in boxes
    )  # fmt: skip


def weights_of(model: Any, positive: Any = None) -> tuple[tuple[Weight, ...], int, str]:
    """The largest coefficients of a linear model, how many there are, and what a step of a column is to them.

    Of two classes they are told of the ``positive`` one.
    """
    if not isinstance(model, LinearClassifier) or "coef_" not in vars(model):
        return (), 0, ""
    lines, classes = coefficient_lines(model), model.classes_.tolist()
    coef, low, high = lines.values, lines.low, lines.high
    labels = classes if len(coef) == len(classes) else classes[-1:]
    if len(coef) == 1 and positive == classes[0]:
        labels, coef, low, high = classes[:1], -coef, -high, -low
    order = np.argsort(-np.abs(coef), axis=None, kind="stable")[:MOST_WEIGHTS]
    largest = [divmod(int(place), coef.shape[1]) for place in order]
    found = tuple(
        Weight(lines.names[j], str(labels[k]), float(coef[k, j]), *_ends(float(low[k, j]), float(high[k, j])))
        for k, j in largest
    )
    unit = UNITS.get(getattr(model, "scale", None), "")
    return (
        found,
        coef.size,
        f"{unit}, of words against the most frequent one of their column" if lines.against else unit,
    )


def _ends(low: float, high: float) -> tuple[float, ...]:
    return () if math.isnan(low) else (low, high)
