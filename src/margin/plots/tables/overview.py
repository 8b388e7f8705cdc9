"""A table at a glance: how often each class occurs, and how the classes lie in each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.columns import learn_columns
from margin.data import Table
from margin.errors import InputError
from margin.plots.style import INK, PALE, axes_of, class_colours, figure_axes

__all__ = ["plot_data"]

#: Pictures in a line, columns that are drawn, levels of a column that have a bar, bins of numbers.
ACROSS, MOST_COLUMNS, MOST_LEVELS, BINS = 4, 15, 10, 24


def plot_data(X: Any, y: Any = None, axes: Any = None, *, most: int = MOST_COLUMNS) -> Any:
    """Draw a table: how often each class occurs, then each column as stacked counts in the colours of the classes.

    What is missing is told in the title of a column, levels beyond ten are taken together.

    Parameters
    ----------
    X
        Rows, in any form that a model takes.
    y
        Their labels; None where there are none.
    axes
        Axes of matplotlib, as many as there are pictures; None makes a new figure.
    most
        Columns that are drawn.

    Returns
    -------
    axes
        The axes that were drawn on.

    Examples
    --------
    >>> from margin.data import catalog
    >>> axes = plot_data(*catalog.load("iris").target("class"))
    >>> [ax.get_title(loc="left") for ax in axes][:2]
    ['150 rows, 3 classes', 'sepallength']
    """
    table = _table_of(X)
    labels = None if y is None else np.asarray(y)
    if labels is not None and len(labels) != len(table):
        raise InputError(f"plot_data: y must have one label per row ({len(table)}), but has {len(labels)}.")
    names = [column.name for column in table.schema if column.kind in ("numeric", "nominal", "ordinal")]
    shown = names[:most]
    n = len(shown) + (labels is not None)
    if not n:
        raise InputError("plot_data: there is no column of numbers or levels to draw.")
    across = min(ACROSS, n)
    grid = figure_axes(axes, -(-n // across), across, 2.9, 2.2, "plot_data").ravel()
    classes, codes = np.unique(np.zeros(len(table)) if labels is None else labels, return_inverse=True)
    colours = class_colours(len(classes)) if labels is not None else [(0.35, 0.35, 0.35)]
    left = list(grid)
    if labels is not None:
        _balance(axes_of(left.pop(0)), classes, np.bincount(codes), colours)
    for name in shown:
        _column(axes_of(left.pop(0)), table, name, codes, colours)
    for ax in left:
        ax.set_visible(False)
    if len(names) > len(shown):
        grid[n - 1].set_xlabel(f"{len(names) - len(shown)} more columns are not drawn", fontsize=8, color=PALE)
    return grid[:n]


def _table_of(X: Any) -> Table:
    """Rows in any form as a table."""
    if isinstance(X, Table):
        return X
    columns, source = learn_columns(X, "plot_data")
    names = [column.name for column in columns.described()]
    if isinstance(source, Table):
        return source
    cells = np.asarray(source if isinstance(source, np.ndarray) else source.toarray(), dtype=np.float64)
    return Table.from_columns(dict(zip(names, cells.T)))


def _balance(ax: Any, classes: np.ndarray, counts: np.ndarray, colours: list[Any]) -> None:
    """A bar for each class, with its share."""
    order = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    height = np.arange(len(order))[::-1]
    ax.barh(height, counts[order], color=[colours[k] for k in order], height=0.7)
    for y, k in zip(height, order):
        ax.text(counts[k], y, f" {counts[k] / counts.sum():.1%}", va="center", fontsize=8, color=INK)
    ax.set_yticks(height, [_short(classes[k]) for k in order])
    ax.set_xlim(0, counts.max() * 1.3)
    rest = len(classes) - len(order)
    more = f", {rest} not drawn" if rest else ""
    ax.set_title(f"{counts.sum():,} rows, {len(classes)} classes{more}", fontsize=9, loc="left", color=INK)


def _column(ax: Any, table: Table, name: str, codes: np.ndarray, colours: list[Any]) -> None:
    gone = table.missing(name)
    cells, of = table.cells(name)[~gone], codes[~gone]
    n_gone = int(gone.sum())
    ax.set_title(name + (f" ({n_gone:,} missing)" if n_gone else ""), fontsize=9, loc="left", color=INK)
    ax.tick_params(labelsize=8)
    if not len(cells):
        ax.set(xticks=[], yticks=[])
        return
    if table.schema[name].is_numeric:
        parts = [cells[of == k] for k in range(len(colours))]
        ax.hist(parts, bins=min(BINS, max(2, len(np.unique(cells)))), stacked=True, color=colours, linewidth=0)
        return
    levels = table.schema[name].levels
    counts = np.array([np.bincount(cells[of == k], minlength=len(levels)) for k in range(len(colours))])
    if table.schema[name].kind == "nominal":
        order = np.argsort(-counts.sum(axis=0), kind="stable")
        counts, levels = counts[:, order], tuple(levels[k] for k in order)
    words = [_short(level) for level in levels[:MOST_LEVELS]]
    if len(levels) > MOST_LEVELS:
        words[-1] = f"{len(levels) - MOST_LEVELS + 1} others"
        counts = np.column_stack([counts[:, : MOST_LEVELS - 1], counts[:, MOST_LEVELS - 1 :].sum(axis=1)])
    height, before = np.arange(len(words))[::-1], np.zeros(len(words))
    for k, colour in enumerate(colours):
        ax.barh(height, counts[k], left=before, color=colour, height=0.7)
        before = before + counts[k]
    ax.set_yticks(height, words)


def _short(words: Any, most: int = 14) -> str:
    text = str(words)
    return text if len(text) <= most else text[: most - 1] + "…"
