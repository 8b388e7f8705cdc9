"""Pictures of what every threshold would do: ROC and precision-recall curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputTypeError
from margin.plots.of_model import curves_of, or_of_model
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from margin.evaluation.curves.thresholds import OperatingPoint

__all__ = ["plot_precision_recall", "plot_roc"]

# Longer curves are drawn by so many of their points: more than a screen can show.
MOST_POINTS = 1000


@or_of_model(curves_of("roc"))
@picture
def plot_roc(curve: Any, ax: Any = None, *, choice: Any = None, band: bool | None = None) -> Any:
    """Draw true against false positives for every threshold, with the area and its interval.

    Parameters
    ----------
    curve
        As of :func:`margin.evaluation.roc_curve`, or what has one as ``roc``, such as an evaluation of two
        classes; several by their names.
    choice
        A threshold to mark, as ``curve.best()``.
    band
        Whether to shade where the whole true curve lies; without a word, for a single curve.

    Examples
    --------
    >>> from margin.evaluation import roc_curve
    >>> ax = plot_roc(roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> ax.get_legend().get_texts()[0].get_text().startswith("1: area 0.750")
    True
    """
    ax = axes_of(ax, 5.0, 4.6)
    curves = _curves(curve, "roc", "fpr", "plot_roc")
    several = len(curves) > 1
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for (name, each), colour in zip(curves.items(), _colours(len(curves))):
        if band or (band is None and not several):
            at, low, high = each.band()
            ax.fill_between(at, low, high, color=colour, alpha=0.12, lw=0)
        fpr, tpr = _thinned(each.fpr, each.tpr)
        ax.plot(fpr, tpr, color=colour, linewidth=1.6, label=f"{name}: area {each.area}", zorder=3)
    if choice is not None:
        _mark(ax, choice.fpr, choice.tpr, choice)
    ax.set(xlabel="false positive rate (share of the others found)", ylabel="true positive rate (share found)")
    return _squared(ax)


@or_of_model(curves_of("precision_recall"))
@picture
def plot_precision_recall(curve: Any, ax: Any = None, *, choice: Any = None) -> Any:
    """Draw precision against recall for every threshold, with the average precision and its interval.

    Parameters
    ----------
    curve
        As of :func:`margin.evaluation.precision_recall_curve`, or what has one as ``precision_recall``, such as
        an evaluation of two classes; several by their names.
    choice
        A threshold to mark, as ``curve.best()``.

    Examples
    --------
    >>> from margin.evaluation import precision_recall_curve
    >>> ax = plot_precision_recall(precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> ax.get_legend().get_texts()[-1].get_text()
    'guessing: precision 0.500'
    """
    ax = axes_of(ax, 5.0, 4.6)
    curves = _curves(curve, "precision_recall", "recall", "plot_precision_recall")
    for (name, each), colour in zip(curves.items(), _colours(len(curves))):
        recall, precision = _thinned(each.recall, each.precision)
        label = f"{name}: average precision {each.average_precision}"
        # The precision of a threshold holds for the recall it adds, as the average counts it.
        ax.plot(recall, precision, color=colour, linewidth=1.6, drawstyle="steps-pre", label=label, zorder=3)
    guessing = {round(float(each.prevalence), 6) for each in curves.values()}
    for share in sorted(guessing) if len(guessing) == 1 else ():
        line: dict[str, Any] = {"color": PALE, "linewidth": 0.8, "linestyle": (0, (4, 3)), "zorder": 1}
        ax.axhline(share, label=f"guessing: precision {share:.3f}", **line)
    if choice is not None:
        _mark(ax, choice.tpr, choice.precision, choice)
    ax.set(xlabel="recall (share found)", ylabel="precision (share of the found that are right)")
    return _squared(ax)


def _curves(given: Any, within: str, has: str, who: str) -> dict[str, Any]:
    """The curves by their names; one alone is called after its positive class."""
    named = dict(given) if isinstance(given, Mapping) and not hasattr(given, within) else {None: given}
    found = {}
    for name, each in named.items():
        curve = each if hasattr(each, has) else getattr(each, within, None)
        curve = curve() if callable(curve) else curve  # an evaluation makes it when asked
        if curve is None or not hasattr(curve, has):
            raise InputTypeError(
                f"{who}(curve={type(each).__name__}): a curve is needed, what has one, or a mapping of them."
            )
        found[str(curve.positive if name is None else name)] = curve
    return found


def _colours(n: int) -> list[str]:
    return list(PALETTE * (1 + n // len(PALETTE)))[:n]


def _thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(np.intp))
    return x[at], y[at]


def _mark(ax: Axes, x: float, y: float, choice: OperatingPoint) -> None:
    label = f"threshold {choice.threshold:.3g}: {choice.reason}"
    ax.scatter([x], [y], s=55, color=PALETTE[5], edgecolors="white", zorder=4, label=label)


def _squared(ax: Axes) -> Axes:
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    ax.set_aspect("equal", adjustable="box")
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
    return ax
