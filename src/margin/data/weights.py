"""Sample weights.

Whole-number weights stand for repeated rows: weight 2 is the row given twice. Any other weights say how much each
row matters. Weights so large or small that sums of their squares would overflow or vanish are put on the scale on
which the largest is 1. A row of weight 0 is as good as absent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError, listing, unreadable
from margin.typing import ClassifierLike

__all__ = ["cases_per_weight", "check_weights", "count_repeats", "group_arguments", "weight_arguments"]

LARGEST_COUNT = 2.0**53
SQUARABLE = 1e140


def check_weights(sample_weight: Any, n_rows: int, who: str) -> np.ndarray | None:
    """Weights as float64, or None where every row counts once.

    >>> check_weights([1, 3], 2, "fit"), check_weights([1e-300, 3e-300], 2, "fit")
    (array([1., 3.]), array([0.33333333, 1.        ]))
    """
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        sample_weight = sample_weight.astype(np.float64).filled(np.nan)
    try:
        given = np.asarray(sample_weight)
        weight = given.astype(np.float64) if given.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        weight = None
    except Exception as error:
        raise InputError(f"{who}(sample_weight=…): {unreadable('weights', sample_weight, error)}") from None
    if weight is None:
        raise InputError(f"{who}(sample_weight=…): weights must be numbers.")
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
    return weight if 1 / SQUARABLE < weight.max() < SQUARABLE else weight / weight.max()


def count_repeats(weight: np.ndarray) -> bool:
    """Whether weights are whole numbers that can be added up exactly, and so stand for repeated rows."""
    return bool((weight == np.floor(weight)).all() and weight.max() <= LARGEST_COUNT / len(weight))


def cases_per_weight(total: float, squares: float, repeats: bool) -> float:
    """The factor that makes weights of this sum and sum of squares count as many cases as they are worth.

    Repeated rows count as often as they are given; others are worth (sum w)² / sum w² cases.

    >>> cases_per_weight(6.0, 12.0, repeats=True), cases_per_weight(6.0, 12.0, repeats=False)
    (1.0, 0.5)
    """
    return 1.0 if repeats or squares == 0 else float(total / squares)


def group_arguments(model: ClassifierLike, groups: np.ndarray | None) -> dict[str, np.ndarray]:
    """Groups, if there are any, as arguments of a model's ``fit``, for those that cut folds of their own.

    In a pipeline they go to its last step. Searches of scikit-learn hand them to their splitter.
    """
    if groups is None:
        return {}
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(model, "steps", None)
    name, last = steps[-1] if steps else ("", model)
    takes = has_fit_parameter(last, "groups") or (isinstance(last, BaseSearchCV) and hasattr(last.cv, "split"))
    return {f"{name}__groups" if steps else "groups": groups} if takes else {}


def weight_arguments(model: ClassifierLike, weight: np.ndarray) -> dict[str, np.ndarray] | None:
    """Weights as arguments of a model's ``fit``, in a pipeline of every step that takes them; None where it has no use
    for them, in a pipeline its last step."""
    from sklearn.utils.validation import has_fit_parameter

    def takes(step: Any) -> bool:
        return hasattr(step, "fit") and has_fit_parameter(step, "sample_weight")

    steps = getattr(model, "steps", None)
    if not takes(steps[-1][1] if steps else model):
        return None
    if not steps:
        return {"sample_weight": weight}
    return {f"{name}__sample_weight": weight for name, step in steps if takes(step)}
