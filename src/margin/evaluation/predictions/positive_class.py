"""Which of two classes is the one to be found: the positive class of precision, recall and F1."""

from __future__ import annotations

import numpy as np

__all__ = ["SAYS_YES", "positive_code", "says_yes"]

#: How a class is written that says yes, whatever its capitals.
SAYS_YES = frozenset({"1", "+1", "1.0", "+", "y", "yes", "t", "true", "pos", "positive", "present"})


def says_yes(label: object) -> bool:
    """Whether a label alone says that something is there.

    >>> [label for label in (True, 1, "Yes", "+", "bad", 2) if says_yes(label)]
    [True, 1, 'Yes', '+']
    """
    text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
    return text.strip().lower() in SAYS_YES


def positive_code(classes: np.ndarray, counts: np.ndarray | None = None) -> int | None:
    """The place of the positive class among two; ``None`` where there are not two.

    It is the one that says yes (True, 1, "yes", "positive", …) where the other does not, else the one with fewer cases,
    else, with as many of both or where they were not counted, the last.

    >>> positive_code(np.array([0, 1]), np.array([10, 90])), positive_code(np.array(["+", "-"]))
    (1, 0)
    >>> positive_code(np.array(["bad", "good"]), np.array([30, 70])), positive_code(np.array(["a", "b", "c"]))
    (0, None)
    """
    if len(classes) != 2:
        return None
    first, second = map(says_yes, classes.tolist())
    if first != second:
        return int(second)
    return int(counts is None or not counts[0] < counts[1])
