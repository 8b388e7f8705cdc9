"""What columns are worth to a forest."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError
from margin.plots.style import ACCENT, INK, PALE, axes_of, picture

__all__ = ["plot_importances"]

#: What the axis says, by the kind of importance.
WORDS = {
    "impurity": "share of what splits lower the impurity by",
    "permutation": "growth of the error when the column is permuted",
    "conditional": "growth of the error when permuted among rows alike in associated columns",
}


@picture
def plot_importances(importances: Any, ax: Any = None, most: int = 20) -> Any:
    """Draw the importances of columns, the largest first, with their intervals.

    Parameters
    ----------
    importances
        As of ``importances`` of a forest. Impurities have no intervals.
    most
        Columns that are shown.

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_importances(RandomForestClassifier(random_state=0).fit(X, y).importances(X, y))
    >>> len(ax.get_yticklabels())
    4
    """
    if not all(hasattr(importances, name) for name in ("names", "mean", "low", "high", "kind")):
        raise InputError(
            f"plot_importances(importances={type(importances).__name__}): importances must be those of a forest: "
            "model.importances(X, y)."
        )
    mean = np.asarray(importances.mean)
    order = np.argsort(-mean, kind="stable")[:most]
    ax = axes_of(ax, 6.5, max(2.2, 0.9 + 0.27 * len(order)))
    height = np.arange(len(order))[::-1]
    ax.axvline(0, color=PALE, linewidth=0.8, zorder=1)
    ax.barh(height, mean[order], height=0.62, color=ACCENT, alpha=0.75, zorder=2)
    low, high = importances.low[order], importances.high[order]
    known = ~np.isnan(low)
    ax.hlines(height[known], low[known], high[known], color=INK, linewidth=1.4, zorder=3)
    ax.set_yticks(height, [importances.names[j] for j in order])
    words = WORDS.get(importances.kind, importances.kind)
    ax.set_xlabel(f"{words}, {importances.confidence:.0%} interval" if known.any() else words)
    if len(order) < len(mean):
        ax.set_title(f"{len(order)} of {len(mean)} columns", fontsize=9)
    return ax
