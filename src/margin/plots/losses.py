"""The picture of the family of linear models: their losses against the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.linear.losses import LossFamily, loss_family
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_losses"]

#: Colours of the members that the lectures speak of are the strongest; the others come after them.
ORDER = ("perceptron", "log_loss", "hinge", "squared_error", "exponential", "squared_hinge", "modified_huber")
#: All but the yellow, in which a thin line is lost on white.
COLOURS = tuple(colour for colour in PALETTE if colour != "#F0E442")
HIGHEST = 6.0
#: The least distance of two labels, as a share of the height at the side and of the width at the top.
APART, APART_ABOVE = 0.05, 0.185


@picture
def plot_losses(family: LossFamily | None = None, ax: Any = None, margins: Any = None) -> Any:
    """Draw what each loss makes a row cost, from clearly wrong on the left to clearly right on the right.

    All of them stand in for the errors that are counted in the end, the step from 1 to 0, which gives no direction to
    go in.

    Parameters
    ----------
    family
        As of :func:`margin.loss_family`, which is also what None stands for.
    margins
        Where to look; from -3 to 3 unless others are given.

    Examples
    --------
    >>> plot_losses().get_xlabel()
    'margin m = y f(x): wrong answers below 0, right ones above'
    """
    ax = axes_of(ax, 7.0, 4.4)
    at = np.linspace(-3, 3, 601) if margins is None else margins
    curves = (loss_family() if family is None else family).curves(at)
    m = curves.margins
    ax.fill_between(m, curves.zero_one, color=PALE, alpha=0.25, lw=0, step="mid")
    ax.axvline(0, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    names = sorted(curves.value, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    for name in reversed(names):  # the first on top
        dashes: Any = (0, (5, 2)) if name in ORDER[5:] else "solid"
        ax.plot(m, curves.value[name], color=colours[name], linewidth=1.8, linestyle=dashes, label=name)
    ax.set(xlim=(m[0], m[-1]), ylim=(0, HIGHEST), ylabel="loss of one row")
    ax.set_xlabel("margin m = y f(x): wrong answers below 0, right ones above")
    _put_axis_right(ax)
    beside = {name: value[0] for name, value in curves.value.items() if value[0] <= HIGHEST}
    above = {name: m[np.argmax(value <= HIGHEST)] for name, value in curves.value.items() if name not in beside}
    for name, height in _spread(beside, APART * HIGHEST).items():
        _label(ax, name, colours[name], (m[0], height), (-6, 0), ha="right", va="center")
    for name, left in _spread(above, APART_ABOVE * (m[-1] - m[0])).items():
        _label(ax, name, colours[name], (left, HIGHEST), (0, 4), ha="center", va="bottom")
    _label(ax, "errors counted", INK, (m[0], 0.5), (6, 0), ha="left", va="center")
    return ax


def _put_axis_right(ax: Axes) -> None:
    """The names stand on the left, where the curves are apart."""
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    ax.spines["left"].set_visible(False)
    ax.spines["right"].set(visible=True, color=PALE)


def _label(ax: Axes, name: str, colour: str, at: tuple[float, float], away: tuple[int, int], **place: Any) -> None:
    ax.annotate(
        name.replace("_", " "), at, xytext=away, textcoords="offset points", color=colour, fontsize=9,
        annotation_clip=False, **place,
    )  # fmt: skip


def _spread(places: dict[str, float], least: float) -> dict[str, float]:
    """The places of some labels, each at least so far beyond the one before."""
    found: dict[str, float] = {}
    before = -np.inf
    for name in sorted(places, key=lambda name: places[name]):
        found[name] = before = max(float(places[name]), before + least)
    return found
