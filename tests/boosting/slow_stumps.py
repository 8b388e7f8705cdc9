"""The slow definition of a stump: every cut of every column, both ways of missing cells, all subsets of levels."""

from __future__ import annotations

import itertools

import numpy as np

CRITERIA = {
    "error": lambda w: w.max(),
    "gini": lambda w: (w**2).sum() / w.sum() if w.sum() > 0 else 0.0,
    "exponential": lambda w: -2 * np.sqrt(max(0.0, (w.sum() ** 2 - (w**2).sum()) / 2)),
    "least squares": lambda w: w[1] ** 2 / w[0] if w[0] > 0 else 0.0,
}


def cuts(column, nominal):
    """Every way to send rows right, as masks."""
    known = column >= 0 if nominal else ~np.isnan(column)
    values = np.unique(column[known])
    if nominal:
        parts = [*values, *([-1] if not known.all() else [])]
        for size in range(1, len(parts)):
            for chosen in itertools.combinations(parts, size):
                yield np.isin(column, chosen)
        return
    for low in values[:-1]:
        right = column > low
        yield right | ~known
        if not known.all():
            yield right
    if not known.all():
        yield ~known


def best_score(columns, nominal, statistics, criterion):
    """The largest score over all cuts; ``statistics`` are a row of numbers for each case."""
    side = CRITERIA[criterion]
    scores = [
        side(statistics[right].sum(0)) + side(statistics[~right].sum(0))
        for column, is_nominal in zip(columns, nominal, strict=True)
        for right in cuts(column, is_nominal)
    ]
    return max(scores, default=-np.inf)


def score_of(leaf, statistics, criterion):
    """The score of a division of the cases."""
    return sum(CRITERIA[criterion](statistics[leaf == one].sum(0)) for one in np.unique(leaf))
