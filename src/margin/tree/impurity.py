"""How mixed some classes are, and how much a column tells about them: the figures by which trees choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.data.weights import check_weights
from margin.errors import InputError, ParameterError, closest
from margin.tree.criteria import class_impurities, criteria
from margin.typing import LabelsLike, WeightsLike

__all__ = ["entropy", "error_share", "gain_ratio", "gini", "information_gain", "split_benefit", "split_information"]


def entropy(weights: Any) -> float:
    r"""Entropy in bits of classes with these weights, :math:`-\sum p_k \log_2 p_k` with :math:`p_k = w_k / W`.

    >>> [round(entropy(counts), 2) for counts in ([0, 6], [1, 5], [2, 4])]
    [0.0, 0.65, 0.92]
    """
    shares = _shares(weights, "entropy")
    shares = shares[shares > 0]
    return float(abs(-(shares * np.log2(shares)).sum()))


def gini(weights: Any) -> float:
    r"""Gini index of classes with these weights, :math:`1 - \sum p_k^2`: how often two draws differ.

    >>> gini([5, 5])
    0.5
    """
    return float(1 - (_shares(weights, "gini") ** 2).sum())


def error_share(weights: Any) -> float:
    r"""Share of those that are not of the most frequent class, :math:`1 - \max p_k`.

    >>> error_share([1, 3])
    0.25
    """
    return float(1 - _shares(weights, "error_share").max())


def information_gain(column: Any, y: LabelsLike, sample_weight: WeightsLike | None = None) -> float:
    """Bits that a nominal column tells about the classes y: their entropy less what is left within its levels.

    >>> outlook = ["sunny", "sunny", "rainy", "rainy"]
    >>> information_gain(outlook, ["no", "no", "yes", "yes"])
    1.0
    """
    return _gain(_table(column, y, sample_weight, "information_gain"), entropy)


def split_information(column: Any, sample_weight: WeightsLike | None = None) -> float:
    """Entropy in bits of the column itself: what a split into its levels costs.

    >>> split_information(["a", "b", "c", "d"])
    2.0
    """
    table = _table(column, np.zeros(len(column)), sample_weight, "split_information")
    return entropy(table.sum(axis=1))


def gain_ratio(column: Any, y: LabelsLike, sample_weight: WeightsLike | None = None) -> float:
    """Information gain for each bit of split information; 0 for a column of a single level.

    A key column, a level for every row, gains everything but costs as much: its ratio is low.

    >>> gain_ratio(["a", "b", "c", "d"], ["no", "no", "yes", "yes"])
    0.5
    """
    table = _table(column, y, sample_weight, "gain_ratio")
    cost = entropy(table.sum(axis=1))
    return _gain(table, entropy) / cost if cost > 0 else 0.0


def split_benefit(
    column: Any,
    y: LabelsLike,
    criterion: str = "gini",
    sample_weight: WeightsLike | None = None,
    *,
    times_n: bool = False,
) -> float:
    """How much a split into the levels of the column lowers the impurity of y, per case or, ``times_n``, of all cases.

    Benefits of splits of different nodes can be compared if they are of all cases: trees with ``max_leaf_nodes`` grow
    by them.

    >>> round(split_benefit(["left"] * 8 + ["right"] * 20, ["a"] * 13 + ["b"] * 15), 4)
    0.2296
    >>> round(split_benefit(["left"] * 8 + ["right"] * 20, ["a"] * 13 + ["b"] * 15, times_n=True), 4)
    6.4286
    """
    names = sorted(known.name for known in criteria().values() if known.target == "classes")
    if criterion not in names:
        known, hint = ", ".join(map(repr, names)), closest(criterion, names)
        raise ParameterError(f"split_benefit(criterion={criterion!r}): criterion must be one of {known}{hint}.")
    table = _table(column, y, sample_weight, "split_benefit")
    if criterion == "entropy":  # to the last bit the information gain
        benefit = _gain(table, entropy)
    else:
        benefit = _gain(table, lambda weights: float(class_impurities(criterion, weights[None] / weights.sum())[0]))
    return benefit * float(table.sum()) if times_n else benefit


def _gain(table: np.ndarray, impurity: Callable[[Any], float]) -> float:
    parts = (table.sum(axis=1) / table.sum()).tolist()
    after = sum(share * impurity(level) for share, level in zip(parts, table, strict=True) if share > 0)
    return impurity(table.sum(axis=0)) - after


def _shares(weights: Any, who: str) -> np.ndarray:
    found = np.asarray(weights, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all() or (found < 0).any() or not found.sum() > 0:
        raise InputError(f"{who}(weights={weights!r}): weights must be numbers of at least 0, one of them above 0.")
    return found / found.sum()


def _table(column: Any, y: LabelsLike, sample_weight: WeightsLike | None, who: str) -> np.ndarray:
    """The weight of each class (columns) in each level (rows)."""
    cells, labels = np.asarray(column), np.asarray(y)
    if cells.ndim != 1 or cells.shape != labels.shape or not len(cells):
        raise InputError(f"{who}: column and y must be two lists of equal length with at least one entry.")
    weight = check_weights(sample_weight, len(cells), who)
    levels, level = np.unique(cells.astype(str) if cells.dtype.kind == "O" else cells, return_inverse=True)
    classes, label = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels, return_inverse=True)
    counts = np.bincount(level * len(classes) + label, weight, len(levels) * len(classes))
    return counts.reshape(len(levels), len(classes))
