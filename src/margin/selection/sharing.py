"""Which settings can be tried together: those that differ in one parameter along which the model shares work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.bayes.wrapping import last_step
from margin.evaluation.along import Said

__all__ = ["Group", "groups_of", "shareable", "spoken_along"]


@dataclass(frozen=True)
class Group:
    """Settings, by number, that are tried in one go; ``parameter`` is what they differ in, None for a single one."""

    members: tuple[int, ...]
    parameter: str | None = None


def shareable(model: Any) -> tuple[str, ...]:
    """The parameters along which a model (or the last step of a pipeline) shares work, as ``set_params`` names them.

    >>> from margin.neighbors import KNeighborsClassifier
    >>> shareable(KNeighborsClassifier())
    ('n_neighbors',)
    """
    last = last_step(model)
    if not hasattr(last, "answers_along"):
        return ()
    prefix = f"{model.steps[-1][0]}__" if getattr(model, "steps", None) else ""
    return tuple(prefix + name for name in getattr(last, "parameters_along", ()))


def groups_of(model: Any, settings: Sequence[Mapping[str, Any]]) -> list[Group]:
    """All settings in groups; the parameter with the largest groups is shared along."""
    alone = [Group((i,)) for i in range(len(settings))]
    best = alone
    for parameter in shareable(model):
        having: dict[Any, list[int]] = {}
        for i, setting in enumerate(settings):
            key = i if parameter not in setting else _key(setting, parameter)
            having.setdefault(key, []).append(i)
        found = [Group(tuple(members), parameter if len(members) > 1 else None) for members in having.values()]
        best = found if len(found) < len(best) else best
    return best


def _key(setting: Mapping[str, Any], but: str) -> tuple[Any, ...]:
    """What two settings have in common that differ in one parameter only."""
    return tuple(sorted((name, *_identity(value)) for name, value in setting.items() if name != but))


def _identity(value: Any) -> tuple[str, str]:
    plain = value is None or isinstance(value, (bool, int, float, str, np.generic))
    return type(value).__name__, repr(value) if plain else str(id(value))


def spoken_along(
    model: Any, parameter: str, values: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], weight: np.ndarray | None
) -> Sequence[Sequence[Said]] | None:
    """What an unfitted model would say for each value; in a pipeline all steps before the last are fitted once."""
    steps = getattr(model, "steps", None)
    name = parameter.rsplit("__", 1)[-1]
    if not steps:
        return model.answers_along(name, values, X, y, asked, sample_weight=weight)
    if weight is not None or len(steps) < 2:
        return None
    before = model[:-1]
    X = before.fit_transform(X, y)
    return model[-1].answers_along(name, values, X, y, [before.transform(rows) for rows in asked])
