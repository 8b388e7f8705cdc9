"""What errors cost: a matrix for the classes, and the priors that make a tree care about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from margin.errors import ParameterError, closest, listing
from margin.params import Rule, is_number, none_of_text

__all__ = ["Costs", "altered_priors", "cost_matrix", "in_few_bits"]


def _is_costs(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, Mapping):
        pairs = all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)
        return pairs and all(_is_cost(cost) for cost in value.values())
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return found.ndim == 2 and found.shape[0] == found.shape[1] and bool((np.isfinite(found) & (found >= 0)).all())


def _is_cost(value: object) -> bool:
    return is_number(value) and value >= 0


Costs = Annotated[
    Any,
    Rule(
        "None, a square matrix of costs of at least 0 (true classes down, answers across) "
        "or a mapping from (true, answer) to such costs",
        _is_costs,
        none_of_text,
    ),
]


def cost_matrix(costs: Any, classes: np.ndarray, who: str) -> np.ndarray | None:
    """What it costs to answer the class of a column where that of the row is true.

    In a mapping, pairs that are not named cost 1, right answers 0.

    >>> cost_matrix({("ill", "well"): 10}, np.array(["ill", "well"]), "DecisionTreeClassifier")
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if costs is None:
        return None
    n = len(classes)
    if isinstance(costs, Mapping):
        matrix = _from_pairs(costs, classes, who)
    else:
        matrix = np.array(costs, dtype=np.float64)
        if matrix.shape != (n, n):
            raise ParameterError(
                f"{who}(costs=…): costs must have a row and a column for each of the {n} classes "
                f"({listing(classes.tolist())}), but their shape is {' × '.join(map(str, matrix.shape))}."
            )
    free = [label for k, label in enumerate(classes.tolist()) if n > 1 and not np.delete(matrix[k], k).any()]
    if free:
        raise ParameterError(f"{who}(costs=…): errors on class {listing(free)} must cost something.")
    return matrix


def _from_pairs(costs: Mapping[Any, Any], classes: np.ndarray, who: str) -> np.ndarray:
    labels = classes.tolist()
    unknown = [label for pair in costs for label in pair if label not in labels]
    if unknown:
        raise ParameterError(
            f"{who}(costs={dict(costs)!r}): {listing(unknown)} is not one of the classes, "
            f"which are {listing(labels)}{closest(unknown[0], labels)}."
        )
    matrix = 1.0 - np.eye(len(labels))
    for (true, answer), cost in costs.items():
        matrix[labels.index(true), labels.index(answer)] = cost
    return matrix


def altered_priors(matrix: np.ndarray | None, totals: np.ndarray) -> np.ndarray:
    """Factors for the weights of the classes: each by what its errors cost, the sum of all weights unchanged.

    For two classes a tree grown with them is the tree for those costs; for more, the costs of a class are added up.
    Breiman, Friedman, Olshen, Stone (1984), ch. 4.4.

    >>> altered_priors(np.array([[0.0, 3.0], [1.0, 0.0]]), np.array([10.0, 10.0]))
    array([1.5, 0.5])
    """
    if matrix is None or len(matrix) < 2:
        return np.ones(len(totals))
    cost = (matrix * (1 - np.eye(len(matrix)))).sum(axis=1)
    return cost * (totals.sum() / (cost * totals).sum())


def in_few_bits(factors: np.ndarray) -> np.ndarray:
    """Factors with 26 bits each: times any whole number they are exact, so that three rows are one row of weight 3."""
    mantissa, exponent = np.frexp(factors)
    return np.ldexp(np.round(mantissa * 2.0**26), exponent - 26)
