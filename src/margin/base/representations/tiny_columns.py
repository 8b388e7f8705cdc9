"""Columns of numbers so small that a model whose parameters have the unit of its columns cannot hear them.

A penalty, a step or a radius is a number in the unit of the columns. Beside it a column in which everything is tiny
decides nothing, and where all columns are tiny the model answers the most frequent class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.representation import Learnt
from margin.errors import DataWarning, listing, warn

__all__ = ["TINY", "UNSQUARABLE", "warn_of_tiny_columns"]

#: Below it a column beside penalties and steps of ordinary size moves a score by less than a millionth of a millionth.
TINY = 2.0**-40
#: Below it squares vanish, and with them a unit that is taken from the rows themselves.
UNSQUARABLE = 2.0**-500


def warn_of_tiny_columns(learnt: Learnt, columns: Columns, below: float, who: str) -> None:
    """Name the columns that hold different numbers, all of them smaller in magnitude than ``below``."""
    if below <= 0:
        return
    if learnt.survey is not None:
        low, high = learnt.survey.low, learnt.survey.high
        tiny = (high > low) & (high < below) & (low > -below)
    elif hasattr(learnt.data, "indices"):
        tiny = _tiny_stored(learnt.data, below)
    else:
        return
    if tiny.any():  # and only then are names made up for the columns of an array, of which there may be millions
        names = [column.name for column in columns.described()] if learnt.surveyed is None else learnt.surveyed
        found = [name for name, small in zip(names, tiny) if small]
        plural = len(found) > 1
        warn(
            f"{who}: column{'s' if plural else ''} {listing(found)} {'hold' if plural else 'holds'} only numbers below "
            f"{below:.1g} in magnitude, too small to count without a scale (scale='standard' measures each column in "
            "its own unit).",
            DataWarning,
        )


def _tiny_stored(matrix: Any, below: float) -> np.ndarray:
    """Which columns of CSR store cells, none of which is as large as ``below``, nor all of them 0."""
    size = np.abs(matrix.data)
    largest = np.zeros(matrix.shape[1])
    if size.min(initial=below) < below:  # as a rule nothing is that small
        np.maximum.at(largest, matrix.indices, size)
    return (largest > 0) & (largest < below)
