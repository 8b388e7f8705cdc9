"""The picture of the curse of dimensionality."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.neighbors.curse import Curse
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_curse"]

# Beyond so many dimensions the axis is logarithmic.
MANY = 60


@picture
def plot_curse(curse: Curse, ax: Any = None) -> Any:
    """Draw how long the edge of a neighbourhood is in 1, 2, 3, … dimensions, and where the data stand.

    Parameters
    ----------
    curse
        As of :func:`margin.curse`.

    Examples
    --------
    >>> from margin import curse
    >>> ax = plot_curse(curse(np.random.default_rng(0).random((500, 3))))
    >>> ax.get_xlabel()
    'number of dimensions'
    """
    ax = axes_of(ax)
    intrinsic = curse.dimension.estimate
    most = max(10, math.ceil(1.2 * max(curse.features, intrinsic if math.isfinite(intrinsic) else 1)))
    dimensions = np.unique(np.round(np.geomspace(1, most, 300) if most > MANY else np.linspace(1, most, 300), 3))
    ax.plot(dimensions, curse.fraction ** (1 / dimensions), color=ACCENT, linewidth=1.6)
    what = "columns" if curse.features == curse.columns else "features"
    label = f"{curse.features:,} {what if curse.features > 1 else what[:-1]}: {curse.edge:.2g}"
    _mark(ax, curse.features, curse.edge, label, PALETTE[5], "o")
    if math.isfinite(intrinsic):
        label = f"{curse.dimension} dimensions in use: {curse.edge_intrinsic:.2g}"
        _mark(ax, intrinsic, curse.edge_intrinsic, label, PALETTE[2], "D")
    if most > MANY:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set(
        xlabel="number of dimensions",
        ylabel=f"edge of a cube with {curse.fraction:.2g} of the volume\n(share of each column's range)",
        ylim=(0, 1.03),
        xlim=(1, most),
    )
    # Above the picture: inside, it would stand in the way of the curve or of the lines to the axes.
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2)
    return ax


def _mark(ax: Axes, at: float, edge: float, label: str, colour: str, shape: str) -> None:
    """A point of the curve, with lines to both axes."""
    ax.plot([at, at, 0.0], [0.0, edge, edge], color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    ax.scatter([at], [edge], s=60, color=colour, marker=shape, edgecolors="white", zorder=4, label=label, clip_on=False)
