"""How far a case lies from the training rows: whether the model has seen anything like it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.explain.one_case.background import Background

__all__ = ["Place", "place_of"]

#: Training rows whose own nearest row is looked up, at most and at least, and the cells that are compared for it.
MOST_ASKED, LEAST_ASKED, MOST_WORK = 500, 20, 100_000_000
#: Cells that are compared at once.
AT_ONCE = 5_000_000


@dataclass(frozen=True)
class Place:
    """Where a case lies.

    Attributes
    ----------
    distance
        Mean distance over the columns from the nearest row, from 0 to 1 (numbers by their span, words 0 or 1: Gower's);
        None where no rows are known.
    nearest
        The number of that row.
    farther
        The share of the rows that lie at least as far from their own nearest row; small where the case is strange.
    strange
        A sentence for each cell that no row comes near: beyond all numbers, or a word that was not there.
    """

    distance: float | None
    nearest: int | None
    farther: float | None
    strange: tuple[str, ...]

    def text(self) -> str:
        """In words."""
        lines = []
        if self.distance == 0:
            lines.append(f"Row {self.nearest} is equal to it.")
        elif self.distance is not None and self.farther is not None:
            lines.append(
                f"The nearest row is row {self.nearest}, at {self.distance:.3f} (0 equal, 1 different in every "
                f"column); {self.farther:.0%} of the rows lie as far from their own nearest one."
            )
        lines += self.strange
        return "\n".join(lines) or "Every cell lies within what the model has seen."


def place_of(background: Background) -> Place:
    """The place of the case among the rows; of what a model remembers, only cells beyond its ranges and levels."""
    strange = tuple(_strange(background, j) for j in range(len(background.pool.names)))
    told = tuple(sentence for sentence in strange if sentence)
    if not background.real:
        return Place(None, None, None, told)
    rows = np.arange(1, background.pool.n_rows)
    own = _distances(background, np.array([0]), rows)[0]
    nearest = int(own.argmin())
    n_asked = min(len(rows), max(LEAST_ASKED, min(MOST_ASKED, MOST_WORK // background.codes.size)))
    asked = rows[np.linspace(0, len(rows) - 1, n_asked).round().astype(int)]
    typical = _distances(background, asked, rows)
    typical[asked[:, None] == rows[None, :]] = np.inf
    farther = float(np.mean(typical.min(axis=1) >= own[nearest])) if len(rows) > 1 else 1.0
    return Place(float(own[nearest]), nearest, farther, told)


def _distances(background: Background, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The mean distance over the columns, some rows at a time."""
    found = np.empty((len(rows), len(others)))
    step = max(1, AT_ONCE // (len(rows) * len(background.pool.names)))
    for first in range(0, len(others), step):
        part = slice(first, first + step)
        found[:, part] = background.gaps(rows, others[part]).mean(axis=2)
    return found


def _strange(background: Background, j: int) -> str:
    pool, cells = background.pool, background.codes[1:, j]
    cells, own, name = cells[~np.isnan(cells)], background.codes[0, j], pool.names[j]
    if np.isnan(own) or not len(cells):
        return ""
    if pool.is_numeric(j):
        if own < cells.min():
            return f"{name} = {own:.6g} lies below all that was seen, {cells.min():.6g} and more."
        if own > cells.max():
            return f"{name} = {own:.6g} lies above all that was seen, {cells.max():.6g} and less."
        return ""
    return "" if own in cells else f"{name} = {pool.cell_text(0, j)} was not seen."
