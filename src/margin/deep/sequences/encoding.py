"""What a network for sequences sees of them: codes of tokens, or numbers around 0. All of it is learnt in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.representation import Learnt, TrainingRows
from margin.data.sequences import Sequences
from margin.deep.sequences.ragged import Ragged
from margin.deep.sequences.vocabulary import TokenForm, Vocabulary
from margin.errors import DataWarning, InputError, listing, warn

__all__ = ["AsSequences", "SequenceEncoder"]

#: Larger numbers are refused: their squares would leave the range of doubles.
LARGEST = 1e100
#: How far from the middle a number may lie, in deviations; beyond it is as good as there.
FARTHEST = 1e6


@dataclass(frozen=True)
class AsSequences:
    """Sequences as steps one after the other; of each at most ``max_length``."""

    tokens: TokenForm = "characters"
    min_count: int = 2
    max_tokens: int = 20_000
    max_length: int = 1000
    #: It reads free text.
    text: ClassVar[bool] = True

    def learn(self, columns: Columns, rows: TrainingRows, who: str) -> Learnt:
        source: Sequences = rows.source
        if source.kind == "numbers":
            steps = _steps(source, self.max_length, who)
            center, spread = _scale(steps.flat)
            encoder = SequenceEncoder(None, center, spread, self.max_length)
            return Learnt(encoder, encoder.scaled(steps), None)
        form: TokenForm = "tokens" if source.kind == "tokens" else self.tokens
        vocabulary = Vocabulary.learnt(list(source), form, self.min_count, self.max_tokens)
        nothing = np.zeros(0)
        encoder = SequenceEncoder(vocabulary, nothing, nothing, self.max_length)
        return Learnt(encoder, encoder.encode(source, who), None)


@dataclass(frozen=True)
class SequenceEncoder:
    """A vocabulary, or what is taken out of the numbers of a step and what they are divided by."""

    vocabulary: Vocabulary | None
    center: np.ndarray
    spread: np.ndarray
    max_length: int

    @property
    def width(self) -> int:
        """Numbers of a step; 0 for tokens."""
        return len(self.center)

    @property
    def n_codes(self) -> int:
        return 0 if self.vocabulary is None else len(self.vocabulary)

    def encode(self, X: Any, who: str) -> Ragged:
        source = Sequences.of(X, who)
        if not len(source):
            return Ragged(np.zeros((0, self.width), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._check_kind(source, who)
        if self.vocabulary is None:
            return self.scaled(_steps(source, self.max_length, who))
        rows = self.vocabulary.encoded(list(source), self.max_length + 1)
        return _told(rows, self.max_length, who)

    def _check_kind(self, source: Sequences, who: str) -> None:
        held = {"texts": "texts", "tokens": "lists of words", "numbers": f"series of {source.width} numbers a step"}
        if self.vocabulary is None:
            right, wanted = source.kind == "numbers" and source.width == self.width, f"{self.width} numbers a step"
        else:
            wanted = "lists of words" if self.vocabulary.form == "tokens" else "texts"
            right = source.kind == ("tokens" if self.vocabulary.form == "tokens" else "texts")
        if not right:
            raise InputError(f"{who}: X holds {held[source.kind]}, and the model has learnt from {wanted}.")

    def scaled(self, rows: Ragged) -> Ragged:
        around = (rows.flat - self.center) / self.spread
        return Ragged(around.clip(-FARTHEST, FARTHEST).astype(np.float32), rows.starts, rows.lengths)


def _steps(source: Sequences, most: int, who: str) -> Ragged:
    """The numbers of all steps, all of them finite."""
    rows = _told(Ragged.of([each[: most + 1] for each in source]), most, who)
    flat = rows.flat
    bad = ~np.isfinite(flat) | (np.abs(flat) > LARGEST)
    if bad.any():
        step, column = (int(each) for each in np.argwhere(bad)[0])
        row = int(np.searchsorted(rows.starts + rows.lengths, step, side="right"))
        value = flat[step, column]
        many = len(
            np.unique(np.searchsorted(rows.starts + rows.lengths, np.flatnonzero(bad.any(axis=1)), side="right"))
        )
        hint = "fill gaps beforehand, by the values around them, say" if np.isnan(value) else "check its unit"
        raise InputError(
            f"{who}: sequence {row}, step {int(step - rows.starts[row])} holds {value!s} as number {column} "
            f"({many} sequences hold such); Input contains NaN, infinity or a value too large ({hint})."
        )
    return rows


def _told(rows: Ragged, most: int, who: str) -> Ragged:
    """Sequences of one step more than is read are cut, and empty ones named."""
    long, empty = np.flatnonzero(rows.lengths > most), np.flatnonzero(rows.lengths == 0)
    if len(empty):
        warn(
            f"{who}: {len(empty)} sequences are empty, and are judged by what a network knows before the first step: "
            f"rows {listing(empty.tolist())}.",
            DataWarning,
        )
    if not len(long):
        return rows
    warn(
        f"{who}: {len(long)} sequences are longer than max_length={most}, and read up to there: rows "
        f"{listing(long.tolist())}.",
        DataWarning,
    )
    parts = zip(rows.starts.tolist(), rows.lengths.clip(max=most).tolist())
    return Ragged.of([rows.flat[start : start + length] for start, length in parts])


def _scale(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each number over all steps; one that does not vary is only moved."""
    if not len(flat):
        return np.zeros(flat.shape[1]), np.ones(flat.shape[1])
    wide = flat.astype(np.float64)
    largest = np.maximum(np.abs(wide).max(axis=0), 1e-300)
    unit = wide / largest
    center, spread = unit.mean(axis=0), unit.std(axis=0)
    return center * largest, np.where(spread > 1e-7, spread * largest, 1.0)
