"""What boosting tells while it goes on: nothing, a line that is written over, or a call for each round."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TextIO

from margin.errors import ParameterError

__all__ = ["BoostingProgress", "reporter"]

#: Seconds between two changes of the line.
PAUSE = 0.1


@dataclass(frozen=True)
class BoostingProgress:
    """A round of boosting that is done.

    Attributes
    ----------
    round, of
        Its number, and the most that there will be in this pass over the rounds.
    loss
        The mean loss, after it, of the rows held back or left out; None where there are none.
    best_loss, best_round
        The smallest so far, and after how many rounds; None where there are no such rows.
    choosing
        Whether folds are asked how many rounds there should be; the rounds of the model itself come later.

    Examples
    --------
    >>> import numpy as np
    >>> from margin import GradientBoostingRegressor
    >>> X, told = np.random.default_rng(0).normal(size=(200, 3)), []
    >>> model = GradientBoostingRegressor(n_estimators=20, early_stopping=True, random_state=0)
    >>> _ = model.fit(X, X[:, 1], progress=told.append)
    >>> told[-1].round, told[-1].of, told[-1].best_round == model.n_estimators_
    (20, 20, True)
    """

    round: int
    of: int
    loss: float | None = None
    best_loss: float | None = None
    best_round: int | None = None
    choosing: bool = False


Told = Callable[[BoostingProgress], Any]


@contextmanager
def reporter(progress: Any, who: str) -> Iterator[Told | None]:
    """What to tell of each round: nothing (None), a line that is written over, or what the caller gave."""
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool):
        raise ParameterError(f"{who}.fit(progress={progress!r}): progress must be True, False or a function.")
    elif not progress:
        yield None
    else:
        line = _Line(who, sys.stderr)
        try:
            yield line
        finally:
            line.end()


class _Line:
    def __init__(self, who: str, out: TextIO) -> None:
        self._who, self._out, self._start = who, out, perf_counter()
        self._last, self._width = -PAUSE, 0

    def __call__(self, done: BoostingProgress) -> None:
        now = perf_counter() - self._start
        if now - self._last < PAUSE and done.round < done.of:
            return
        self._last = now
        what = "folds, round" if done.choosing else "round"
        text = f"{self._who}: {what} {done.round} of at most {done.of}, {now:.1f} s"
        if done.loss is not None:
            text += f", loss {done.loss:.6g} (smallest {done.best_loss:.6g} after {done.best_round})"
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            self._out.write("\n")
            self._out.flush()
