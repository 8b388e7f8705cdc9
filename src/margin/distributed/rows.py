"""Rows of parts as a model reads them: its columns learnt from what the first look found, and then block by block.

Nothing here knows better than ``fit`` in memory: the columns are learnt by the same code from a *sample table*, which
has the schema of the whole and each level as often as it takes to see what is rare. Then blocks are read as new rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.inputs.observed_levels import RARE
from margin.base.representations.cell_survey import Survey, survey, survey_by_class
from margin.base.representations.mixed import Mixed, MixedData, MixedEncoder
from margin.base.representations.numeric import Numeric, NumericEncoder
from margin.data.parts.parts import Parts
from margin.data.parts.row_blocks import block_bounds
from margin.data.parts.settling import Reading
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import DataError, InputError, listing

__all__ = ["ModelRows", "learn_rows"]


@dataclass(frozen=True)
class ModelRows:
    """The rows of parts for one model: small, and sent to every worker."""

    parts: Parts
    columns: Columns
    form: Any
    target: str
    weight: str | None
    #: What each level of the target, or each of its numbers, is to the model.
    values: np.ndarray
    numbers: np.ndarray | None
    n_classes: int
    who: str

    def blocks(self, run: Iterable[int]) -> Iterator[tuple[int, Any, np.ndarray, np.ndarray | None]]:
        """Block after block: its number, its rows with their columns matched, their targets and weights."""
        run = list(run)
        names = [*self.columns.given(), self.target, *filter(None, [self.weight])]
        for number, table in zip(run, self.parts.blocks(run, names)):
            yield number, *self._matched(number, table)

    def _matched(self, number: int, table: Table) -> tuple[Any, np.ndarray, np.ndarray | None]:
        given = self.columns.given()
        y = self.targets_of(table.cells(self.target))
        weight = None if self.weight is None else table.cells(self.weight)
        try:
            source = self.columns.read(table.select(given), self.who)
        except InputError as error:
            raise _in_block(error, number) from None
        return source, y, weight

    def targets_of(self, cells: np.ndarray) -> np.ndarray:
        """Cells of the target as codes or numbers."""
        if self.numbers is None:
            return self.values[cells] if len(self.values) else cells
        return self.values[np.searchsorted(self.numbers, cells)]

    def encoder(self) -> MixedEncoder | NumericEncoder:
        """A new encoder; one for a matrix has to learn still."""
        if isinstance(self.form, Mixed):
            return MixedEncoder(self.columns, self.form.largest, self.form.as_given)
        return NumericEncoder(self.form, self.columns, self.who)

    def surveyed(self, source: Any, y: np.ndarray, weight: np.ndarray | None, number: int) -> tuple[Survey, np.ndarray]:
        """What a look at a block's numbers finds, as the look at the whole would, and these numbers."""
        encoder = self.encoder()
        try:
            if isinstance(encoder, NumericEncoder):
                numbers = encoder.numbers(source, self.who)
                one, columns = np.zeros(len(numbers), dtype=np.int32), encoder.numbered_columns
                return survey_by_class(numbers, one, weight, 1, self.form.largest, columns, self.who), numbers
            numbers = encoder.split(source, self.who).numeric
            if self.form.moments and self.n_classes:
                found = survey_by_class(
                    numbers, y, weight, self.n_classes, self.form.largest, encoder.numbers, self.who
                )
            else:
                found = survey(numbers, self.form.largest, encoder.numbers, self.who)
            return found, numbers
        except InputError as error:
            raise _in_block(error, number) from None

    def mixed(self, source: Any, numbers: np.ndarray, found: Survey, number: int) -> MixedData:
        """The rows of a block as models of mixed columns see them."""
        encoder = self.encoder()
        assert isinstance(encoder, MixedEncoder)
        codes = tuple(np.ascontiguousarray(source.cells(name)) for name in encoder.coded_names)
        text = {name: (source.schema[name].levels, source.cells(name)) for name in encoder.text_names}
        data = MixedData(numbers, codes, self.columns.schema, text, found)
        data.above = block_bounds(number, self.parts.n_rows)[0]
        return data


