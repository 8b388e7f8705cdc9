"""The picture of decision regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.neighbors.regions import Axis, Regions, decision_regions
from margin.plots.of_model import or_of_model
from margin.plots.style import INK, PALE, axes_of, class_colours, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_regions"]

# A place where the winner is no surer than a guess is as pale as this; a sure one as strong as that.
PALEST, STRONGEST = 0.12, 0.5
# So many points are drawn small and as one image, so that a saved picture stays small.
MANY_POINTS = 1000
HELD_SHOWN, LEVELS_NAMED = 3, 20


@or_of_model(decision_regions)
@picture
def plot_regions(
    regions: Regions, ax: Any = None, *, edges: np.ndarray | None = None, cells: np.ndarray | None = None
) -> Any:
    """Draw which class wins where: the surer the model, the stronger the colour.

    Parameters
    ----------
    regions
        As of :func:`margin.decision_regions`.
    edges
        Line segments to draw as the borders, as of :func:`margin.voronoi_edges`; None draws those of the grid.
    cells
        Line segments to draw thin beneath them, such as the cells of all rows,
        ``voronoi_edges(X, between="rows")``.

    Examples
    --------
    >>> from margin import KNeighborsClassifier, decision_regions
    >>> X, y = [[0.0, 0.0], [1.0, 1.0]], ["low", "high"]
    >>> ax = plot_regions(decision_regions(KNeighborsClassifier(1).fit(X, y), X, y, steps=20))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('x0', ['high', 'low'])
    """
    ax = axes_of(ax)
    colours = class_colours(len(regions.classes))
    x, y = _ends(regions.x), _ends(regions.y)
    ax.imshow(_shades(regions, colours), origin="lower", extent=(*x, *y), aspect="auto", interpolation="nearest")
    if cells is not None:
        _draw_lines(ax, cells, PALE, 0.5)
    _draw_lines(ax, _grid_borders(regions) if edges is None else edges, INK, 0.8 if cells is None else 1.6)
    _draw_points(ax, regions, colours)
    ax.set(xlabel=regions.x.name, ylabel=regions.y.name, xlim=x, ylim=y)
    _name_levels(ax.set_xticks, regions.x)
    _name_levels(ax.set_yticks, regions.y)
    _add_legend(ax, regions, colours)
    if regions.held:
        ax.set_title(_held_in_words(regions.held), fontsize=8, loc="left", color=PALE)
    return ax


def _ends(axis: Axis) -> tuple[float, float]:
    """Where the first cell begins and the last one ends: the places asked are the middles of cells."""
    half = 0.5 if len(axis.values) == 1 else (axis.values[1] - axis.values[0]) / 2
    return float(axis.values[0] - half), float(axis.values[-1] + half)


def _shades(regions: Regions, colours: list[tuple[float, float, float]]) -> np.ndarray:
    """The colour of each place; white where the model abstains."""
    guess = 1 / len(colours)
    sure = np.where(np.isnan(regions.probability), 1.0, regions.probability)
    sure = np.clip((sure - guess) / (1 - guess), 0.0, 1.0) if guess < 1 else np.ones_like(sure)
    strength = np.where(regions.winner < 0, 0.0, PALEST + (STRONGEST - PALEST) * sure)[..., None]
    return 1 - strength * (1 - np.array(colours)[regions.winner])


def _draw_lines(ax: Axes, segments: np.ndarray, colour: str, width: float) -> None:
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(list(segments), colors=colour, linewidths=width, capstyle="round"), autolim=False)


def _grid_borders(regions: Regions) -> np.ndarray:
    """The sides between neighbouring cells of different winners; smooth enough where cells are small."""
    middles = [np.concatenate([[ends[0]], (axis.values[1:] + axis.values[:-1]) / 2, [ends[1]]])
               for axis, ends in ((regions.x, _ends(regions.x)), (regions.y, _ends(regions.y)))]  # fmt: skip
    x, y = middles
    row, column = np.nonzero(regions.winner[:, 1:] != regions.winner[:, :-1])
    upright = np.stack([np.stack([x[column + 1], y[row]], 1), np.stack([x[column + 1], y[row + 1]], 1)], 1)
    row, column = np.nonzero(regions.winner[1:] != regions.winner[:-1])
    level = np.stack([np.stack([x[column], y[row + 1]], 1), np.stack([x[column + 1], y[row + 1]], 1)], 1)
    return np.concatenate([upright, level])


def _draw_points(ax: Axes, regions: Regions, colours: list[tuple[float, float, float]]) -> None:
    """The rows, class by class; those of no known class in grey."""
    many = len(regions.points) > MANY_POINTS
    style: dict[str, Any] = {
        "s": 6 if many else 22,
        "linewidths": 0 if many else 0.6,
        "edgecolors": "white",
        "rasterized": many,
    }
    for code in range(-1, len(colours)):
        points = _apart(regions, code)
        if len(points):
            colour = PALE if code < 0 else colours[code]
            ax.scatter(points[:, 0], points[:, 1], color=[colour], zorder=3, **style)


def _apart(regions: Regions, code: int) -> np.ndarray:
    """The points of a class; on an axis of levels they are spread a little, so that equal ones can be seen."""
    points = regions.points[regions.labels == code].copy()
    random = np.random.Generator(np.random.Philox(key=code + 1))
    for at, axis in enumerate((regions.x, regions.y)):
        if axis.levels:
            points[:, at] += random.uniform(-0.3, 0.3, len(points))
    return points


def _name_levels(set_ticks: Any, axis: Axis) -> None:
    if axis.levels:
        every = -(-len(axis.levels) // LEVELS_NAMED)
        set_ticks(axis.values[::every], [str(level) for level in axis.levels[::every]])


def _add_legend(ax: Axes, regions: Regions, colours: list[tuple[float, float, float]]) -> None:
    from matplotlib.lines import Line2D

    marks = [Line2D([], [], marker="o", linestyle="", markersize=6, color=colour) for colour in colours]
    names = [str(label) for label in regions.classes]
    legend = ax.legend(
        marks,
        names,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=9,
        ncols=1 + len(names) // 16,
    )
    for text in legend.get_texts():
        text.set_color(INK)


def _held_in_words(held: dict[Any, Any]) -> str:
    """The other columns and their values, the first few of them."""
    told = [
        f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}" for name, value in held.items()
    ]
    more = f", … ({len(told)} columns held)" if len(told) > HELD_SHOWN else ""
    return "at " + ", ".join(told[:HELD_SHOWN]) + more
