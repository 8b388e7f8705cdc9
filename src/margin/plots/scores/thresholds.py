"""The picture of every metric against the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data.rows import ready_for
from margin.errors import InputError, InputTypeError, ParameterError, closest, listing
from margin.evaluation import metric
from margin.evaluation.metrics.metric import CountMetric
from margin.evaluation.predictions.positive_class import positive_code
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

__all__ = ["plot_thresholds"]


@picture
def plot_thresholds(
    model: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    metrics: tuple[str, ...] = ("precision", "recall", "f1", "accuracy"),
    positive: Any = None,
    cost: float | None = None,
) -> Any:
    """Draw what the answers of a model of two classes are worth if one class is answered from each probability on.

    The largest value of each metric is marked. The rows should not be those that were learnt from.

    Parameters
    ----------
    model
        Any fitted classifier of two classes with probabilities.
    X, y
        Rows and their labels.
    metrics
        Metrics that judge answers, by name.
    positive
        The class that is answered from the threshold on; None for the one that says yes, or the rarer one.
    cost
        What a missed case costs, where a false alarm costs 1: the mean cost of a case is drawn too.

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> ax = plot_thresholds(LogisticRegression().fit(X, y), X, y, metrics=("recall",))
    >>> ax.get_xlabel()
    'threshold: answers yes from this probability on'
    """
    classes, place = _positive_of(model, y, positive)
    truth = np.asarray(y) == classes[place]
    chances = np.asarray(model.predict_proba(ready_for(model, X)))[:, place]
    steps = np.linspace(0.0, 1.0, 201)
    called = chances[:, None] >= steps
    found, false = (called & truth[:, None]).sum(axis=0), (called & ~truth[:, None]).sum(axis=0)
    ax = axes_of(ax, 6.4, 4.0)
    for name, colour in zip(metrics, PALETTE * (1 + len(metrics) // len(PALETTE)), strict=False):
        values = _values(name, found, false, int(truth.sum()), int((~truth).sum()))
        best = int(np.nanargmax(values if metric(name).greater_is_better else -values))
        told = f"{name.replace('_', ' ')}: best {values[best]:.3g} at {steps[best]:.2f}"
        ax.plot(steps, values, color=colour, linewidth=1.6, label=told, zorder=3)
        ax.plot(steps[best], values[best], "o", color=colour, markersize=5, zorder=4)
    if cost is not None:
        costs = (cost * (truth.sum() - found) + false) / max(len(truth), 1)
        least = int(np.argmin(costs))
        told = f"mean cost: least {costs[least]:.3g} at {steps[least]:.2f}"
        ax.plot(steps, costs, color=INK, linewidth=1.4, linestyle=(0, (5, 2)), label=told, zorder=3)
        ax.plot(steps[least], costs[least], "o", color=INK, markersize=5, zorder=4)
    ax.axvline(0.5, color=PALE, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    ax.set(xlabel=f"threshold: answers {classes[place]} from this probability on", ylabel="on these rows", xlim=(0, 1))
    ax.set_ylim(bottom=0)
    ax.set_title(f"{len(truth):,} rows, {int(truth.sum()):,} of {classes[place]}", fontsize=9, loc="left")
    ax.legend(fontsize=8, labelcolor=INK, framealpha=0.85, edgecolor="none")
    return ax


def _positive_of(model: Any, y: Any, positive: Any) -> tuple[np.ndarray, int]:
    """The classes and the place of the positive one."""
    if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
        raise InputTypeError(
            f"plot_thresholds(model={type(model).__name__}): must be a fitted classifier with probabilities "
            "(CalibratedClassifier gives it some)."
        )
    classes = np.asarray(model.classes_)
    if len(classes) != 2:
        raise InputError(f"plot_thresholds: the model must know two classes, but knows {len(classes)}.")
    labels = classes.tolist()
    if positive is not None and positive not in labels:
        raise ParameterError(
            f"plot_thresholds(positive={positive!r}): must be one of the classes, {listing(labels)}"
            f"{closest(positive, labels)}."
        )
    if positive is not None:
        return classes, labels.index(positive)
    truth = np.asarray(y)
    code = positive_code(classes, np.array([(truth == label).sum() for label in labels]))
    return classes, 1 if code is None else int(code)


def _values(name: str, found: np.ndarray, false: np.ndarray, positives: int, negatives: int) -> np.ndarray:
    """A metric at each threshold, from how many cases of either class are called so."""
    which = metric(name)
    if not isinstance(which, CountMetric):
        raise ParameterError(f"plot_thresholds(metrics={name!r}): must judge answers, as 'f1' does; it ranks cases.")
    silent = np.zeros_like(found)
    tables = np.stack(
        [np.stack([negatives - false, false, silent], -1), np.stack([positives - found, found, silent], -1)], -2
    )
    classes = np.array([0, 1])
    return np.asarray(which.bound(classes, 1).of_tables(tables, classes), dtype=np.float64)
