"""Pictures of what linear models weigh: their coefficients, and how these grow as the penalty weakens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputError, ParameterError, closest, listing
from margin.linear.coefficient_lines import CoefficientLines, coefficient_lines
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, class_colours, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_coefficients", "plot_path"]

#: What one step of a column is, by the model's ``scale``.
UNITS: dict[str | None, str] = {
    None: "per unit of the column",
    "standard": "per standard deviation",
    "range": "over the column's range",
}

#: Colours that can also be read as the colour of a word: all but the yellow.
READABLE = tuple(colour for colour in PALETTE if colour != "#F0E442")


@picture
def plot_coefficients(model: Any, ax: Any = None, most: int = 20) -> Any:
    """Draw the largest coefficients of a fitted linear model, the largest first.

    Two classes have a bar for each column, with its 95 % interval where the model has a ``summary``: to the right for
    the second class, to the left for the first. More classes have a dot each.

    Parameters
    ----------
    model
        Any fitted linear model of margin.
    most
        Columns that are shown.

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_coefficients(LogisticRegression(scale="standard").fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """
    if not hasattr(model, "coef_") or not hasattr(model, "_encoder"):
        raise InputError(f"plot_coefficients(model={type(model).__name__}): model must be a fitted linear model.")
    lines = coefficient_lines(model)
    names, coef = lines.names, lines.values
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:most]
    ax = axes_of(ax, 6.5, max(2.2, 0.9 + 0.27 * len(order)))
    height = np.arange(len(order))[::-1]
    ax.axvline(0, color=PALE, linewidth=0.8, zorder=1)
    if len(coef) == 1:
        ax.barh(height, coef[0, order], height=0.62, color=ACCENT, zorder=2)
        ax.hlines(height, lines.low[0, order], lines.high[0, order], color=INK, linewidth=1.2, zorder=3)
    else:
        colours = class_colours(len(coef))
        for k, label in enumerate(model.classes_.tolist()):
            ax.scatter(coef[k, order], height, s=34, color=colours[k], label=str(label), zorder=3, edgecolors="white")
        ax.hlines(height, coef[:, order].min(axis=0), coef[:, order].max(axis=0), color=PALE, linewidth=1, zorder=2)
        ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    ax.set_yticks(height, [names[j] for j in order])
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(_meaning(model, lines))
    rest = coef.shape[1] - len(order)
    if rest:
        ax.set_title(f"the {len(order)} largest of {coef.shape[1]:,} coefficients", fontsize=9, loc="left")
    return ax


def _meaning(model: Any, lines: CoefficientLines) -> str:
    unit = UNITS[model.scale]
    if lines.against:
        unit += " (words: against the most frequent one)"
    elif model.scale is not None and model._encoder.one_hot:
        unit += " (words: there or not)"
    if len(model.coef_) > 1:
        return f"what the column adds to the score of each class, {unit}"
    what = "log-odds" if hasattr(model, "summary") else "score"
    return f"what the column adds to the {what} of {model.classes_.tolist()[-1]}, {unit}"


@picture
def plot_path(path: Any, ax: Any = None, of: Any = None, most: int = len(READABLE)) -> Any:
    """Draw the coefficients of one class against C: which columns come in first as the penalty weakens.

    Parameters
    ----------
    path
        As of :func:`margin.logistic_path`: arrays ``C`` and ``coef`` (C × scores × columns), with the names of its
        ``columns`` and ``classes``.
    of
        The class whose coefficients are drawn; None for the last one.
    most
        Columns with a name and a colour of their own; the others are pale.

    Examples
    --------
    >>> from margin.data import catalog
    >>> from margin.linear import logistic_path
    >>> X, y = catalog.load("iris").target("class")
    >>> plot_path(logistic_path(X, y, Cs=[0.1, 1.0, 10.0], scale="standard"), of="Iris-setosa").get_ylabel()
    'coefficients for Iris-setosa'
    """
    ax = axes_of(ax, 7.0, 4.2)
    C = np.asarray(path.C, dtype=np.float64)
    finite = np.isfinite(C)
    place, label = _class_place(path, of)
    lines = np.asarray(path.coef)[finite, place]
    C = C[finite]
    order = np.argsort(-np.abs(lines).max(axis=0), kind="stable")
    ax.axhline(0, color=PALE, linewidth=0.8, zorder=1)
    for j in order[most:]:
        ax.plot(C, lines[:, j], color=PALE, linewidth=0.8, alpha=0.6, zorder=2)
    named = {int(j): READABLE[i % len(READABLE)] for i, j in enumerate(order[:most])}
    for j, colour in named.items():
        ax.plot(C, lines[:, j], color=colour, linewidth=1.6, zorder=3)
    ax.set(xscale="log", xlabel="C (weaker penalty to the right)", ylabel=f"coefficients for {label}")
    ax.set_xlim(C[0], C[-1])
    for j, height in _heights(ax, {j: float(lines[-1, j]) for j in named}).items():
        ax.annotate(
            str(path.columns[j]), (C[-1], height), xytext=(6, 0), textcoords="offset points", va="center",
            color=named[j], fontsize=9, annotation_clip=False,
        )  # fmt: skip
    return ax


def _class_place(path: Any, of: Any) -> tuple[int, Any]:
    """Which row of coefficients is asked for, and the class it speaks for."""
    labels = np.asarray(path.classes).tolist()
    if of is not None and of not in labels:
        raise ParameterError(
            f"plot_path(of={of!r}): of must be one of the classes, {listing(labels)}{closest(of, labels)}."
        )
    if np.asarray(path.coef).shape[1] == 1:
        return 0, labels[-1]
    of = labels[-1] if of is None else of
    return labels.index(of), of


def _heights(ax: Axes, ends: dict[int, float]) -> dict[int, float]:
    """Heights of the labels: as near to the ends of their lines as they can stand without touching."""
    low, high = ax.get_ylim()
    least = 0.055 * (high - low)
    found: dict[int, float] = {}
    before = -np.inf
    for j in sorted(ends, key=lambda j: ends[j]):
        found[j] = before = max(ends[j], before + least)
    down = max(0.0, before - high) / 2
    return {j: height - down for j, height in found.items()}
