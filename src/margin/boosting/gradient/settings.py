"""What the parameters of gradient boosting may be, and how they are said to the core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base.inputs.columns import Columns
from margin.boosting.gradient.plan import Plan
from margin.errors import ParameterError, closest, listing
from margin.params import Rule, is_number, is_whole, no_text
from margin.tree.settings import count_of, numbers_first, signs_of

__all__ = ["Growth", "Interactions", "LessThanAll", "Part", "Sampling", "SomeBins", "core_settings", "settings_of"]


def _are_sets(value: Any) -> bool:
    if value is None or value in ("pairwise", "none"):
        return True
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    return all(isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in value)


Part = Annotated[float, Rule("a number above 0 and up to 1", lambda v: is_number(v) and 0 < v <= 1, float)]
LessThanAll = Annotated[float, Rule("a number from 0 to below 1", lambda v: is_number(v) and 0 <= v < 1, float)]
SomeBins = Annotated[int, Rule("a whole number from 2 to 65535", lambda v: is_whole(v) and 2 <= v <= 65535, int)]
Interactions = Annotated[Any, Rule("None, or sets of columns by name or number", _are_sets, no_text)]
Growth = Literal["auto", "leaf", "depth", "symmetric"]
Sampling = Literal["chance", "size"]


def settings_of(
    model: Any, plan: Plan, weight: np.ndarray, *, seed: int, unit: float = 1.0, parameter: float = 0.0
) -> dict[str, Any]:
    """The settings of a model for rows of these weights, by their names in the core."""
    who = type(model).__name__
    _refuse(model, plan, who)
    most = plan.max_leaf_nodes
    if most is None:
        most = 2**15 if model.max_depth is None and plan.growth == "depth" else 2**31
        if plan.growth == "symmetric":
            most = 2 ** min(16, model.max_depth or 6)
    found = {
        "max_leaves": int(most),
        "by_depth": plan.growth == "depth",
        "symmetric": plan.growth == "symmetric",
        "learning_rate": float(plan.learning_rate),
        "l2": float(plan.l2),
        "min_gain": float(model.min_gain) * unit * unit,
        "min_weight": float(model.min_child_weight),
        "min_cases": float(count_of(plan.min_samples_leaf, float(weight.sum()))),
        "nominal_l2": float(model.nominal_l2),
        "nominal_smooth": float(model.nominal_smooth),
        "row_share": float(plan.subsample),
        "column_share": float(plan.max_features),
        "top_share": float(model.top_rate),
        "drop_share": float(model.drop_rate),
        "linear": bool(model.linear_leaves),
        "by_size": model.sampling == "size",
        "alpha": parameter,
        "monotone": signs_of(model.monotonic_cst, model._columns, who).tolist(),
        "interactions": _sets_of(model.interaction_cst, model._columns, who),
        "seed": seed,
        "n_threads": parallel.n_threads(model.n_jobs),
    }
    if model.max_depth is not None:
        found["max_depth"] = int(model.max_depth)
    return found


def _refuse(model: Any, plan: Plan, who: str) -> None:
    """What does not fit together."""
    if model.top_rate > 0 and model.top_rate + plan.subsample > 1:
        raise ParameterError(
            f"{who}(top_rate={model.top_rate}, subsample={plan.subsample}): both shares together must not be above 1."
        )
    if model.top_rate > 0 and model.sampling == "size":
        raise ParameterError(
            f"{who}(top_rate={model.top_rate}, sampling='size'): rows are drawn in one way or the other."
        )
    if model.linear_leaves and model.monotonic_cst is not None:
        raise ParameterError(f"{who}(linear_leaves=True, monotonic_cst=…): slopes cannot be bound (leave one out).")
    if model.linear_leaves and model.loss in ("absolute_error", "quantile"):
        raise ParameterError(
            f"{who}(linear_leaves=True, loss={model.loss!r}): leaves that are quantiles have no slopes "
            "(loss='huber' can have them)."
        )
    if plan.growth == "symmetric" and model.monotonic_cst is not None:
        raise ParameterError(f"{who}(monotonic_cst=…): growth='symmetric' cannot bind columns (growth='leaf' can).")


def _sets_of(sets: Any, columns: Columns, who: str) -> list[list[int]]:
    """Sets of columns as trees count them; columns that no set names are one more. Nothing where all may meet."""
    if sets is None:
        return []
    names = [column.name for column in columns.described()]
    n = len(names)
    if sets == "none":
        sets = [[j] for j in range(n)]
    elif sets == "pairwise":
        sets = [[i, j] for i in range(n) for j in range(i)] or [[0]]
    found = [{_place(column, names, who) for column in each} for each in sets]
    rest = set(range(n)) - set().union(*found)
    place = np.argsort(numbers_first(columns))
    return [sorted(int(place[j]) for j in each) for each in [*found, rest] if each]


def _place(column: Any, names: list[str], who: str) -> int:
    if is_whole(column) and 0 <= column < len(names):
        return int(column)
    if isinstance(column, str) and column in names:
        return names.index(column)
    raise ParameterError(
        f"{who}(interaction_cst=…): {column!r} is not one of the columns, which are {listing(names)}"
        f"{closest(str(column), names)}."
    )


def core_settings(settings: Mapping[str, Any]) -> Any:
    """Settings as the core takes them (``native/include/margin/boosting/gradient/settings.hpp``)."""
    found = _core.gradient.Settings()
    for name, value in settings.items():
        setattr(found, name, value)
    return found
