"""What the parameters of a tree may be, and how they are said to the core."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from margin.base.inputs.columns import Columns
from margin.data.weights import count_repeats
from margin.errors import ParameterError, closest, listing
from margin.params import Rule, is_number, is_whole, none_of_text
from margin.random import seed_for
from margin.tree.grow import FREE, MOST_BINS

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
    "Splitter",
    "count_of",
    "features_of",
    "missing_settings",
    "numbers_first",
    "signs_of",
    "stated",
]

Nominal = Literal["subset", "multiway", "one_vs_rest"]
NumericColumns = Literal["threshold", "equal_width", "equal_count", "mdl"]
Discretize = Literal["static", "dynamic"]
Splitter = Literal["best", "random"]
Missing = Literal["direction", "fractional", "surrogate", "surrogate_all"]


def _is_share(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 < float(value) <= 1


def _whole_or_share(text: str) -> float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _cases(least: int) -> Rule:
    return Rule(
        f"a whole number of at least {least} or a share above 0 and up to 1",
        lambda v: (is_whole(v) and v >= least) or _is_share(v),
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


CasesToSplit = Annotated[Any, _cases(2)]
CasesInLeaf = Annotated[Any, _cases(1)]
ColumnsLookedAt = Annotated[Any, _cases(1)]
LeafShare = Annotated[float, Rule("a number from 0 to 0.5", lambda v: is_number(v) and 0 <= v <= 0.5, float)]
Bins = Annotated[int, Rule(f"a whole number from 2 to {MOST_BINS}", lambda v: is_whole(v) and 2 <= v <= MOST_BINS, int)]
Monotone = Annotated[
    Any,
    Rule("None, or -1, 0 or 1 for each column, in order or by name", _is_monotone, none_of_text),
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


def missing_settings(missing: Missing) -> dict[str, Any]:
    """Where missing cells go, as the core is told.

    >>> missing_settings("surrogate_all")
    {'missing': 'surrogate', 'missing_disagree': True}
    """
    return {"missing": "surrogate", "missing_disagree": True} if missing == "surrogate_all" else {"missing": missing}


def stated(model: Any, n_columns: int, weight: np.ndarray, as_grown: np.ndarray) -> tuple[dict[str, Any], int]:
    """The settings that trees with scikit-learn's parameters have in common, for rows of these weights.

    Whole-number weights count as repeated rows where cases are counted, unless rows are grown from with others. The
    core counts rows: what repeated rows a split needs is then said in weights, and returned for a node, to be cut.
    """
    total = float(as_grown.sum())
    repeats = as_grown is weight and not (weight == 1).all() and count_repeats(weight)
    n_cases = total if repeats else len(weight)
    split, leaf = (
        max(2, count_of(model.min_samples_split, n_cases)),
        max(1, count_of(model.min_samples_leaf, n_cases)),
    )
    leaf_weight = model.min_weight_fraction_leaf * total
    found = {
        "min_split": 2 if repeats else split,
        "min_leaf": 1 if repeats else leaf,
        "min_leaf_weight": max(leaf_weight, leaf) if repeats else leaf_weight,
        "min_decrease": float(model.min_impurity_decrease),
        "nominal": model.nominal,
        **missing_settings(model.missing),
        "charge_levels": bool(model.charge_levels),
    }
    if model.min_impurity_split is not None:
        found["min_impurity"] = float(model.min_impurity_split)
    if model.max_depth is not None:
        found["max_depth"] = int(model.max_depth)
    if model.max_leaf_nodes is not None:
        found["max_leaves"] = int(model.max_leaf_nodes)
    looked_at = features_of(model.max_features, n_columns)
    if looked_at < n_columns:
        found |= {"max_features": looked_at, "seed": seed_for(model.random_state, "columns")}
    if getattr(model, "splitter", "best") == "random":
        _check_random(model)
        found |= {"random_splits": True, "seed": seed_for(model.random_state, "columns")}
    return found, split if repeats else 0


#: What has no meaning where splits are drawn: intervals, medians, and tests for the best of many.
_NOT_RANDOM = {"numeric": "threshold", "max_p": None, "max_bins": None}


def _check_random(model: Any) -> None:
    who = type(model).__name__
    if model.criterion == "absolute_error":
        raise ParameterError(f"{who}(splitter='random'): criterion='absolute_error' knows no drawn splits.")
    for name, plain in _NOT_RANDOM.items():
        if (value := getattr(model, name, plain)) != plain:
            raise ParameterError(
                f"{who}({name}={value!r}): {name} must be {plain!r} where splits are drawn (splitter='random')."
            )


def signs_of(signs: Any, columns: Columns, who: str) -> np.ndarray:
    """1, -1 or 0 for each column as the tree counts them; nothing where no column is bound."""
    if signs is None:
        return FREE
    described = list(columns.described())
    names = [column.name for column in described]
    if isinstance(signs, Mapping):
        unknown = [name for name in signs if name not in names]
        if unknown:
            raise ParameterError(
                f"{who}(monotonic_cst={dict(signs)!r}): {listing(unknown)} is not one of the columns, "
                f"which are {listing(names)}{closest(unknown[0], names)}."
            )
        signs = [signs.get(name, 0) for name in names]
    if len(signs) != len(names):
        raise ParameterError(
            f"{who}(monotonic_cst=…): one of -1, 0, 1 is needed for each of the {len(names)} columns, "
            f"but there are {len(signs)}."
        )
    words = [c.name for c, sign in zip(described, signs, strict=True) if sign and c.kind == "nominal"]
    if words:
        raise ParameterError(f"{who}(monotonic_cst=…): column {listing(words)} is nominal and has no order.")
    found = np.array(signs, dtype=np.int8)[numbers_first(columns)]
    return found if found.any() else FREE


def numbers_first(columns: Columns) -> np.ndarray:
    """Where the columns of a tree, numbers first, stood in the table."""
    if columns.schema is None:
        return np.arange(columns.n)
    is_number = np.array([column.is_numeric for column in columns.schema])
    return np.concatenate([np.flatnonzero(is_number), np.flatnonzero(~is_number)])
