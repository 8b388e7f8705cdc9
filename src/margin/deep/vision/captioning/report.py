"""How good captions are: word for word, by common runs of words (BLEU), by words to be changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.written.words import words_of
from margin.deep.vision.captioning.words import captions_of
from margin.deep.vision.over_pictures import resampled_weights, score_of_sums
from margin.errors import InputError
from margin.evaluation.intervals.interval import Score

__all__ = ["CaptionReport", "caption_report"]

#: BLEU counts runs of up to so many words.
LONGEST = 4


@dataclass(frozen=True)
class CaptionReport:
    """Scores of captions, each a :class:`~margin.evaluation.Score` whose interval is over pictures.

    Attributes
    ----------
    exact_match
        The share of captions that are one of those of their picture, word for word.
    bleu
        BLEU-1 to -4 over all captions: the geometric mean of the shares of runs of 1 to n words that a true caption
        has too, each counted no more often than there, times exp(1 - r/c) where all words c are fewer than those of the
        nearest true lengths r (Papineni et al. 2002).
    word_error
        Words to be put in, left out or changed for the nearest true caption, a word of that.
    wrong
        The pictures by place whose caption is none of theirs.
    """

    exact_match: Score
    bleu: tuple[Score, Score, Score, Score]
    word_error: Score
    wrong: np.ndarray

    def __str__(self) -> str:
        rows = [("exact match", self.exact_match), *((f"BLEU-{n}", each) for n, each in enumerate(self.bleu, 1))]
        return "\n".join(f"{name:<12}  {each}" for name, each in [*rows, ("word error", self.word_error)])


def caption_report(true: Sequence[Any], said: Sequence[str], *, seed: int = 0) -> CaptionReport:
    """Compare a caption for each picture with one or several true ones.

    ``seed`` is that of the resamples of pictures which intervals come from.

    >>> true = ["the cat is on the mat", "there is a cat on the mat"]
    >>> found = caption_report([true], ["the the the the the the the"])
    >>> round(found.bleu[0].value, 6), found.exact_match.value  # 2 of 7 words, for "the" is twice there
    (0.285714, 0.0)
    """
    answers = list(said.tolist() if isinstance(said, np.ndarray) else said)
    if not answers:
        raise InputError("caption_report: there are no captions.")
    texts, which = captions_of(true, len(answers), "caption_report, true")
    references = [[words_of(texts[i]) for i in np.flatnonzero(which == p)] for p in range(len(answers))]
    spoken = [words_of(each) for each in answers]
    exact = np.array([words in each for words, each in zip(spoken, references, strict=True)], float)
    runs = np.array([_runs(words, each) for words, each in zip(spoken, references, strict=True)])
    errors = np.array([_errors(words, each) for words, each in zip(spoken, references, strict=True)], float)
    weights = resampled_weights(len(answers), seed)
    ones = np.column_stack([exact, np.ones(len(answers))])

    def ratio(sums: np.ndarray) -> np.ndarray:
        return sums[:, 0] / sums[:, 1]

    bleu = [
        score_of_sums(runs, lambda sums, n=n: _bleu(sums, n), "corpus", weights)  # type: ignore[misc]
        for n in range(1, LONGEST + 1)
    ]
    return CaptionReport(
        score_of_sums(ones, ratio, "share of pictures", weights), (bleu[0], bleu[1], bleu[2], bleu[3]),
        score_of_sums(errors, ratio, "edits a true word", weights), np.flatnonzero(exact == 0),
    )  # fmt: skip


def _runs(words: list[str], references: list[list[str]]) -> list[float]:
    """Runs of each length that are true, and all; then the words, and those of the nearest true length."""
    made: list[float] = []
    for n in range(1, LONGEST + 1):
        said = _counted(words, n)
        most: Counter[tuple[str, ...]] = Counter()
        for each in references:
            most |= _counted(each, n)
        made += [sum((said & most).values()), sum(said.values())]
    nearest = min((len(each) for each in references), key=lambda length: (abs(length - len(words)), length))
    return [*made, len(words), nearest]


def _counted(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _bleu(sums: np.ndarray, n: int) -> np.ndarray:
    shares = np.stack([sums[:, 2 * i] / sums[:, 2 * i + 1] for i in range(n)])
    words, true = sums[:, -2], sums[:, -1]
    brevity = np.where(words < true, np.exp(1 - true / np.maximum(words, 1e-300)), 1.0)
    # No run of a length, or none that is true: nothing of the geometric mean is left.
    whole = (np.nan_to_num(shares) > 0).all(axis=0)
    logs = np.log(np.where(whole, shares, 1.0)).mean(axis=0)
    return np.where(whole, brevity * np.exp(logs), 0.0)


def _errors(words: list[str], references: list[list[str]]) -> tuple[int, int]:
    """Edits to the nearest true caption, and its words."""
    found = [(_edits(words, each), len(each)) for each in references]
    return min(found, key=lambda each: each[0] / each[1])


def _edits(one: list[str], other: list[str]) -> int:
    """The distance of Levenshtein, of words."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, theirs in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != theirs))
    return row[-1]
