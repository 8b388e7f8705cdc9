"""One look for all pictures: colours that everyone can tell apart, labelled axes, nothing that carries no data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from margin.errors import InputError, MissingPackageError
from margin.params import entries, joined, sections

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ACCENT",
    "INK",
    "PALE",
    "PALETTE",
    "MissingPackageError",
    "axes_of",
    "class_colours",
    "figure_axes",
    "log_axis",
    "picture",
]

#: Eight colours that stay apart for the colour-blind and in print (Okabe, Ito 2002), the strongest first.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#6B6B6B")
INK, PALE, ACCENT = "#333333", "#9A9A9A", PALETTE[0]


Draw = TypeVar("Draw", bound=Callable[..., Any])


def picture(draw: Draw) -> Draw:
    """Say in the docstring of a picture what holds for all: on which axes it is drawn, and that it returns them.

    What a picture says of ``ax`` itself stays.
    """
    if draw.__doc__:  # python -OO leaves none
        order = draw.__code__.co_varnames
        said = {
            "ax": "    Axes of matplotlib to draw on; None makes a new figure.",
            **dict(entries(draw.__doc__, "Parameters")),
        }
        headings = sorted(said, key=lambda heading: order.index(heading.split(", ")[0]))
        parts = sections(draw.__doc__)
        text = "\n".join(f"{heading}\n{said[heading]}" for heading in headings)
        draw.__doc__ = joined(
            {"": parts[""], "Parameters": text, "Returns": "ax\n    The axes."}
            | {title: part for title, part in parts.items() if title not in ("", "Parameters", "Returns")}
        )
    return draw


def axes_of(ax: Any, width: float = 6.0, height: float = 4.0) -> Any:
    """The axes given, or those of a new figure, in the style of the house."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise MissingPackageError(
                "margin.plots: pictures need matplotlib, which is not installed (pip install 'margin[plots]')."
            ) from None
        ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(PALE)
    ax.tick_params(colors=INK, labelsize=9, length=3)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.title.set_color(INK)
    return ax


def figure_axes(axes: Any, rows: int, columns: int, width: float, height: float, who: str) -> np.ndarray:
    """A grid of axes: those given, or those of a new figure with so many inches for each."""
    if axes is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise MissingPackageError(
                "margin.plots: pictures need matplotlib, which is not installed (pip install 'margin[plots]')."
            ) from None
        size = (width * columns, height * rows)
        return np.asarray(plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")[1])
    given = np.asarray(axes, dtype=object).ravel()
    if len(given) < rows * columns:
        raise InputError(f"{who}(axes=…): {rows * columns} axes are needed, but there are {len(given)}.")
    return given[: rows * columns].reshape(rows, columns)


def log_axis(ax: Axes, values: Any) -> None:
    """A horizontal axis of logarithms; few values are ticks of their own, as they were written."""
    ax.set_xscale("log")
    if len(values) <= 12:
        ax.set_xticks(values, [f"{value:.4g}" for value in values])
        ax.set_xticks([], minor=True)


def class_colours(n: int) -> list[tuple[float, float, float]]:
    """A colour for each of n classes: the palette, or steps of viridis where it has too few.

    >>> class_colours(2)[0] == class_colours(20)[0]
    False
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    if n <= len(PALETTE):
        return [to_rgb(colour) for colour in PALETTE[:n]]
    return [to_rgb(colormaps["viridis"](i / (n - 1))) for i in range(n)]
