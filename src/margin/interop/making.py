"""Margin's models made as if they had been fitted: parameters checked, columns known, what was learnt put in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np

from margin import params
from margin.base.inputs.columns import Columns
from margin.base.representations.mixed import Mixed, MixedEncoder
from margin.base.rollback import whole_or_not_at_all
from margin.errors import ConversionError, ParameterError
from margin.interop.features import Preparation
from margin.interop.matrices import Matrix, matrix_of

__all__ = ["filled", "mixed", "numeric", "of_same_name", "seed_of", "single_output", "who_is"]


def who_is(fitted: Any) -> str:
    """How messages begin."""
    return f"from_sklearn({type(fitted).__name__})"


def of_same_name(fitted: Any, *names: str) -> dict[str, Any]:
    """Parameters that mean the same there and here."""
    return {name: _plain(getattr(fitted, name)) for name in names}


def _plain(value: object) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def seed_of(fitted: Any) -> int | None:
    """A whole number, which can be saved, or nothing."""
    seed = fitted.random_state
    return int(seed) if isinstance(seed, (int, np.integer)) else None


def single_output(fitted: Any) -> None:
    """Refuse a model of several targets."""
    if isinstance(fitted.classes_, list) or np.ndim(fitted.classes_) != 1:
        raise ConversionError(f"{who_is(fitted)}: must have one target, but has several (take one model per target).")


@contextlib.contextmanager
def numeric(model: Any, fitted: Any, seen: Preparation) -> Iterator[tuple[Any, Matrix]]:
    """Fill a model that sees one numeric matrix."""
    with filled(model, fitted, seen.columns) as made:
        matrix = matrix_of(made, seen, who_is(fitted))
        made._encoder = matrix.encoder
        yield made, matrix


@contextlib.contextmanager
def mixed(model: Any, fitted: Any, seen: Preparation) -> Iterator[Any]:
    """Fill a model that sees columns as they are."""
    seen.refuse_twice(who_is(fitted))
    with filled(model, fitted, seen.columns) as made:
        form: Mixed = made.representation
        made._encoder = MixedEncoder(seen.columns, form.largest, form.as_given)
        yield made


@contextlib.contextmanager
def filled(model: Any, fitted: Any, columns: Columns) -> Iterator[Any]:
    """Check the parameters, say where the model comes from, and note what is put into it as learnt."""
    try:
        params.check(model)
    except ParameterError as error:
        raise ConversionError(f"{who_is(fitted)}: margin has no such model; {error}") from None
    with whole_or_not_at_all(model):
        model._remember(columns)
        model._origin = f"scikit-learn's {type(fitted).__name__}"
        if hasattr(fitted, "classes_"):
            model.classes_ = copy(fitted.classes_)
        yield model
