"""What long work tells while it goes on: nothing, a line that is written over, or what the caller gave."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from margin.errors import ParameterError
from margin.evaluation.cross_validation.result import FoldDone

__all__ = ["ProgressLine", "reporter", "reporting"]

#: Seconds between two changes of the line: leave-one-out would otherwise write more than it computes.
_PAUSE = 0.1

#: What a step that is done reads like, after so many seconds; called for all steps, shown for some.
Words = Callable[[Any, float], str]


class ProgressLine:
    """A line on standard error that is written over, ten times a second at most.

    ``words`` says what it reads after a step, ``is_last`` whether it has to be shown in any case.
    """

    def __init__(self, words: Words, is_last: Callable[[Any], bool]) -> None:
        self._words, self._is_last, self._out, self._start = words, is_last, sys.stderr, perf_counter()
        self._last, self._width = -_PAUSE, 0

    def __call__(self, step: Any) -> None:
        now = perf_counter() - self._start
        text = self._words(step, now)
        if now - self._last < _PAUSE and not self._is_last(step):
            return
        self._last = now
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            self._out.write("\n")
            self._out.flush()


@contextmanager
def reporting(
    progress: Any, who: str, words: Words, is_last: Callable[[Any], bool]
) -> Iterator[Callable[[Any], Any] | None]:
    """What to tell of each step: nothing (None), a line that is written over, or what the caller of ``who`` gave."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise ParameterError(f"{who}(progress={progress!r}): progress must be True, False or a function.")
    elif not progress:
        yield None
    else:
        line = ProgressLine(words, is_last)
        try:
            yield line
        finally:
            line.end()


@contextmanager
def reporter(progress: Any, name: str) -> Iterator[Callable[[FoldDone], Any]]:
    """What to tell of each fold."""
    n_failed = 0

    def words(fold: FoldDone, seconds: float) -> str:
        nonlocal n_failed
        n_failed += fold.failed
        failed = f", {n_failed} failed" if n_failed else ""
        rest = seconds / fold.number * (fold.of - fold.number)
        return f"{name}: fold {fold.number} of {fold.of}{failed}, {seconds:.1f} s, {rest:.1f} s to go"

    with reporting(progress, "evaluate", words, lambda fold: fold.number == fold.of) as told:
        yield told or (lambda fold: None)
