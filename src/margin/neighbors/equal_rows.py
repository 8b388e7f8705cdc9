"""Which rows are equal, cell by cell: found by sorting a hash of each row, and never by the hash alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from margin.base import MixedData

__all__ = ["EqualRows", "equal_queries", "words_of"]

# Odd multipliers spread every bit of a word upwards (Steele, Lea, Flood 2014), the shift brings it down again.
MULTIPLIER, SHIFT = np.uint64(0xBF58476D1CE4E5B9), np.uint64(32)
STEP = 0x9E3779B97F4A7C15
# So few rows are looked up at once that what is in use stays in the cache.
BLOCK_ROWS = 2**16
# About so many are sorted at once.
SORTED_ROWS = 2**17


def words_of(X: MixedData) -> np.ndarray:
    """Each cell as a word of 64 bits, so that equal cells are equal words: one zero and one NaN for all."""
    n, n_numbers = X.numeric.shape
    words = np.empty((n, n_numbers + len(X.codes)), dtype=np.uint64)
    for first in range(0, n, BLOCK_ROWS):  # a signal is heard in between
        some = slice(first, first + BLOCK_ROWS)
        numbers = np.add(X.numeric[some], 0.0, dtype=np.float64)
        numbers[np.isnan(numbers)] = np.nan
        words[some, :n_numbers] = numbers.view(np.uint64)
        for column, codes in enumerate(X.codes):
            words[some, n_numbers + column] = codes[some].astype(np.int64).view(np.uint64)
    return words


class EqualRows:
    """The different ones among some rows, each with a number from 0 on, to be found again among others.

    Rows are words as of :func:`words_of`. Should two different rows have one hash, all are hashed anew with another
    seed. Learning sorts, :math:`O(n d + n \\log n)`; finding is :math:`O(d + \\log n)` a row.

    >>> rows = EqualRows()
    >>> rows.learn(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint64)).tolist() in ([0, 1, 0], [1, 0, 1])
    True
    >>> rows.find(np.array([[5, 6]], dtype=np.uint64))
    array([-1])
    """

    rows: np.ndarray
    hashes: np.ndarray
    seed: int

    def learn(self, rows: np.ndarray) -> np.ndarray:
        """Remember the different rows; the number of each row given."""
        for self.seed in itertools.count():
            hashes = _hashes(rows, self.seed)
            number = np.empty(len(rows), dtype=np.intp)
            different, different_hashes, known = [], [], 0
            for at in _by_hash(hashes):
                ordered = hashes[at]
                is_new = np.ones(len(at), dtype=bool)
                np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
                number[at] = known + is_new.cumsum() - 1
                different.append(rows[at[is_new]])
                different_hashes.append(ordered[is_new])
                known += len(different_hashes[-1])
            self.rows, self.hashes = _joined(different), _joined(different_hashes)
            if len(self.rows) == len(rows) or _all_equal(self.rows, number, rows):
                return number
        raise AssertionError("some seed tells all rows apart")

    def find(self, rows: np.ndarray) -> np.ndarray:
        """The number of each row, -1 where it is none of those learnt."""
        found = np.empty(len(rows), dtype=np.intp)
        for first in range(0, len(rows), BLOCK_ROWS):
            block = rows[first : first + BLOCK_ROWS]
            at = self._candidates(_hashes(block, self.seed))
            found[first : first + BLOCK_ROWS] = np.where((self.rows[at] == block).all(axis=1), at, -1)
        return found

    def _candidates(self, hashes: np.ndarray) -> np.ndarray:
        if len(hashes) < 64:
            return np.minimum(self.hashes.searchsorted(hashes), len(self.hashes) - 1)
        order = hashes.argsort()  # neighbouring searches then read neighbouring memory
        at = np.empty(len(hashes), dtype=np.intp)
        at[order] = self.hashes.searchsorted(hashes[order])
        return np.minimum(at, len(self.hashes) - 1)


def equal_queries(queries: Any) -> tuple[np.ndarray, np.ndarray]:
    """A number for each query, the same for equal ones, and one query of each number."""
    if isinstance(queries, (MixedData, np.ndarray)):
        words = words_of(queries) if isinstance(queries, MixedData) else queries.view(np.uint64)
        number = EqualRows().learn(words)
    else:
        ends = list(zip(queries.indptr[:-1], queries.indptr[1:]))
        cells = [(queries.indices[a:b].tobytes(), queries.data[a:b].tobytes()) for a, b in ends]
        known: dict[Any, int] = {}
        number = np.array([known.setdefault(cell, len(known)) for cell in cells])
    one = np.empty(number.max() + 1, dtype=np.intp)
    one[number[::-1]] = np.arange(len(number))[::-1]
    return number, one


def _all_equal(different: np.ndarray, number: np.ndarray, rows: np.ndarray) -> bool:
    blocks = range(0, len(rows), BLOCK_ROWS)
    return all(
        np.array_equal(different[number[first : first + BLOCK_ROWS]], rows[first : first + BLOCK_ROWS])
        for first in blocks
    )


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Parts end to end, copied one by one."""
    if len(parts) == 1:
        return parts[0]
    whole = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), dtype=parts[0].dtype)
    first = 0
    for part in parts:
        whole[first : first + len(part)] = part
        first += len(part)
    return whole


def _by_hash(hashes: np.ndarray) -> Iterator[np.ndarray]:
    """The numbers of all rows by ascending hash, some at a time: nothing else can stop a long sort."""
    bits = min(8, max(0, len(hashes) // SORTED_ROWS).bit_length())
    if bits == 0:
        yield hashes.argsort()
        return
    leading = (hashes >> np.uint64(64 - bits)).astype(np.uint8)
    for first in range(2**bits):
        at = np.flatnonzero(leading == first)
        yield at[hashes[at].argsort()]


def _hashes(rows: np.ndarray, seed: int) -> np.ndarray:
    found = np.full(len(rows), (STEP * (seed + 1)) % 2**64, dtype=np.uint64)
    for column in range(rows.shape[1]):
        _mix(found, rows[:, column])
    _mix(found, np.uint64(rows.shape[1]))
    return found


def _mix(hashes: np.ndarray, words: Any) -> None:
    hashes ^= words
    hashes *= MULTIPLIER
    hashes ^= hashes >> SHIFT
