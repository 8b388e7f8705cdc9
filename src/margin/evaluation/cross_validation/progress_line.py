"""What an evaluation tells of each fold: nothing, a line that is written over, or what the caller gave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, TextIO

from margin.errors import ParameterError
from margin.evaluation.cross_validation.result import FoldDone

__all__ = ["reporter"]

#: Seconds between two changes of the line: leave-one-out would otherwise write more than it computes.
_PAUSE = 0.1


@contextmanager
def reporter(progress: Any, name: str) -> Iterator[Callable[[FoldDone], Any]]:
    """What to tell of each fold: nothing, a line that is written over, or what the caller gave."""
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise ParameterError(f"evaluate(progress={progress!r}): progress must be True, False or a function.")
    if not progress:
        yield lambda fold: None
        return
    line = _Line(name, sys.stderr)
    try:
        yield line
    finally:
        line.end()


class _Line:
    def __init__(self, name: str, out: TextIO) -> None:
        self._name, self._out, self._start = name, out, perf_counter()
        self._last, self._width, self._failed = -_PAUSE, 0, 0

    def __call__(self, fold: FoldDone) -> None:
        now = perf_counter() - self._start
        self._failed += fold.failed
        if now - self._last < _PAUSE and fold.number < fold.of:
            return
        self._last = now
        failed = f", {self._failed} failed" if self._failed else ""
        rest = now / fold.number * (fold.of - fold.number)
        text = f"{self._name}: fold {fold.number} of {fold.of}{failed}, {now:.1f} s, {rest:.1f} s to go"
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            self._out.write("\n")
            self._out.flush()
