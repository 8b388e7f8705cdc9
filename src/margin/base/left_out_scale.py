"""How the columns of a numeric matrix are filled and scaled without each of its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin.base.left_out import AllRows, extremes, leaves_constant
from margin.base.left_out_moments import MOST_TAKEN
from margin.base.numeric import NumericEncoder

__all__ = ["Rescaled", "rescaled"]


@dataclass
class Rescaled:
    """Without each row (rows), of each column of the matrix.

    Differences of two cells become ``times`` as large, since the column's deviation is another one; ``missing`` says
    which cells were filled with the column's mean, from which the cell of the row left out is then farther away, by the
    factor ``farther``.
    """

    times: np.ndarray
    farther: np.ndarray
    missing: np.ndarray


def rescaled(rows: AllRows) -> Rescaled | None:
    """What changes of a dense matrix without each row; marks rows without which too few digits are left to tell."""
    encoder, data = rows.model._encoder, rows.data
    assert isinstance(encoder, NumericEncoder)
    if not isinstance(data, np.ndarray) or data.dtype != np.float64:
        return None
    numbers = encoder.numbers(rows.rows.source, "")
    times, farther = np.ones(data.shape), np.ones(data.shape)
    missing = np.zeros(data.shape, dtype=bool)
    width = numbers.shape[1]
    missing[:, :width] = np.isnan(numbers)
    rows.anew |= leaves_constant(numbers)
    if not width:
        return Rescaled(times, farther, missing)
    found = encoder.moments
    if (found.unit != 1).any():
        return None
    before = found.weight[0]
    taken = np.where(missing[:, :width], 0.0, rows.weight[:, None])
    left = before - taken
    rows.anew |= (left <= 1e-9 * before).any(axis=1)
    grows = before / np.where(left > 0, left, 1.0)
    farther[:, :width] = grows
    if encoder.form.scale == "range":
        rows.anew |= extremes(numbers)
    if encoder.form.scale == "standard":
        # Columns have mean 0 and variance 1: so much of it is left without the row.
        rest = 1 - taken * data[:, :width] ** 2 * grows / before
        varies = found.m2[0] > 0
        rows.anew |= (varies & (rest * MOST_TAKEN < 1)).any(axis=1)
        times[:, :width] = np.where(varies, 1 / np.sqrt(np.maximum(rest * grows, 1e-12)), 1.0)
    return Rescaled(times, farther, missing)
