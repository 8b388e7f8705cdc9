"""What answers cost, written as people write it and as the kernels want it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.data.labels import position_of
from margin.errors import ParameterError

__all__ = ["as_option", "as_written", "cost_table"]


def as_option(value: object, who: str) -> Any:
    """An option that can be compared and hashed: arrays and nested lists become tuples, mappings tuples of pairs."""
    if isinstance(value, Mapping):
        return tuple((key, _number(cost, who)) for key, cost in value.items())
    if isinstance(value, (np.ndarray, list)):
        return tuple(as_option(each, who) for each in value)
    return value.item() if isinstance(value, np.generic) else value


def as_written(option: Any) -> Any:
    """The option as people would write it: costs by pairs as a mapping again."""
    return dict(option) if _is_mapping(option) else option


def _is_mapping(option: object) -> bool:
    """Whether pairs of (truth, answer) and cost stand there, and not the rows of a table."""
    return isinstance(option, tuple) and all(
        isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], tuple) for each in option
    )


def _number(cost: Any, who: str) -> float:
    if isinstance(cost, bool) or not isinstance(cost, (int, float, np.number)) or not np.isfinite(cost):
        raise ParameterError(f"{who}(costs=…): every cost must be a finite number, not {cost!r}.")
    return cost.item() if isinstance(cost, np.generic) else cost


def cost_table(costs: Any, classes: np.ndarray, who: str) -> np.ndarray:
    """Costs by true class (rows) and answer (columns), with a column for abstentions, NaN where nothing was said of it.

    Pairs that a mapping does not name cost nothing where the answer is right and 1 where it is wrong.

    >>> cost_table(as_option({("ill", "well"): 5}, "cost"), np.array(["ill", "well"]), "cost").tolist()
    [[0.0, 5.0, nan], [1.0, 0.0, nan]]
    """
    n = len(classes)
    table = np.column_stack([1.0 - np.eye(n), np.full(n, np.nan)])
    if _is_mapping(costs):
        for pair, cost in costs:
            if len(pair) != 2:
                raise ParameterError(f"{who}(costs=…): costs are named by (truth, answer), not by {pair!r}.")
            truth = position_of(pair[0], classes, f"{who}(costs=…)")
            table[truth, n if pair[1] is None else position_of(pair[1], classes, f"{who}(costs=…)")] = cost
        return table
    try:
        given = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 2 or given.shape[0] != n or given.shape[1] not in (n, n + 1) or not np.isfinite(given).all():
        raise ParameterError(
            f"{who}(costs=…): costs must be a table with a row for each of the {n} true classes and a column for each "
            "answer (and perhaps one more for no answer), or a mapping from (truth, answer) to numbers."
        )
    table[:, : given.shape[1]] = given
    return table
