"""The picture of a margin: the boundary, its two edges, and on which side of them the rows lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.base.inputs.columns import learn_columns
from margin.data.labels import codes_of, label_array, position_of
from margin.data.table import Table
from margin.errors import InputError, InputTypeError, ParameterError
from margin.plots.style import INK, PALE, axes_of, class_colours, picture
from margin.svm.kernel_machine.model import KernelModel
from margin.typing import LabelsLike, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_margin", "two_columns"]

# Decisions this near to an edge are on it, where a model does not say so itself.
NEAR = 0.01
# Steps towards the edge along the steepest way, and how near to it a line may end.
STEPS, ENDS = 25, 0.01
# More slack lines than this hide the rows they belong to.
MOST_LINES = 300
KINDS = ("outside", "on", "inside")


@dataclass(frozen=True)
class _Side:
    """A decision of one class against others: the column of the decisions, and the labels of its two sides."""

    column: int
    sign: float
    positive: Any
    negative: Any


@picture
def plot_margin(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    ax: Axes | None = None,
    *,
    of: Any = None,
    slack: bool = True,
    steps: int = 200,
) -> Axes:
    """Draw the boundary of a fitted classifier of two columns, the edges of its margin and where the rows lie.

    Rows are outside the margin (pale), on its edge or inside it (strong). Support vectors are ringed, and a line leads
    from each row that is not far enough out to the edge that it should be beyond: its slack.

    Parameters
    ----------
    model
        A fitted classifier with ``decision_function``: ``SVC``, ``LinearSVC``, ``LogisticRegression``, ….
    X, y
        Rows of two numeric columns and their labels, usually those that were learnt from.
    of
        With more than two classes: a pair of labels for a machine of pairs, a label for a class against the rest.
    slack
        Whether to draw the lines.
    steps
        Places in each direction at which the classifier is asked.

    Examples
    --------
    >>> from margin import SVC
    >>> X, y = [[0, 0], [0, 1], [4, 0], [4, 1], [9, 0]], ["left", "left", "right", "right", "right"]
    >>> ax = plot_margin(SVC(kernel="linear", C=10).fit(X, y), X, y)
    >>> ax.get_title(loc="left")
    '1 outside the margin, 4 on its edge, 0 inside; width 4'
    """
    cells, names, rebuild = two_columns(X, "plot_margin")
    labels = label_array(y, "plot_margin")
    if len(labels) != len(cells):
        raise InputError(f"plot_margin: y must have one label per row ({len(cells)}), but has {len(labels)}.")
    side = _side(model, of)
    members = codes_of(labels, np.array([side.negative, side.positive], dtype=object))
    if side.negative is None:
        members = np.where(members == 1, 1, 0)
    ask = _asker(model, side, rebuild)
    shown = np.flatnonzero(members >= 0)
    points, signs = cells[shown], np.where(members[shown] == 1, 1.0, -1.0)
    decisions = ask(points)
    where = _categories(model, side, decisions * signs, shown, len(cells))
    ax = axes_of(ax, 7.0, 4.8)
    _draw_boundary(ax, ask, points, steps)
    if slack:
        _draw_slack(ax, ask, points, signs, decisions)
    _draw_rows(ax, points, signs, where, _supports(model, shown, len(cells), where), side)
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set_title(_counted(model, side, where), fontsize=9, loc="left", color=INK)
    return ax


# ---- What is asked.


def two_columns(X: TableLike, who: str) -> tuple[np.ndarray, list[str], Any]:
    """The cells, the names of the columns, and how new cells become rows like the given ones."""
    columns, source = learn_columns(X, who)
    schema = columns.described()
    if columns.n == 2 and all(column.is_numeric for column in schema):
        names = [column.name for column in schema]
        if isinstance(source, Table):
            cells = np.column_stack([np.asarray(source.cells(name), dtype=np.float64) for name in names])
            return cells, names, lambda new: Table.from_columns(dict(zip(names, new.T)))
        return np.asarray(source if isinstance(source, np.ndarray) else source.toarray(), np.float64), names, np.asarray
    raise InputError(f"{who}: X must have two numeric columns, as the model was fitted on.")


def _side(model: Any, of: Any) -> _Side:
    if not hasattr(model, "decision_function") or not hasattr(model, "classes_"):
        raise InputTypeError(f"plot_margin(model={model!r}): a fitted classifier with decision_function is needed.")
    classes = np.asarray(model.classes_)
    if len(classes) < 2:
        raise InputError("plot_margin: the model must know two classes, but knows one.")
    if len(classes) == 2:
        return _Side(0, 1.0, classes[1], classes[0])
    in_pairs = isinstance(model, KernelModel) and model._machine is not None and model._machine.layout.in_pairs
    pair = isinstance(of, (tuple, list)) and len(of) == 2
    if of is None or in_pairs != pair:
        wanted = "a pair of labels" if in_pairs else "the label of a class, which is set against the rest"
        raise ParameterError(f"plot_margin(of={of!r}): with {len(classes)} classes, of must be {wanted}.")
    if not in_pairs:
        return _Side(position_of(of, classes, "plot_margin(of=…)"), 1.0, of, None)
    a, b = sorted(position_of(label, classes[model._places], "plot_margin(of=…)") for label in of)
    sides = model._machine.layout.sides()
    if a == b:
        raise ParameterError(f"plot_margin(of={of!r}): the two classes must differ.")
    turned = 1.0 if classes[model._places[a]] == of[0] else -1.0
    return _Side(sides.index((a, b)), turned, of[0], of[1])


def _asker(model: Any, side: _Side, rebuild: Any) -> Any:
    """The decision for the positive side at some places."""

    def ask(cells: np.ndarray) -> np.ndarray:
        rows = rebuild(cells)
        if isinstance(model, KernelModel) and model._machine is not None and model._machine.layout.in_pairs:
            return side.sign * model._decisions(model._encoded(rows, "plot_margin"))[:, side.column]
        found = np.asarray(model.decision_function(rows), dtype=np.float64)
        return found if found.ndim == 1 else found[:, side.column]

    return ask


# ---- Where the rows lie.


def _categories(model: Any, side: _Side, margins: np.ndarray, shown: np.ndarray, n_rows: int) -> np.ndarray:
    """The word of each row: the model's own for its training rows, else by the decision."""
    near = np.abs(margins - 1) <= NEAR
    found = np.where(near, "on", np.where(margins > 1, "outside", "inside"))
    own = getattr(model, "category_", None)
    if own is None or len(own) != n_rows:
        return found
    slack = model.slack_ if own.ndim == 1 else model.slack_[:, side.column]
    own = own if own.ndim == 1 else own[:, side.column]
    same = np.allclose(slack[shown], np.maximum(0.0, 1 - margins), atol=1e-5, equal_nan=False)
    return own[shown] if same else found  # other rows than were learnt from


