"""Pictures of models beside each other: scores with intervals, a belief about a difference, ranks over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputTypeError
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from margin.evaluation.comparing.bayesian import Posterior
    from margin.evaluation.comparing.comparison_result import Comparison, Standing
    from margin.evaluation.comparing.many_datasets import FriedmanTest

__all__ = ["plot_comparison", "plot_critical_difference"]


@picture
def plot_comparison(found: Any, ax: Any = None) -> Any:
    """Draw models with their scores and intervals and say which really differ, or a belief about one difference.

    Parameters
    ----------
    found
        A :class:`margin.evaluation.Comparison`, as of ``compare_scores``: the best stands on top, models that cannot
        be told from it in its colour. Or a :class:`margin.evaluation.Posterior`: the density of the difference with
        the region of practical equivalence.

    Examples
    --------
    >>> from margin.evaluation import bayesian_comparison
    >>> ax = plot_comparison(bayesian_comparison([0.02, 0.03, 0.01, 0.02], rope=0.01, test_to_train=1 / 3))
    >>> len(ax.get_legend().get_texts())
    3
    """
    if hasattr(found, "standings"):
        return _plot_standings(found, ax)
    if hasattr(found, "rope"):
        return _plot_posterior(found, ax)
    raise InputTypeError(f"plot_comparison(found={type(found).__name__}): a Comparison or a Posterior is needed.")


def _plot_standings(found: Comparison, ax: Axes | None) -> Axes:
    n = len(found.standings)
    ax = axes_of(ax, 7.0, 1.2 + 0.42 * n)
    best = found.standings[0].score.value
    ax.axvline(best, color=ACCENT, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    for row, standing in enumerate(found.standings):
        colour = PALE if standing.differs else ACCENT
        interval = standing.score.interval
        if interval is not None:
            ax.plot([interval.low, interval.high], [row, row], color=colour, linewidth=5, alpha=0.35,
                    solid_capstyle="round")  # fmt: skip
        ax.scatter([standing.score.value], [row], s=42, color=colour, zorder=3)
        ax.annotate(
            _verdict(standing, found.best), (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=9,
            color=INK if not standing.differs else PALETTE[5],
        )  # fmt: skip
    ax.set_yticks(range(n), [standing.name for standing in found.standings])
    ax.set_ylim(n - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"{found.metric.replace('_', ' ')} with {100 * found.confidence:g} % interval")
    return ax


def _verdict(standing: Standing, best: str) -> str:
    if standing.name == best:
        return "best"
    words = "differs" if standing.differs else "not told apart"
    return f"{words} (p {'< 0.001' if standing.p < 0.001 else f'= {standing.p:.2g}'})"


def _plot_posterior(found: Posterior, ax: Axes | None) -> Axes:
    ax = axes_of(ax)
    reach = 4.0 * max(found.scale, 1e-12)
    low, high = min(found.location - reach, -1.6 * found.rope), max(found.location + reach, 1.6 * found.rope)
    at = np.linspace(low, high, 601)
    height = _density((at - found.location) / max(found.scale, 1e-12), found.degrees)
    parts = (
        (at <= -found.rope, PALETTE[5], f"second better: {found.second_better:.3f}"),
        (np.abs(at) <= found.rope, PALE, f"equivalent (within ±{found.rope:g}): {found.equivalent:.3f}"),
        (at >= found.rope, ACCENT, f"first better: {found.first_better:.3f}"),
    )
    for where, colour, label in parts:
        ax.fill_between(at, 0, np.where(where, height, np.nan), color=colour, alpha=0.45, lw=0, label=label)
    ax.plot(at, height, color=INK, linewidth=1.2)
    for edge in (-found.rope, found.rope):
        ax.axvline(edge, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), ymax=0.75)
    ax.set(xlabel="difference of the scores, first minus second", ylabel="", yticks=[], ylim=(0, 1.3 * height.max()))
    ax.spines["left"].set_visible(False)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    return ax


def _density(z: np.ndarray, degrees: float) -> np.ndarray:
    """Student's t up to a factor, normal for infinite degrees."""
    if not np.isfinite(degrees):
        return np.exp(-(z**2) / 2)
    return (1 + z**2 / degrees) ** (-(degrees + 1) / 2)


@picture
def plot_critical_difference(found: FriedmanTest, ax: Any = None) -> Any:
    """Draw the mean ranks of models over data sets; bars join models that cannot be told apart (Demšar 2006).

    Parameters
    ----------
    found
        As of :func:`margin.evaluation.friedman`: ``names``, ``mean_ranks``, ``critical_difference`` and ``groups``.

    Examples
    --------
    >>> from margin.evaluation import friedman
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.65, 0.5], [0.9, 0.85, 0.8]])
    >>> ax = plot_critical_difference(friedman(scores, names=["tree", "bayes", "guess"]))
    >>> [text.get_text() for text in ax.texts][-1].startswith("critical difference")
    True
    """
    names, ranks = list(found.names), np.asarray(found.mean_ranks, dtype=float)
    k = len(names)
    half = (k + 1) // 2
    bars = [group for group in found.groups if len(group) > 1]
    foot = 0.55 + 0.22 * len(bars)
    ax = axes_of(ax, 7.0, 1.6 + 0.24 * half + 0.16 * len(bars))
    low, high = 1.0, float(max(k, 2))
    ax.plot([low, high], [0, 0], color=INK, linewidth=1.0)
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, -0.1], color=INK, linewidth=1.0)
        ax.text(tick, -0.18, str(tick), ha="center", va="bottom", fontsize=9, color=INK)
    edge = 0.04 * (high - low)
    for place, (name, rank) in enumerate(zip(names, ranks)):
        left = place < half
        depth = foot + 0.34 * (place if left else k - 1 - place)
        end = low - edge if left else high + edge
        ax.plot([rank, rank, end], [0, depth, depth], color=PALE, linewidth=0.9, zorder=1)
        ax.scatter([rank], [0], s=18, color=ACCENT, zorder=4)
        words = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        side, words = ("right", f"{words} ") if left else ("left", f" {words}")
        ax.text(end, depth, words, ha=side, va="center", fontsize=9, color=INK)
    for level, group in enumerate(bars):
        ends = ranks[[names.index(name) for name in group]]
        reach, height = [ends.min() - edge / 2, ends.max() + edge / 2], 0.3 + 0.22 * level
        ax.plot(reach, [height, height], color=PALETTE[5], linewidth=3.2, solid_capstyle="round", zorder=3)
    _draw_difference(ax, found.critical_difference, low, high)
    bottom = foot + 0.34 * max(half - 1, 0) + 0.3
    room = 0.38 * (high - low)
    ax.set(xlim=(low - room, high + room), ylim=(bottom, -1.25), xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _draw_difference(ax: Axes, difference: float, low: float, high: float) -> None:
    """The length that makes a difference, above the axis."""
    end = min(low + difference, high)
    ax.plot([low, end], [-0.72, -0.72], color=INK, linewidth=1.4)
    for x in (low, end):
        ax.plot([x, x], [-0.79, -0.65], color=INK, linewidth=1.4)
    ax.text((low + end) / 2, -0.85, f"critical difference {difference:.2f}", ha="center", va="bottom", fontsize=9,
            color=INK)  # fmt: skip