def _in_block(error: InputError, number: int) -> InputError:
    begin = block_bounds(number, (number + 1) << 40)[0]
    return type(error)(f"{error} [rows counted from row {begin:,} of the parts]" if begin else str(error))


def learn_rows(model: Any, parts: Parts, who: str) -> ModelRows:
    """Let a model learn its columns and targets; it then lacks nothing but what follows from the rows."""
    if parts.target is None:
        raise DataError(f"{who}: the parts have no target; say which column it is: scan(…, target=…).")
    form = model.representation
    if not isinstance(form, Mixed | Numeric):
        raise DataError(f"{who}: this model hands its rows on to others and cannot be fitted on parts.")
    inputs = [r for r in parts.readings if r.column.name not in (parts.target, parts.weight)]
    sample = _sample_table(inputs)
    model._open_rows(sample, None, who)
    if isinstance(form, Numeric) and model._columns.text:
        raise DataError(
            f"{who}: free text in column {listing(sorted(model._columns.text))} is not read in parts by models of one "
            "matrix (leave it out with columns=, or use NaiveBayes)."
        )
    values, numbers = _targets(model, parts.reading(parts.target), who)
    classes = getattr(model, "classes_", None)
    n_classes = 0 if classes is None else len(classes)
    return ModelRows(parts, model._columns, form, parts.target, parts.weight, values, numbers, n_classes, who)


def _sample_table(readings: list[Reading]) -> Table:
    """A table of the same schema, small: each level that rows hold as often as it takes to tell rare from frequent."""
    coded, n = [], 1
    for reading in readings:
        counts = np.array(reading.counts, dtype=np.int64)
        codes = np.repeat(np.arange(len(counts), dtype=np.int32), np.minimum(counts, RARE))
        coded.append(codes)
        n = max(n, len(codes))
    cells: list[np.ndarray] = []
    for reading, codes in zip(readings, coded):
        if reading.column.is_numeric:
            cells.append(np.full(n, np.nan))
        else:
            cells.append(np.concatenate([codes, np.full(n - len(codes), -1, dtype=np.int32)]))
    return Table(Schema(reading.column for reading in readings), cells, n_rows=n)


def _targets(model: Any, reading: Reading, who: str) -> tuple[np.ndarray, np.ndarray | None]:
    """What the model makes of each level of the target, or of each number it holds."""
    column = reading.column
    if column.kind in ("identifier", "text", "date"):
        raise DataError(
            f"{who}: the target {column.name!r} is {column.kind}, not something to predict (kinds= says so)."
        )
    if not column.is_numeric:
        seen = np.flatnonzero(reading.counts).astype(np.int32)
        values = np.full(len(column.levels), -1, dtype=np.int32)
        found = _encoded(model, column, seen, who)
        return values.astype(found.dtype) if not len(seen) else _placed(values.astype(found.dtype), seen, found), None
    numbers = np.unique(reading.stored) if reading.stored is not None else np.array(reading.keys, dtype=np.float64)
    if not hasattr(model, "predict_proba") and not len(numbers):
        return np.empty(0), None  # a quantity: cells are what they are
    if not len(numbers):
        raise DataError(f"{who}: the target {column.name!r} holds too many different numbers to be classes.")
    return _encoded(model, column, numbers, who), numbers


def _placed(values: np.ndarray, at: np.ndarray, found: np.ndarray) -> np.ndarray:
    values[at] = found
    return values


def _encoded(model: Any, column: Column, cells: np.ndarray, who: str) -> np.ndarray:
    labels = Table(Schema([column]), [cells]).target(column.name)[1]
    encoded: np.ndarray = model._read_targets(labels, len(cells), who)
    return encoded
