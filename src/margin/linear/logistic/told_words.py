"""Words against the most frequent word of their column: how the coefficients of a table are told.

A model has a coefficient for every word, against rows whose cell is missing, which may be none at all. What a reader
asks is how two words differ. Each line that is told is a sum of coefficients: a number has its own, a word its own less
that of the most frequent word, a missing cell nothing less that, and the intercept is the score of a case whose words
are all the most frequent ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.inputs.observed_levels import JOINED

__all__ = ["Told", "as_they_are", "words_against_the_most_frequent"]

#: Shares of rows below this are rounding.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Told:
    """Lines of a table of coefficients.

    ``sums`` has a row for each line and a column for each coefficient, the intercept last; ``against`` says of each
    column of words what its words are compared with.
    """

    names: list[str]
    sums: np.ndarray
    against: dict[str, str]


def as_they_are(names: list[str], intercept: bool) -> Told:
    """A line for each coefficient, the intercept first."""
    d = len(names)
    sums = np.eye(d + 1)
    return Told(["(intercept)", *names], sums[[d, *range(d)]], {}) if intercept else Told(names, sums[:d], {})


def words_against_the_most_frequent(encoder: Any, shares: np.ndarray, intercept: bool) -> Told:
    """Lines of a model that learnt from words; ``shares`` are those of all coefficients, 0 for numbers."""
    plain = as_they_are(encoder.names_out(), intercept)
    sums, names, against = plain.sums.copy(), list(plain.names), {}
    first, skipped = len(encoder.numbered), intercept
    gone: list[int] = []
    for column in encoder.one_hot:
        places = np.arange(first, first + len(column.levels))
        first += len(places)
        missing = 1 - shares[places].sum()
        if not len(places) or shares[places].max() < missing - NOTHING:
            against[column.name] = "a missing cell"
            continue
        most = int(places[np.argmax(shares[places])])
        against[column.name] = repr(str(column.levels[most - places[0]]))
        sums[places + skipped, most] -= 1
        if intercept:
            sums[0, most] += 1
        if missing > NOTHING:  # the line of the most frequent word becomes that of a missing cell: nothing, less it
            names[most + skipped] = f"{column.name}=({'missing or rare' if JOINED in column.reason else 'missing'})"
            sums[most + skipped, most] = -1
        else:
            gone.append(most + skipped)
    return Told([name for i, name in enumerate(names) if i not in set(gone)], np.delete(sums, gone, axis=0), against)
