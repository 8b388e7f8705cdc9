"""The loss of boosted trees, round after round."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting.gradient.boosting_model import BoostingModel
from margin.errors import InputError
from margin.plots.style import ACCENT, INK, PALE, axes_of, picture

__all__ = ["plot_boosting_curve"]


@picture
def plot_boosting_curve(model: Any, ax: Any = None) -> Any:
    """Draw the loss of rows that were not learnt from after each round, and the round that was kept.

    Parameters
    ----------
    model
        Fitted gradient boosting that held rows back or left out folds (``validation_loss_``).

    Examples
    --------
    >>> from margin import GradientBoostingClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = GradientBoostingClassifier(n_estimators=40, early_stopping=True, random_state=0).fit(X, y)
    >>> plot_boosting_curve(model).get_xlabel()
    'rounds'
    """
    curve = getattr(model, "validation_loss_", None)
    if not isinstance(model, BoostingModel) or curve is None or not len(curve):
        raise InputError(
            f"plot_boosting_curve(model={type(model).__name__}): model must be fitted gradient boosting with losses of "
            "rows not learnt from (early_stopping=True or 'folds')."
        )
    ax = axes_of(ax)
    rounds, best = np.arange(1, len(curve) + 1), int(curve.argmin())
    ax.plot(rounds, curve, color=ACCENT, linewidth=1.4, zorder=3)
    ax.axvline(best + 1, color=PALE, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    ax.plot(best + 1, curve[best], "o", color=ACCENT, markersize=5, zorder=4)
    ax.annotate(f"{curve[best]:.4g} after {best + 1:,} rounds", (best + 1, curve[best]), xytext=(0, 8),
                textcoords="offset points", color=INK, fontsize=9, ha="center")  # fmt: skip
    ax.set(xlabel="rounds", ylabel="mean loss of rows not learnt from", xlim=(0.5, len(curve) + 0.5))
    ax.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
