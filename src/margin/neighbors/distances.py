"""How rows are compared: the names, what each metric can be given, and how much each column counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np

import margin._core as _core
from margin.base.inputs.columns import Columns
from margin.errors import ParameterError, closest
from margin.params import Rule, choice

__all__ = ["GENERAL", "MIXED", "FeatureWeights", "Metric", "column_weights", "power_of", "quick_name"]

#: Metrics of rows of numbers that are no sum over the differences of columns.
GENERAL = ("canberra", "hamming", "haversine")
#: Metrics of mixed tables with missing cells.
MIXED = ("heom", "gower")
#: Other names that are in use for the same.
ALIASES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean", "infinity": "chebyshev"}


def _names() -> tuple[str, ...]:
    return (*_core.neighbors.metrics(), "cosine", *GENERAL, *MIXED, *ALIASES)


def _are_weights(value: Any) -> bool:
    numbers = list(value.values()) if isinstance(value, Mapping) else value
    if value is None or isinstance(numbers, (str, bytes)):
        return value is None
    try:
        weights = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return weights.ndim == 1 and bool((np.isfinite(weights) & (weights >= 0)).all()) and bool(weights.any())


def _parse_weights(text: str) -> Any:
    """Numbers, or names with numbers.

    >>> _parse_weights("1, 2.5"), _parse_weights("age=2, city=0")
    ([1.0, 2.5], {'age': 2.0, 'city': 0.0})
    """
    if "=" in text:
        pairs = (part.rpartition("=") for part in text.split(","))
        return {name.strip(): float(weight) for name, _, weight in pairs}
    return None if text.lower() == "none" else [float(part) for part in text.strip("[]() ").replace(",", " ").split()]


Metric = Annotated[str, choice(known=_names)] | Callable[[np.ndarray, np.ndarray], float]
FeatureWeights = Annotated[
    Any,
    Rule("None, or numbers of at least 0, not all 0, one per column or by column name", _are_weights, _parse_weights),
]


def quick_name(metric: Any, p: float) -> Any:
    """The metric that does the work: some powers have quicker names.

    >>> quick_name("minkowski", 2.0), quick_name("l1", 2.0), quick_name("minkowski", 3.0)
    ('euclidean', 'manhattan', 'minkowski')
    """
    if metric == "minkowski":
        return {1.0: "manhattan", 2.0: "euclidean"}.get(float(p), "minkowski")
    return ALIASES.get(metric, metric) if isinstance(metric, str) else metric


def power_of(metric: Any, p: float) -> float | None:
    """The power to which differences of columns are raised before they are added up, if the metric does that."""
    return {"manhattan": 1.0, "euclidean": 2.0, "cosine": 2.0, "chebyshev": 1.0, "minkowski": float(p)}.get(metric)


def column_weights(given: Any, columns: Columns, who: str) -> np.ndarray:
    """A weight for each column as the user gave it, by position or by name; columns not named count 1."""
    names = [column.name for column in columns.described()]
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise ParameterError(
                f"{who}(feature_weights=…): one number per column is needed ({len(names)}), but there are {len(given)}."
            )
        return np.asarray(given, dtype=np.float64)
    weights = dict.fromkeys(names, 1.0)
    for name, weight in given.items():
        if name not in weights:
            raise ParameterError(
                f"{who}(feature_weights={{{name!r}: …}}): there is no such column{closest(name, names)}."
            )
        weights[name] = float(weight)
    return np.array(list(weights.values()))
