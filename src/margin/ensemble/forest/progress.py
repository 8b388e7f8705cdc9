"""What a forest tells while it grows: nothing, a line that is written over, or a call for every few trees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from margin.errors import ParameterError

__all__ = ["ForestProgress", "reporter"]


@dataclass(frozen=True)
class ForestProgress:
    """Trees that are grown.

    Attributes
    ----------
    trees, of
        How many there are, and the most that there will be.
    error
        The error out of bag of these trees; None where rows are not asked out of bag.

    Examples
    --------
    >>> from margin import RandomForestClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> told = []
    >>> model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y, progress=told.append)
    >>> told[-1].trees, told[-1].of, bool(told[-1].error == model.oob_error_[-1])
    (20, 20, True)
    """

    trees: int
    of: int
    error: float | None = None


@contextmanager
def reporter(progress: Any, who: str) -> Iterator[Callable[[ForestProgress], Any] | None]:
    """What to tell of every few trees: nothing (None), a line that is written over, or what the caller gave."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise ParameterError(f"{who}.fit(progress={progress!r}): progress must be True, False or a function.")
    elif not progress:
        yield None
    else:
        start = perf_counter()
        try:
            yield lambda done: _write(f"{who}: {_text(done, perf_counter() - start)}")
        finally:
            sys.stderr.write("\n")


def _text(done: ForestProgress, seconds: float) -> str:
    error = "" if done.error is None else f", error out of bag {done.error:.4g}"
    return f"{done.trees:4d} of at most {done.of} trees, {seconds:.1f} s{error}"


def _write(line: str) -> None:
    sys.stderr.write(f"\r{line:<80}")
    sys.stderr.flush()
