"""From a name to a table with a target that can be learnt, or one line that says what to do instead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margin.data import Table, catalog
from margin.data.readers import read
from margin.data.schema import Column
from margin.errors import DataError, LabelError, ParameterError, closest, listing
from margin.evaluation.predictions.positive_class import positive_code

__all__ = ["MOST_CLASSES", "Problem", "check_column", "frame", "open_table", "positive_label", "resolve_target"]

#: More classes than this are taken for a quantity or an identifier.
MOST_CLASSES = 100
#: More different whole numbers than this in a target are worth a word.
MANY_NUMBERS = 20


@dataclass(frozen=True)
class Problem:
    """A table parted into inputs and labels, ready to be learnt; ``rows`` says which rows of the table they are.

    ``texts`` are the columns of free text that some model reads.
    """

    inputs: Table
    labels: np.ndarray
    target: str
    rows: np.ndarray
    warnings: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()


def open_table(source: Any, reading: dict[str, Any] | None = None) -> tuple[Table, str | None]:
    """The table a person named, and its target if the table itself knows it.

    ``source`` is a table, the path of a file (``-`` for what is piped in, ``part-*.csv`` for several) or, where there
    is no such file, a name of the catalog. Of a table, and of one of the catalog, columns can still be dropped.
    """
    told = {name: value for name, value in (reading or {}).items() if value not in (None, False, 0, "auto")}
    if (reading or {}).get("header") is False:
        told["header"] = False
    if not isinstance(source, (str, os.PathLike)):
        return (source if isinstance(source, Table) and not told else read(source, **told)), None
    if str(source) == "-" or any(mark in str(source) for mark in "*?") or Path(source).exists():
        return read(source, **told), None
    if str(source) in catalog.names():
        if not told.keys() <= {"drop", "only"}:
            raise ParameterError(f"{source!r} is a table of the catalog: how it is read cannot be changed.")
        table = catalog.load(str(source))
        return (read(table, **told) if told else table), catalog.card(str(source)).target
    known = catalog.names()
    raise DataError(
        f"{str(source)!r}: there is no such file, and no such table in the catalog{closest(source, known)} "
        f"(margin data list shows the catalog)."
    )


def resolve_target(table: Table, target: str | int | None) -> str:
    """The name of the column to predict, given its name, its number from 1, or ``'last'``.

    >>> table = Table.from_columns({"age": [31.0], "risk": ["low"]})
    >>> resolve_target(table, "last"), resolve_target(table, 1), resolve_target(table, "risk")
    ('risk', 'age', 'risk')
    """
    names = table.names
    if not names:
        raise DataError(f"{table.name or 'the table'}: there are no columns.")
    if target is None:
        raise ParameterError(
            f"which column is to be predicted? Say --target NAME, a number from 1 to {len(names)}, or last; "
            f"columns are {listing(names, most=12)}."
        )
    if target in names:
        return str(target)
    if target == "last":
        return names[-1]
    if isinstance(target, int) or (isinstance(target, str) and target.isdecimal()):
        number = int(target)
        if not 1 <= number <= len(names):
            raise ParameterError(f"target={target!r}: the table has columns 1 to {len(names)}.")
        return names[number - 1]
    raise ParameterError(
        f"target={target!r}: there is no such column; columns are {listing(names, most=12)}{closest(target, names)}."
    )


def check_column(table: Table, name: str | None, target: str, what: str) -> None:
    """Refuse a name that is no column besides the target; no name is none to refuse."""
    others = [each for each in table.names if each != target]
    if name is not None and name not in others:
        raise ParameterError(
            f"{what}={name!r}: must be a column besides the target, {listing(others)}{closest(name, others)}."
        )


def positive_label(labels: np.ndarray, given: str = "") -> Any:
    """The class that precision, recall and F1 are about: the one named as it is written, or the positive of two.

    >>> positive_label(np.array(["bad", "good", "good"])), positive_label(np.array([1, 2, 3]), "2")
    ('bad', 2)
    """
    classes, counts = np.unique(labels, return_counts=True)
    if not given:
        code = positive_code(classes, counts)
        return None if code is None else classes.tolist()[code]
    for label in classes.tolist():
        if str(label) == given:
            return label
    known = list(map(str, classes.tolist()))
    raise ParameterError(f"positive={given!r}: must be one of the classes, {listing(known)}{closest(given, known)}.")


Readers = Mapping[str, frozenset[str] | bool]


def frame(table: Table, target: str, readers: Readers | None = None) -> Problem:
    """Inputs and labels of a table: rows without a label left out, a target that is no class refused.

    Free text counts as an input where one of the ``readers``, models by name, reads its column (True: every such
    column). Without any it is left out.
    """
    readers = readers or {}
    if not table.n_rows:
        raise DataError(f"{table.name or 'the table'}: there are no rows to learn from.")
    told = []
    missing = table.missing(target)
    if missing.any():
        n = int(missing.sum())
        told.append(
            f"{n:,} {'rows' if n > 1 else 'row'} without a value for {target!r} {'were' if n > 1 else 'was'} left out."
        )
        table = table.take(~missing)
    _check_target(table, target)
    inputs, labels = table.target(target)
    texts = [column.name for column in inputs.schema if column.kind == "text"]
    used = frozenset(name for name in texts if any(_reads(name, each) for each in readers.values()))
    if not inputs.inputs().names and not used:
        left = f" ({listing(inputs.names)} cannot be learnt from: identifiers or free text)" if inputs.names else ""
        hint = " Naive Bayes and linear models read text: --models naive-bayes,logistic." if texts else ""
        raise DataError(
            f"{table.name or 'the table'}: besides the target {target!r} no column is left to learn from{left}.{hint}"
        )
    if table.schema[target].is_numeric and (n := len(np.unique(labels))) > MANY_NUMBERS:
        told.append(
            f"{target!r} holds {n} different whole numbers, each taken for a class; if it is a quantity, bin it first."
        )
    told += columns_told(inputs, readers)
    labels = _tidy(labels)
    return Problem(inputs, labels, target, np.flatnonzero(~missing), (*told, *_about_classes(labels, target)), used)


def _reads(name: str, texts: frozenset[str] | bool) -> bool:
    return texts is True or (texts is not False and name in texts)


def columns_told(inputs: Table, readers: Readers) -> list[str]:
    """One line about the columns that models do not see as they are: what is made of them, or why they are left out.

    >>> table = Table({"day": ["2024-01-31", "2024-02-01"], "x": [1.0, 2.0]})
    >>> columns_told(table, {})
    ["'day' (dates) is read as days passed and parts of the calendar."]
    """
    dates = [column for column in inputs.schema if column.kind == "date"]
    told = [f"{_reasons(dates)} {_is(dates)} read as days passed and parts of the calendar"] if dates else []
    unused = []
    for column in inputs.schema:
        by = [name for name, texts in readers.items() if column.kind == "text" and _reads(column.name, texts)]
        if by:
            told.append(f"{_reasons([column])} is read in words by {', '.join(by)}, and left out by others")
        elif not column.is_input:
            unused.append(column)
    if unused:
        told.append(f"{_reasons(unused)} {_is(unused)} left out; --kind COLUMN=nominal says otherwise")
    return [f"{'; '.join(told)}."] if told else []


def _is(columns: list[Column]) -> str:
    return "is" if len(columns) == 1 else "are"


def _reasons(columns: list[Column]) -> str:
    shown = ", ".join(f"{column.name!r} ({column.reason})" for column in columns[:5])
    return shown + (f" and {len(columns) - 5} more" if len(columns) > 5 else "")


def _check_target(table: Table, target: str) -> None:
    cells = table.cells(target)
    distinct = len(np.unique(cells))
    if not len(cells):
        raise LabelError(f"target {target!r}: every cell is missing (choose another column).")
    if distinct == 1:
        value = table.values(target)[0]
        raise LabelError(
            f"target {target!r}: all {len(cells):,} rows have the same class, {_shown(value)!r}; "
            f"there must be at least two (choose another column)."
        )
    if table.schema[target].is_numeric and (distinct > MOST_CLASSES or np.any(cells != np.round(cells))):
        raise LabelError(
            f"target {target!r}: looks like a quantity ({distinct:,} different numbers); "
            f"margin classifies: bin it, or choose another column{_told_nominal(target, distinct)}."
        )
    if distinct > MOST_CLASSES or (distinct > 20 and distinct > 0.5 * len(cells)):
        raise LabelError(
            f"target {target!r}: {distinct:,} different values in {len(cells):,} rows are too many for classes "
            f"(at most {MOST_CLASSES}); choose another column, or join rare values."
        )
    if distinct == len(cells):
        raise LabelError(f"target {target!r}: every row has a class of its own; nothing can be learnt from that.")


def _told_nominal(target: str, distinct: int) -> str:
    return f" (if they are classes, say --kind {target}=nominal)" if distinct <= MOST_CLASSES else ""


def _tidy(labels: np.ndarray) -> np.ndarray:
    """Whole numbers as integers: a class is called 1, not 1.0."""
    return labels.astype(np.int64) if labels.dtype.kind == "f" else labels


def _about_classes(labels: np.ndarray, target: str) -> list[str]:
    values, counts = np.unique(labels.astype(str), return_counts=True)
    single = values[counts == 1].tolist()
    if not single:
        return []
    one = len(single) == 1
    return [
        f"{'class' if one else 'classes'} {listing(single)} of {target!r} {'has' if one else 'have'} a single case: "
        f"{'it' if one else 'they'} can be learnt or tested, never both."
    ]


def _shown(value: object) -> Any:
    return int(value) if isinstance(value, float) and value == int(value) else value
