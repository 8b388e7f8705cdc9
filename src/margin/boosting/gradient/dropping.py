"""What rounds count in the end that later rounds left out while they grew (DART)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["kept_shares"]


def kept_shares(dropped: Sequence[np.ndarray], learning_rate: float) -> np.ndarray:
    """What the leaves of each round are multiplied by after all of these rounds, each of which left some out before it.

    A round that leaves out k others shares with them what it finds: it takes eta / (k + eta), which its leaves know
    from the beginning, and each of the k keeps k / (k + eta) of what it was.

    >>> kept_shares([np.array([], int), np.array([0]), np.array([0, 1])], 1.0)
    array([0.33333333, 0.66666667, 1.        ])
    """
    share = np.ones(len(dropped))
    for out in dropped:
        share[out] *= len(out) / (len(out) + learning_rate)
    return share
