"""Targets that are quantities: finite numbers, in one column or several."""

from __future__ import annotations

import numbers
import reprlib
from decimal import Decimal
from typing import Any

import numpy as np

from margin.base.representations.representation import SQUARABLE
from margin.base.targets.labels import missing_message, one_dimension
from margin.base.targets.multi_output import output_columns
from margin.data.missing import is_missing
from margin.errors import LabelError
from margin.typing import LabelsLike

__all__ = ["encode_targets"]


def encode_targets(y: LabelsLike, n_rows: int, who: str, several: bool = True) -> np.ndarray:
    """A number for each row as float64; of two dimensions if there are ``several`` targets.

    >>> encode_targets([1, 2.5, True], 3, "fit")
    array([1. , 2.5, 1. ])
    """
    columns = output_columns(y, who) if several else None
    if columns is None:
        return _numbers(y, n_rows, who)
    return np.column_stack([_numbers(column, n_rows, f"{who}, column {j} of y") for j, column in enumerate(columns)])


def _numbers(y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
    targets = one_dimension(y, who, "number")
    if len(targets) != n_rows:
        raise LabelError(f"{who}: y must have one number per row, but has {len(targets)} numbers for {n_rows} rows.")
    if targets.dtype.kind == "O":
        targets = _from_objects(targets.tolist(), who)
    if targets.dtype.kind not in "fiub":
        raise LabelError(f"{who}: Unknown target type: {targets.dtype}; a regressor needs numbers.")
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused
        found = targets.astype(np.float64) + 0.0  # no -0, which would be told apart from 0 when bits are compared
    _check_size(found, who)
    return found


def _from_objects(values: list[Any], who: str) -> np.ndarray:
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing:
        raise LabelError(missing_message(missing, who, "number"))
    found = np.empty(len(values))
    for row, value in enumerate(values):
        if not isinstance(value, (numbers.Real, Decimal, np.bool_)):
            raise LabelError(f"{who}: y must hold numbers, but row {row} holds {reprlib.repr(value)}.")
        try:
            found[row] = float(value)
        except OverflowError:
            found[row] = np.inf
    return found


def _check_size(targets: np.ndarray, who: str) -> None:
    missing = np.flatnonzero(np.isnan(targets))
    if missing.size:
        raise LabelError(missing_message(missing.tolist(), who, "number"))
    large = np.flatnonzero(np.abs(targets) > SQUARABLE)
    if large.size:
        row, value = int(large[0]), targets[large[0]]
        problem = "Input contains infinity" if np.isinf(value) else "its square is beyond all numbers; rescale y"
        raise LabelError(f"{who}: y holds {value:g} in row {row} ({problem}).")
