"""Rows as a forest sees them: near each other where they end in the same leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.ensemble.forest.proximities import proximity_map
from margin.errors import InputError
from margin.plots.style import ACCENT, INK, axes_of, class_colours, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from margin.typing import LabelsLike

__all__ = ["plot_proximities"]


@picture
def plot_proximities(near: Any, y: LabelsLike | None = None, ax: Any = None) -> Any:
    """Draw a map of rows on which those lie near each other that share many leaves.

    Distances are √(1 - proximity), and the map is the plane that keeps most of them: metric scaling, as Breiman and
    Cutler draw it. Both axes say which share of all squared distances from the centre lies along them. O(rows³) time.

    Parameters
    ----------
    near
        Proximities among rows, as of ``proximities`` or ``proximities_out_of_bag`` of a forest, or of its own making.
        Where they are not known (NaN), they count as 0.
    y
        Classes of the rows, for the colours, or numbers.

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> near = RandomForestClassifier(random_state=0).fit(X, y).proximities_out_of_bag(X, y)
    >>> [text.get_text() for text in plot_proximities(near, y).get_legend().get_texts()]
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """
    places, shares = proximity_map(near)
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.shape != (len(places),):
        raise InputError(f"plot_proximities: y must have a label for each of {len(places)} rows.")
    ax = axes_of(ax, 5.6, 5.0)
    if labels is None:
        ax.scatter(*places.T, s=16, color=ACCENT, alpha=0.8, edgecolors="white", linewidths=0.4)
    elif labels.dtype.kind == "f":
        drawn = ax.scatter(*places.T, s=16, c=labels, cmap="viridis", edgecolors="white", linewidths=0.4)
        ax.figure.colorbar(drawn, ax=ax, label="y")
    else:
        _draw_classes(ax, places, labels)
    ax.set(xlabel=f"first axis, {shares[0]:.0%}", ylabel=f"second axis, {shares[1]:.0%}")
    ax.set_aspect("equal", adjustable="datalim")
    return ax


def _draw_classes(ax: Axes, places: np.ndarray, labels: np.ndarray) -> None:
    classes = np.unique(labels)
    for label, colour in zip(classes.tolist(), class_colours(len(classes))):
        here = places[labels == label]
        ax.scatter(
            here[:, 0], here[:, 1], s=16, color=colour, label=str(label), alpha=0.85, edgecolors="white", linewidths=0.4
        )
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
