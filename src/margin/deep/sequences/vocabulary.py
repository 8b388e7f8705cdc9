"""Texts as codes: which tokens the training rows hold, and a code for those that they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np

from margin.data.written.words import words_of
from margin.deep.sequences.ragged import Ragged

__all__ = ["TokenForm", "Vocabulary"]

TokenForm = Literal["characters", "words", "tokens"]
UNKNOWN = 0


class Vocabulary:
    """Tokens with codes from 1 up; 0 is any other token.

    >>> known = Vocabulary.learnt(["abba", "b c"], "characters", min_count=1, most=10)
    >>> known.tokens, known.encoded(["cab?"]).flat.tolist()
    ((' ', 'a', 'b', 'c'), [4, 2, 3, 0])
    >>> Vocabulary.learnt(["abba", "b c"], "characters", min_count=2, most=10).tokens
    ('b',)
    """

    def __init__(self, tokens: Sequence[str], form: TokenForm) -> None:
        self.tokens, self.form = tuple(tokens), form
        self._codes = {token: code for code, token in enumerate(self.tokens, start=1)}

    @classmethod
    def learnt(cls, texts: Sequence[Any], form: TokenForm, min_count: int, most: int) -> Vocabulary:
        """Those tokens that ``min_count`` texts hold, the most frequent ones first if there are too many.

        Where none is in so many texts, all are kept.
        """
        counts = Counter(chain.from_iterable(set(cls.parts(text, form)) for text in texts))
        kept = [token for token, count in counts.items() if count >= min_count] or list(counts)
        kept.sort(key=lambda token: (-counts[token], token))
        return cls(sorted(kept[:most]), form)

    @staticmethod
    def parts(text: Any, form: TokenForm) -> Sequence[str]:
        """The tokens of a text; a list of tokens is such already."""
        if isinstance(text, str):
            return words_of(text) if form == "words" else text
        return text

    def __len__(self) -> int:
        """How many codes there are, that of unknown tokens among them."""
        return len(self.tokens) + 1

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self.tokens)} {self.form}>"

    def codes(self, tokens: Iterable[str]) -> np.ndarray:
        get = self._codes.get
        return np.array([get(token, UNKNOWN) for token in tokens], dtype=np.int32)

    def encoded(self, texts: Sequence[Any], most: int | None = None) -> Ragged:
        """The codes of texts, of each at most the first ``most`` tokens."""
        return Ragged.of([self.codes(self.parts(text, self.form)[:most]) for text in texts] or [np.zeros(0, np.int32)])
