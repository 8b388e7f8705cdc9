"""When a forest is large enough: the error out of bag no longer changes by what could be told from chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from margin.ensemble.forest.growing import ForestRows, ForestVotes
from margin.ensemble.forest.several import class_losses

__all__ = ["BATCH", "KEPT_BATCH", "MOST_TREES", "AtInterrupt", "is_flat"]

AtInterrupt = Literal["raise", "keep"]

#: Trees between two looks at the error, and the fewest and most of them.
BATCH, FEWEST_TREES, MOST_TREES = 25, 100, 1000
#: Trees that an interrupt may lose where the others are kept; as many as there are threads, if these are more.
KEPT_BATCH = 5
#: Of the standard error of the error: what two stretches of the curve may differ by.
TOLERANCE = 0.1


def is_flat(errors: Sequence[np.ndarray], votes: ForestVotes, rows: ForestRows) -> bool:
    """Whether the last batch of trees has the error of the one before, to a tenth of its standard error.

    More trees make the answers of a forest settle, they do not make it overfit: what is left to gain after that is
    small beside what the error itself is uncertain by. ``errors`` are those after each tree, in parts of any length.
    """
    curve = np.concatenate(errors)
    if len(curve) < FEWEST_TREES or len(curve) >= MOST_TREES:
        return len(curve) >= MOST_TREES
    if not votes.counts.any():  # a single row, which every tree draws: no more trees will tell more
        return True
    apart = abs(float(np.mean(curve[-BATCH:]) - np.mean(curve[-2 * BATCH : -BATCH])))
    return apart <= TOLERANCE * _standard_error(votes, rows)


def _standard_error(votes: ForestVotes, rows: ForestRows) -> float:
    asked = np.flatnonzero(votes.counts[:, 0])
    y = rows.y[asked]
    if rows.n_classes:
        loss = class_losses(votes.sums[asked], y, rows.n_classes)
    else:
        said = votes.sums[asked] / votes.counts[asked]
        loss = (((said - y.reshape(said.shape)) / rows.unit) ** 2).mean(axis=1)
    return float(loss.std() / np.sqrt(max(len(asked), 1)))