def _supports(model: Any, shown: np.ndarray, n_rows: int, where: np.ndarray) -> np.ndarray:
    """Which rows are support vectors."""
    if not isinstance(model, KernelModel) or len(model.category_) != n_rows:
        return where != "outside"
    return np.isin(shown, model.support_) & (where != "outside")


def _counted(model: Any, side: _Side, where: np.ndarray) -> str:
    outside, on, inside = (int((where == kind).sum()) for kind in KINDS)
    text = f"{outside} outside the margin, {on} on its edge, {inside} inside"
    planes = _planes(model)
    if planes is not None and getattr(model, "scale", None) is None:
        text += f"; width {2 / max(float(np.linalg.norm(planes[side.column])), 1e-300):.4g}"
    return text


def _planes(model: Any) -> np.ndarray | None:
    """The coefficients of each decision, where decisions are linear in the columns."""
    if isinstance(model, KernelModel):
        return None if model._machine is None else model._machine.planes
    return np.atleast_2d(model.coef_) if hasattr(model, "coef_") else None


# ---- Drawing.


def _draw_boundary(ax: Axes, ask: Any, points: np.ndarray, steps: int) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * np.where(high > low, high - low, 1.0)
    across, up = (np.linspace(a, b, steps) for a, b in zip(low - room, high + room))
    mesh = np.meshgrid(across, up)
    values = ask(np.column_stack([mesh[0].ravel(), mesh[1].ravel()])).reshape(steps, steps)
    colours = class_colours(2)
    levels = [min(values.min(), -1.0) - 1, -1.0, 0.0, 1.0, max(values.max(), 1.0) + 1]
    shades = [(*colours[0], 0.14), (*colours[0], 0.05), (*colours[1], 0.05), (*colours[1], 0.14)]
    ax.contourf(across, up, values, levels=levels, colors=shades, zorder=0)
    for level, style, width in ((-1.0, (0, (4, 3)), 1.0), (0.0, "solid", 1.6), (1.0, (0, (4, 3)), 1.0)):
        if values.min() < level < values.max():
            ax.contour(across, up, values, levels=[level], colors=[INK], linewidths=width, linestyles=[style], zorder=2)
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))


