"""The criteria that splits are chosen by, as ``native/include/margin/tree/targets/criterion.hpp`` lists them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, NamedTuple

import numpy as np
from scipy.special import xlogy

import margin._core as _core
from margin.params import choice

__all__ = ["ClassCriterion", "Criterion", "ValueCriterion", "class_impurities", "criteria", "criterion_of"]


class Criterion(NamedTuple):
    """What has to be known of a criterion outside the core.

    ``medians`` says that its losses are about medians, not functions of sums; ``unit_power`` is the power of the unit
    of the targets that its impurities are in.
    """

    name: str
    target: Literal["classes", "values"]
    medians: bool
    unit_power: int


@cache
def criteria() -> dict[str, Criterion]:
    """All of them by name, those for classes first.

    >>> [name for name, criterion in criteria().items() if criterion.target == "values"]
    ['squared_error', 'absolute_error']
    """
    return {name: Criterion(name, *traits) for name, *traits in _core.tree.criteria()}


# Other names that models take for a criterion.
_ALIASES = {"log_loss": "entropy", "gain_ratio": "entropy"}


def criterion_of(name: str) -> Criterion:
    """The criterion that a model means by this name.

    >>> criterion_of("gain_ratio").name
    'entropy'
    """
    return criteria()[_ALIASES.get(name, name)]


def _names(target: str) -> tuple[str, ...]:
    """The names that models take, other names behind those they stand for."""
    listed = [criterion.name for criterion in criteria().values() if criterion.target == target]
    return tuple(word for name in listed for word in (name, *(a for a, of in _ALIASES.items() if of == name)))


ClassCriterion = Annotated[str, choice(known=lambda: _names("classes"))]
ValueCriterion = Annotated[str, choice(known=lambda: _names("values"))]


# Sums in NumPy's order, which figures of pruned trees have had from the start; the core's differ in the last bits.
_IN_NUMPY = {
    "entropy": lambda p: np.abs(xlogy(p, p).sum(axis=1) / np.log(2)),
    "gini": lambda p: 1 - (p * p).sum(axis=1),
}


def class_impurities(criterion: str, shares: np.ndarray) -> np.ndarray:
    """How mixed the classes are whose shares stand in each row.

    >>> class_impurities("gini", np.array([[0.5, 0.5], [1.0, 0.0]]))
    array([0.5, 0. ])
    """
    if criterion in _IN_NUMPY:
        return _IN_NUMPY[criterion](shares)
    return _core.tree.impurities(criterion, np.ascontiguousarray(shares, dtype=np.float64))
