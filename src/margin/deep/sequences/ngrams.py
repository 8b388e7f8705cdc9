"""What comes next by counting: the yardstick of networks that read on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from margin.data.sequences import Sequences
from margin.deep.sequences.vocabulary import Vocabulary
from margin.errors import InputError, NotFittedError, ParameterError
from margin.params import is_whole
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["NGramModel", "TextStream"]


class TextStream:
    """Texts one after the other as codes, with a mark before the first and after each: 0 unknown, the last the mark.

    >>> stream = TextStream.learnt(["ab", "b"], "characters")
    >>> stream.codes(["ab", "b"]).tolist(), stream.n_codes
    ([3, 1, 2, 3, 2, 3], 4)
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @classmethod
    def learnt(cls, texts: list[Any], tokens: Any, min_count: int = 1, most: int = 20_000) -> TextStream:
        return cls(Vocabulary.learnt(texts, tokens, min_count, most))

    @property
    def n_codes(self) -> int:
        return len(self.vocabulary) + 1

    @property
    def mark(self) -> int:
        return len(self.vocabulary)

    def codes(self, texts: list[Any]) -> np.ndarray:
        """A single text has no mark at its end, for nothing says that it ends there."""
        known, mark = self.vocabulary, np.array([self.mark], np.int32)
        parts = [known.codes(known.parts(text, known.form)) for text in texts]
        if len(parts) == 1:
            return np.concatenate([mark, parts[0]])
        return np.concatenate([mark, *(each for part in parts for each in (part, mark))])

    def text(self, codes: list[int]) -> str:
        """Codes as a text, without the mark; unknown tokens are shown as such."""
        tokens = ["\\ufffd" if code == 0 else self.vocabulary.tokens[code - 1] for code in codes if code != self.mark]
        return ("" if self.vocabulary.form == "characters" else " ").join(tokens)


def texts_of(X: Any, who: str) -> list[Any]:
    """One text, or several; not all of them empty."""
    source = Sequences.of([X] if isinstance(X, str) else X, who)
    if source.kind == "numbers" and len(source):
        raise InputError(f"{who}: X must be a text or a list of texts, not series of numbers.")
    if not any(len(each) for each in source):
        raise InputError(f"{who}: there is no text to read.")
    return list(source)


class NGramModel:
    r"""The next character by the last n - 1, counted; rare contexts lean on shorter ones.

    .. math:: P(c \mid h) = \frac{n(hc) + t(h)\,P(c \mid h')}{n(h) + t(h)},

    with t(h) different characters seen after h, and h' the context without its first character (Witten, Bell 1991).
    Every character has some probability. A trigram model is the yardstick of :class:`margin.deep.SequenceModel`.

    Parameters
    ----------
    order
        Characters that are looked at together: 3 for trigrams.

    Examples
    --------
    >>> model = NGramModel(2).fit("abababababab")
    >>> round(model.bits_per_character("abab"), 2), model.sample(6, random_state=0)
    (0.2, 'aababa')
    """

    def __init__(self, order: int = 3) -> None:
        if not is_whole(order) or not 1 <= order <= 8:
            raise ParameterError(f"NGramModel(order={order!r}): order must be a whole number from 1 to 8.")
        self.order = int(order)

    def fit(self, X: Any) -> Self:
        """Count what follows what in a text, or in several."""
        texts = texts_of(X, "NGramModel.fit")
        stream = TextStream.learnt(texts, "characters")
        if stream.n_codes**self.order >= 2**62:
            raise InputError(f"NGramModel.fit: {stream.n_codes} characters are too many for n-grams of {self.order}.")
        ways = self._ways(stream, texts)
        self._counts = [
            _Counts.of(_keys(ways[:, -n:], stream.n_codes), stream.n_codes) for n in range(1, self.order + 1)
        ]
        self._stream = stream
        return self

    def bits_per_character(self, X: Any) -> float:
        """Binary digits that a character of a text costs, on average, if it is written by this model."""
        stream = self._fitted("bits_per_character")
        ways = self._ways(stream, texts_of(X, "NGramModel.bits_per_character"))
        return float(-np.log2(self._last_shares(ways)).mean())

    def sample(self, n: int, *, random_state: SeedLike = None) -> str:
        """A text of n characters, or up to its end where the model has learnt from several."""
        stream, draw = self._fitted("sample"), generator(random_state, "n-grams")
        codes = [stream.mark] * (self.order - 1)
        for _ in range(n):
            context = np.tile(codes[len(codes) - self.order + 1 :], (stream.n_codes, 1))
            shares = self._last_shares(np.column_stack([context, np.arange(stream.n_codes)]).astype(np.int64))
            shares[0] = 0.0  # what was never seen cannot be written
            codes.append(int(draw.choice(stream.n_codes, p=shares / shares.sum())))
            if codes[-1] == stream.mark:
                break
        return stream.text(codes)

    def _fitted(self, method: str) -> TextStream:
        if not hasattr(self, "_stream"):
            raise NotFittedError(f"NGramModel.{method}: nothing was learnt yet; call fit(X) first.")
        return self._stream

    def _ways(self, stream: TextStream, texts: list[Any]) -> np.ndarray:
        """Every code with those before it; before a text there are marks, and of several texts one after each."""
        before, end = [stream.mark] * (self.order - 1), [stream.mark] * (len(texts) > 1)
        parts = [np.array([*before, *stream.vocabulary.codes(text), *end], np.int64) for text in texts]
        windows = np.lib.stride_tricks.sliding_window_view
        return np.concatenate([windows(part, self.order) for part in parts if len(part) >= self.order])

    def _last_shares(self, ways: np.ndarray) -> np.ndarray:
        """The probability of the last of some codes in a row, given the others."""
        size = self._stream.n_codes
        shares = np.full(len(ways), 1.0 / size)
        for n, counts in enumerate(self._counts, start=1):
            keys = _keys(ways[:, -n:], size)
            seen = counts.looked_up(keys, size)
            total, kinds = seen[1], seen[2]
            shares = np.where(total > 0, (seen[0] + kinds * shares) / np.maximum(total + kinds, 1), shares)
        return shares


class _Counts:
    """How often each n-gram was seen, and of each context how often and before how many different codes."""

    def __init__(self, grams: np.ndarray, counts: np.ndarray, size: int) -> None:
        self.grams, self.counts = grams, counts
        self.contexts, first = np.unique(grams // size, return_index=True)
        self.totals = np.add.reduceat(counts, first)
        self.kinds = np.diff([*first, len(grams)])

    @classmethod
    def of(cls, keys: np.ndarray, size: int) -> _Counts:
        return cls(*np.unique(keys, return_counts=True), size)

    def looked_up(self, keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        seen = _found(self.grams, self.counts, keys)
        return seen, _found(self.contexts, self.totals, keys // size), _found(self.contexts, self.kinds, keys // size)


def _found(known: np.ndarray, values: np.ndarray, keys: np.ndarray) -> np.ndarray:
    at = np.searchsorted(known, keys).clip(max=len(known) - 1)
    return np.where(known[at] == keys, values[at], 0)


def _keys(ways: np.ndarray, size: int) -> np.ndarray:
    keys = np.zeros(len(ways), np.int64)
    for column in ways.T:
        keys = keys * size + column
    return keys
