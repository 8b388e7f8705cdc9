"""When further rounds no longer help: by rows that are held back, or by folds that take turns in being held back."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.boosting.adaboost.learner_rounds import standing
from margin.boosting.adaboost.settings import Step
from margin.errors import ParameterError

__all__ = ["FOLDS", "HeldBack", "Patience", "held_back", "rounds_out_of_fold", "which_fold"]

#: Folds of early stopping out of fold.
FOLDS = 5


class HeldBack:
    """Rows that are not learnt from, and what all rounds so far say of them; weights are shares of all such rows."""

    def __init__(self, X: Any, y: np.ndarray, weight: np.ndarray, votes: np.ndarray) -> None:
        self.X, self.y, self.weight, self.votes = X, y, weight, votes

    def error_after(self, state: Any) -> float:
        """The share of wrong answers, the newest round included."""
        self.votes += state.newest_votes(self.X)
        return self.error()

    def error(self) -> float:
        """The share of wrong answers."""
        return standing(self.votes, self.y, self.weight, 1.0)[0]


class Patience:
    """How many rounds without a better error end the training; ``best_at`` is the round of the smallest so far."""

    def __init__(self, n_iter_no_change: int) -> None:
        self.n, self.best, self.best_at = n_iter_no_change, np.inf, 0

    def is_over(self, error: float, number: int) -> bool:
        if error < self.best:
            self.best, self.best_at = error, number
        return number - self.best_at >= self.n


def held_back(y: np.ndarray, share: float, draw: np.random.Generator, who: str) -> np.ndarray:
    """Which rows are held back: a share of each class, and never its last row."""
    held = np.zeros(len(y), dtype=bool)
    for code in np.unique(y):
        rows = np.flatnonzero(y == code)
        n = min(round(len(rows) * share), len(rows) - 1)
        held[draw.permutation(rows)[:n]] = True
    if not held.any():
        raise ParameterError(f"{who}(early_stopping=True): {len(y)} rows are too few to hold some back.")
    return held


def which_fold(y: np.ndarray, draw: np.random.Generator, who: str) -> np.ndarray:
    """The fold of each row; the rows of a class are dealt out one by one, and the next class goes on where it ended."""
    if len(y) < 2 * FOLDS:
        raise ParameterError(f"{who}(early_stopping='out_of_fold'): {len(y)} rows are too few for {FOLDS} folds.")
    by_class = np.concatenate([draw.permutation(np.flatnonzero(y == code)) for code in np.unique(y)])
    fold = np.empty(len(y), dtype=np.int64)
    fold[by_class] = np.arange(len(y)) % FOLDS
    return fold


def rounds_out_of_fold(folds: list[tuple[Any, HeldBack]], n_rounds: int, patience: Patience) -> list[float]:
    """The share of all rows that are wrong out of fold after each round, up to the best one.

    ``folds`` are the states of the rounds without each fold, and the fold. One whose rounds have ended keeps its votes.
    """
    errors: list[float] = []
    going = list(range(len(folds)))
    for number in range(n_rounds):
        ended = []
        for k in going:
            state, fold = folds[k]
            step = state.step()
            if isinstance(step, Step):
                fold.votes += state.newest_votes(fold.X)
            if not isinstance(step, Step) or step.weighed.perfect:
                ended.append(k)
        going = [k for k in going if k not in ended]
        errors.append(sum(fold.error() for _, fold in folds))
        if patience.is_over(errors[-1], number) or not going:
            break
    return errors[: patience.best_at + 1]
