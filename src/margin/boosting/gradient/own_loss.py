"""Losses of the user's own: what they answer is looked at before anything is learnt from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import DataError

__all__ = ["OwnLoss"]

#: Steps towards the score to begin with, and by how much a step is shortened that does not lower the loss.
STEPS, SHORTER = 30, 0.25


class OwnLoss:
    """A function of targets and scores that gives loss, first and second derivative of each row.

    Scores are an array of rows, or of rows x classes where there are more than two; losses have one number for each
    row, derivatives the shape of the scores.
    """

    def __init__(self, function: Callable[..., Any], who: str) -> None:
        self.function = function
        self.who = who

    def of(self, y: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Losses of the rows; derivatives by each score (scores x rows, as ``scores`` are)."""
        seen = scores[0].copy() if len(scores) == 1 else np.ascontiguousarray(scores.T)
        answer = self.function(y.copy(), seen.copy())
        if not isinstance(answer, tuple | list) or len(answer) != 3:
            raise DataError(
                f"{self.who}(loss={self._name}): must answer three arrays, loss, first and second derivative of each "
                f"row, but answered {type(answer).__name__}."
            )
        loss = self._checked(answer[0], (len(y),), "losses")
        g, h = (
            self._checked(a, seen.shape, f"{n} derivatives")
            for a, n in zip(answer[1:], ("first", "second"), strict=True)
        )
        if (h < 0).any():
            row = int(np.argwhere(h < 0)[0][0])
            raise DataError(
                f"{self.who}(loss={self._name}): second derivatives must be at least 0, but that of row {row} is "
                f"{float(h[h < 0][0])!r} (put a number above 0 where the loss bends downwards)."
            )
        return loss, np.ascontiguousarray(np.atleast_2d(g.T)), np.ascontiguousarray(np.atleast_2d(h.T))

    def mean(self, y: np.ndarray, weight: np.ndarray, scores: np.ndarray) -> float:
        """The mean loss of some rows."""
        return float(np.average(self.of(y, scores)[0], weights=weight))

    def first_score(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """One score for all rows that makes the loss small: Newton's steps from 0, shorter where they do not help."""
        score, step = 0.0, 1.0
        best = np.inf
        for _ in range(STEPS):
            loss, g, h = self.of(y, np.full((1, len(y)), score))
            here = float(np.average(loss, weights=weight))
            if here < best:
                best, kept, step = here, score, 1.0
                down = float(weight @ g[0]) / max(float(weight @ h[0]), 1e-300)
            else:
                step *= SHORTER
            if abs(step * down) <= 1e-9 * (1 + abs(kept)):
                break
            score = kept - step * down
        return np.array([kept])

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _checked(self, answer: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
        try:
            found = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{self.who}(loss={self._name}): {what} must be numbers.") from None
        if found.shape != shape:
            raise DataError(
                f"{self.who}(loss={self._name}): {what} must have the shape {shape}, but have {found.shape}."
            )
        if not np.isfinite(found).all():
            row = int(np.argwhere(~np.isfinite(found))[0][0])
            raise DataError(f"{self.who}(loss={self._name}): {what} must be finite, but row {row} has {found[row]}.")
        return found
