"""The gallery: models in columns, data sets in rows, and the decision regions of each on each."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.errors import InputTypeError
from margin.evaluation import StratifiedFolds
from margin.neighbors.regions import decision_regions
from margin.plots.regions import plot_regions
from margin.plots.style import INK, figure_axes

__all__ = ["plot_gallery"]


def plot_gallery(
    models: Mapping[str, Any], tables: Mapping[str, Any], axes: Any = None, *, steps: int = 80, seed: int = 0
) -> Any:
    """Draw the decision regions of several models on several tables of two columns, as a grid of pictures.

    Each model is fitted on two thirds of the rows, class by class; the number in the corner is the share of right
    answers to the third that is left. All rows are drawn.

    Parameters
    ----------
    models
        Classifiers by name, unfitted; copies of them are fitted.
    tables
        Rows and labels, ``(X, y)``, by name; the first two columns are drawn.
    axes
        A grid of axes of matplotlib, one row for each table; None makes a new figure.
    steps
        Places in each direction at which a model is asked.
    seed
        Of the draw of the rows.

    Returns
    -------
    axes
        The grid.

    Examples
    --------
    >>> from margin import KNeighborsClassifier, LogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> models = {"1-NN": KNeighborsClassifier(1), "logistic": LogisticRegression()}
    >>> plot_gallery(models, {"xor": (X, X[:, 0] * X[:, 1] > 0)}, steps=10).shape
    (1, 2)
    """
    for what, given in (("models", models), ("tables", tables)):
        if not isinstance(given, Mapping) or not given:
            raise InputTypeError(f"plot_gallery({what}={type(given).__name__}): must be a mapping from names.")
    grid = figure_axes(axes, len(tables), len(models), 2.3, 2.2, "plot_gallery")
    for line, (table, (X, y)) in zip(grid, tables.items()):
        labels = np.asarray(y)
        train, test = next(iter(StratifiedFolds(3, 1, seed).split(labels)))
        for ax, (name, model) in zip(line, models.items()):
            fitted = copy.deepcopy(model).fit(_rows(X, train), labels[train])
            right = float(np.mean(np.asarray(fitted.predict(_rows(X, test))) == labels[test]))
            plot_regions(decision_regions(fitted, X, y, steps=steps), ax)
            _tidy(ax, right)
            if table == next(iter(tables)):
                ax.set_title(name, fontsize=10, color=INK)
        line[0].set_ylabel(table, fontsize=10, color=INK)
    return grid


def _rows(X: Any, rows: np.ndarray) -> Any:
    return X.take(rows) if hasattr(X, "take") and hasattr(X, "schema") else np.asarray(X)[rows]


def _tidy(ax: Any, right: float) -> None:
    """A small picture has neither ticks nor legend, and its score in the corner."""
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="", title="")
    ax.set_title("", loc="left")
    for points in ax.collections:
        if hasattr(points, "set_sizes"):
            points.set_sizes([7])
    ax.text(
        0.97, 0.04, f"{right:.2f}".lstrip("0"), transform=ax.transAxes, ha="right", va="bottom", fontsize=9, color=INK,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5}, zorder=5,
    )  # fmt: skip
