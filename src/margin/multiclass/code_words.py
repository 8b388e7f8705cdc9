"""Code words of classes: one row of +1 and -1 for each class, in which 0 leaves a class out of a member."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ParameterError, listing
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["MOST_EXHAUSTIVE", "exhaustive_code", "given_code", "least_distance", "random_code", "usual_bits"]

#: Up to so many classes every division of the classes into two is tried (63 of them); more have random code words.
MOST_EXHAUSTIVE = 7
#: All divisions of more classes than this would not fit anywhere.
MOST_POSSIBLE = 15
#: Random codes of which the one whose words differ most is taken.
TRIALS = 200


def exhaustive_code(n_classes: int) -> np.ndarray:
    """Every division of the classes into two sides, each once: 2^(K-1) - 1 columns.

    >>> exhaustive_code(3)
    array([[ 1,  1,  1],
           [ 1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    """
    if n_classes < 2:
        return np.ones((n_classes, 0), dtype=np.int8)
    if n_classes > MOST_POSSIBLE:
        raise ParameterError(
            f"ErrorCorrectingCodes(code='exhaustive'): {n_classes} classes can be divided in 2^{n_classes - 1} - 1 "
            "ways, and that many members are too many (code='random' has fewer)."
        )
    # The first class is always on the side +1, and the division with all of them there is none.
    number = np.arange(2 ** (n_classes - 1) - 2, -1, -1)
    bits = (number[None, :] >> np.arange(n_classes - 2, -1, -1)[:, None]) & 1
    return np.vstack([np.ones((1, len(number))), 2 * bits - 1]).astype(np.int8)


def usual_bits(n_classes: int) -> int:
    """10 log₂ K, as Allwein, Schapire and Singer have it.

    >>> usual_bits(26)
    48
    """
    return max(1, int(np.ceil(10 * np.log2(max(n_classes, 2)))))


def random_code(n_classes: int, n_bits: int, seed: SeedLike) -> np.ndarray:
    """Of many random codes the one whose two nearest words differ most.

    No column has all classes on one side, and none is another one or its opposite as long as there are others.
    """
    if n_classes < 2:
        return np.ones((n_classes, 0), dtype=np.int8)
    if n_classes <= MOST_POSSIBLE and n_bits >= 2 ** (n_classes - 1) - 1:
        return exhaustive_code(n_classes)
    rng = generator(seed, "code words")
    best, distance = None, -1.0
    for _ in range(TRIALS):
        tried = _different_columns(rng, n_classes, n_bits)
        found = least_distance(tried)
        if found > distance:
            best, distance = tried, found
    assert best is not None
    if distance == 0:
        raise ParameterError(
            f"ErrorCorrectingCodes(n_bits={n_bits}): {n_bits} bits must tell {n_classes} classes apart, but no code "
            f"was found that does (at least {int(np.ceil(np.log2(n_classes)))}, better {usual_bits(n_classes)})."
        )
    return best


def _different_columns(rng: np.random.Generator, n_classes: int, n_bits: int) -> np.ndarray:
    seen: set[bytes] = set()
    columns: list[np.ndarray] = []
    while len(columns) < n_bits:
        column = rng.integers(0, 2, n_classes).astype(np.int8) * 2 - 1
        column = column * column[0]  # a side is as good as the other
        if (column == 1).all() or column.tobytes() in seen:
            continue
        seen.add(column.tobytes())
        columns.append(column.astype(np.int8))
    return np.column_stack(columns)


def least_distance(code: np.ndarray) -> float:
    """In how many bits the two nearest words differ; a bit that one of them leaves out is half a difference.

    >>> least_distance(exhaustive_code(5))
    8.0
    """
    words = code.astype(np.float64)
    differ = (code.shape[1] - words @ words.T) / 2
    return float(differ[np.triu_indices(len(code), 1)].min(initial=np.inf))


def given_code(code: Any, n_classes: int) -> np.ndarray:
    """Code words of the user's: rows of +1 and -1 (0 leaves a class out), or of 1 and 0."""
    who = "ErrorCorrectingCodes(code=…)"
    words = np.asarray(code)
    if words.ndim != 2 or len(words) != n_classes or words.dtype.kind not in "iufb":
        raise ParameterError(f"{who}: there must be one row of numbers for each of the {n_classes} classes.")
    words = words.astype(np.float64)
    if not np.isin(words, (-1, 0, 1)).all():
        raise ParameterError(f"{who}: code words must be made of +1 and -1 (0 leaves a class out), or of 1 and 0.")
    if not (words < 0).any():
        words = 2 * words - 1
    one_sided = np.flatnonzero(~((words > 0).any(axis=0) & (words < 0).any(axis=0)))
    if n_classes > 1 and len(one_sided):
        raise ParameterError(f"{who}: column {listing(one_sided.tolist())} must have classes on both sides.")
    if n_classes > 1 and least_distance(words.astype(np.int8)) <= 0:
        raise ParameterError(f"{who}: no two classes may have the same code word.")
    return words.astype(np.int8)
