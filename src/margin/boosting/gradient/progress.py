"""What boosting tells while it goes on: nothing, a line that is written over, or a call for each round."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from margin.evaluation.cross_validation.progress_line import reporting

__all__ = ["BoostingProgress", "reporter"]


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


def reporter(progress: Any, who: str) -> AbstractContextManager[Told | None]:
    """What to tell of each round: nothing (None), a line that is written over, or what the caller gave."""
    return reporting(progress, f"{who}.fit", partial(_words, who), lambda done: done.round >= done.of)


def _words(who: str, done: BoostingProgress, seconds: float) -> str:
    what = "folds, round" if done.choosing else "round"
    text = f"{who}: {what} {done.round} of at most {done.of}, {seconds:.1f} s"
    if done.loss is not None:
        text += f", loss {done.loss:.6g} (smallest {done.best_loss:.6g} after {done.best_round})"
    return text
