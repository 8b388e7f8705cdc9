"""The picture of a decision tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputTypeError, ParameterError
from margin.plots.style import INK, PALE, axes_of, class_colours, picture
from margin.plots.trees.layout import Box, boxes_that_fit
from margin.tree.reading.named_tree import DescribedTree
from margin.tree.reading.readable import TreeReading

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

# In units of one box with its gap, and of one level.
BOX_WIDTH, BOX_HEIGHT, LEVEL = 0.88, 0.46, 1.0
INCHES_ACROSS, INCHES_DOWN = 1.35, 1.1
LONGEST_TITLE, LONGEST_EDGE = 17, 20


@picture
def plot_tree(model: TreeReading, ax: Any = None, *, max_depth: int | None = 4, digits: int = 4) -> Any:
    """Draw a tree: a box for each node with its question, its cases and a bar of its classes.

    Thicker lines carry more training cases. What lies below ``max_depth`` is left out, and the box says so with "…".

    Parameters
    ----------
    model
        A fitted tree, such as :class:`margin.DecisionTreeClassifier`.
    ax
        Axes of matplotlib to draw on; None makes a new figure, as large as the tree needs.
    max_depth
        Questions on a path that are drawn; None for all. Very broad trees are cut sooner.
    digits
        Significant digits of numbers.

    Examples
    --------
    >>> from margin import ID3
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> ax = plot_tree(ID3().fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes']
    """
    if not isinstance(model, TreeReading):
        raise InputTypeError(f"plot_tree({type(model).__name__}): the model must be a fitted decision tree.")
    if max_depth is not None and max_depth < 0:
        raise ParameterError(f"plot_tree(max_depth={max_depth!r}): max_depth must be None or at least 0.")
    described = model._described("plot_tree")
    boxes, across = boxes_that_fit(described, max_depth, digits)
    deepest = max(box.depth for box in boxes)
    ax = axes_of(ax, max(4.0, INCHES_ACROSS * across + 0.4), INCHES_DOWN * (deepest + 1) + 0.5)
    _draw_edges(ax, boxes)
    _draw_boxes(ax, boxes, described)
    ax.set(xlim=(-0.55, across - 0.45), ylim=(-(deepest + 0.5) * LEVEL, 0.45 * LEVEL))
    ax.axis("off")
    _add_legend(ax, described)
    return ax


def _draw_edges(ax: Axes, boxes: list[Box]) -> None:
    for box in boxes:
        if box.parent < 0:
            continue
        above = boxes[box.parent]
        top, bottom = -above.depth * LEVEL - BOX_HEIGHT / 2, -box.depth * LEVEL + BOX_HEIGHT / 2
        thickness = 0.6 + 4.0 * box.weight / max(boxes[0].weight, 1e-300)
        middle = (top + bottom) / 2
        ax.plot([above.x, above.x, box.x, box.x], [top, middle + 0.12, middle + 0.12, bottom],
                color="#C9CED3", linewidth=thickness, solid_joinstyle="round", zorder=1)  # fmt: skip
        ax.text(box.x, bottom + 0.13, _short(box.edge, LONGEST_EDGE), ha="center", va="center", fontsize=7.5,
                color=INK, zorder=3, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip


def _draw_boxes(ax: Axes, boxes: list[Box], described: DescribedTree) -> None:
    from matplotlib.patches import FancyBboxPatch

    colours = [] if described.classes is None else class_colours(len(described.classes))
    for box in boxes:
        left, low = box.x - BOX_WIDTH / 2, -box.depth * LEVEL - BOX_HEIGHT / 2
        # Answers stand out as filled boxes, questions are outlines.
        ax.add_patch(
            FancyBboxPatch(
                (left, low), BOX_WIDTH, BOX_HEIGHT, boxstyle="round,pad=0,rounding_size=0.05", mutation_aspect=1.2,
                facecolor="#F3F5F7" if box.is_answer else "white", edgecolor=PALE, linewidth=0.8, zorder=2,
            )
        )  # fmt: skip
        ax.text(box.x, low + BOX_HEIGHT * 0.77, _short(box.title, LONGEST_TITLE), ha="center", va="center",
                fontsize=9, color=INK, weight="bold" if box.is_answer else "normal", zorder=3)  # fmt: skip
        ax.text(box.x, low + BOX_HEIGHT * 0.44, box.note, ha="center", va="center", fontsize=7, color="#6B6B6B",
                zorder=3)  # fmt: skip
        ax.text(box.x, low - 0.1, box.below, ha="center", va="center", fontsize=7, color="#6B6B6B", zorder=3)
        bar = (left + 0.06, low + BOX_HEIGHT * 0.12, BOX_WIDTH - 0.12, BOX_HEIGHT * 0.15)
        if colours:
            _draw_class_bar(ax, bar, box.value, colours)
        elif len(box.value) == 1:  # several outputs have no one place
            _draw_place(ax, bar, float(box.value[0]), described)


def _draw_class_bar(ax: Axes, bar: tuple[float, float, float, float], value: np.ndarray, colours: list[Any]) -> None:
    """The shares of the classes side by side."""
    from matplotlib.patches import Rectangle

    left, low, width, height = bar
    total = value.sum()
    for share, colour in zip(value / total if total > 0 else value, colours, strict=True):
        if share > 0:
            ax.add_patch(Rectangle((left, low), width * share, height, facecolor=colour, linewidth=0, zorder=3))
            left += width * share


def _draw_place(ax: Axes, bar: tuple[float, float, float, float], value: float, described: DescribedTree) -> None:
    """Where a value lies between the smallest and the largest of the tree."""
    from matplotlib.patches import Rectangle

    left, low, width, height = bar
    ax.add_patch(Rectangle((left, low), width, height, facecolor="#E3E7EA", linewidth=0, zorder=3))
    values = described.tree.value[:, 0]
    smallest, largest = float(values.min()), float(values.max())
    if np.isfinite(value) and largest > smallest:
        at = (value - smallest) / (largest - smallest)
        ax.add_patch(Rectangle((left, low), width * at, height, facecolor=class_colours(1)[0], linewidth=0, zorder=4))


def _short(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _add_legend(ax: Axes, described: DescribedTree) -> None:
    if described.classes is None:
        return
    from matplotlib.patches import Patch

    colours = class_colours(len(described.classes))
    names = [str(label) for label in described.classes]
    legend = ax.legend(
        [Patch(facecolor=colour) for colour in colours], names, loc="lower center", bbox_to_anchor=(0.5, 1.0),
        ncols=min(len(names), 6), frameon=False, fontsize=9, handlelength=1.0, handleheight=1.0,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_color(INK)
