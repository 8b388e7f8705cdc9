"""Which settings are simpler: the direction in which a parameter makes a model smoother, smaller or stiffer."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from margin.errors import ParameterError, closest, listing

__all__ = ["SIMPLER", "direction_of", "simplest", "varying"]

_LARGER = (
    "n_neighbors radius ccp_alpha alpha min_samples_leaf min_samples_split min_weight_fraction_leaf "
    "min_impurity_decrease l2_regularization reg_alpha reg_lambda shrinkage shrink_threshold sigma bandwidth "
    "weight_decay dropout min_child_weight"
)
_SMALLER = (
    "C max_depth max_leaf_nodes degree gamma n_estimators max_iter max_features n_components max_bins max_p "
    "hidden_layer_sizes epochs num_leaves confidence"
)
#: For parameters known by name, whether "larger" or "smaller" values make the simpler model.
SIMPLER: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(_LARGER.split(), "larger") | dict.fromkeys(_SMALLER.split(), "smaller")
)


def direction_of(parameter: str, simpler: Any = None, who: str = "validation_curve") -> str | None:
    """The simpler direction of a parameter: as told, or as known from its name (that of its step left aside).

    >>> direction_of("svc__C"), direction_of("p")
    ('smaller', None)
    """
    told = simpler.get(parameter) if isinstance(simpler, Mapping) else simpler
    if told is None:
        return SIMPLER.get(parameter.rsplit("__", 1)[-1])
    if told not in ("larger", "smaller"):
        near = closest(told, ("larger", "smaller"))
        raise ParameterError(f"{who}(simpler={simpler!r}): say 'larger' or 'smaller' of {parameter}{near}.")
    return str(told)


def varying(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The parameters that are not the same in all settings."""
    names = dict.fromkeys(name for setting in settings for name in setting)
    return [name for name in names if len({repr(setting.get(name, "…")) for setting in settings}) > 1]


def simplest(settings: Sequence[Mapping[str, Any]], among: np.ndarray, best: int, simpler: Any, who: str) -> int:
    """The simplest of some settings, which differ from the best one only in parameters of known direction.

    With several such parameters the sum of the places in the order of simplicity decides, and then the order given.
    """
    names = varying(settings)
    known = {name: direction for name in names if (direction := direction_of(name, simpler, who)) is not None}
    if names and not known:
        raise ParameterError(
            f"{who}(rule='one_standard_error'): which values of {listing(names)} are simpler is not known "
            f"(say it: simpler={{{names[0]!r}: 'smaller'}})."
        )
    others = [name for name in names if name not in known]
    same = [
        i for i in among.tolist()
        if all(repr(settings[i].get(name)) == repr(settings[best].get(name)) for name in others)
    ]  # fmt: skip
    places = np.zeros(len(same), dtype=np.intp)
    for name, direction in known.items():
        values = [_size(settings[i].get(name), name) for i in same]
        order = sorted(set(values), reverse=direction == "larger")
        places += np.array([order.index(value) for value in values], dtype=np.intp)
    return same[int(np.argmin(places))]


def _size(value: object, name: str) -> float:
    """A parameter as a number; None is no limit, as for the depth of a tree."""
    if value is None:
        return float("inf")
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return float(np.sum(value))
    raise ParameterError(f"simpler: the values of {name} are no numbers, but {value!r}, and have no order.")
