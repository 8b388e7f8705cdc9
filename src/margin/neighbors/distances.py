"""How rows are compared: the names, what each metric can be given, and how much each column counts.

The distances themselves are structs in ``native/include/margin/neighbors/distances``; names are read from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np

import margin._core as _core
from margin.base.inputs.columns import Columns
from margin.errors import ParameterError, closest
from margin.params import Rule, choice

__all__ = [
    "ALIASES",
    "COMPARING_NUMBERS",
    "GIVEN",
    "MIXED",
    "FeatureWeights",
    "Metric",
    "RowScale",
    "column_weights",
    "power_of",
    "quick_name",
    "traits_of",
]

_DIFFERENCES: tuple[str, ...] = _core.neighbors.metrics()
#: Metrics of rows of numbers. Of rows brought to length 1 the cosine is Euclidean (``indexes/row_transform.py``).
COMPARING_NUMBERS: tuple[str, ...] = (*_DIFFERENCES, "cosine", *_core.neighbors.ball_metrics()[len(_DIFFERENCES) :])
#: Metrics of mixed tables with missing cells.
MIXED: tuple[str, ...] = _core.neighbors.mixed_metrics()
#: X holds the distances themselves.
GIVEN = "precomputed"
#: Other names that are in use for the same.
ALIASES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean", "infinity": "chebyshev"}


def _names() -> tuple[str, ...]:
    return (*COMPARING_NUMBERS, *MIXED, GIVEN, *ALIASES)


def _are_weights(value: object) -> bool:
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
#: What is done to numbers before they are compared: column by column, or row by row.
RowScale = Literal["standard", "range", "unit"]
FeatureWeights = Annotated[
    Any,
    Rule("None, or numbers of at least 0, not all 0, one per column or by column name", _are_weights, _parse_weights),
]


def quick_name(metric: object, p: float) -> Any:
    """The metric that does the work: some powers have quicker names.

    >>> quick_name("minkowski", 2.0), quick_name("l1", 2.0), quick_name("minkowski", 3.0)
    ('euclidean', 'manhattan', 'minkowski')
    """
    if isinstance(metric, str):
        metric = ALIASES.get(metric, metric)
    traits = traits_of(metric, p)
    return metric if traits is None or metric == "cosine" else traits.same_as


def traits_of(metric: object, p: float) -> Any:
    """What the core states of a metric of rows of numbers; None for functions and mixed metrics.

    >>> traits_of("minkowski", 0.5).is_metric, traits_of("haversine", 2.0).n_columns
    (False, 2)
    """
    if not isinstance(metric, str) or metric not in COMPARING_NUMBERS:
        return None
    return _core.neighbors.metric_traits("euclidean" if metric == "cosine" else metric, float(p))


def power_of(metric: object, p: float) -> float | None:
    """The power to which differences of columns are raised before they are added up, if the metric does that."""
    traits = traits_of(metric, p)
    return None if traits is None else traits.power


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
