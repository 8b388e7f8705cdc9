"""The picture of a kd-tree."""

from __future__ import annotations

from typing import Any

from margin.errors import InputError, ParameterError
from margin.neighbors.indexes.kd_cuts import Cut, KDCuts
from margin.params import is_whole
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

__all__ = ["plot_kd_tree"]

# The first cut is drawn so wide, the others ever thinner, but never thinner than this.
WIDEST, THINNEST = 2.6, 0.5
MANY_POINTS = 1000


@picture
def plot_kd_tree(cuts: KDCuts, ax: Any = None, *, levels: int | None = None) -> Any:
    """Draw how a kd-tree cuts the plane: early cuts wide, late ones thin, a colour for each direction.

    Parameters
    ----------
    cuts
        As of :func:`margin.kd_cuts`, of two columns.
    levels
        So many levels of cuts are drawn; None draws all. Pictures of 1, 2, 3, … levels beside each other show the tree
        grow.

    Examples
    --------
    >>> from margin import kd_cuts
    >>> rows = [[float(i), float(i * i % 7)] for i in range(40)]
    >>> ax = plot_kd_tree(kd_cuts(rows, rule="cycling", leaf_size=5), levels=2)
    >>> ax.get_title(loc="left")
    'cycling: 2 of 3 levels, 3 cuts'
    """
    from matplotlib.collections import LineCollection

    if cuts.points.shape[1] != 2:
        raise InputError(f"plot_kd_tree: the rows must have two columns, not {cuts.points.shape[1]}.")
    if levels is not None and not (is_whole(levels) and levels >= 0):
        raise ParameterError(f"plot_kd_tree(levels={levels!r}): levels must be None or a whole number of at least 0.")
    ax = axes_of(ax, 5.0, 4.6)
    shown = [cut for cut in cuts.cuts if levels is None or cut.level < levels]
    many = len(cuts.points) > MANY_POINTS
    ax.scatter(*cuts.points.T, s=4 if many else 12, color=PALE, linewidths=0, zorder=1, rasterized=many)
    low, high = cuts.points.min(axis=0), cuts.points.max(axis=0)
    for column, colour in ((0, PALETTE[0]), (1, PALETTE[5])):
        here = [cut for cut in shown if cut.column == column]
        widths = [max(THINNEST, WIDEST * 0.72**cut.level) for cut in here]
        lines = LineCollection(
            [_line(cut) for cut in here],
            colors=colour,
            linewidths=widths,
            capstyle="butt",
            zorder=2,
            label=f"cuts {cuts.names[column]}",
        )
        ax.add_collection(lines, autolim=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(True)
        ax.spines[side].set_color(PALE)
    beyond = 0.01 * (high - low) + 1e-12
    ax.set(
        xlabel=cuts.names[0],
        ylabel=cuts.names[1],
        xlim=(low[0] - beyond[0], high[0] + beyond[0]),
        ylim=(low[1] - beyond[1], high[1] + beyond[1]),
    )
    drawn = min(cuts.depth, cuts.depth if levels is None else levels)
    of = f"{drawn} level{'s' if drawn != 1 else ''}" if drawn == cuts.depth else f"{drawn} of {cuts.depth} levels"
    ax.set_title(
        f"{cuts.rule}: {of}, {len(shown):,} cut{'s' if len(shown) != 1 else ''}", fontsize=9, loc="left", color=INK
    )
    return ax


def _line(cut: Cut) -> list[tuple[float, float]]:
    """From one side of the box to the other, at the value of the cut."""
    if cut.column == 0:
        return [(cut.value, cut.low[1]), (cut.value, cut.high[1])]
    return [(cut.low[0], cut.value), (cut.high[0], cut.value)]
