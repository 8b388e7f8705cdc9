"""Parameters that a class does not have are refused with the one that was meant."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from margin.errors import InputTypeError, closest, listing

__all__ = ["KnowsItsParameters"]

#: Parameters of scikit-learn that say here what another parameter says.
ELSEWHERE = {
    "penalty": ("l1_ratio", "0 is scikit-learn's 'l2', 1 its 'l1', C=inf no penalty"),
    "alpha": ("C", "which is 1 / alpha"),
    "max_features": ("mtry", "columns that each node looks at"),
    "learning_rate_init": ("learning_rate", "the first one"),
    "param_grid": ("grid", "values by parameter"),
    "scoring": ("metric", "the name of a metric"),
    "estimator": ("model", "the classifier"),
    "base_estimator": ("model", "the classifier"),
}


class KnowsItsParameters:
    """A class whose instances can only be made with parameters that it has.

    >>> from margin import LogisticRegression
    >>> LogisticRegression(c=1)
    Traceback (most recent call last):
    margin.errors.InputTypeError: LogisticRegression(c=1): c is not one of its parameters (did you mean 'C'?).
    """

    if not TYPE_CHECKING:  # what a class takes is what its __init__ says

        def __new__(cls, *args: Any, **given: Any) -> Any:
            known = _names(cls) if given else None
            if known is not None and not given.keys() <= known.keys():
                _refuse(cls, given, list(known))
            return super().__new__(cls)


@functools.cache
def _names(cls: Any) -> dict[str, None] | None:
    """The parameters of a class in their order; None where it takes any."""
    told = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return None if any(each.kind is each.VAR_KEYWORD for each in told) else dict.fromkeys(each.name for each in told)


def _refuse(cls: type, given: dict[str, Any], known: list[str]) -> None:
    name = next(each for each in given if each not in known)
    instead, meaning = ELSEWHERE.get(name, ("", ""))
    if instead in known:
        hint = f" (did you mean {instead!r}? {meaning})"
    else:
        hint = closest(name, known) or f"; it has {listing(known, 12) or 'none'}"
    raise InputTypeError(f"{cls.__name__}({name}={given[name]!r}): {name} is not one of its parameters{hint}.")
