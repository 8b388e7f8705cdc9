"""Where the features of a scikit-learn model stand in the matrix that a numeric model of margin sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.numeric import Numeric, NumericEncoder
from margin.errors import ConversionError
from margin.interop.features import Preparation

__all__ = ["Matrix", "matrix_of"]


@dataclass(frozen=True)
class Matrix:
    """The matrix: numbers and ranks first, then one-hot columns.

    ``place`` says where each feature stands among ``width`` columns. Scaling that the encoder does not do is left to
    the model, (x - ``center``) / ``spread`` of each feature.
    """

    columns: Columns
    encoder: NumericEncoder
    place: np.ndarray
    width: int
    center: np.ndarray
    spread: np.ndarray

    def widened(self, table: Any) -> np.ndarray:
        """One column per feature put into its place; a column that is no feature has zeros."""
        table = np.asarray(table, dtype=np.float64)
        found = np.zeros((len(table), self.width))
        found[:, self.place] = table
        return found

    def folded(self, coef: Any, intercept: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts over the columns, the scaling that is left inside them."""
        coef = np.asarray(coef, dtype=np.float64)
        intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (len(coef),))
        if (self.center == 0).all() and (self.spread == 1).all():
            return self.widened(coef), intercept.copy()
        coef = coef / self.spread
        return self.widened(coef), intercept - coef @ self.center

    def refuse_uneven(self, who: str, why: str) -> None:
        """Refuse columns that are no feature, and one-hot columns that were scaled: distances would be others."""
        if len(self.place) < self.width:
            raise ConversionError(f"{who}: OneHotEncoder(drop=…) before it cannot be said here, {why} (drop=None).")
        if not ((self.center == 0).all() and (self.spread == 1).all()):
            raise ConversionError(
                f"{who}: one-hot columns that are scaled cannot be said here, {why} (scale the numbers alone)."
            )


def matrix_of(model: Any, seen: Preparation, who: str) -> Matrix:
    """The matrix that a margin model with its parameters set, not yet fitted, sees of the columns."""
    seen.refuse_twice(who)
    form: Numeric = model.representation
    columns = seen.columns
    encoder = NumericEncoder(form, columns, f"{type(model).__name__}.fit")
    place, width = _places(seen, encoder)
    numbers = sorted((at, f) for at, f in zip(place, seen.features) if f.level is None)
    fill = np.array([f.mean if np.isnan(f.fill) else f.fill for _, f in numbers])
    encoder.fill, encoder.center, encoder.spread = fill, np.zeros(len(numbers)), np.ones(len(numbers))
    center, spread = (np.array([getattr(f, name) for f in seen.features]) for name in ("center", "spread"))
    if form.scale is not None:
        encoder.center = np.array([f.center for _, f in numbers])
        encoder.spread = np.array([f.spread for _, f in numbers])
        done = np.array([f.level is None for f in seen.features])
        center, spread = np.where(done, 0.0, center), np.where(done, 1.0, spread)
        if encoder.center.any():  # sparse rows must be written out to be moved
            encoder.form = replace(form, sparse=False)
    return Matrix(columns, encoder, place, width, center, spread)


def _places(seen: Preparation, encoder: NumericEncoder) -> tuple[np.ndarray, int]:
    schema = seen.columns.schema
    if schema is None:
        return np.array([f.column for f in seen.features], dtype=np.intp), seen.n
    first, at = {}, len(encoder.numbered)
    for position, name in enumerate(encoder.numbered):
        first[name] = position
    for column in encoder.one_hot:
        first[column.name] = at
        at += len(column.levels)
    names = schema.names
    return np.array([first[names[f.column]] + (f.level or 0) for f in seen.features], dtype=np.intp), at
