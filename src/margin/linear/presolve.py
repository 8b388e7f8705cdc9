"""What decides nothing left out before a solver begins: constant columns, absent classes, extreme units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.typing import Encoded, TableLike

__all__ = ["NEVER", "Reduced", "known_ends", "reduced"]

#: An intercept below every score, for a class that no row has.
NEVER = -1e300

# Squares of float32 cells within these bounds neither overflow nor vanish.
FLOAT32_ORDINARY = 40
# A column below 2**-300 under a penalty has a coefficient that moves no score.
ORDINARY = 300
# Without a penalty the unit of a column is free.
UNPENALISED_ORDINARY = 20


@dataclass(frozen=True, eq=False)
class Reduced:
    """Rows with the columns and classes that matter, and the way back to all of them.

    ``columns`` and ``classes`` are the places of those that are left; the columns of X were divided by ``unit``.
    """

    X: Any
    y: np.ndarray
    columns: np.ndarray
    unit: np.ndarray
    n_columns: int
    classes: np.ndarray
    n_classes: int

    def part(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Coefficients of the whole as a start for the part; None where they do not fit."""
        n_scores = 1 if self.n_classes <= 2 else self.n_classes
        if coef.shape != (n_scores, self.n_columns) or len(self.classes) < 2:
            return None
        if n_scores > 1:
            coef, intercept = coef[self.classes], intercept[self.classes]
            if len(self.classes) == 2:
                coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        return np.ascontiguousarray(coef[:, self.columns] * self.unit), intercept.copy()

    def whole(self, coef: np.ndarray, intercept: np.ndarray, absent: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts of all columns and classes; ``absent`` is that of classes without rows."""
        all_columns = np.zeros((len(coef), self.n_columns))
        all_columns[:, self.columns] = coef / self.unit
        if self.n_classes <= 2:
            if len(self.classes) < self.n_classes:
                intercept = np.full(1, absent if self.classes[0] == 0 else -absent)
            return all_columns, intercept.copy()
        if len(coef) == 1:  # two classes of several are left: half of the log-odds each way
            sides = np.array([[-0.5], [0.5]])[: len(self.classes)]
            all_columns, intercept = sides * all_columns, sides[:, 0] * intercept
        found, at_zero = np.zeros((self.n_classes, self.n_columns)), np.full(self.n_classes, absent)
        found[self.classes], at_zero[self.classes] = all_columns, intercept
        return found, at_zero


def reduced(
    X: Encoded,
    y: np.ndarray,
    n_classes: int,
    ends: tuple[np.ndarray, np.ndarray] | None,
    intercept: bool,
    penalised: bool,
) -> Reduced:
    """Leave out what decides nothing; ``ends`` are the smallest and largest cell of each column, where known.

    Beside an intercept a constant column says nothing. X is copied only if a column has to go or to be put on another
    unit.
    """
    n_columns = X.shape[1]
    if not isinstance(X, np.ndarray) and n_columns > 2 * len(X.data):
        return _of_filled_columns(X, y, n_classes, intercept, penalised)
    counts = np.bincount(y, minlength=n_classes)
    classes = np.flatnonzero(counts)
    if len(classes) < n_classes:
        y = np.searchsorted(classes, y).astype(np.int32)
    low, high = _ends(X) if ends is None else ends
    kept = (low != high) if intercept else ((low != 0) | (high != 0))
    reach = np.maximum(np.abs(low), np.abs(high))
    exponent = np.where(reach > 0, np.frexp(reach)[1], 0)
    if penalised:
        kept &= exponent > -ORDINARY
        extreme = np.zeros(n_columns, dtype=bool)
    else:
        extreme = kept & (np.abs(exponent) > UNPENALISED_ORDINARY)
    unit = np.ldexp(1.0, np.where(extreme, exponent, 0))
    if X.dtype == np.float32 and (np.abs(exponent[kept]) > FLOAT32_ORDINARY).any():
        X = X.astype(np.float64)
    columns = np.flatnonzero(kept)
    if len(columns) < n_columns:
        X, unit = _some_columns(X, columns), unit[columns]
    if (unit != 1).any():
        X = _in_unit(X, unit)
    return Reduced(X, y, columns, unit, n_columns, classes, n_classes)


def _of_filled_columns(X: Any, y: np.ndarray, n_classes: int, intercept: bool, penalised: bool) -> Reduced:
    """The same for CSR most columns of which are empty, and so decide nothing: only the others are looked at."""
    filled, places = np.unique(X.indices, return_inverse=True)
    parts = X.data, places.astype(X.indices.dtype, copy=False), X.indptr
    found = reduced(type(X)(parts, shape=(X.shape[0], len(filled))), y, n_classes, None, intercept, penalised)
    return replace(found, columns=filled[found.columns].astype(np.intp, copy=False), n_columns=X.shape[1])


def known_ends(encoder: Any, X: TableLike) -> tuple[np.ndarray, np.ndarray] | None:
    """The smallest and largest cell of each column of a matrix, out of the look that its encoder had at the rows."""
    moments = getattr(encoder, "moments", None)
    if moments is None or not isinstance(X, np.ndarray):
        return None
    there = moments.weight[0] > 0
    rest = X[:, len(there) :]
    low, high = (np.where(there, (end - encoder.center) / encoder.spread, 0.0) for end in (moments.low, moments.high))
    return np.append(low, rest.min(axis=0)), np.append(high, rest.max(axis=0))


def _some_columns(X: Encoded, columns: np.ndarray) -> Any:
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X[:, columns])
    found = X[:, columns].tocsr()
    found.sort_indices()
    return found


def _in_unit(X: Encoded, unit: np.ndarray) -> Any:
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X / unit)
    found = X.copy()
    found.data = found.data / unit[found.indices]
    return found


def _ends(X: Encoded) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and largest cell of each column; of CSR only as well as it takes to know what to leave out."""
    if isinstance(X, np.ndarray):
        return X.min(axis=0, initial=np.inf).astype(np.float64), X.max(axis=0, initial=-np.inf).astype(np.float64)
    stored = np.bincount(X.indices, minlength=X.shape[1])
    rare = stored < X.shape[0]
    size = np.abs(X.data)
    exponents = np.frexp([size.min(initial=1.0), size.max(initial=1.0)])[1]
    if rare.all() and np.abs(exponents).max() <= UNPENALISED_ORDINARY:
        # None is extreme, and only empty ones are constant; of 10^7 columns that few rows fill those are nearly all.
        filled = (stored > 0).astype(np.float64)
        return -filled, filled
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    low[rare], high[rare] = np.minimum(low[rare], 0.0), np.maximum(high[rare], 0.0)
    return low, high
