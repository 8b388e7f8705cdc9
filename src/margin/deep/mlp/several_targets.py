"""Several targets of classes in one network: outputs side by side, one for two classes, as many as classes for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["group_widths", "one_hot_targets", "shares_of_groups"]


def group_widths(classes: Sequence[np.ndarray]) -> list[int]:
    """Outputs of each target.

    >>> group_widths([np.array([False, True]), np.array(["a", "b", "c"])])
    [1, 3]
    """
    return [1 if len(each) <= 2 else len(each) for each in classes]


def one_hot_targets(y: np.ndarray, classes: Sequence[np.ndarray]) -> np.ndarray:
    """What the outputs of all targets should be.

    >>> one_hot_targets(np.array([[1, 2]]), [np.array([False, True]), np.array(["a", "b", "c"])]).tolist()
    [[1.0, 0.0, 0.0, 1.0]]
    """
    parts = []
    for j, width in enumerate(group_widths(classes)):
        parts.append(y[:, j : j + 1].astype(np.float64) if width == 1 else np.eye(width)[y[:, j]])
    return np.concatenate(parts, axis=1)


def shares_of_groups(scores: np.ndarray, classes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The probabilities of each target's classes, out of the scores of all.

    >>> [each.round(2).tolist() for each in shares_of_groups(np.zeros((1, 4)), [np.arange(2), np.arange(3)])]
    [[[0.5, 0.5]], [[0.33, 0.33, 0.33]]]
    """
    found, first = [], 0
    for each, width in zip(classes, group_widths(classes)):
        z = scores[:, first : first + width]
        first += width
        if len(each) == 1:
            found.append(np.ones((len(z), 1)))
            continue
        z = np.column_stack([np.zeros(len(z)), z]) if width == 1 else z
        e = np.exp(z - z.max(axis=1, keepdims=True))
        found.append(e / e.sum(axis=1, keepdims=True))
    return found
