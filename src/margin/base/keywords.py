"""Parameters that a class does not have are refused with the one that was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from margin import params
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
            if given and not given.keys() <= _names(cls):
                _refuse(cls, given)
            return super().__new__(cls)


def _names(cls: type) -> frozenset[str]:
    """The parameters of a class, looked up once."""
    if "_parameter_names" not in cls.__dict__:
        cls._parameter_names = frozenset(parameter.name for parameter in params.parameters(cls))  # type: ignore[attr-defined]
    return cls._parameter_names  # type: ignore[attr-defined, no-any-return]


def _refuse(cls: type, given: dict[str, Any]) -> None:
    known = [parameter.name for parameter in params.parameters(cls)]
    name = next(each for each in given if each not in known)
    instead, meaning = ELSEWHERE.get(name, ("", ""))
    if instead in known:
        hint = f" (did you mean {instead!r}? {meaning})"
    else:
        hint = closest(name, known) or f"; it has {listing(known, 12) or 'none'}"
    raise InputTypeError(f"{cls.__name__}({name}={given[name]!r}): {name} is not one of its parameters{hint}.")
