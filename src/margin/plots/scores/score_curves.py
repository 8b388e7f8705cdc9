"""Pictures of scores along something: the number of training rows, the value of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, log_axis, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_learning_curve", "plot_validation_curve"]

#: Training scores and test scores.
TRAINING, TEST = PALETTE[1], ACCENT


@picture
def plot_learning_curve(curve: Any, ax: Any = None, *, metric: str | None = None) -> Any:
    """Draw training and test scores against the number of training rows, with intervals and where they are going.

    Parameters
    ----------
    curve
        As of :func:`margin.selection.curves.learning_curve`.
    metric
        Which of the curve's metrics; the first without it.

    Examples
    --------
    >>> from types import SimpleNamespace as Of
    >>> from margin.evaluation import Score
    >>> found = Of(sizes=[10, 20, 30], metrics=[Of(name="accuracy")], power_law=None,
    ...            training=lambda _: [Score(1.0)] * 3, test=lambda _: [Score(0.6), Score(0.7), Score(0.75)])
    >>> [text.get_text() for text in plot_learning_curve(found).get_legend().get_texts()]
    ['on training rows', 'on other rows']
    """
    ax = axes_of(ax)
    x = np.asarray(curve.sizes, dtype=float)
    _lines(ax, x, curve.training(metric), curve.test(metric))
    law = curve.power_law if metric is None or metric == curve.metrics[0].name else None
    if law is not None:
        further = np.geomspace(x[0], 2 * x[-1], 100)
        fit = [law(n) for n in further]
        ax.plot(further, fit, color=TEST, linewidth=1.0, linestyle=(0, (2, 2)), label="fit, to twice the rows")
    if _grows_by_factors(x):
        log_axis(ax, x)
    _finish(ax, "training rows", metric or curve.metrics[0].name)
    return ax


@picture
def plot_validation_curve(curve: Any, ax: Any = None, *, metric: str | None = None) -> Any:
    """Draw training and test scores against a parameter, with the values worth choosing marked.

    Parameters
    ----------
    curve
        As of :func:`margin.selection.curves.validation_curve`.
    metric
        Which of the curve's metrics; the first, which decides what is best, without it.

    Examples
    --------
    >>> from types import SimpleNamespace as Of
    >>> from margin.evaluation import Score
    >>> found = Of(parameter="k", values=(1, 3, 5), metrics=[Of(name="accuracy")], best_index=1, simpler=None,
    ...            knee=None, training=lambda _: [Score(1.0)] * 3, test=lambda _: [Score(0.6), Score(0.75), Score(0.7)])
    >>> [text.get_text() for text in plot_validation_curve(found).get_legend().get_texts()]
    ['on training rows', 'on other rows', 'best: 3']
    """
    ax = axes_of(ax)
    numbers = all(isinstance(value, (int, float, np.integer, np.floating)) for value in curve.values)
    x = np.array(curve.values, dtype=float) if numbers else np.arange(len(curve.values), dtype=float)
    order = np.argsort(x, kind="stable")
    trained, tested = curve.training(metric), curve.test(metric)
    _lines(ax, x[order], [trained[i] for i in order], [tested[i] for i in order])
    for (place, words), shape, colour in zip(_choices(curve).items(), "osD", (PALETTE[5], PALETTE[2], PALETTE[3])):
        label = f"{words}: {_shown(curve.values[place])}"
        ax.scatter([x[place]], [tested[place].value], s=60, marker=shape, color=colour, edgecolors="white", zorder=5,
                   label=label)  # fmt: skip
    if not numbers:
        ax.set_xticks(x, [str(value) for value in curve.values])
    elif _grows_by_factors(np.sort(x)):
        log_axis(ax, np.sort(x))
    _finish(ax, curve.parameter, metric or curve.metrics[0].name)
    return ax


def _choices(curve: Any) -> dict[int, str]:
    """Each place worth choosing with all its titles: often one place has several."""
    titles: dict[int, list[str]] = {curve.best_index: ["best"]}
    if curve.simpler is not None:
        values = list(curve.values)
        titles.setdefault(values.index(curve.within_one_standard_error), []).append("within one standard error")
    if curve.knee is not None:
        titles.setdefault(curve.knee.index, []).append("knee")
    return {place: ", ".join(names) for place, names in titles.items()}


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _lines(ax: Axes, x: np.ndarray, trained: Sequence[Any], tested: Sequence[Any]) -> None:
    for scores, colour, label in ((trained, TRAINING, "on training rows"), (tested, TEST, "on other rows")):
        values = np.array([score.value for score in scores])
        ends = [score.interval for score in scores]
        low = np.array([value if end is None else end.low for value, end in zip(values, ends)])
        high = np.array([value if end is None else end.high for value, end in zip(values, ends)])
        ax.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)
        ax.plot(x, values, color=colour, linewidth=1.6, marker="o", markersize=3.5, label=label, zorder=3)


def _grows_by_factors(x: np.ndarray) -> bool:
    """Whether values grow by factors rather than by steps: then distances are those of logarithms."""
    if len(x) < 3 or x[0] <= 0:
        return False
    ratios, steps = np.diff(np.log(x)), np.diff(x)
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean() and x[-1] / x[0] >= 8)


def _finish(ax: Axes, x: str, metric: str) -> None:
    ax.set(xlabel=x, ylabel=metric.replace("_", " "))
    ax.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
