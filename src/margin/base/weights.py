"""Sample weights.

Whole-number weights stand for repeated rows: weight 2 is the row given twice. Any other weights say how much
each row matters relative to the others. A row of weight 0 is as good as absent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError, listing

__all__ = ["check_weights", "count_repeats"]


def check_weights(sample_weight: Any, n_rows: int, who: str) -> np.ndarray | None:
    """Weights as float64, or None where every row counts once."""
    if sample_weight is None:
        return None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}(sample_weight=…): weights must be numbers.") from None
    if weight.shape != (n_rows,):
        shape = " × ".join(map(str, weight.shape)) or "a single number"
        raise InputError(f"{who}(sample_weight=…): one weight per row is needed ({n_rows}), but its shape is {shape}.")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if bad.size:
        raise InputError(
            f"{who}(sample_weight=…): weights must be numbers of at least 0, "
            f"but rows {listing(bad.tolist())} hold {listing(weight[bad].tolist())}."
        )
    if not weight.any():
        raise InputError(f"{who}(sample_weight=…): at least one weight must be above 0; all sample weights are zero.")
    return weight


def count_repeats(weight: np.ndarray) -> bool:
    """Whether weights are whole numbers, and so stand for repeated rows."""
    return bool((weight == np.floor(weight)).all())
