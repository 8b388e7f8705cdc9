"""Round after round, and when further ones no longer help: by rows that are held back, or by folds that take turns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from margin.boosting.adaboost.learner_rounds import standing
from margin.boosting.patience import FOLDS, Patience
from margin.errors import ParameterError

__all__ = ["HeldBack", "Ran", "held_back", "rounds_out_of_fold", "run", "which_fold"]


class HeldBack:
    """Rows that are not learnt from, and what all rounds so far say of them; weights are shares of all such rows."""

    def __init__(self, X: Any, y: np.ndarray, weight: np.ndarray, votes: np.ndarray) -> None:
        self.X, self.y, self.weight, self.votes = X, y, weight, votes

    def hear(self, state: Any) -> None:
        """Add what the newest round says."""
        self.votes += state.newest_votes(self.X)

    def error(self) -> float:
        """The share of wrong answers."""
        return standing(self.votes, self.y, self.weight, 1.0)[0]


class Ran(NamedTuple):
    """The rounds that were made, the error of each on rows not learnt from, why they ended, and how many are kept."""

    steps: list[Any]
    validation: list[float]
    ended: str
    n_kept: int


def run(state: Any, first: int, n_rounds: int, held: Any, errors: list[float] | None, patience: Patience) -> Ran:
    """The rounds from ``first`` on, judged by rows held back, or as many as there are errors out of fold.

    ``state`` makes a round by ``step()``. What that gives was ``taken`` or not; it says whether the rounds end with it
    (``ends``), and why (``ending``).
    """
    steps: list[Any] = []
    validation: list[float] = []
    ended = "as many rounds as asked for"
    if getattr(state, "n_varying", 1) == 0:
        n_rounds, ended = 0, "no column varies"
    if errors is not None and len(errors) < n_rounds:
        n_rounds, ended = len(errors), f"no better error out of fold since round {len(errors)}"
    for number in range(first, n_rounds):
        step = state.step()
        if not step.taken:
            ended = step.ending(number + 1)
            break
        steps.append(step)
        if held is not None:
            held.hear(state)
        validation.append(held.error() if held is not None else np.nan if errors is None else errors[number])
        if step.ends:
            ended = step.ending(number + 1)
            break
        if held is not None and patience.is_over(validation):
            ended = f"no better error on the rows held back since round {first + int(np.argmin(validation)) + 1}"
            break
    if held is None or not steps:
        return Ran(steps, validation, ended, len(steps))
    n_kept = int(np.argmin(validation)) + 1
    if n_kept < len(steps) and not ended.startswith("no better"):
        ended += f"; the best on the rows held back was round {first + n_kept}"
    return Ran(steps, validation, ended, n_kept)


def held_back(stratum: np.ndarray, share: float, draw: np.random.Generator, who: str) -> np.ndarray:
    """Which rows are held back: a share of each stratum, and never its last row."""
    held = np.zeros(len(stratum), dtype=bool)
    for code in np.unique(stratum):
        rows = np.flatnonzero(stratum == code)
        n = min(round(len(rows) * share), len(rows) - 1)
        held[draw.permutation(rows)[:n]] = True
    if not held.any():
        raise ParameterError(f"{who}(early_stopping=True): {len(stratum)} rows are too few to hold some back.")
    return held


def which_fold(stratum: np.ndarray, draw: np.random.Generator, who: str) -> np.ndarray:
    """The fold of each row; the rows of a stratum are dealt out one by one, and the next goes on where it ended."""
    n = len(stratum)
    if n < 2 * FOLDS:
        raise ParameterError(f"{who}(early_stopping='out_of_fold'): {n} rows are too few for {FOLDS} folds.")
    in_turn = np.concatenate([draw.permutation(np.flatnonzero(stratum == code)) for code in np.unique(stratum)])
    fold = np.empty(n, dtype=np.int64)
    fold[in_turn] = np.arange(n) % FOLDS
    return fold


def rounds_out_of_fold(folds: list[tuple[Any, Any]], n_rounds: int, patience: Patience) -> list[float]:
    """The error of all rows out of fold after each round, up to the best one.

    ``folds`` are the states of the rounds without each fold, and the fold. One whose rounds have ended keeps its votes.
    """
    errors: list[float] = []
    going = list(folds)
    for _ in range(n_rounds):
        still = []
        for state, fold in going:
            step = state.step()
            if step.taken:
                fold.hear(state)
                if not step.ends:
                    still.append((state, fold))
        going = still
        errors.append(sum(fold.error() for _, fold in folds))
        if patience.is_over(errors) or not going:
            break
    return errors[: int(np.argmin(errors)) + 1]
