"""Free text as columns of a sparse matrix: words and pairs of words that follow each other, hashed.

A word is hashed by CRC-32 of its UTF-8 bytes, a pair by a mixture of its two hashes, and the first 18 bits are the
bucket. Buckets that fewer than three training texts fill say nothing about other texts, and have no column; of the
others those that most texts fill do, up to 32,768. A cell is log(1 + times) * log(texts / texts with the bucket), put
to one length for every text, so that a long one does not shout. Nothing has a sign: collisions are rare in so many
buckets, and a column is called by the word that fills it most.

The length is one that suits a penalty of C = 1: at length 1, which is usual, the words are hardly heard beside it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from margin.data.weights import count_repeats
from margin.data.written.words import words_of

__all__ = ["BITS", "HashedText"]

BITS = 18
#: A bucket has a column if so many training texts fill it; there are at most so many columns.
FEWEST, MOST = 3, 1 << 15
#: The Euclidean length of the row of a text.
LENGTH = 10.0


class _Grams(NamedTuple):
    """Words and pairs of texts: which text each is of, its hash, and where its first word stands among all words."""

    words: list[str]
    text: np.ndarray
    hashes: np.ndarray
    at: np.ndarray

    def name(self, gram: int, n_words: int) -> str:
        at = int(self.at[gram])
        return self.words[at] if gram < n_words else f"{self.words[at]} {self.words[at + 1]}"


class HashedText:
    """What was learnt of a column of texts: which buckets have a column, their weights and what they are called.

    >>> texts, codes = ("good day", "good night", "bad day"), np.array([0, 1, 2, 0, 1, 2])
    >>> learnt = HashedText.learn("note", texts, codes, None)
    >>> sorted(learnt.names), learnt.encode(("good", "nothing known"), np.array([0, 1, -1])).toarray().sum(axis=1)
    (["'day' in note", "'good' in note"], array([10.,  0.,  0.]))
    """

    def __init__(self, column: str, buckets: np.ndarray, weights: np.ndarray, grams: tuple[str, ...]) -> None:
        self.column = column
        self.buckets = buckets
        self.weights = weights
        self.grams = grams

    @property
    def names(self) -> list[str]:
        """What the columns are called: ``'free entry' in message``."""
        return [f"{gram!r} in {self.column}" for gram in self.grams]

    @classmethod
    def learn(cls, column: str, texts: Sequence[Any], codes: np.ndarray, weight: np.ndarray | None) -> HashedText:
        """Look at training texts; whole-number weights stand for repeated rows, and others change nothing here."""
        repeats = None if weight is None or not count_repeats(weight) else weight
        used = np.unique(codes[codes >= 0])
        rows = np.bincount(codes[codes >= 0], None if repeats is None else repeats[codes >= 0], len(texts))[used]
        total = float(len(codes) if repeats is None else repeats.sum())
        grams = _grams([texts[code] for code in used])
        counts = _counts(grams, _bucket(grams.hashes), len(used), 1 << BITS)
        filled = np.bincount(counts.indices, np.repeat(rows, np.diff(counts.indptr)), 1 << BITS)
        enough = filled >= FEWEST if (filled >= FEWEST).any() else filled > 0
        kept = np.flatnonzero(enough)
        if len(kept) > MOST:
            kept = np.sort(kept[np.lexsort((kept, -filled[kept]))[:MOST]])
        kept = kept.astype(np.int32)
        return cls(column, kept, np.log(total / filled[kept]), _called(grams, kept, rows))

    def encode(self, texts: Sequence[Any], codes: np.ndarray) -> Any:
        """CSR with a row for each code; a missing text, and one without known words, is a row of zeros."""
        import scipy.sparse

        used, places = np.unique(codes, return_inverse=True)
        missing = int(len(used) > 0 and used[0] < 0)
        grams = _grams([texts[code] for code in used[missing:]])
        buckets = _bucket(grams.hashes)
        at = np.searchsorted(self.buckets, buckets)
        known = np.flatnonzero(np.append(self.buckets, -1)[at] == buckets)
        counts = _counts(grams, at, len(used) - missing, max(1, len(self.buckets)), known)
        counts.data = np.log1p(counts.data) * self.weights[counts.indices]
        squares = np.add.reduceat(np.append(counts.data**2, 0.0), counts.indptr[:-1]) * (np.diff(counts.indptr) > 0)
        length = np.sqrt(np.where(squares > 0, squares, 1.0))
        counts.data *= LENGTH / np.repeat(length, np.diff(counts.indptr))
        empty = scipy.sparse.csr_array((missing, counts.shape[1]))
        found = scipy.sparse.csr_array(scipy.sparse.vstack([empty, counts], format="csr")[places])
        found.sort_indices()
        return found[:, : len(self.buckets)]


def _grams(texts: Sequence[Any]) -> _Grams:
    """All words of all texts, then all pairs of words that follow each other in one text."""
    split = [words_of(text) for text in texts]
    words = [word for each in split for word in each]
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(word, len(known)) for word in words), np.int64, len(words))
    by_word = np.array([zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in known], dtype=np.uint32)
    hashes = by_word[codes] if len(words) else np.empty(0, dtype=np.uint32)
    text = np.repeat(np.arange(len(texts)), [len(each) for each in split])
    pair = np.flatnonzero(text[1:] == text[:-1])
    pairs = hashes[pair] * np.uint32(0x9E3779B1) + hashes[pair + 1]
    return _Grams(
        words, np.append(text, text[pair]), _mixed(np.append(hashes, pairs)), np.append(np.arange(len(words)), pair)
    )


def _mixed(h: np.ndarray) -> np.ndarray:
    """Every bit of a hash depends on all bits (the last step of MurmurHash3)."""
    h = h ^ (h >> np.uint32(16))
    h = h * np.uint32(0x85EBCA6B)
    h = h ^ (h >> np.uint32(13))
    h = h * np.uint32(0xC2B2AE35)
    return h ^ (h >> np.uint32(16))


def _bucket(hashes: np.ndarray) -> np.ndarray:
    return (hashes >> np.uint32(32 - BITS)).astype(np.int32)


def _counts(grams: _Grams, columns: np.ndarray, n: int, width: int, some: np.ndarray | None = None) -> Any:
    """How often each text has each column, as CSR in the order of the columns."""
    import scipy.sparse

    text, columns = (grams.text, columns) if some is None else (grams.text[some], columns[some])
    made = scipy.sparse.coo_array((np.ones(len(text)), (text, columns)), shape=(n, width)).tocsr()
    made.sum_duplicates()
    return made


def _called(grams: _Grams, kept: np.ndarray, rows: np.ndarray) -> tuple[str, ...]:
    """For each bucket the word or pair that comes most often in it; of equally frequent ones that of the least hash."""
    hashes, first, place = np.unique(grams.hashes, return_index=True, return_inverse=True)
    times = np.bincount(place, rows[grams.text], len(hashes))
    order = np.lexsort((hashes, -times, _bucket(hashes)))
    at = order[np.searchsorted(_bucket(hashes)[order], kept)]
    return tuple(grams.name(gram, len(grams.words)) for gram in first[at].tolist())
