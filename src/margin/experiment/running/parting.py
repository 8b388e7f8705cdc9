"""How the rows are parted: which are sealed, and how the rest is cut into folds; by chance, group, time or file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.schema import Column, Schema
from margin.errors import DataError, listing
from margin.evaluation import GroupFolds, GroupHoldOut, HoldOut, SealedTest, StratifiedFolds, TimeHoldOut, TimeOrdered
from margin.evaluation.protocols.given import Given
from margin.evaluation.protocols.time_order import written_times
from margin.experiment.problem import Problem, check_column, open_table
from margin.experiment.running.copies import Together
from margin.experiment.running.run_log import Log
from margin.experiment.spec import Spec
from margin.selection.auditing.copies import copied_rows

__all__ = ["Parting", "joined", "times_of", "with_test_rows"]


def with_test_rows(table: Table, spec: Spec, target: str) -> Table:
    """The table with the rows of the spec's own test file below it, read as the table was."""
    if spec.test is None:
        return table
    kinds = {column.name: column.kind for column in table.schema}
    known = {} if isinstance(spec.test, Table) else {**spec.reading, "kinds": _told(kinds, spec.test, spec.reading)}
    test, _ = open_table(spec.test, known)
    absent = [name for name in table.names if name not in test.names]
    if absent:
        what = "the target" if absent == [target] else f"column{'s' if len(absent) > 1 else ''} {listing(absent)}"
        raise DataError(f"test={spec.test!r}: {what} of the table to learn from must be there too.")
    return joined(table, test)


def _told(kinds: Mapping[str, str], source: str, reading: dict[str, Any]) -> dict[str, str]:
    """The kinds of those columns that the file has; others of the table are told of later."""
    there = open_table(source, reading)[0].names
    return {
        name: kind for name, kind in kinds.items() if name in there and kind in ("numeric", "nominal", "date", "text")
    }


def joined(first: Table, second: Table) -> Table:
    """The rows of two tables one below the other, in the columns of the first.

    >>> table = joined(Table.from_columns({"x": ["b", "a"]}), Table.from_columns({"x": ["c", None, "a"]}))
    >>> table.values("x").tolist()
    ['b', 'a', 'c', None, 'a']
    """
    columns, cells = [], []
    for column in first.schema:
        described, below = _recoded(column, second)
        columns.append(described)
        cells.append(np.concatenate([first.cells(column.name), below]))
    return Table(Schema(columns), cells, first.name)


def _recoded(column: Column, second: Table) -> tuple[Column, np.ndarray]:
    other, cells = second.schema[column.name], second.cells(column.name)
    if column.is_numeric != other.is_numeric:
        raise DataError(f"column {column.name!r} is {column.kind} in one table and {other.kind} in the other.")
    if column.is_numeric:
        return column, cells
    levels = (*column.levels, *(level for level in other.levels if level not in column.levels))
    place = np.array([*(levels.index(level) for level in other.levels), -1], dtype=np.int32)
    return replace(column, levels=levels), place[cells]


@dataclass(frozen=True)
class Parting:
    """The inputs without the columns that say where or when a row comes from, and what these say of each row."""

    spec: Spec
    problem: Problem
    inputs: Table
    own_from: int | None = None
    groups: Any = None
    times: Any = None

    @classmethod
    def of(cls, spec: Spec, table: Table, problem: Problem, own_from: int | None) -> Parting:
        """From row ``own_from`` on the rows of the table are those of the test file."""
        aside = {"groups": spec.group, "times": spec.time}
        for what, name in (("group", spec.group), ("time", spec.time)):
            check_column(table, name, problem.target, what)
        values = {part: _beside(table, name, problem.rows, part) for part, name in aside.items()}
        inputs = problem.inputs.drop(*(name for name in aside.values() if name is not None))
        if not inputs.inputs().names and not problem.texts:
            raise DataError(f"{table.name or 'the table'}: besides {problem.target!r} no column is left to learn from.")
        return cls(spec, problem, inputs, own_from, **values)

    def sealed(self) -> SealedTest:
        """The sealed test."""
        spec = self.spec
        protocol: Any = None
        if self.own_from is not None:
            own = self.problem.rows >= self.own_from
            if own.all() or not own.any():
                raise DataError(f"test={spec.test!r}: both tables must have rows with a value for the target.")
            protocol = Given([(np.flatnonzero(~own), np.flatnonzero(own))])
        elif self.groups is not None:
            protocol = GroupHoldOut(self.groups, spec.test_share, spec.seed)
        elif self.times is not None:
            protocol = TimeHoldOut(self.times, test_share=spec.test_share)
        elif self.copies is not None:
            protocol = Together(HoldOut(spec.test_share, spec.seed), self.copies)
        return SealedTest(self.inputs, self.problem.labels, spec.test_share, spec.seed, protocol=protocol)

    def folds(self, sealed: SealedTest, log: Log) -> Any:
        """The protocol of the cross-validation on the training part."""
        spec, rows = self.spec, sealed.train_rows
        if self.times is not None:
            return TimeOrdered(self.times[rows], folds=spec.folds)
        if self.groups is not None:
            groups = self.groups[rows]
            n = self._fewer(len(set(groups.tolist())), "groups in training", log)
            return GroupFolds(groups, n, spec.n_repeats(len(rows)), spec.seed)
        folds = StratifiedFolds(self._fewer(len(rows), "training rows", log), spec.n_repeats(len(rows)), spec.seed)
        return folds if self.copies is None else Together(folds, self.copies[rows])

    @cached_property
    def copies(self) -> np.ndarray | None:
        """For each row the number of its set of copies, which stay on one side; None where there are none."""
        return copied_rows(self.inputs, self.problem.labels, self.spec.seed)

    def _fewer(self, n: int, what: str, log: Log) -> int:
        folds = self.spec.folds
        if n >= folds:
            return folds
        log.warn(f"{n} {what} do not fill {folds} folds; {n} were made.")
        return max(n, 2)


def times_of(table: Table, name: str) -> np.ndarray:
    """When each row happened, read once for all of them, however the dates are written."""
    values = table.values(name)
    return values if table.schema[name].is_numeric else written_times(values)


def _beside(table: Table, name: str | None, rows: np.ndarray, part: str) -> np.ndarray | None:
    if name is None:
        return None
    return (times_of(table, name) if part == "times" else table.values(name))[rows]
