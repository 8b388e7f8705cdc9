"""What each column of a case does to the answer: the same case with that cell of an average one instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.explain.one_case.background import Background
from margin.explain.rows.saying import Saying

__all__ = ["ColumnReason", "column_reasons"]


@dataclass(frozen=True)
class ColumnReason:
    """What a column does to an answer.

    Attributes
    ----------
    column
        Its name.
    value
        What stands in the case, in words.
    typical
        What stands in an average case.
    without
        What the model says of the case with the average cell in its place (a probability, a score or a value).
    pull
        What it says of the case, less ``without``: above 0 the cell speaks for the answer.
    answer
        The answer that the case would get then.
    """

    column: str
    value: str
    typical: str
    without: float
    pull: float
    answer: Any


def column_reasons(background: Background, saying: Saying) -> tuple[ColumnReason, ...]:
    """A reason for each column, the strongest first; all columns are asked about at once."""
    pool = background.pool
    typical = [background.typical(j) for j in range(len(pool.names))]
    rows = pool.repeated(0, 1 + sum(len(at) for at, _ in typical))
    first = 1
    for j, (at, _) in enumerate(typical):
        rows[first : first + len(at), j] = at
        first += len(at)
    made = pool.made(rows)
    said, labels, found, first = saying(made), saying.labels(made), [], 1
    for j, (at, share) in enumerate(typical):
        without = float(said[first : first + len(at)] @ share)
        told = pool.cell_text(int(at[0]), j) if len(at) == 1 else "any"
        found.append(
            ColumnReason(
                pool.names[j],
                pool.cell_text(0, j),
                told,
                without,
                float(said[0]) - without,
                labels[first + int(np.argmax(share))] if len(at) == 1 else None,
            )
        )
        first += len(at)
    return tuple(sorted(found, key=lambda reason: -abs(reason.pull)))
