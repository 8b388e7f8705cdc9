"""The picture of class means where columns are the pixels of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.bayes.class_shapes import class_means, fitted_classes
from margin.errors import InputError, ParameterError
from margin.neighbors.centroid import NearestCentroid
from margin.plots.style import INK, PALE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_class_means"]

# So many pictures stand side by side, with this share of a picture between them and that much room for a name.
IN_A_ROW, GAP, ROOM_FOR_NAMES = 10, 0.12, 0.28


@picture
def plot_class_means(model: Any, ax: Axes | None = None, *, shape: tuple[int, int] | None = None) -> Axes:
    """Draw the mean of each class as a picture, the darker the larger: what the model takes for typical.

    Parameters
    ----------
    model
        A fitted ``NearestCentroid``, discriminant analysis, ``GaussianNB``, or ``NaiveBayes`` whose columns are
        gaussian, poisson or bernoulli (there the mean is how often a pixel is present).
    shape
        Rows and columns of a picture, whose pixels stand row by row; None for a square.

    Examples
    --------
    >>> from margin import NearestCentroid
    >>> pixels = [[0, 9, 9, 0], [0, 8, 9, 1], [9, 0, 0, 8], [7, 0, 0, 9]]
    >>> ax = plot_class_means(NearestCentroid().fit(pixels, ["rising", "rising", "falling", "falling"]))
    >>> [text.get_text() for text in ax.texts], ax.images[0].get_array().tolist()
    (['falling', 'rising'], [[8.0, 0.0], [0.0, 8.5]])
    """
    who = "plot_class_means"
    means = _means(model, who)
    height, width = _shape(shape, means.shape[1], who)
    names = [str(label) for label in model.classes_.tolist()]
    in_a_row = IN_A_ROW if len(names) > 2 * IN_A_ROW else min(len(names), -(-IN_A_ROW // 2))
    n_rows = -(-len(names) // in_a_row)
    right, down = width + GAP * max(height, width), height * (1 + ROOM_FOR_NAMES)
    across, depth = in_a_row * right, n_rows * down
    inches = min(1.3 / max(height, width), 12.0 / across)
    ax = axes_of(ax, max(across * inches, 1.5) + 0.9, max(depth * inches, 1.2) + 0.2)
    low, high = float(means.min()), float(means.max())
    for k, mean in enumerate(means):
        x, y = (k % in_a_row) * right, (k // in_a_row) * down
        drawn = ax.imshow(
            mean.reshape(height, width), cmap="Greys", vmin=low, vmax=high, interpolation="nearest",
            extent=(x, x + width, y + height, y),
        )  # fmt: skip
        frame = ([x, x + width, x + width, x, x], [y, y, y + height, y + height, y])
        ax.plot(*frame, color=PALE, linewidth=0.5, clip_on=False)
        ax.text(x + width / 2, y - 0.06 * height, names[k], ha="center", va="bottom", fontsize=9, color=INK)
    ax.set(xlim=(-0.02 * width, across), ylim=(depth - ROOM_FOR_NAMES * height, -ROOM_FOR_NAMES * height), aspect=1)
    ax.set_axis_off()
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.7, aspect=14, pad=0.02)
    bar.ax.spines[:].set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=8, length=2)
    bar.set_label("mean of the class", color=INK, fontsize=8)
    return ax


def _means(model: Any, who: str) -> np.ndarray:
    """Class by column, in the units of the columns."""
    if not isinstance(model, NearestCentroid):
        return class_means(fitted_classes(model, who), who)
    encoder = model._fitted(who)._encoder
    if encoder.one_hot:
        raise InputError(f"{who}: column {encoder.one_hot[0].name!r} must be numeric, but is nominal.")
    return np.asarray(model.centroids_) * encoder.spread + encoder.center


def _shape(shape: Any, n: int, who: str) -> tuple[int, int]:
    if shape is None:
        side = round(n**0.5)
        if side * side != n:
            raise ParameterError(f"{who}(shape=None): {n} columns are no square; say rows and columns.")
        return side, side
    sides = list(shape) if isinstance(shape, tuple | list) else []
    whole = all(isinstance(side, int | np.integer) and not isinstance(side, bool) and side > 0 for side in sides)
    if len(sides) != 2 or not whole or sides[0] * sides[1] != n:
        raise ParameterError(f"{who}(shape={shape!r}): shape must be rows and columns of a picture of {n} pixels.")
    return int(sides[0]), int(sides[1])
