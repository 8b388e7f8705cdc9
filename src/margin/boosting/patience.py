"""When rounds are over: rows that were not learnt from are answered no better for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["FOLDS", "Patience"]

#: Folds that say when to stop, where each of them is held back in turn.
FOLDS = 5


@dataclass(frozen=True)
class Patience:
    """Rounds are over when none of the last ``rounds`` was better by the share ``tol`` than the best before.

    >>> Patience(2).is_over([0.3, 0.1, 0.2]), Patience(2).is_over([0.3, 0.1, 0.2, 0.1])
    (False, True)
    """

    rounds: int
    tol: float = 0.0

    def is_over(self, curve: Sequence[float] | np.ndarray) -> bool:
        """Whether a curve of losses, one for each round, falls no more."""
        if len(curve) <= self.rounds:
            return False
        before = float(np.min(curve[: -self.rounds]))
        return bool(np.min(curve[-self.rounds :]) >= before - self.tol * abs(before))
