"""The record of boosting, one round after another: errors, weights of votes, bounds, and where the margins lie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Round", "RoundTable", "margin_bound"]

#: Cells of the distribution of margins, from -1 to 1 (``margin_cells`` of the core).
CELLS = 200


@dataclass(frozen=True)
class Round:
    """One round.

    Attributes
    ----------
    number
        Counted from 1.
    epsilon
        The weighted share of the rows that its rule gets wrong, under the weights of the round.
    alpha
        What its vote weighs; below 0 where the rule is asked for the opposite of what it says.
    z
        The sum by which the next weights are divided.
    bound
        The product of all z so far: the training error is no larger. NaN where this does not hold.
    exponential_bound
        exp(-2 Σ (½ - ε)²), which is no smaller than that product. NaN where this does not hold.
    training_error
        The share of wrong answers of all votes so far, by the weights that the rows came with.
    validation_error
        The same for the rows held back; NaN without such.
    least_margin
        The smallest margin: the votes for the class of a row less those for the best of the others, as a share of all
        votes.
    margins
        The share of the rows in each of 200 equally wide cells of margins from -1 to 1.
    """

    number: int
    epsilon: float
    alpha: float
    z: float
    bound: float
    exponential_bound: float
    training_error: float
    validation_error: float
    least_margin: float
    margins: np.ndarray

    def share_up_to(self, theta: float) -> float:
        """The share of the rows whose margin is at most theta, in steps of a hundredth."""
        return float(self.margins[: max(0, math.ceil((theta + 1) * CELLS / 2 - 1e-9))].sum())

    def __str__(self) -> str:
        held = "" if math.isnan(self.validation_error) else f", {self.validation_error:.1%} of those held back"
        bound = "" if math.isnan(self.bound) else f" ≤ ΠZ {self.bound:.3g}"
        return (
            f"round {self.number}: ε {self.epsilon:.3f}, α {self.alpha:.3f}, Z {self.z:.3f}; "
            f"wrong {self.training_error:.1%}{bound}{held}"
        )


def margin_bound(share: float, theta: float, n_rows: int, n_rules: float, delta: float = 0.05) -> float:
    r"""An upper bound on the error of a vote, with probability 1 - delta, by the margins of its training rows.

    Schapire, Freund, Bartlett, Lee (1998), theorem 1 with its constants: for every whole N, the error is at most the
    ``share`` of training rows of a margin up to ``theta``, plus :math:`2 e^{-N\theta^2/8}`, plus
    :math:`\sqrt{\ln(N (N+1)^2 |H|^N / \delta) / 2n}`; the best N is taken. It does not depend on the number of rounds.

    >>> round(margin_bound(0.01, 0.5, 1_000_000, 1000), 3)
    0.04
    """
    n = np.arange(1, 20_001, dtype=np.float64)
    luck = (np.log(n) + 2 * np.log(n + 1) + n * math.log(n_rules) - math.log(delta)) / (2 * n_rows)
    return share + float((2 * np.exp(-n * theta**2 / 8) + np.sqrt(luck)).min())


#: The numbers of a round in a ``RoundTable``, in the order of its columns.
FIELDS = ("epsilon", "alpha", "z", "bound", "exponential_bound", "training_error", "validation_error", "least_margin")


@dataclass(frozen=True, eq=False)
class RoundTable:
    """All rounds as two arrays: ``numbers`` has a row for each round, ``margins`` its distribution of margins."""

    numbers: np.ndarray
    margins: np.ndarray

    @classmethod
    def none_yet(cls) -> RoundTable:
        """Before the first round."""
        return cls(np.empty((0, len(FIELDS))), np.empty((0, CELLS), dtype=np.float32))

    def followed_by(self, numbers: list[list[float]], margins: list[np.ndarray]) -> RoundTable:
        """These rounds and further ones."""
        if not numbers:
            return self
        cells = np.array(margins, dtype=np.float32)
        return RoundTable(np.vstack([self.numbers, numbers]), np.vstack([self.margins, cells]))

    def first(self, n: int) -> RoundTable:
        """The first n rounds."""
        return RoundTable(self.numbers[:n], self.margins[:n])

    def column(self, name: str) -> np.ndarray:
        """One number of all rounds."""
        return self.numbers[:, FIELDS.index(name)]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Round]:
        for number, (row, margins) in enumerate(zip(self.numbers.tolist(), self.margins, strict=True), 1):
            named: dict[str, Any] = dict(zip(FIELDS, row, strict=True))
            yield Round(number, **named, margins=margins)
