"""The picture of choosing k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

__all__ = ["plot_k_choice"]

CHOICES = {"best": "smallest error", "within_one_standard_error": "within one standard error", "knee": "knee"}


@picture
def plot_k_choice(choice: Any, ax: Any = None) -> Any:
    """Draw the error against the number of neighbours, with its standard error and the numbers worth choosing.

    Parameters
    ----------
    choice
        What was found for each k: ``k``, ``error`` and ``standard_error`` (arrays), and the numbers ``best``,
        ``within_one_standard_error`` and ``knee`` (None where there is none).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> found = SimpleNamespace(k=np.arange(1, 4), error=np.array([0.3, 0.1, 0.2]), standard_error=np.full(3, 0.05),
    ...                         best=2, within_one_standard_error=2, knee=2)
    >>> [text.get_text() for text in plot_k_choice(found).get_legend().get_texts()]
    ['smallest error, within one standard error, knee: k = 2', '± one standard error']
    """
    ax = axes_of(ax)
    k, error, width = (
        np.asarray(values, dtype=np.float64) for values in (choice.k, choice.error, choice.standard_error)
    )
    of_classes = getattr(choice, "right", ()) is not None
    most = 1.0 if of_classes else np.inf
    band = ax.fill_between(
        k, np.maximum(error - width, 0.0), np.minimum(error + width, most), color=ACCENT, alpha=0.15, lw=0
    )
    ax.plot(k, error, color=ACCENT, linewidth=1.6, marker="o" if len(k) <= 30 else None, markersize=3)
    lowest = int(np.flatnonzero(k == choice.best)[0])
    ax.axhline(error[lowest] + width[lowest], color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    marks = [_mark(ax, chosen, name, k, error, i) for i, (chosen, name) in enumerate(_choices(choice).items())]
    names = [str(mark.get_label()) for mark in marks]
    ax.legend([*marks, band], [*names, "± one standard error"], frameon=False, fontsize=9, labelcolor=INK)
    what = "error (share of rows answered wrongly)" if of_classes else "mean squared error"
    ax.set(xlabel="k (number of neighbours)", ylabel=what)
    ax.set_xlim(min(k[0], 1) - 0.02 * len(k), k[-1] + 0.02 * len(k))
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="x", integer=True)
    return ax


def _choices(choice: Any) -> dict[int, str]:
    """Each chosen k with all its titles: often one k has several."""
    titles: dict[int, list[str]] = {}
    for attribute, title in CHOICES.items():
        if (chosen := getattr(choice, attribute)) is not None:  # an error that only falls has no knee
            titles.setdefault(int(chosen), []).append(title)
    return {k: ", ".join(names) for k, names in titles.items()}


def _mark(ax: Axes, chosen: int, name: str, k: np.ndarray, error: np.ndarray, i: int) -> PathCollection:
    at = int(np.flatnonzero(k == chosen)[0])
    shape, colour = ("o", "s", "D")[i], (PALETTE[5], PALETTE[2], PALETTE[3])[i]
    return ax.scatter(
        [chosen], [error[at]], s=60, marker=shape, color=colour, edgecolors="white", zorder=4,
        label=f"{name}: k = {chosen}",
    )  # fmt: skip
