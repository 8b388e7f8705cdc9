"""Rows in blocks of a fixed size, and sums over them in the shape of a binary tree over the numbers of the blocks.

Whoever works out which block, and wherever the rows lie, the same numbers are added in the same order: so a model is
the same to the last bit for any number of files, workers and threads. A run of 2**k blocks that begins at a multiple
of 2**k is a branch of the whole tree, and may be added up by whoever holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

__all__ = ["ROWS", "JoinedInPairs", "block_bounds", "joined", "n_blocks"]

Sum = TypeVar("Sum")

#: Rows of a block. A power of two, and part of what models are: another number gives other last digits.
ROWS = 1 << 16


def n_blocks(n_rows: int) -> int:
    """How many blocks so many rows make.

    >>> n_blocks(0), n_blocks(1), n_blocks(ROWS), n_blocks(ROWS + 1)
    (0, 1, 1, 2)
    """
    return -(-n_rows // ROWS)


def block_bounds(number: int, n_rows: int) -> tuple[int, int]:
    """The first row of a block, and the one behind its last.

    >>> block_bounds(1, ROWS + 5) == (ROWS, ROWS + 5)
    True
    """
    return number * ROWS, min((number + 1) * ROWS, n_rows)


class JoinedInPairs(Generic[Sum]):
    """Parts that come in any order, joined in pairs: 0 with 1, 2 with 3, then those, and so on.

    >>> whole = JoinedInPairs(3, lambda left, right: f"({left}{right})")
    >>> for number in (2, 0, 1):
    ...     whole.add(number, "abc"[number])
    >>> whole.sum
    '((ab)c)'
    """

    def __init__(self, n: int, join: Callable[[Sum, Sum], Sum]) -> None:
        self.n = n
        self._join = join
        self._waiting: dict[tuple[int, int], Sum] = {}
        self.sum: Sum | None = None

    def add(self, number: int, part: Sum) -> None:
        """Hand in a part; every pair that is complete now is joined."""
        n, level = self.n, 0
        while n > 1:
            if not (number % 2 == 0 and number + 1 == n):  # else it has no partner here
                if (level, number ^ 1) not in self._waiting:
                    self._waiting[level, number] = part
                    return
                partner = self._waiting.pop((level, number ^ 1))
                part = self._join(partner, part) if number % 2 else self._join(part, partner)
            n, number, level = (n + 1) // 2, number // 2, level + 1
        self.sum = part


def joined(parts: Iterable[Sum], n: int, join: Callable[[Sum, Sum], Sum]) -> Sum:
    """The sum of n parts that come in their order; there must be one at least."""
    whole = JoinedInPairs(n, join)
    for number, part in enumerate(parts):
        whole.add(number, part)
    assert whole.sum is not None
    return whole.sum