def _draw_slack(ax: Axes, ask: Any, points: np.ndarray, signs: np.ndarray, decisions: np.ndarray) -> None:
    """A line from each row to the edge of its side, the steepest way; none where no such way ends there."""
    from matplotlib.collections import LineCollection

    short = np.flatnonzero(signs * decisions < 1 - NEAR)
    short = short[np.argsort(signs[short] * decisions[short])][:MOST_LINES]
    if not short.size:
        return
    ends = _walk_to_edge(ask, points[short], signs[short], np.ptp(points, axis=0))
    there = np.abs(ask(ends) - signs[short]) <= ENDS
    lines = np.stack([points[short], ends], axis=1)[there]
    ax.add_collection(LineCollection(list(lines), colors=PALE, linewidths=0.9, zorder=2.5), autolim=False)


def _walk_to_edge(ask: Any, start: np.ndarray, goal: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Newton steps along the slope, measured in shares of the picture; one is enough where the boundary is a line."""
    spans = np.where(spans > 0, spans, 1.0)
    at, little = start.copy(), 1e-4
    for _ in range(STEPS):
        value = ask(at)
        slope = np.column_stack([
            (ask(at + shift) - ask(at - shift)) / (2 * little) for shift in np.diag(little * spans)
        ])  # fmt: skip
        square = np.maximum((slope**2).sum(axis=1), 1e-12)
        step = ((goal - value) / square)[:, None] * slope
        longest = np.maximum(np.linalg.norm(step, axis=1, keepdims=True) / 0.25, 1.0)
        at = at + step / (longest if np.abs(value - goal).max() > 0 else 1.0) * spans
    return at


def _draw_rows(
    ax: Axes, points: np.ndarray, signs: np.ndarray, where: np.ndarray, support: np.ndarray, side: _Side
) -> None:
    from matplotlib.lines import Line2D

    names = [str(side.negative) if side.negative is not None else "the rest", str(side.positive)]
    size = 34 if len(points) <= 500 else 12
    for sign, colour in zip((-1.0, 1.0), class_colours(2)):
        for kind, strength in zip(KINDS, (0.4, 1.0, 1.0)):
            here = (signs == sign) & (where == kind)
            shape = "s" if kind == "inside" else "o"
            ax.scatter(
                points[here, 0],
                points[here, 1],
                s=size,
                color=[colour],
                alpha=strength,
                marker=shape,
                linewidths=0,
                zorder=3,
            )
    for kind, ring in (("on", INK), ("inside", PALE)):
        here = support & (where == kind)
        ax.scatter(
            points[here, 0],
            points[here, 1],
            s=3.2 * size,
            facecolors="none",
            edgecolors=ring,
            linewidths=1.2,
            zorder=3.5,
        )
    marks = [Line2D([], [], marker="o", linestyle="", color=colour, label=name)
             for name, colour in zip(names, class_colours(2))]  # fmt: skip
    marks += [
        Line2D([], [], color=INK, linewidth=1.6, label="boundary"),
        Line2D([], [], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="edges of the margin"),
        Line2D([], [], marker="o", markersize=9, linestyle="", markerfacecolor="none", color=INK, label="on the edge"),
        Line2D([], [], marker="s", linestyle="", color=INK, label="inside the margin"),
    ]
    if (where == "inside").any():
        marks.append(Line2D([], [], color=PALE, linewidth=0.9, label="slack"))
    legend = ax.legend(handles=marks, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    for text in legend.get_texts():
        text.set_color(INK)
