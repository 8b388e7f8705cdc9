"""Columns that share a distribution: which they are, what is counted in them, and what they add to the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import MixedData
from margin.base.inputs.arrays import dense_from_sparse
from margin.base.inputs.columns import Columns
from margin.base.representations.cell_survey import Survey
from margin.bayes.bag_of_words import count_words
from margin.bayes.distributions.distribution import Distribution, Place, TrainingCells, is_sparse
from margin.bayes.distributions.standard import DISTRIBUTIONS
from margin.bayes.sufficient_statistics import Sums, WordSums
from margin.data.schema import Column, Schema
from margin.errors import InputError, ParameterError, closest, listing

__all__ = ["Block", "TextBlock", "blocks_of", "cell_text", "may_be_used", "text_columns"]

#: A mapping may speak of all numeric columns at once, by this key.
ALL_NUMERIC = "numeric"
DEFAULTS = {True: "gaussian", False: "categorical"}
#: Of so many columns and more only those that say something are shown.
WIDE = 50


def _as_names(key: object) -> tuple[Any, ...]:
    """What a column may be called if it goes by a number: its place in an array, or its name in a frame."""
    return (str(key), f"x{key}") if isinstance(key, (int, np.integer)) and not isinstance(key, bool) else (key,)


def _as_name(key: object, schema: Schema) -> Any:
    return next((name for name in _as_names(key) if name in schema), key)


def may_be_used(distributions: Any) -> set[str]:
    """The names of all distributions that some table could ask for."""
    if isinstance(distributions, str):
        return {distributions}
    if distributions is None:
        return set(DEFAULTS.values())
    named = {name for name in distributions.values() if isinstance(name, str)}
    return {*DEFAULTS.values(), *named} - ({"gaussian"} if _replaces_gaussian(distributions) else set())


def _replaces_gaussian(distributions: Mapping[Any, str]) -> bool:
    return ALL_NUMERIC in distributions and "gaussian" not in distributions.values()


def text_columns(distributions: Any) -> frozenset[str] | bool:
    """The columns that are to be read as text if they hold words; True is all."""
    words = Column("words", "nominal", ("a", "b", "c"))

    def reads_text(name: object) -> bool:
        distribution = DISTRIBUTIONS.get(name) if isinstance(name, str) else None
        found = distribution.place(words) if distribution is not None else None
        return found is not None and found[0] == "text"

    if isinstance(distributions, Mapping):
        return frozenset(word for key, name in distributions.items() if reads_text(name) for word in _as_names(key))
    return isinstance(distributions, str) and reads_text(distributions)


def blocks_of(
    columns: Columns, distributions: Any, make: Callable[[type[Distribution], np.ndarray], Distribution], who: str
) -> tuple[Block, ...]:
    """The columns in blocks: those of one distribution together, each text for itself.

    ``make`` gives the distribution of a class for columns at some positions.
    """
    if columns.schema is None and isinstance(distributions, Mapping) and set(distributions) == {ALL_NUMERIC}:
        distributions = distributions[ALL_NUMERIC]
    if columns.schema is None and not isinstance(distributions, Mapping):
        column = Column("x0", "numeric")
        found = _placed(column, distributions or DEFAULTS[True], distributions, who)
        everything = np.arange(columns.n)
        return (Block(columns, "numeric", everything, everything, make(found[1], everything)),)
    chosen = _chosen(columns, distributions, who)
    groups: dict[tuple[Any, ...], list[int]] = {}
    seen = {"numeric": 0, "codes": 0, "text": 0}
    at = []
    for position, (place, distribution) in enumerate(chosen):
        key = (place, distribution, position if place == "text" else -1)
        groups.setdefault(key, []).append(position)
        at.append(seen[place])
        seen[place] += 1
    made = []
    for (place, distribution, _), positions in groups.items():
        where = np.array(positions)
        kind = TextBlock if place == "text" else Block
        made.append(kind(columns, place, np.array(at)[where], where, make(distribution, where)))
    return tuple(made)


def _chosen(columns: Columns, distributions: Any, who: str) -> list[tuple[Place, type[Distribution]]]:
    schema = columns.described()
    if isinstance(distributions, Mapping):
        given = {_as_name(key, schema): name for key, name in distributions.items()}
        unknown = [name for name in given if name != ALL_NUMERIC and name not in schema]
        if unknown:
            raise ParameterError(
                f"{who}(distributions={distributions!r}): column {listing(unknown)} is not there; "
                f"columns are {listing(schema.names)}{closest(unknown[0], schema.names)}."
            )
    else:
        given = dict.fromkeys(schema.names, distributions) if distributions is not None else {}
    every = given.get(ALL_NUMERIC, DEFAULTS[True]) if ALL_NUMERIC not in schema.names else DEFAULTS[True]
    default = {"numeric": every, "text": "multinomial"}
    names = [given.get(c.name, default.get(c.kind, DEFAULTS[False])) for c in schema]
    return [_placed(column, name, distributions, who) for column, name in zip(schema, names)]


def _placed(column: Column, name: object, distributions: Any, who: str) -> tuple[Place, type[Distribution]]:
    if not isinstance(name, str) or name not in DISTRIBUTIONS:
        raise ParameterError(
            f"{who}(distributions={distributions!r}): {name!r} for column {column.name!r} must be one of "
            f"{', '.join(map(repr, DISTRIBUTIONS))}{closest(name, DISTRIBUTIONS)}."
        )
    found = _place(DISTRIBUTIONS[name], column)
    if found is None:
        suited = [other for other, distribution in DISTRIBUTIONS.items() if _place(distribution, column)]
        levels = "" if column.kind in ("numeric", "text") else f" with {len(column.levels)} levels"
        raise ParameterError(
            f"{who}(distributions={distributions!r}): {name!r} does not suit column {column.name!r}, which is "
            f"{column.kind}{levels} (use {' or '.join(map(repr, suited))})."
        )
    return found


def _place(distribution: type[Distribution], column: Column) -> tuple[Place, type[Distribution]] | None:
    """Where a distribution reads a column, and None where it cannot: free text has no levels to count."""
    found = distribution.place(column)
    return None if found is None or (column.kind == "text" and found[0] != "text") else found


class Block:
    """Columns with one distribution: ``at`` is where they stand in their part of the data, ``positions`` in the table.

    All columns of the numeric matrix together are handed on as they are.
    """

    def __init__(
        self, columns: Columns, place: Place, at: np.ndarray, positions: np.ndarray, distribution: Distribution
    ) -> None:
        self.columns = columns
        self.place = place
        self.at = at
        self.positions = positions
        self.distribution = distribution
        width = columns.n if columns.schema is None else sum(c.is_numeric for c in columns.schema)
        self.is_whole = place == "numeric" and len(at) == width

    def described(self) -> list[Column]:
        """The columns, with made-up names for plain arrays."""
        if self.columns.schema is None:
            return [Column(f"x{i}", "numeric") for i in self.positions]
        return [self.columns.schema[int(i)] for i in self.positions]

    def counts_like(self, other: Block) -> bool:
        """Whether the statistics of both are of the same columns and mean the same."""
        mine, theirs = self.distribution, other.distribution
        same = self.place == other.place and type(mine) is type(theirs) and mine.counted_by() == theirs.counted_by()
        return same and np.array_equal(self.positions, other.positions)

    def cells(self, X: MixedData, who: str) -> Any:
        """The cells of these columns, in the form that the distribution takes."""
        if self.place == "codes":
            return [X.codes[j] for j in self.at]
        numeric = X.numeric
        if not self.is_whole:
            numeric = numeric[:, self.at] if is_sparse(numeric) else np.take(numeric, self.at, axis=1)
        if is_sparse(numeric):
            numeric = numeric if self.distribution.sparse else dense_from_sparse(numeric, who)
        elif numeric.dtype == np.uint8 and not self.distribution.takes_bytes:
            numeric = numeric.astype(np.float32)  # exact, and taken as it is by whatever reads numbers
        if self.distribution.counts and (X.stored is None or X.stored.has_negative):
            self._refuse_negative(numeric, X, who)
        return numeric

    def _refuse_negative(self, cells: Any, X: MixedData, who: str) -> None:
        stored = cells.data if is_sparse(cells) else cells
        if X.survey is not None:
            lowest = X.survey.low[self.at].min()
        elif stored.size == 0:
            return
        else:
            lowest = stored.min()
            lowest = np.fmin.reduce(stored, axis=None) if lowest != lowest else lowest
        if not lowest < 0:
            return
        if is_sparse(cells):
            cells = cells.tocoo()
            row, j, value = min(
                zip(cells.row, cells.col, cells.data), key=lambda cell: (cell[2] >= 0, cell[0], cell[1])
            )
        else:
            row = int((cells < 0).any(axis=1).argmax())
            j = int((cells[row] < 0).argmax())
            value = cells[row, j]
        name = f"x{self.positions[j]}" if self.columns.schema is None else self.described()[j].name
        raise InputError(
            f"{who}: column {name!r}, row {row + X.above}: {value:g} is no count. Negative values in data cannot be "
            f"taken as {self.distribution.name} (shift the column, or choose another distribution)."
        )

    def count(self, X: MixedData, y: np.ndarray, weight: np.ndarray | None, totals: np.ndarray, who: str) -> Any:
        rows = TrainingCells(self.cells(X, who), y, weight, totals)
        if self.place == "codes":
            n_levels = tuple(len(column.levels) for column in self.described())
            rows = replace(rows, at=tuple(map(int, self.at)), n_levels=n_levels)
        elif X.survey is not None:
            rows = replace(rows, survey=X.survey if self.is_whole else _survey_of(X.survey, self.at))
        return self.distribution.count(rows)

    def learn(self, found: Any, repeats: bool) -> None:
        self.distribution.learn(found, repeats)

    def add(self, X: MixedData, scores: np.ndarray, who: str) -> bool:
        return self.distribution.add(self.cells(X, who), scores)

    def offset(self, X: MixedData, who: str) -> np.ndarray | None:
        return self.distribution.offset(self.cells(X, who))

    def terms(self, X: MixedData, who: str) -> Iterator[tuple[str, str, np.ndarray]]:
        """Name, value and log-likelihoods of each column for the one row X."""
        cells = self.cells(X, who)
        terms = self.distribution.terms(cells)
        shown = range(len(terms)) if len(terms) < WIDE else np.flatnonzero((terms != terms[:, :1]).any(axis=1))
        row = [codes[0] for codes in cells] if self.place == "codes" else only(cells)
        described = self.described()
        for j in shown:
            yield described[j].name, cell_text(described[j], row[j]), terms[j]

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> list[tuple[int, Column, np.ndarray]]:
        """The position of each column, what it is, and its new cells."""
        drawn = self.distribution.draw(y, rng)
        columns = drawn if self.place == "codes" else drawn.T
        return [(int(i), column, cells) for i, column, cells in zip(self.positions, self.described(), columns)]


def only(cells: Any) -> np.ndarray:
    """The one row of a matrix or of CSR."""
    return (cells.toarray() if is_sparse(cells) else cells)[0]


def _survey_of(survey: Survey, at: np.ndarray) -> Survey:
    moments = None if survey.moments is None else survey.moments.of_columns(at)
    return Survey(survey.low[at], survey.high[at], survey.missing[at], moments)


def cell_text(column: Column, cell: Any) -> str:
    """A cell as people write it."""
    if column.is_numeric:
        return "missing" if np.isnan(cell) else f"{cell:g}"
    return "missing or unseen" if cell < 0 else str(column.levels[cell])


class TextBlock(Block):
    """A column of texts: every word that was seen at fit is a column of its own, and one text is looked at once."""

    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.described()[0].name

    def _texts(self, X: MixedData) -> tuple[Sequence[Any], np.ndarray]:
        """The texts, and which of them each row has; those of rows that are not here are left out."""
        texts, codes = X.text[self.name]
        codes = np.ascontiguousarray(codes)
        if len(texts) <= len(codes):
            return texts, codes
        used, codes = np.unique(codes, return_inverse=True)
        missing = int(len(used) > 0 and used[0] < 0)
        return [texts[i] for i in used[missing:]], (codes - missing).astype(np.int32)

    def count(self, X: MixedData, y: np.ndarray, weight: np.ndarray | None, totals: np.ndarray, who: str) -> WordSums:
        texts, codes = self._texts(X)
        words, counts = count_words(texts)
        threads = parallel.n_threads()
        first = np.array([0, len(texts)], dtype=np.int64)
        by_text = _core.counts.of_columns([codes], first, y, weight, len(totals), threads)
        sums = np.ascontiguousarray((counts.T @ by_text).T)
        used = sums.any(axis=0)  # a text may be known of rows that are not here
        return WordSums(tuple(np.array(words, dtype=object)[used]), Sums(sums[:, used], by_text.sum(axis=0)[:, None]))

    def learn(self, found: WordSums, repeats: bool) -> None:
        self.words = found.words
        super().learn(found.sums, repeats)

    def add(self, X: MixedData, scores: np.ndarray, who: str) -> bool:
        texts, codes = self._texts(X)
        of_texts = np.zeros((len(texts) + 1, scores.shape[1]))  # the last row serves missing texts
        self.distribution.add(count_words(texts, self.words)[1], of_texts[:-1])
        scores += of_texts[codes]
        return bool(np.isneginf(of_texts).any())

    def offset(self, X: MixedData, who: str) -> np.ndarray | None:
        if type(self.distribution).offset is Distribution.offset:  # texts are not split for nothing
            return None
        texts, codes = self._texts(X)
        found = self.distribution.offset(count_words(texts, self.words)[1])
        return None if found is None else np.append(found, 0.0)[codes]

    def terms(self, X: MixedData, who: str) -> Iterator[tuple[str, str, np.ndarray]]:
        texts, codes = X.text[self.name]
        counts = count_words([texts[codes[0]]] if codes[0] >= 0 else [""], self.words)[1]
        terms = self.distribution.terms(counts)
        row = counts.toarray()[0]
        for j in np.flatnonzero(row):
            yield f"{self.words[j]!r} in {self.name}", f"{row[j]:g}", terms[j]

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> list[tuple[int, Column, np.ndarray]]:
        """Texts of the drawn words, joined by spaces."""
        words = np.array(self.words, dtype=object)
        step = max(1, (1 << 22) // max(1, len(words)))  # a row of counts is as long as the vocabulary
        texts = []
        for at in range(0, len(y), step):
            drawn = self.distribution.draw(y[at : at + step], rng)
            for row in drawn:
                there = np.flatnonzero(row)
                texts.append(" ".join(np.repeat(words[there], row[there].astype(np.int64))))
        levels = tuple(sorted(set(texts)))
        place = {text: i for i, text in enumerate(levels)}
        codes = np.array([place[text] for text in texts], dtype=np.int32)
        return [(int(self.positions[0]), Column(self.name, "nominal", levels), codes)]
