"""What every fit does around the learning: all or nothing, and BLAS kept on one thread."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from margin.base import sklearn_classes
from margin.blas import OneBlasThread
from margin.errors import NotFittedError

__all__ = ["NotYetFittedError", "further_or_not_at_all", "whole_or_not_at_all"]


class NotYetFittedError(NotFittedError, sklearn_classes.NotFittedError):
    """margin's refusal in the type that scikit-learn's tools look for."""


@contextlib.contextmanager
def whole_or_not_at_all(model: Any) -> Iterator[None]:
    """Forget what was learnt before; if learning fails or is interrupted, put it back as it was."""
    with _put_back(model):
        for name in model.__dict__.get("_learnt", ()):
            model.__dict__.pop(name, None)
        kept = set(vars(model))
        yield
        model._learnt = tuple(sorted(vars(model).keys() - kept | {"_learnt"}))


@contextlib.contextmanager
def further_or_not_at_all(model: Any) -> Iterator[None]:
    """Go on from what was learnt before; if learning fails or is interrupted, put it back as it was.

    What is learnt further must replace attributes, never change arrays in place.
    """
    before, learnt = set(vars(model)), set(model.__dict__.get("_learnt", ()))
    with _put_back(model):
        yield
        model._learnt = tuple(sorted(vars(model).keys() - before | learnt))


@contextlib.contextmanager
def _put_back(model: Any) -> Iterator[None]:
    """If anything fails, the model has the attributes it had."""
    before = dict(vars(model))
    try:
        with OneBlasThread():
            yield
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise
