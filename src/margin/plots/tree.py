"""The picture of a decision tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputTypeError, ParameterError
from margin.plots.style import INK, PALE, axes_of, class_colours, picture
from margin.tree.reading.named_tree import DescribedTree
from margin.tree.reading.readable import TreeReading

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

# A node with more branches shows the heaviest and one box for the others; beyond so many boxes in a row only the
# upper levels are drawn.
MOST_BRANCHES, MOST_ACROSS = 12, 48
# In units of one box with its gap, and of one level.
BOX_WIDTH, BOX_HEIGHT, LEVEL = 0.88, 0.46, 1.0
INCHES_ACROSS, INCHES_DOWN = 1.35, 1.1
LONGEST_TITLE, LONGEST_EDGE = 17, 20


@dataclass
class _Box:
    """What is drawn of a node, or of the lighter branches of one taken together."""

    depth: int
    parent: int
    title: str
    is_answer: bool
    edge: str
    weight: float
    value: np.ndarray
    note: str
    below: str = ""
    x: float = 0.0
    children: list[int] = field(default_factory=list)


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
    boxes, across = _fitting(described, max_depth, digits)
    deepest = max(box.depth for box in boxes)
    ax = axes_of(ax, max(4.0, INCHES_ACROSS * across + 0.4), INCHES_DOWN * (deepest + 1) + 0.5)
    _draw_edges(ax, boxes)
    _draw_boxes(ax, boxes, described)
    ax.set(xlim=(-0.55, across - 0.45), ylim=(-(deepest + 0.5) * LEVEL, 0.45 * LEVEL))
    ax.axis("off")
    _add_legend(ax, described)
    return ax


def _fitting(described: DescribedTree, max_depth: int | None, digits: int) -> tuple[list[_Box], int]:
    """The boxes, and how many stand side by side: as many levels as find room."""
    depth = described.tree.depth if max_depth is None else min(max_depth, described.tree.depth)
    boxes = _boxes(described, depth, digits)
    while depth > 1 and sum(not box.children for box in boxes) > MOST_ACROSS:
        depth -= 1
        boxes = _boxes(described, depth, digits)
    return boxes, _place(boxes)


def _boxes(described: DescribedTree, max_depth: int, digits: int) -> list[_Box]:
    """The boxes in preorder."""
    tree = described.tree
    boxes: list[_Box] = []
    waiting: list[tuple[Any, int, int, str]] = [(0, 0, -1, "")]
    while waiting:
        node, depth, parent, edge = waiting.pop()
        at = len(boxes)
        boxes.append(_box(described, node, depth, parent, edge, max_depth, digits))
        if parent >= 0:
            boxes[parent].children.append(at)
        if isinstance(node, list) or tree.is_leaf[node] or depth == max_depth:
            continue
        for branch, words in reversed(_shown_branches(described, node, digits)):
            waiting.append((branch, depth + 1, at, words))
    return boxes


def _shown_branches(described: DescribedTree, node: int, digits: int) -> list[tuple[Any, str]]:
    """The nodes to draw below one and what leads to them; the lightest of very many as one list."""
    tree = described.tree
    children = tree.children(node).tolist()
    words = [condition.relation(digits) for condition in described.conditions(node)]
    if len(children) <= MOST_BRANCHES:
        return list(zip(children, words, strict=True))
    heavy = np.sort(np.argsort(-tree.weight[children], kind="stable")[: MOST_BRANCHES - 1])
    light = sorted(set(range(len(children))) - set(heavy.tolist()))
    shown: list[tuple[Any, str]] = [(children[b], words[b]) for b in heavy]
    return [*shown, ([children[b] for b in light], f"{len(light)} others")]


def _box(described: DescribedTree, node: Any, depth: int, parent: int, edge: str, max_depth: int, digits: int) -> _Box:
    tree = described.tree
    if isinstance(node, list):
        weight = float(tree.weight[node].sum())
        value = tree.value[node].sum(axis=0) if not described.is_regression else np.array([np.nan])
        return _Box(depth, parent, "…", True, edge, weight, value, f"{weight:.6g} cases")
    is_leaf = bool(tree.is_leaf[node])
    is_answer = is_leaf or depth == max_depth
    title = described.answer_text(node, digits) if is_answer else described.column_of(node).name
    below = "" if is_leaf or not is_answer else f"… {int(tree.is_leaf[node : tree.end[node]].sum())} leaves"
    note = described.cases_text(node)
    return _Box(depth, parent, title, is_answer, edge, float(tree.weight[node]), tree.value[node], note, below)


def _place(boxes: list[_Box]) -> int:
    """Leaves side by side, every other box over the middle of its branches; how many stand side by side."""
    across = 0
    for box in boxes:
        if not box.children:
            box.x = across
            across += 1
    for box in reversed(boxes):
        if box.children:
            box.x = (boxes[box.children[0]].x + boxes[box.children[-1]].x) / 2
    return across


def _draw_edges(ax: Axes, boxes: list[_Box]) -> None:
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


def _draw_boxes(ax: Axes, boxes: list[_Box], described: DescribedTree) -> None:
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
