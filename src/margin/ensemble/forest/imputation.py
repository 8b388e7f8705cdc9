"""Missing cells filled by a forest: with what rows hold that end in the same leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data.schema import Schema
from margin.data.table import Table
from margin.ensemble.forest.proximities import proximities
from margin.errors import ConstantColumnWarning, InputError, MarginWarning, ParameterError, hushed, warn
from margin.params import is_whole
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["impute_by_proximity"]

#: Rows whose proximities to all others are held at a time take about so many numbers.
ROOM = 1 << 24
#: A round that moves the numbers of no column by more than this share of its deviation, and no word, is the last.
STILL = 0.01


def impute_by_proximity(
    model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None, *, max_iter: int = 5
) -> Any:
    """The rows with their missing cells filled in, by the forest that ``model`` is a pattern of.

    Cells begin as the median of their column or its most frequent word. A forest is grown; a number then becomes the
    mean of those that other rows hold, weighed by how often they end in the same leaf, and a word the one with most of
    that weight; and again with a forest grown from the filled rows, until little moves (Breiman, Cutler 2003). The
    targets have a say in what is filled in: rows to judge a model by must not be among those given. margin's own
    forests need no filled cells; this is for whoever wants to see them, or models that do.

    Parameters
    ----------
    model
        A random forest or extra trees, fitted or not; copies of it are fitted.
    X, y, sample_weight
        Rows, their targets and their weights. Columns in which nothing is known stay as they are.
    max_iter
        Most forests to grow.

    Returns
    -------
    ndarray or Table
        An array for an array, else a :class:`margin.Table`.

    References
    ----------
    Breiman, Cutler (2003), "Manual on setting up, using, and understanding random forests V4.0".

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> X = np.repeat([[0.0, 1.0], [5.0, 9.0]], 20, axis=0)
    >>> X[3, 1] = np.nan
    >>> y = np.repeat(["a", "b"], 20)
    >>> bool(impute_by_proximity(RandomForestClassifier(random_state=0), X, y)[3, 1] == 1.0)
    True
    """
    who = f"impute_by_proximity({type(model).__name__}, …)"
    if not hasattr(model, "proximities"):
        raise ParameterError(f"{who}: the model must be a forest, which has proximities.")
    if not is_whole(max_iter) or max_iter < 1:
        raise ParameterError(f"impute_by_proximity(max_iter={max_iter!r}): max_iter must be a whole number from 1 on.")
    if isinstance(X, np.ndarray) and X.dtype.kind == "f":
        if X.ndim != 2:
            raise InputError(f"{who}: X must have rows and columns, not {X.ndim} dimensions.")
        cells = _Cells.of_array(X)
    else:
        cells = _Cells.of_table(X if isinstance(X, Table) else Table(X))
    if cells.n_missing == 0:
        return cells.filled()
    for _ in range(int(max_iter)):
        filled = cells.filled()
        with hushed(ConstantColumnWarning):  # which are left as they are
            forest = clone(model).set_params(warm_start=False).fit(filled, y, sample_weight)
        if cells.refill(forest.apply(filled)) <= STILL:
            return cells.filled()
    if max_iter > 1:
        warn(f"{who}: cells still move after {max_iter} forests (a larger max_iter may settle them).", MarginWarning)
    return cells.filled()


class _Cells:
    """Columns as numbers or codes, and which of their cells were missing."""

    def __init__(self, columns: list[np.ndarray], missing: list[np.ndarray], words: list[bool], schema: Any) -> None:
        self.columns, self.words, self.schema = columns, words, schema
        self.missing = [gone if not gone.all() else np.zeros_like(gone) for gone in missing]
        for column, gone, word in zip(columns, self.missing, words, strict=True):
            if gone.any():
                known = column[~gone]
                column[gone] = np.bincount(known).argmax() if word else np.median(known)

    @classmethod
    def of_array(cls, X: np.ndarray) -> _Cells:
        columns = [X[:, j].copy() for j in range(X.shape[1])]
        return cls(columns, [np.isnan(column) for column in columns], [False] * len(columns), None)

    @classmethod
    def of_table(cls, X: Table) -> _Cells:
        columns = [X.cells(name).copy() for name in X.names]
        words = [not column.is_numeric for column in X.schema]
        kept = [column.is_numeric or column.is_input for column in X.schema]
        missing = [X.missing(name) & fillable for name, fillable in zip(X.names, kept, strict=True)]
        return cls(columns, missing, words, X.schema)

    @property
    def n_missing(self) -> int:
        return int(sum(gone.sum() for gone in self.missing))

    def filled(self) -> Any:
        if self.schema is None:
            return np.column_stack(self.columns)
        schema: Schema = self.schema
        return Table(schema, [column.copy() for column in self.columns], n_rows=len(self.columns[0]))

    def refill(self, leaves: np.ndarray) -> float:
        """Fill the cells anew; gives by how much they moved.

        The largest share of its deviation that the numbers of a column moved on the mean; 1 where a word is another.
        """
        rows = np.flatnonzero(np.any(self.missing, axis=0))
        moved = 0.0
        before = [column[gone] for column, gone in zip(self.columns, self.missing, strict=True)]
        known = [column.copy() for column in self.columns]
        for some in np.array_split(rows, -(-len(rows) * len(leaves) // ROOM)):
            near = proximities(leaves[some], leaves)
            near[np.arange(len(some)), some] = 0.0
            for column, gone, cells, word in zip(self.columns, self.missing, known, self.words, strict=True):
                if (here := gone[some]).any():
                    column[some[here]] = _nearest(near[np.ix_(here, ~gone)], cells[~gone], word, column[some[here]])
        for column, gone, was, word in zip(self.columns, self.missing, before, self.words, strict=True):
            if not gone.any():
                continue
            if word:
                moved = max(moved, float((column[gone] != was).any()))
            elif (spread := float(column[~gone].std())) > 0:
                moved = max(moved, float(np.abs(column[gone] - was).mean()) / spread)
        return moved


def _nearest(near: np.ndarray, known: np.ndarray, word: bool, else_: np.ndarray) -> np.ndarray:
    """What rows hold on the mean that are near, or the word with most weight; ``else_`` where no row is."""
    total = near.sum(axis=1)
    if word:
        weight = np.stack([near[:, known == level].sum(axis=1) for level in range(int(known.max()) + 1)], axis=1)
        found = weight.argmax(axis=1).astype(known.dtype)
    else:
        found = np.divide(near @ known, total, out=np.zeros(len(near)), where=total > 0).astype(known.dtype)
    return np.where(total > 0, found, else_)
