"""The picture of probabilities beside how often they came true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputTypeError
from margin.plots.of_model import measured, or_of_model
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from margin.evaluation.curves.calibration import CalibrationCurve

__all__ = ["plot_calibration"]

#: Part of the height that the histogram at the foot takes.
FOOT = 0.16


@or_of_model(measured)
@picture
def plot_calibration(curve: Any, ax: Any = None) -> Any:
    """Draw how often predicted probabilities came true, bin by bin, with intervals and a histogram at the foot.

    Probabilities that mean what they say lie on the diagonal, within their intervals.

    Parameters
    ----------
    curve
        As of :func:`margin.evaluation.calibration_curve`, or what has one as ``calibration``, such as an
        evaluation; several by their names.

    Examples
    --------
    >>> from margin.evaluation import calibration_curve
    >>> ax = plot_calibration(calibration_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9], bins=2))
    >>> ax.get_legend().get_texts()[0].get_text()
    'calibration error 0.050'
    """
    ax = axes_of(ax, 5.0, 4.6)
    curves = dict(curve) if isinstance(curve, Mapping) and not hasattr(curve, "calibration") else {"": curve}
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    first = None
    for place, (name, each) in enumerate(curves.items()):
        found = each if hasattr(each, "mean_confidence") else getattr(each, "calibration", None)
        found = found() if callable(found) else found  # an evaluation makes it when asked
        if found is None:
            raise InputTypeError(
                f"plot_calibration(curve={type(each).__name__}): a calibration curve is needed, what has one, or a "
                "mapping of them."
            )
        first = found if first is None else first
        _draw(ax, found, PALETTE[place % len(PALETTE)], f"{name}: " if name else "", foot=len(curves) == 1)
    meant = "of the most probable class" if first is None or first.positive is None else f"of {first.positive}"
    ax.set(xlabel=f"predicted probability {meant}", ylabel="share that came true", xlim=(-0.01, 1.01), ylim=(0, 1.01))
    ax.set_aspect("equal", adjustable="box")
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="upper left")
    return ax


def _draw(ax: Axes, curve: CalibrationCurve, colour: str, title: str, foot: bool) -> None:
    there = curve.counts > 0
    x, y = curve.mean_confidence[there], curve.observed[there]
    reach = np.vstack([y - curve.low[there], curve.high[there] - y]).clip(0.0)
    label = f"{title}calibration error {curve.error:.3f}"
    ax.errorbar(
        x, y, yerr=reach, color=colour, linewidth=1.4, elinewidth=1.0, capsize=2.5, marker="o", markersize=4.5,
        label=label, zorder=3,
    )  # fmt: skip
    if foot:
        width, tallest = np.diff(curve.edges), curve.counts.max()
        tall = FOOT * curve.counts / tallest
        ax.bar(curve.edges[:-1], tall, width, align="edge", color=PALE, alpha=0.35, edgecolor="white", linewidth=0.6,
               label=f"cases in each bin (tallest {tallest:,.0f})", zorder=0)  # fmt: skip
