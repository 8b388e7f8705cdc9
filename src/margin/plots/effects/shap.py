"""Pictures of SHAP values: all rows at once, and one row step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ParameterError
from margin.plots.style import INK, PALE, PALETTE, axes_of, picture

__all__ = ["plot_shap_case", "plot_shap_summary"]

#: From low cells to high ones, and what has no order.
LOW, HIGH = "#0072B2", "#D55E00"
#: How far points of a column are moved apart at most, of the distance between columns.
SPREAD = 0.38


@picture
def plot_shap_summary(found: Any, ax: Any = None, label: Any = None, most: int = 15) -> Any:
    """Draw the SHAP values of many rows: a line of points for each column, the column with the largest values on top.

    A point is a row, to the right where its cell raises the answer; many points beside each other are piled up. The
    colour tells low numbers from high ones; levels that have no order, and missing cells, are grey.

    Parameters
    ----------
    found
        As of :func:`margin.explain.shap_values`.
    label
        The class whose probability is explained; None for the last one.
    most
        Columns that are shown.

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> from margin.explain import shap_values
    >>> X, y = catalog.load("iris").target("class")
    >>> model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> plot_shap_summary(shap_values(model, X)).get_xlabel()
    'what the column adds to the probability of Iris-virginica'
    """
    from matplotlib.colors import LinearSegmentedColormap

    if not len(found):
        raise ParameterError("plot_shap_summary(found=…): there must be a row at least.")
    one, what = found.of_class(label), _meaning(found, label)
    ranked = [one.names.index(name) for name, _ in one.mean_absolute()][:most]
    ax = axes_of(ax, 6.5, max(2.2, 1.1 + 0.36 * len(ranked)))
    colours = LinearSegmentedColormap.from_list("cells", [LOW, "#B8B8B8", HIGH])
    ax.axvline(0, color=PALE, linewidth=0.8, zorder=1)
    shades = None
    for height, j in zip(range(len(ranked))[::-1], ranked):
        value, cell = one.values[:, j], one.cells[:, j]
        ordered = one.columns[j].kind != "nominal"
        rank = _ranks(cell) if ordered else np.full(len(cell), np.nan)
        y = height + SPREAD * _piled(value)
        grey = np.isnan(rank)
        ax.scatter(value[grey], y[grey], s=9, color=PALE, linewidths=0, alpha=0.8, zorder=2)
        drawn = ax.scatter(
            value[~grey], y[~grey], s=9, c=rank[~grey], cmap=colours, vmin=0, vmax=1, linewidths=0, alpha=0.8, zorder=3
        )
        shades = drawn if (~grey).any() else shades
    ax.set_yticks(range(len(ranked))[::-1], [one.names[j] for j in ranked])
    ax.set_ylim(-0.6, len(ranked) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(what)
    if shades is not None:
        bar = ax.figure.colorbar(shades, ax=ax, ticks=[0, 1], aspect=30, pad=0.02)
        bar.ax.set_yticklabels(["low", "high"], fontsize=9, color=INK)
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0)
    if len(ranked) < len(one.names):
        ax.set_title(f"the {len(ranked)} columns with the largest values of {len(one.names):,}", fontsize=9, loc="left")
    return ax


@picture
def plot_shap_case(found: Any, row: int = 0, ax: Any = None, label: Any = None, most: int = 10) -> Any:
    """Draw the SHAP values of one row as steps from the base to the answer, the largest on top.

    Parameters
    ----------
    found
        As of :func:`margin.explain.shap_values`.
    row
        Which of its rows.
    label
        The class whose probability is explained; None for the one that the row is most probably of.
    most
        Columns with a step of their own; the others are one step together.

    Examples
    --------
    >>> from margin import DecisionTreeRegressor
    >>> from margin.explain import shap_values
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> found = shap_values(DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] + X[:, 1]), X)
    >>> len(plot_shap_case(found, 7).patches)
    3
    """
    if not -len(found) <= row < len(found):
        raise ParameterError(f"plot_shap_case(row={row}): row must be one of the {len(found):,} rows.")
    if found.classes is not None and label is None:
        label = found.classes[int(found.answers[row].argmax())]
    one = found.of_class(label)
    order = np.argsort(-np.abs(one.values[row]), kind="stable")
    kept, rest = (order, order[:0]) if len(order) <= most + 1 else (order[:most], order[most:])
    steps = [(one.cell_text(row, int(j)), float(one.values[row, j])) for j in kept]
    if len(rest):
        steps.append((f"{len(rest):,} more", float(one.values[row, rest].sum())))
    ax = axes_of(ax, 6.5, max(2.0, 1.1 + 0.34 * len(steps)))
    at = float(one.base)
    ax.axvline(at, color=PALE, linewidth=0.8, linestyle=":", zorder=1)
    for height, (_, value) in zip(range(len(steps)), reversed(steps)):  # the smallest step comes first, at the bottom
        ax.barh(height, value, left=at, height=0.62, color=PALETTE[0] if value >= 0 else PALETTE[5], zorder=2)
        end = at + value
        ax.annotate(
            f"{value:+.3g}", (max(at, end), height), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
            color=INK,
        )  # fmt: skip
        if height < len(steps) - 1:
            ax.plot([end, end], [height, height + 1], color=PALE, linewidth=0.8, zorder=1)
        at = end
    ax.set_yticks(range(len(steps)), [words for words, _ in reversed(steps)])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.use_sticky_edges = False  # the first bar would stand on the edge
    ax.margins(x=0.1)
    ax.set_xlabel("the answer" if found.classes is None else f"the probability of {label}")
    ax.set_title(f"from {float(one.base):.3g}, nothing known, to {at:.3g}", fontsize=9, loc="left")
    return ax


def _meaning(found: Any, label: Any) -> str:
    if found.classes is None:
        return "what the column adds to the answer"
    return f"what the column adds to the probability of {found.classes[-1] if label is None else label}"


def _ranks(cells: np.ndarray) -> np.ndarray:
    """Cells as shares of those below, from 0 to 1: outliers do not use the colours up."""
    known = np.sort(cells[~np.isnan(cells)])
    if not len(known) or known[0] == known[-1]:
        return np.where(np.isnan(cells), np.nan, 0.5)
    middle = (np.searchsorted(known, cells) + np.searchsorted(known, cells, "right") - 1) / 2
    low, high = middle[~np.isnan(cells)].min(), middle[~np.isnan(cells)].max()
    return np.where(np.isnan(cells), np.nan, (middle - low) / (high - low))


def _piled(values: np.ndarray, bins: int = 80) -> np.ndarray:
    """Points of about the same value beside each other, as far apart as the fullest place allows; from -1 to 1."""
    low, high = values.min(), values.max()
    place = np.zeros(len(values), np.int64) if low == high else ((values - low) / (high - low) * bins).astype(np.int64)
    found = np.zeros(len(values))
    fullest = np.bincount(place).max()
    for at in np.unique(place):
        rows = np.flatnonzero(place == at)
        offset = np.arange(len(rows))
        found[rows] = np.where(offset % 2, 1, -1) * ((offset + 1) // 2) * 2 / max(fullest, 12)
    return np.clip(found, -1, 1)
