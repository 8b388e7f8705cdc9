"""What a model says of rows whose columns are shuffled: many shuffles in one call, and no row that need not be asked.

A shuffled row is asked about only where its cell has become another, and only once for each value that the cell takes
in any of the shuffles: a column of two words costs one call's worth of rows however often it is shuffled. Where the
scores are sums over the columns (linear models, naive Bayes), the model is not asked at all: each column's part of the
sum is found once, and shuffled itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from margin.data.labels import codes_of
from margin.errors import InputError
from margin.explain.importances.judging import Judge
from margin.explain.importances.sums import Parts, parts_of
from margin.explain.rows.pool import Pool

__all__ = ["Asked"]

#: Cells of made-up rows at once.
CELLS_AT_ONCE = 4_000_000


class Asked:
    """A model, rows, and what is read of its answers."""

    def __init__(self, model: Any, X: Any, pool: Pool, judge: Judge) -> None:
        self.model, self.X, self.pool, self.judge = model, X, pool, judge
        self.n = pool.n_rows

    @cached_property
    def parts(self) -> Parts | None:
        """The scores as sums over the columns, if they are such."""
        return parts_of(self.model, self.X, self.pool) if self.n > 1 else None

    @cached_property
    def as_they_are(self) -> np.ndarray:
        """What is said of the rows themselves."""
        if self.parts is not None:
            return self._read_scores(self.parts.total)
        return self.read(self.pool.made(self.pool.own(np.arange(self.n))))

    def shuffled(self, columns: np.ndarray, orders: np.ndarray) -> list[np.ndarray]:
        """What is said of all rows with some columns in other orders, one order after another."""
        if self.parts is not None:
            part = self.parts.of(columns)
            rest = self.parts.total - part
            return [self._read_scores(rest + part[order]) for order in orders]
        kind = self._kinds(columns)
        source = kind[orders]  # the first row of those that have the same cells
        changed = source != kind
        rows = np.broadcast_to(np.arange(self.n), orders.shape)[changed]
        others, back = source[changed], None
        if len(np.unique(kind)) < self.n // 2:
            key, back = np.unique(rows * np.int64(self.n) + others, return_inverse=True)
            rows, others = key // self.n, key % self.n
        said = self._asked(rows, columns, others)
        said = said if back is None else said[back]
        found, first = [], 0
        for where in changed:
            one, n = self.as_they_are.copy(), int(where.sum())
            one[where] = said[first : first + n]
            found.append(one)
            first += n
        return found

    def _kinds(self, columns: np.ndarray) -> np.ndarray:
        """For each row the first one with the same cells in some columns."""
        codes = np.column_stack([self.pool.codes(j) for j in columns])
        if codes.shape[1] == 1:
            _, first, back = np.unique(codes[:, 0], return_index=True, return_inverse=True)
        else:
            _, first, back = np.unique(np.nan_to_num(codes, nan=np.inf), axis=0, return_index=True, return_inverse=True)
        return np.asarray(first[np.ravel(back)])

    def _asked(self, rows: np.ndarray, columns: np.ndarray, others: np.ndarray) -> np.ndarray:
        step = max(1, CELLS_AT_ONCE // max(len(self.pool.names), 1))
        parts = [
            self.read(self.pool.swapped(rows[first : first + step], columns, others[first : first + step]))
            for first in range(0, len(rows), step)
        ]
        return np.concatenate(parts) if parts else self.as_they_are[:0]

    def read(self, X: Any) -> np.ndarray:
        """What the judge needs of the model's answers."""
        if self.judge.needs == "labels":
            return self._codes(self.model.predict(X))
        if self.judge.needs == "values":
            found = np.asarray(self.model.predict(X), dtype=np.float64)
            if found.ndim != 1:
                raise InputError(f"importance({type(self.model).__name__}): the model must answer one target.")
            return found
        if hasattr(self.model, "predict_proba"):
            return np.asarray(self.model.predict_proba(X), dtype=np.float64)
        if self.judge.needs == "probabilities" or not hasattr(self.model, "decision_function"):
            raise InputError(
                f"importance({type(self.model).__name__}, metric={self.judge.name!r}): the model has no probabilities "
                "(CalibratedClassifier gives it some; or take metric='accuracy')."
            )
        scores = np.asarray(self.model.decision_function(X), dtype=np.float64)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores

    def _read_scores(self, scores: np.ndarray) -> np.ndarray:
        """The same out of scores that were put together here."""
        if self.judge.needs == "values":
            return scores[:, 0]
        if self.judge.needs == "labels":
            return scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(np.int64)
        assert self.parts is not None
        return self.parts.shares(scores)

    def _codes(self, labels: Any) -> np.ndarray:
        classes = np.asarray(self.model.classes_)
        found = np.asarray(labels)
        if found.dtype == object:  # some may be abstentions
            place = {label: code for code, label in enumerate(classes.tolist())}
            return np.array([place.get(label, len(classes)) for label in found.tolist()], dtype=np.int64)
        return codes_of(found, classes).astype(np.int64)
