"""What counts as a missing cell or label where values are Python objects.

How a missing cell is written in files is said in ``data/kind_inference.py``; what becomes of one, by representation, in
``base/representations``, and in trees by ``native/include/margin/tree/settings.hpp``.
"""

from __future__ import annotations

import decimal

import numpy as np

__all__ = ["MAYBE_MISSING", "is_missing", "is_missing_type"]

#: Types of which some values are missing.
MAYBE_MISSING = (float, np.floating, np.datetime64, np.timedelta64, decimal.Decimal)


def is_missing(value: object) -> bool:
    """None, NaN, NaT, pandas.NA and masked cells.

    >>> [is_missing(value) for value in (None, float("nan"), 0.0, "")]
    [True, True, False, False]
    """
    if isinstance(value, decimal.Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    return bool(value != value) if isinstance(value, MAYBE_MISSING) else is_missing_type(type(value))


def is_missing_type(kind: type) -> bool:
    """Whether all values of a type are missing; those of pandas go by name, since pandas need not be there."""
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType", "MaskedConstant")
