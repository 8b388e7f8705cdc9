"""Free text as counts of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from margin.data.written.words import words_of

__all__ = ["count_words"]


def count_words(texts: Iterable[Any], vocabulary: Sequence[str] | None = None) -> tuple[tuple[str, ...], Any]:
    """The words, and how often each text has each of them, as CSR with one row per text.

    Without a vocabulary it is all words of the texts, sorted; with one, other words are left out.

    >>> words, counts = count_words(["a b a", "c"])
    >>> words, counts.toarray().tolist()
    (('a', 'b', 'c'), [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """
    from scipy.sparse import csr_array

    split = [words_of(text) for text in texts]
    if vocabulary is None:
        vocabulary = sorted({word for words in split for word in words})
    place = {word: i for i, word in enumerate(vocabulary)}
    found = [[place[word] for word in words if word in place] for words in split]
    start = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64)
    columns = np.fromiter((column for row in found for column in row), np.int64, int(start[-1]))
    counts = csr_array((np.ones(len(columns)), columns, start), shape=(len(split), len(vocabulary)))
    counts.sum_duplicates()
    return tuple(vocabulary), counts
