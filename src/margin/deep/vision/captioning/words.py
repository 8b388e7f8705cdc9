"""Captions as codes of words, with a mark before and behind; questions likewise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.written.words import words_of
from margin.deep.sequences.vocabulary import UNKNOWN, Vocabulary
from margin.errors import DataWarning, InputError, InputTypeError, listing, warn

__all__ = ["Sentences", "captions_of", "texts_of"]


@dataclass(frozen=True)
class Sentences:
    """What is known of words: codes from 1 for those of the training part, 0 for all others, one more for the end.

    The mark that ends a sentence also stands before its first word. Longer sentences than ``max_length`` are refused
    where they are to be learnt.
    """

    vocabulary: Vocabulary
    max_length: int

    @property
    def end(self) -> int:
        return len(self.vocabulary)

    @property
    def n_codes(self) -> int:
        return len(self.vocabulary) + 1

    @classmethod
    def learnt(cls, texts: Sequence[str], min_count: int, most: int, max_length: int) -> Sentences:
        return cls(Vocabulary.learnt(texts, "words", min_count, most), max_length)

    def codes(self, texts: Sequence[str], who: str) -> np.ndarray:
        """(n, steps): codes with the mark behind, filled up with -1."""
        words = [words_of(text) for text in texts]
        long = [i for i, each in enumerate(words) if len(each) > self.max_length]
        if long:
            raise InputError(
                f"{who}: {len(long)} texts have more than max_length={self.max_length} words, first {texts[long[0]]!r} "
                f"with {len(words[long[0]])}."
            )
        made = np.full((len(texts), max(map(len, words), default=0) + 1), -1, np.int64)
        for row, each in zip(made, words, strict=True):
            row[: len(each)] = self.vocabulary.codes(each)
            row[len(each)] = self.end
        return made

    def warn_of_unknown(self, texts: Sequence[str], who: str) -> None:
        known = set(self.vocabulary.tokens)
        strange = sorted({word for text in texts for word in words_of(text)} - known)
        if strange:
            warn(f"{who}: {len(strange)} words are not among those learnt: {listing(strange)}.", DataWarning)

    def text(self, codes: Sequence[int]) -> str:
        """The words of codes up to the mark."""
        words = []
        for code in codes:
            if code == self.end:
                break
            words.append("?" if code == UNKNOWN else self.vocabulary.tokens[code - 1])
        return " ".join(words)


def texts_of(given: Any, what: str, who: str) -> list[str]:
    """A text for each case, none of them empty."""
    if given is None:
        raise InputError(f"{who}: there are no {what}s.")
    if isinstance(given, str):
        raise InputTypeError(f"{who}: {what}s must be a list of texts, and not one text.")
    found = list(given.tolist() if isinstance(given, np.ndarray) else given)
    for i, text in enumerate(found):
        if not isinstance(text, str):
            raise InputTypeError(f"{who}: {what} {i} is of type {type(text).__name__}; it must be a text.")
        if not words_of(text):
            raise InputError(f"{who}: {what} {i} has no words.")
    return found


def captions_of(given: Any, n: int, who: str) -> tuple[list[str], np.ndarray]:
    """All captions, and the picture of each: one or several a picture."""
    if given is None:
        raise InputError(f"{who}: there are no captions (give y, one or several for each picture).")
    if not hasattr(given, "__len__"):
        raise InputTypeError(f"{who}: captions of type {type(given).__name__} cannot be read (give a list of texts).")
    listed = list(given.tolist() if isinstance(given, np.ndarray) else given)
    if isinstance(given, str) or len(listed) != n:
        count = "one text" if isinstance(given, str) else f"captions of {len(listed)} pictures"
        raise InputError(f"{who}: {count} given for {n} pictures.")
    texts, pictures = [], []
    for i, each in enumerate(listed):
        said = list(each) if isinstance(each, list | tuple | np.ndarray) else [each]
        several = texts_of(said, "caption", f"{who}, picture {i}")
        if not several:
            raise InputError(f"{who}: picture {i} has no caption.")
        texts += several
        pictures += [i] * len(several)
    return texts, np.array(pictures, np.int64)
