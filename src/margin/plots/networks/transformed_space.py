"""What a hidden layer makes of rows: the space before and after it, in which the last layer draws its line."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from margin.deep.backpropagation import layers_of
from margin.deep.mlp.classifier import MLPClassifier
from margin.errors import InputError
from margin.plots.style import INK, PALE, axes_of, class_colours, picture
from margin.typing import LabelsLike, TableLike

__all__ = ["plot_transformed_space"]

CELLS = 200


@picture
def plot_transformed_space(model: Any, X: TableLike, y: LabelsLike, ax: Any = None) -> Any:
    """Draw rows of two columns before the hidden layers and behind the last of them, with what decides in each.

    In the first picture the network's boundary is curved; in the second it is the line of the last layer. More than
    two hidden units are shown along the two directions in which the rows vary most, and then no line is drawn.

    Parameters
    ----------
    model
        A fitted network for two classes on two columns of numbers.
    X, y
        The rows and their labels.
    ax
        A pair of axes of matplotlib; None makes a new figure.

    Examples
    --------
    >>> from margin.deep import MLPClassifier
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = MLPClassifier((2,), "tanh", solver="lbfgs", random_state=3).fit(X, [0, 1, 1, 0])
    >>> [each.get_title() for each in plot_transformed_space(model, X, [0, 1, 1, 0])]
    ['before the hidden layer', 'after it: 2 units']
    """
    if not isinstance(model, MLPClassifier) or isinstance(model._fitted("plot").classes_, list):
        raise InputError("plot_transformed_space: model must be a fitted MLPClassifier of one target.")
    rows = model._first_inputs(X, "plot_transformed_space")
    if rows.shape[1] != 2 or len(model.classes_) != 2 or len(model.units_) < 3:
        raise InputError(
            f"plot_transformed_space: the network must have two inputs, a hidden layer and two classes, and has "
            f"{rows.shape[1]} inputs, {len(model.units_) - 2} hidden layers and {len(model.classes_)} classes."
        )
    before, after = _pair_of_axes(ax)
    net = layers_of(model)
    hidden = net.outputs(rows)[-2]
    labels, colours = np.asarray(y), class_colours(2)
    for axes, points in ((before, rows), (after, _in_plane(hidden, hidden))):
        for label, colour in zip(model.classes_, colours):
            here = points[labels == label]
            axes.plot(here[:, 0], here[:, 1], "o", color=colour, markersize=5, label=str(label), markeredgewidth=0)
        axes.margins(0.12)
    _boundary(before, net)
    plane = model.coefs_[-1][:, 0].astype(np.float64), float(model.intercepts_[-1][0])
    _grid(after, net, before.get_xlim(), before.get_ylim(), hidden)
    if hidden.shape[1] == 2:
        _line(after, *plane)
    before.set_title("before the hidden layer" if len(model.units_) == 3 else "before the hidden layers", fontsize=10)
    after.set_title(f"after it: {hidden.shape[1]} units", fontsize=10)
    names = model._encoder.names_out()
    before.set(xlabel=names[0], ylabel=names[1])
    unit = "unit" if hidden.shape[1] == 2 else "direction"
    after.set(xlabel=f"{unit} 1", ylabel=f"{unit} 2")
    below = {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, -0.14),
        "ncols": 2,
    }  # among the points it would be taken for some
    before.legend(frameon=False, fontsize=9, labelcolor=INK, **below)
    return before, after


def _pair_of_axes(ax: Any) -> tuple[Any, Any]:
    if ax is None:
        first = axes_of(None, 9.0, 4.2)
        figure = first.figure
        first.remove()
        return tuple(axes_of(figure.add_subplot(1, 2, i)) for i in (1, 2))
    first, second = ax
    return axes_of(first), axes_of(second)


def _in_plane(points: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Two units as they are; more along the two directions in which some rows vary most; one with a 0 beside it."""
    if of.shape[1] == 1:
        return np.column_stack([points[:, 0], np.zeros(len(points))])
    if of.shape[1] == 2:
        return points
    middle = of.mean(axis=0)
    return np.asarray((points - middle) @ np.linalg.svd(of - middle, full_matrices=False)[2][:2].T)


def _boundary(ax: Any, net: Any) -> None:
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    at = np.meshgrid(np.linspace(left, right, CELLS), np.linspace(low, high, CELLS))
    z = net.forward(np.column_stack([each.ravel() for each in at]))[:, 0].reshape(CELLS, CELLS)
    if z.min() < 0 < z.max():
        ax.contour(*at, z, levels=[0.0], colors=INK, linewidths=1.4)
    ax.set(xlim=(left, right), ylim=(low, high))


def _grid(ax: Any, net: Any, across: tuple[float, float], along: tuple[float, float], hidden: np.ndarray) -> None:
    """The lines of squared paper in the first space, as the layer bends them."""
    steps, fine = np.linspace(0, 1, 9), np.linspace(0, 1, 120)
    low, high = np.array([across[0], along[0]]), np.array([across[1], along[1]])
    for fixed, turned in itertools.product(steps, (False, True)):
        line = np.column_stack([np.full(len(fine), fixed), fine])
        line = low + (line[:, ::-1] if turned else line) * (high - low)
        there = _in_plane(net.outputs(line)[-2], hidden)
        ax.plot(there[:, 0], there[:, 1], color=PALE, linewidth=0.5, alpha=0.6, zorder=0)


def _line(ax: Any, w: np.ndarray, b: float) -> None:
    """Where w @ h + b = 0, within the axes."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    if abs(w[1]) >= abs(w[0]):
        x = np.array([left, right])
        ax.plot(x, -(b + w[0] * x) / w[1] if w[1] else x * np.nan, color=INK, linewidth=1.4)
    else:
        y = np.array([low, high])
        ax.plot(-(b + w[1] * y) / w[0], y, color=INK, linewidth=1.4)
    ax.set(xlim=(left, right), ylim=(low, high))
