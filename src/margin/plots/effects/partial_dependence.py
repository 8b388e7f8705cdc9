"""The answers of a model as one column changes: the mean, and a line for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.plots.style import ACCENT, INK, PALE, axes_of, picture

__all__ = ["plot_partial_dependence"]


@picture
def plot_partial_dependence(found: Any, ax: Any = None, centred: bool = False, most: int = 100) -> Any:
    """Draw what a model says as one column changes: the mean over the rows, and thin lines for some of them.

    Below numbers a mark stands for every tenth of the rows: where there are few, the model has seen little.

    Parameters
    ----------
    found
        As of :func:`margin.explain.partial_dependence`.
    centred
        Whether all lines begin at 0; lines that are not parallel then show an interaction.
    most
        Rows that have a line, evenly spaced among them; 0 for the mean alone.

    Examples
    --------
    >>> from margin import RandomForestRegressor
    >>> from margin.explain import partial_dependence
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> model = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> plot_partial_dependence(partial_dependence(model, X, "x0")).get_xlabel()
    'x0'
    """
    found = found.centre() if centred and not found.centred else found
    ax = axes_of(ax, 6.0, 4.0)
    n = len(found.lines)
    shown = (
        found.lines[np.unique(np.linspace(0, n - 1, min(most, n)).round().astype(np.int64))]
        if most
        else found.lines[:0]
    )
    at = np.asarray(found.values, np.float64) if found.is_numeric else np.arange(len(found.values))
    marks = {} if found.is_numeric else {"marker": "o", "markersize": 3}
    if len(shown):
        ax.plot(at, shown.T, color=PALE, linewidth=0.6, alpha=0.45, zorder=2, **marks)
    ax.plot(at, found.mean, color=ACCENT, linewidth=2.4, zorder=4, marker="" if found.is_numeric else "o")
    if found.is_numeric:
        tenths = np.quantile(np.asarray(found.cells, np.float64), np.linspace(0.1, 0.9, 9))
        ax.plot(tenths, np.zeros(9), "|", color=INK, markersize=7, transform=ax.get_xaxis_transform(), clip_on=False)
    else:
        ax.set_xticks(at, [str(value) for value in found.values], rotation=30 if len(at) > 6 else 0)
        ax.margins(x=0.08)
    what = "the answer" if found.label is None else f"the probability of {found.label}"
    ax.set(xlabel=found.name, ylabel=f"change of {what}" if found.centred else what)
    return ax
