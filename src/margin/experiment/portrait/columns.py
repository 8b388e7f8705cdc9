"""What the columns are worth to a model, and what it says as one of them changes; both seen on rows it has not met."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data import Table
from margin.experiment.portrait.changed_rows import asked
from margin.experiment.portrait.parts import ColumnWorth, Effect, EffectLine
from margin.report.phrases import number

__all__ = ["column_effects", "column_worths"]

#: Rows that are asked about, draws of each column's order, and rows in all; with fewer than the last, nothing is said.
MOST_ROWS, DRAWS, MOST_ASKED, FEWEST = 300, 3, 60_000, 20
#: Values that a column is set to, rows that are asked about each of them, and classes that have a line.
VALUES, ROWS_AT_EACH, MOST_LINES = 15, 60, 4


def column_worths(
    model: Any, table: Table, truth: list[Any], columns: list[str], seed: int
) -> tuple[tuple[ColumnWorth, ...], int, str]:
    """The columns, the one that the model needs most first, how many rows were asked, and what was measured.

    The cells of a column are shuffled among the rows (Breiman 2001); what the probability of the true class falls by
    is its worth, of models without probabilities what the share of right answers falls by. The interval is of the mean
    over rows.
    """
    n = min(len(table), MOST_ROWS, MOST_ASKED // max(DRAWS * len(columns), 1))
    if n < FEWEST:
        return (), 0, ""
    random = np.random.default_rng(seed)
    rows = np.sort(random.permutation(len(table))[:n])
    some, true = table.take(rows), [truth[row] for row in rows]
    gives = hasattr(model, "predict_proba")

    def worth(model: Any, rows: Table) -> np.ndarray:
        again = true * (len(rows) // n)
        if not gives:
            return np.array([said == label for said, label in zip(model.predict(rows).tolist(), again)], dtype=float)
        places = {label: place for place, label in enumerate(np.asarray(model.classes_).tolist())}
        told = np.column_stack([model.predict_proba(rows), np.zeros(len(rows))])  # classes it has not met at the end
        return told[np.arange(len(rows)), [places.get(label, -1) for label in again]]

    before = worth(model, some)
    orders = [random.permutation(n) for _ in range(DRAWS)]
    changes = [(name, some.cells(name)[order]) for name in columns for order in orders]
    falls: dict[str, np.ndarray] = dict.fromkeys(columns, np.zeros(n))
    for name, after in asked(model, some, changes, worth):
        falls[name] = falls[name] + (before - after) / DRAWS
    found = [_worth(name, fall) for name, fall in falls.items()]
    found.sort(key=lambda one: -one.value)
    return tuple(found), n, "probability" if gives else "answers"


def _worth(name: str, falls: np.ndarray) -> ColumnWorth:
    mean, reach = float(falls.mean()), 1.96 * float(falls.std(ddof=1)) / np.sqrt(len(falls))
    return ColumnWorth(name, mean, mean - float(reach), mean + float(reach))


def column_effects(model: Any, table: Table, columns: list[str], label: Any, seed: int) -> tuple[Effect, ...]:
    """Partial dependence on each of the columns: of two classes for ``label``, of more for the commonest of them."""
    if not hasattr(model, "predict_proba"):
        return ()
    rows = np.sort(np.random.default_rng(seed).permutation(len(table))[:ROWS_AT_EACH])
    some = table.take(rows)
    grids = {name: _grid(table, name) for name in columns}
    grids = {name: grid for name, grid in grids.items() if len(grid) > 1}
    changes = [(name, np.full(len(some), cell)) for name, grid in grids.items() for cell in grid]
    means: dict[str, list[np.ndarray]] = {name: [] for name in grids}
    for name, told in asked(model, some, changes, lambda model, rows: np.asarray(model.predict_proba(rows))):
        means[name].append(told.mean(axis=0))
    classes = np.asarray(model.classes_).tolist()
    shown = _shown(classes, model, some, label)
    return tuple(_effect(table, name, grids[name], np.array(means[name]), classes, shown) for name in grids)


def _shown(classes: list[Any], model: Any, rows: Table, label: Any) -> list[int]:
    """The places of the classes that have a line: of two the positive one, of many those that are answered most."""
    if len(classes) <= 2:
        return [classes.index(label) if label in classes else len(classes) - 1]
    usual = np.asarray(model.predict_proba(rows)).mean(axis=0)
    return sorted(np.argsort(-usual, kind="stable")[:MOST_LINES].tolist())


def _grid(table: Table, name: str) -> np.ndarray:
    """The cells to try: numbers at evenly spaced ranks, the commonest levels in their order."""
    cells = table.cells(name)[~table.missing(name)]
    if table.schema[name].is_numeric:
        if not len(cells):
            return cells
        return np.unique(np.quantile(cells, np.linspace(0.02, 0.98, VALUES), method="nearest"))
    codes, counts = np.unique(cells, return_counts=True)
    return np.sort(codes[np.argsort(-counts, kind="stable")[:VALUES]])


def _effect(
    table: Table, name: str, grid: np.ndarray, means: np.ndarray, classes: list[Any], shown: list[int]
) -> Effect:
    column = table.schema[name]
    if column.is_numeric:
        numbers = tuple(float(cell) for cell in grid)
        values = tuple(map(number, numbers))
    else:
        numbers, values = (), tuple(str(column.levels[code]) for code in grid)
    lines = tuple(EffectLine(str(classes[k]), tuple(round(float(mean), 4) for mean in means[:, k])) for k in shown)
    return Effect(name, values, numbers, lines)
