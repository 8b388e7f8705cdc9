"""Steps of all sequences in one array, and batches of them laid out step by step for a recurrent network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["Laid", "Ragged"]

#: Batches whose rows are put in the order of their lengths together: batches then hold rows of about one length, and
#: which rows meet is still a matter of chance.
BUCKET = 50


@dataclass(frozen=True)
class Laid:
    """Some sequences as torch packs them: the first steps of all, then the second ones, longest sequence first.

    ``steps`` are rows of the array of steps, ``sizes`` how many sequences have each step, ``places`` which of the ``n``
    given sequences these are; empty sequences have none.
    """

    steps: np.ndarray
    sizes: np.ndarray
    places: np.ndarray
    n: int


@dataclass(frozen=True)
class Ragged:
    """Codes (steps,) or numbers (steps, width) of sequences that follow each other.

    >>> rows = Ragged.of([np.array([1, 2, 3]), np.array([4])])
    >>> laid = rows.laid(np.array([1, 0]))
    >>> laid.steps.tolist(), laid.sizes.tolist(), laid.places.tolist()
    ([1, 4, 2, 3], [2, 1, 1], [1, 0])
    """

    flat: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, arrays: list[np.ndarray]) -> Ragged:
        lengths = np.array([len(each) for each in arrays], dtype=np.int64)
        flat = np.concatenate(arrays) if arrays else np.zeros(0)
        return cls(flat, np.cumsum(lengths) - lengths, lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def laid(self, rows: np.ndarray) -> Laid:
        """Sequences side by side, none of them filled up to the length of another."""
        lengths = self.lengths[rows]
        order = np.argsort(-lengths, kind="stable")
        order = order[: int((lengths > 0).sum())]
        lengths, starts = lengths[order], self.starts[rows[order]]
        longest = int(lengths[0]) if len(lengths) else 0
        sizes = len(lengths) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")
        offsets = np.cumsum(sizes) - sizes
        # The sequences that have step t are the first sizes[t].
        which = np.arange(int(sizes.sum())) - np.repeat(offsets, sizes)
        places = starts[which] + np.repeat(np.arange(longest), sizes)
        return Laid(self.flat[places], sizes, order, len(rows))

    def batches(self, order: np.ndarray, size: int) -> Iterator[np.ndarray]:
        """An order cut into batches of rows of about one length; the batches come as chance has it."""
        cut = []
        for first in range(0, len(order), size * BUCKET):
            chunk = np.arange(first, min(first + size * BUCKET, len(order)))
            by_length = chunk[np.argsort(self.lengths[order[chunk]], kind="stable")]
            cut += [by_length[at : at + size] for at in range(0, len(by_length), size)]
        # The place of its first row in the order is as random as the order is.
        for places in sorted(cut, key=lambda places: int(places[0])):
            yield order[places]

    def pieces(self, steps: int, most: int) -> Iterator[np.ndarray]:
        """All rows, those of like length together, in pieces of so many steps and rows at most (one row at least)."""
        order = np.argsort(self.lengths, kind="stable")
        first, held = 0, 0
        for at, length in enumerate(self.lengths[order].tolist()):
            if at > first and (held + length > steps or at - first >= most):
                yield order[first:at]
                first, held = at, 0
            held += length
        if first < len(order):
            yield order[first:]
