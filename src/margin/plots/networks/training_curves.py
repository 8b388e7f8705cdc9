"""How training went, and which learning rate to take."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.deep.fitting.trained_network import TrainedNetwork
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.mlp.rate_finder import RateCurve
from margin.errors import InputError
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

__all__ = ["plot_rate_finder", "plot_training"]


@picture
def plot_training(model: Any, ax: Any = None) -> Any:
    """Draw the loss of every epoch, the score on rows held out if there were any, and the epoch that was kept.

    Parameters
    ----------
    model
        A fitted network.

    Examples
    --------
    >>> from margin.deep import MLPRegressor
    >>> X = np.linspace(-1, 1, 40).reshape(-1, 1)
    >>> plot_training(MLPRegressor(max_iter=5, tol=10.0, n_iter_no_change=1).fit(X, X[:, 0] ** 2)).get_xlabel()
    'epoch'
    """
    if not isinstance(model, FittedNetwork | TrainedNetwork):
        raise InputError(f"plot_training: {type(model).__name__} has no epochs; give a fitted network.")
    curve, scores = model._fitted("plot_training").loss_curve_, model.validation_scores_
    if not len(curve):
        raise InputError("plot_training: the network had nothing to learn, and so no epochs.")
    ax = axes_of(ax, 7.0, 4.0)
    epochs = np.arange(1, len(curve) + 1)
    ax.plot(epochs, curve, color=ACCENT, linewidth=1.8)
    ax.set(xlabel="epoch", ylabel="loss in training", xlim=(0.5, len(curve) + 0.5))
    if curve.min() > 0 and curve.max() > 30 * curve.min():
        ax.set_yscale("log")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.yaxis.label.set_color(ACCENT)
    shown, better = ax, "smallest loss"
    if scores is not None:
        shown, better = ax.twinx(), "best score"
        shown.plot(epochs, scores, color=PALETTE[5], linewidth=1.4)
        what = "score" if isinstance(model, TrainedNetwork) else "R²"
        shown.set_ylabel(f"{'accuracy' if hasattr(model, 'classes_') else what} on what was held out")
        shown.yaxis.label.set_color(PALETTE[5])
        shown.tick_params(colors=INK, labelsize=9, length=3)
        shown.spines["top"].set_visible(False)
    best = model.best_epoch_
    height = curve[best - 1] if scores is None else scores[best - 1]
    shown.axvline(best, color=PALE, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    shown.plot([best], [height], "o", color=INK, markersize=5, zorder=5)
    late = best > 0.6 * len(curve)
    shown.annotate(
        f"{better}: epoch {best}", (best, height), xytext=(-8 if late else 8, 10), textcoords="offset points",
        ha="right" if late else "left", color=INK, fontsize=9, annotation_clip=False,
    )  # fmt: skip
    return ax


@picture
def plot_rate_finder(curve: RateCurve, ax: Any = None) -> Any:
    """Draw the losses of batches at rates that rise, and the rate to take.

    Parameters
    ----------
    curve
        As of :func:`margin.deep.find_learning_rate`.

    Examples
    --------
    >>> curve = RateCurve(np.array([0.01, 0.1]), np.array([1.0, 0.5]), np.array([1.0, 0.7]), 0.01)
    >>> plot_rate_finder(curve).get_xscale()
    'log'
    """
    ax = axes_of(ax, 7.0, 4.0)
    ax.plot(curve.rates, curve.losses, ".", color=PALE, markersize=4, label="a batch")
    ax.plot(curve.rates, curve.smoothed, color=ACCENT, linewidth=1.8, label="averaged over ten")
    ax.axvline(curve.suggestion, color=PALETTE[5], linewidth=1.2, linestyle=(0, (4, 3)))
    low, high = float(curve.smoothed.min()), float(max(curve.smoothed[0], np.median(curve.losses)))
    room = max(high - low, 1e-12)
    ax.set(xscale="log", xlabel="learning rate", ylabel="loss of the batch", ylim=(low - 0.25 * room, high + room))
    ax.annotate(
        f"rate to take: {curve.suggestion:.2g}", (curve.suggestion, high + 0.9 * room), xytext=(-6, 0),
        textcoords="offset points", ha="right", va="top", color=PALETTE[5], fontsize=9,
    )  # fmt: skip
    ax.legend(frameon=False, fontsize=9, loc="lower left", labelcolor=INK)
    return ax
