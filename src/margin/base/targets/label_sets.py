"""Targets that are sets of labels: which there are, which each row has, and answers as sets again."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base.targets.labels import encode_labels
from margin.errors import LabelError

__all__ = ["answered_sets", "encode_label_sets"]


def encode_label_sets(sets: list[Any], n_rows: int, who: str) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """The labels in order, the classes False and True of each, and which rows (codes 1) have which label (columns).

    >>> labels, classes, codes = encode_label_sets([{"rain", "wind"}, set(), {"rain"}], 3, "fit")
    >>> labels.tolist(), codes.tolist()
    (['rain', 'wind'], [[1, 1], [0, 0], [1, 0]])
    """
    if len(sets) != n_rows:
        raise LabelError(f"{who}: y must have one label set per row, but has {len(sets)} sets for {n_rows} rows.")
    named = [label for labels in sets for label in labels]
    if not named:
        raise LabelError(f"{who}: y must hold at least one label, but all its sets are empty.")
    labels, at = encode_labels(named, len(named), who)
    codes = np.zeros((n_rows, len(labels)), dtype=np.int32)
    codes[np.repeat(np.arange(n_rows), [len(each) for each in sets]), at] = 1
    return labels, [np.array([False, True])] * len(labels), codes


def answered_sets(answers: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """A frozen set of labels for each row of True and False.

    >>> answered_sets(np.array([[True, False], [True, True]]), np.array(["a", "b"]))[0]
    frozenset({'a'})
    """
    found = np.empty(len(answers), dtype=object)
    names = labels.tolist()
    for row, said in enumerate(answers.tolist()):
        found[row] = frozenset(name for name, there in zip(names, said) if there is True)
    return found
