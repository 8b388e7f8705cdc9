"""The picture of which classes were taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.plots.of_model import measured, or_of_model
from margin.plots.style import INK, PALETTE, axes_of, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_confusion"]

#: Up to so many classes cells hold their counts and shares; up to the second number, counts only.
ROOMY, DENSE = 8, 20


@or_of_model(measured)
@picture
def plot_confusion(matrix: Any, ax: Any = None, *, order: str = "given") -> Any:
    """Draw the confusion matrix: rows are the truth, columns the answer, colours the share of the row.

    Parameters
    ----------
    matrix
        A :class:`margin.evaluation.ConfusionMatrix`, or what has one as ``confusion``, such as an evaluation.
    order
        ``"given"``, or ``"size"`` for the largest class first.

    Examples
    --------
    >>> from margin.evaluation import confusion
    >>> ax = plot_confusion(confusion(["spam", "ham", "ham", "spam"], ["spam", "ham", "spam", "spam"]))
    >>> [text.get_text() for text in ax.texts]
    ['1\\n50 %', '1\\n50 %', '0', '2\\n100 %']
    """
    matrix = getattr(matrix, "confusion", matrix)
    counts, labels = np.asarray(matrix.counts, dtype=float), [str(label) for label in matrix.labels]
    silent = np.asarray(matrix.abstained, dtype=float)
    n = len(labels)
    if order == "size":
        at = np.argsort(-(counts.sum(axis=1) + silent), kind="stable")
        counts, silent, labels = counts[np.ix_(at, at)], silent[at], [labels[place] for place in at]
    table = np.column_stack([counts, silent]) if silent.any() else counts
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
    size = min(2.2 + 0.55 * n, 9.0)
    ax = axes_of(ax, size + 0.6, size)
    ax.imshow(_painted(shares), aspect="equal", interpolation="nearest")
    _write(ax, table, shares, n)
    columns = [*labels, "no answer"] if silent.any() else labels
    upright = max(map(len, columns)) <= 6 and n <= 12
    ax.set_xticks(range(len(columns)), columns, rotation=0 if upright else 45, ha="center" if upright else "right")
    ax.set_yticks(range(n), labels)
    ax.set(xlabel="answer", ylabel="truth")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _painted(shares: np.ndarray) -> np.ndarray:
    """Colours of the cells: right answers in one, mistakes in another, white where there is nothing."""
    from matplotlib.colors import to_rgb

    right, wrong = np.array(to_rgb(PALETTE[0])), np.array(to_rgb(PALETTE[5]))
    n, width = shares.shape
    colour = np.where(np.eye(n, width, dtype=bool)[..., None], right, wrong)
    strength = np.where(shares > 0, 0.12 + 0.75 * shares, 0.03)[..., None]
    return 1 - strength * (1 - colour)


def _write(ax: Axes, table: np.ndarray, shares: np.ndarray, n: int) -> None:
    if n > DENSE:
        return
    for (row, column), count in np.ndenumerate(table):
        if not count and n > ROOMY:
            continue
        words = f"{count:,.0f}" if float(count).is_integer() else f"{count:,.1f}"
        if n <= ROOMY and count:
            words += f"\n{100 * shares[row, column]:.0f} %"
        colour = "white" if shares[row, column] > 0.6 else INK
        ax.text(column, row, words, ha="center", va="center", fontsize=9 if n <= ROOMY else 7, color=colour)
