"""The error out of bag as a forest or a bag grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.ensemble.forest.stopping import BATCH
from margin.errors import InputError
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_out_of_bag"]


@picture
def plot_out_of_bag(model: Any, ax: Any = None) -> Any:
    """Draw the error out of bag after each tree or member: where it is flat, more of them change nothing.

    Of a forest of ``n_estimators="auto"`` the last two stretches of 25 trees are drawn with their means, whose
    difference said that it was large enough.

    Parameters
    ----------
    model
        A fitted forest or bag that was asked out of bag (``oob_error_``).

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> model = RandomForestClassifier(n_estimators=40, random_state=0).fit(*catalog.load("iris").target("class"))
    >>> plot_out_of_bag(model).get_xlabel()
    'trees'
    """
    error = getattr(model, "oob_error_", None)
    if error is None or not np.isfinite(error).any():
        raise InputError(
            f"plot_out_of_bag(model={type(model).__name__}): model must be a fitted forest or bag with an error out of "
            "bag (oob_score=True, and rows drawn)."
        )
    ax = axes_of(ax)
    n = np.arange(1, len(error) + 1)
    ax.plot(n, error, color=ACCENT, linewidth=1.4, zorder=3)
    ax.axhline(error[-1], color=PALE, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    ax.annotate(f"{error[-1]:.4g}", (n[-1], error[-1]), xytext=(4, 0), textcoords="offset points", color=INK,
                fontsize=9, va="center", annotation_clip=False)  # fmt: skip
    if getattr(model, "n_estimators", None) == "auto":
        _draw_stop(ax, error)
    of_trees, of_classes = hasattr(model, "trees_"), hasattr(model, "classes_")
    ax.set(xlabel="trees" if of_trees else "members", xlim=(0.5, len(error) + 0.5))
    ax.set_ylabel("share of errors out of bag" if of_classes else "mean squared error out of bag")
    ax.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _draw_stop(ax: Axes, error: np.ndarray) -> None:
    """The two stretches whose means were compared last."""
    end = len(error)
    for first, colour in ((end - 2 * BATCH, PALETTE[1]), (end - BATCH, PALETTE[5])):
        mean = float(np.mean(error[first : first + BATCH]))
        label = f"mean of trees {first + 1} to {first + BATCH}: {mean:.4g}"
        ax.axvspan(first + 0.5, first + BATCH + 0.5, color=colour, alpha=0.12, lw=0, zorder=0)
        ax.hlines(mean, first + 0.5, first + BATCH + 0.5, color=colour, linewidth=2, zorder=4, label=label)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, title=f"stopped at {end:,} trees", title_fontsize=9)
