"""The record of one round of additive boosting."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["AdditiveRound"]


@dataclass(frozen=True)
class AdditiveRound:
    """What one round added, and where the sum of all rounds up to it stands.

    Attributes
    ----------
    number
        Counted from 1.
    rules
        The trees of the round in words: one for two classes, else one for each class, with what they add to its score.
    loss, error
        Mean loss and share of errors on the rows learnt from, after this round.
    validation_loss
        Mean loss on the rows held back, NaN where there are none.
    """

    number: int
    rules: tuple[str, ...]
    loss: float
    error: float
    validation_loss: float = math.nan

    def __str__(self) -> str:
        held = "" if math.isnan(self.validation_loss) else f"  held back {self.validation_loss:.4f}"
        return f"{self.number:>4}  loss {self.loss:.4f}  error {self.error:.3f}{held}  {'; '.join(self.rules)}"
