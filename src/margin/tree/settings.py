"""What the parameters of a tree may be, and how they are said to the core."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from margin.params import Rule
from margin.random import seed_for
from margin.tree.grow import MOST_BINS

__all__ = [
    "Bins",
    "CasesInLeaf",
    "CasesToSplit",
    "ColumnsLookedAt",
    "Discretize",
    "LeafShare",
    "Missing",
    "Monotone",
    "Nominal",
    "NumericColumns",
    "Several",
    "count_of",
    "features_of",
    "stated",
]

Nominal = Literal["subset", "multiway", "one_vs_rest"]
NumericColumns = Literal["threshold", "equal_width", "equal_count", "mdl"]
Discretize = Literal["static", "dynamic"]
Missing = Literal["direction", "fractional", "surrogate"]


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_) and int(value) >= least


def _is_share(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) <= 1


def _whole_or_share(text: str) -> float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _cases(least: int) -> Rule:
    return Rule(
        f"a whole number of at least {least} or a share above 0 and up to 1",
        lambda v: _is_whole(v, least) or _is_share(v),
        _whole_or_share,
    )


def _is_monotone(value: Any) -> bool:
    if value is None:
        return True
    try:
        signs = list(value.values()) if isinstance(value, Mapping) else list(value)
        return not isinstance(value, str | bytes) and all(sign in (-1, 0, 1) for sign in signs)
    except (TypeError, ValueError):
        return False


def _no_text(text: str) -> None:
    if text.lower() != "none":
        raise ValueError(text)


CasesToSplit = Annotated[Any, _cases(2)]
CasesInLeaf = Annotated[Any, _cases(1)]
ColumnsLookedAt = Annotated[Any, _cases(1)]
Several = Annotated[int, Rule("a whole number of at least 2", lambda v: _is_whole(v, 2), int)]
LeafShare = Annotated[
    float,
    Rule(
        "a number from 0 to 0.5",
        lambda v: isinstance(v, numbers.Real) and not isinstance(v, bool) and 0 <= v <= 0.5,
        float,
    ),
]
Bins = Annotated[
    int, Rule(f"a whole number from 2 to {MOST_BINS}", lambda v: _is_whole(v, 2) and int(v) <= MOST_BINS, int)
]
Monotone = Annotated[
    Any,
    Rule("None, or -1, 0 or 1 for each column, in order or by name", _is_monotone, _no_text),
]


def count_of(value: Any, n: float) -> int:
    """A count as it is, or the count that is a share of n.

    >>> count_of(5, 100), count_of(0.125, 100)
    (5, 13)
    """
    return int(value) if isinstance(value, numbers.Integral) else math.ceil(value * n)


def features_of(max_features: Any, n: int) -> int:
    """How many of n columns a node looks at.

    >>> features_of("sqrt", 10), features_of(0.5, 10), features_of(None, 10)
    (3, 5, 10)
    """
    if max_features is None:
        return n
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n)))
    if max_features == "log2":
        return max(1, int(math.log2(n)))
    found = int(max_features) if isinstance(max_features, numbers.Integral) else int(max_features * n)
    return max(1, min(found, n))


def stated(model: Any, n_columns: int, n_cases: float, weight: float) -> dict[str, Any]:
    """The settings that trees with scikit-learn's parameters have in common."""
    found = {
        "min_split": max(2, count_of(model.min_samples_split, n_cases)),
        "min_leaf": max(1, count_of(model.min_samples_leaf, n_cases)),
        "min_leaf_weight": model.min_weight_fraction_leaf * weight,
        "min_decrease": float(model.min_impurity_decrease),
    }
    if model.max_depth is not None:
        found["max_depth"] = int(model.max_depth)
    if model.max_leaf_nodes is not None:
        found["max_leaves"] = int(model.max_leaf_nodes)
    looked_at = features_of(model.max_features, n_columns)
    if looked_at < n_columns:
        found |= {"max_features": looked_at, "seed": seed_for(model.random_state, "columns")}
    return found
