"""How alike trees are, against the columns that their nodes look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, log_axis, picture

__all__ = ["plot_tree_correlation"]


@picture
def plot_tree_correlation(curve: Any, ax: Any = None) -> Any:
    """Draw ρ between two trees against m, the columns that nodes look at, and what follows for the variance.

    Fewer columns make trees more different and each of them more variable. Variances are drawn as shares of the
    largest one of a single tree.

    Parameters
    ----------
    curve
        As of :func:`margin.ensemble.correlation_curve`.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace as Of
    >>> found = Of(max_features=np.array([1, 2, 4]), correlation=np.array([0.1, 0.2, 0.4]), n_trees=50,
    ...            variance=np.array([2.0, 1.8, 1.6]), forest_variance=np.array([0.25, 0.4, 0.7]))
    >>> [text.get_text() for text in plot_tree_correlation(found).get_legend().get_texts()]
    ['ρ between two trees', 'variance of one tree', 'variance of 50 trees']
    """
    ax = axes_of(ax)
    m = np.asarray(curve.max_features, dtype=np.float64)
    unit = float(np.max(curve.variance)) or 1.0
    lines = (
        (curve.correlation, ACCENT, "-", "ρ between two trees"),
        (np.asarray(curve.variance) / unit, PALETTE[1], (0, (4, 2)), "variance of one tree"),
        (np.asarray(curve.forest_variance) / unit, PALETTE[5], (0, (1, 1)), f"variance of {curve.n_trees:,} trees"),
    )
    for values, colour, style, label in lines:
        ax.plot(m, values, color=colour, linestyle=style, linewidth=1.8, marker="o", markersize=3.5, label=label)
    if len(m) > 2 and m[-1] >= 8 * m[0]:
        log_axis(ax, m)
    else:
        ax.set_xticks(m, [f"{value:g}" for value in m])
    ax.set(xlabel="columns that a node looks at (m)", ylabel="ρ; share of the largest variance")
    ax.set_ylim(bottom=min(0.0, float(np.min(curve.correlation))))
    ax.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    return ax
