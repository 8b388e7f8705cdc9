"""The picture of answering less and being wrong more rarely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from margin.errors import InputTypeError
from margin.evaluation.curves.risk_coverage import RiskCoverage, ThresholdChoice
from margin.plots.of_model import confidence_of, or_of_model
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_risk_coverage"]

# Longer curves are drawn by so many of their points: more than a screen can show, and a band of few bounds.
MOST_POINTS = 1000
# The error among so small a share of the cases is left to chance.
FEW = 0.05


@or_of_model(confidence_of)
@picture
def plot_risk_coverage(
    curve: RiskCoverage | Mapping[str, RiskCoverage], ax: Axes | None = None, *, choice: ThresholdChoice | None = None
) -> Axes:
    """Draw the error among the answered against the share of cases answered, with its exact band.

    Parameters
    ----------
    curve
        As of :func:`margin.evaluation.risk_coverage` or ``Reject(…).curve_``; several by their names.
    choice
        A chosen threshold to mark, as ``Reject(…).choice_``.

    Examples
    --------
    >>> from margin.evaluation import risk_coverage
    >>> curve = risk_coverage(["a", "a", "b", "b"], ["a", "a", "b", "a"], [0.9, 0.8, 0.7, 0.6])
    >>> ax = plot_risk_coverage(curve, choice=curve.for_cost(0.3))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['area under the curve 0.0625', 'threshold 0.6: 75.0 % answered, error 0.0 %']
    """
    ax = axes_of(ax)
    curves = curve if isinstance(curve, Mapping) else {"": curve}
    for (name, each), colour in zip(curves.items(), PALETTE * (1 + len(curves) // len(PALETTE))):
        if not isinstance(each, RiskCoverage):
            raise InputTypeError(f"plot_risk_coverage(curve={each!r}): a RiskCoverage or a mapping of them is needed.")
        _draw(ax, each, colour, name, band=len(curves) <= 3)
    if choice is not None and np.isfinite(choice.coverage) and choice.coverage > 0:
        _mark(ax, choice)
    ax.set(xlabel="coverage (share of the cases answered)", ylabel="error among the answered", xlim=(0, 1.02))
    ax.set_ylim(0, max(map(_top, curves.values())))
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    return ax


def _draw(ax: Axes, curve: RiskCoverage, colour: str, name: str, band: bool) -> None:
    n = len(curve.risk)
    at = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp)) if n else slice(0, 0)
    thinned = RiskCoverage(
        curve.threshold[at], curve.coverage[at], curve.risk[at], curve.surest, curve.n_cases, curve.level
    )
    title = f"{name}: " if name else ""
    ax.plot(
        thinned.coverage,
        thinned.risk,
        color=colour,
        linewidth=1.6,
        label=f"{title}area under the curve {curve.aurc:.4f}",
    )
    if band:
        low, high = thinned.band
        ax.fill_between(thinned.coverage, low, high, color=colour, alpha=0.15, lw=0)


def _top(curve: RiskCoverage) -> float:
    """Where the axis ends: errors of the first few cases reach up to 1 and would press the rest flat."""
    settled = curve.coverage >= FEW
    return 1.6 * float(curve.risk[settled].max(initial=0.0)) or 1.0


def _mark(ax: Axes, choice: ThresholdChoice) -> None:
    words = f"{100 * choice.coverage:.1f} % answered, error {100 * choice.risk:.1f} %"
    at = "no threshold" if choice.threshold == -np.inf else f"threshold {choice.threshold:.3g}"
    ax.axvline(choice.coverage, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    ax.scatter(
        [choice.coverage], [choice.risk], s=50, color=PALETTE[5], edgecolors="white", zorder=4, label=f"{at}: {words}"
    )  # fmt: skip
