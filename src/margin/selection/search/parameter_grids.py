"""Settings to try: all combinations of lists, or values drawn from distributions; names checked before any fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Annotated, Any

import numpy as np

from margin.errors import ParameterError, closest, listing
from margin.params import Rule, no_text
from margin.typing import ClassifierLike

__all__ = ["Distributions", "Grid", "check_names", "combinations", "drawn", "listed"]


def _is_list(value: object) -> bool:
    return isinstance(value, (Sequence, np.ndarray, range)) and not isinstance(value, (str, bytes)) and len(value) > 0


def _is_grid(value: Any) -> bool:
    if isinstance(value, Mapping):
        return len(value) > 0 and all(isinstance(name, str) and _is_list(values) for name, values in value.items())
    return value is None or (_is_list(value) and all(isinstance(each, Mapping) and _is_grid(each) for each in value))


def _can_be_drawn(value: object) -> bool:
    return hasattr(value, "rvs") or callable(value) or _is_list(value)


def _are_distributions(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, Mapping) and len(value) > 0 and all(map(_can_be_drawn, value.values()))


Grid = Annotated[
    Any,
    Rule("None, a mapping from parameters to lists of values, or a list of such mappings", _is_grid, no_text),
]
Distributions = Annotated[
    Any,
    Rule(
        "None or a mapping from parameters to lists, distributions of scipy.stats or functions of a random generator",
        _are_distributions,
        no_text,
    ),
]


def check_names(model: ClassifierLike, names: Iterable[str], who: str) -> None:
    """Refuse parameters that the model does not have, naming the closest one that it has."""
    known = model.get_params(deep=True)
    for name in names:
        if name not in known:
            raise ParameterError(
                f"{who}({name}=…): {name!r} is not a parameter of {type(model).__name__}, whose parameters are "
                f"{listing(sorted(known), 30)}{closest(name, known)}."
            )


def combinations(grid: Any) -> list[dict[str, Any]]:
    """Every combination, the last parameter changing fastest; of a list of grids one after the other.

    >>> combinations({"C": [1, 2], "kernel": ["rbf"]})
    [{'C': 1, 'kernel': 'rbf'}, {'C': 2, 'kernel': 'rbf'}]
    """
    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    return [dict(zip(each, values)) for each in grids for values in product(*(_plain(each[name]) for name in each))]


def listed(grid: Any) -> list[str]:
    """The names that a grid (or a list of grids) speaks of."""
    return list(dict.fromkeys(name for each in ([grid] if isinstance(grid, Mapping) else grid) for name in each))


def _plain(values: Any) -> list[Any]:
    """NumPy's numbers as Python's own, which print and save better."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def drawn(distributions: Mapping[str, Any], n: int, random: np.random.Generator) -> list[dict[str, Any]]:
    """So many different settings, drawn at random; fewer where lists have no more combinations.

    >>> len(drawn({"k": [1, 2, 3]}, 10, np.random.default_rng(0)))
    3
    """
    if all(_is_list(values) for values in distributions.values()):
        everything = int(np.prod([len(values) for values in distributions.values()], dtype=object))
        if everything <= n:
            return combinations(distributions)
    settings: dict[str, dict[str, Any]] = {}
    for _ in range(20 * n):  # draws that repeat an earlier one are drawn again, but not for ever
        setting = {name: _draw(values, random) for name, values in distributions.items()}
        settings.setdefault(repr(setting), setting)
        if len(settings) == n:
            break
    return list(settings.values())


def _draw(values: Any, random: np.random.Generator) -> Any:
    if hasattr(values, "rvs"):
        value = values.rvs(random_state=random)
    elif callable(values):
        value = values(random)
    else:
        value = values[int(random.integers(len(values)))]
    return value.item() if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0 else value
