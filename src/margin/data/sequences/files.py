"""Sequences in files: series in the format of the UCR and UEA archives, texts in a column of a table."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from margin.data.readers import read
from margin.data.readers.file import Source
from margin.data.sequences.given import Items, texts_of_column
from margin.data.table import Table
from margin.errors import DataError, closest, listing

__all__ = ["in_file"]

#: How a value that was not measured is written.
_MISSING = {"?", "nan", ""}


def in_file(path: str | os.PathLike[str], text: str | None, target: str | None) -> tuple[Items, np.ndarray | None]:
    """The sequences of a file and their labels, if there are any."""
    name = os.path.basename(os.fspath(path)).lower()
    if ".ts" in (os.path.splitext(name)[1], os.path.splitext(os.path.splitext(name)[0])[1]):
        source = Source.open(path)
        if source.data.lstrip()[:1] in (b"@", b"#"):
            return _of_series(source.text().decode(), f"Sequences.read({source.path.name!r})")
    # "NA" and "None" are words here.
    table = read(path, missing=(), target=target)
    return _of_table(table, text, target, f"Sequences.read({os.path.basename(os.fspath(path))!r})")


def _of_table(table: Table, text: str | None, target: str | None, who: str) -> tuple[Items, np.ndarray | None]:
    words = [column for column in table.schema if not column.is_numeric and column.name != target]
    if text is not None and text not in table.names:
        raise DataError(f"{who}(text={text!r}): columns are {listing(table.names)}{closest(text, table.names)}.")
    if text is None:
        free = [column for column in words if column.kind == "text"] or words
        if not free:
            raise DataError(f"{who}: there is no column of texts; columns are {listing(table.names)}.")
        text = max(free, key=lambda column: len(column.levels)).name
    if target is None and len(table.names) == 2:
        target = next(name for name in table.names if name != text)
    items = Items(texts_of_column(table, text, who), "texts", 0)
    return items, None if target is None else table.target(target)[1]


@dataclass
class _Head:
    """What stands before the cases of a file."""

    classes: list[str] | None = None
    numbers: bool = False  # whether the last part of a line is a number to predict
    dimensions: int | None = None
    stamped: bool = False
    others: dict[str, str] = field(default_factory=dict)

    def take(self, line: str) -> None:
        word, *rest = line[1:].split()
        name, value = word.lower(), rest
        yes = bool(value) and value[0].lower() == "true"
        if name == "classlabel":
            self.classes = value[1:] if yes else None
        elif name == "targetlabel":
            self.numbers = yes
        elif name == "timestamps":
            self.stamped = yes
        elif name in ("dimensions", "dimension") and value:
            self.dimensions = int(value[0])
        else:
            self.others[name] = " ".join(value)


def _of_series(text: str, who: str) -> tuple[Items, np.ndarray | None]:
    """A case a line after ``@data``: dimensions parted by ``:``, values by commas, the class last."""
    head, values, labels = _Head(), list[np.ndarray](), list[str]()
    in_data = False
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if in_data:
            series, label = _case(line, head, f"{who}, line {number}")
            values.append(series)
            labels.append(label)
        elif line.lower() == "@data":
            if head.stamped:
                raise DataError(f"{who}: values with time stamps are not read; write them at even steps.")
            in_data = True
        elif line.startswith("@"):
            try:
                head.take(line)
            except ValueError:
                raise DataError(f"{who}, line {number}: {line[:40]!r} must name a whole number.") from None
        else:
            raise DataError(f"{who}, line {number}: before @data there are only lines that begin with @ or #.")
    if not values:
        raise DataError(f"{who}: there are no cases after @data.")
    widths = [each.shape[1] for each in values]
    if len(set(widths)) > 1:
        odd = [i for i, width in enumerate(widths) if width != widths[0]]
        raise DataError(f"{who}: case 0 has {widths[0]} dimensions, and cases {listing(odd)} have others.")
    return Items(values, "numbers", widths[0]), _read_labels(labels, head, who)


def _case(line: str, head: _Head, where: str) -> tuple[np.ndarray, str]:
    parts = line.split(":")
    label = parts.pop().strip() if head.classes is not None or head.numbers else ""
    if head.classes and label not in head.classes:
        raise DataError(f"{where}: the class {label!r} is none of {listing(head.classes)}.")
    if head.dimensions is not None and len(parts) != head.dimensions:
        raise DataError(f"{where}: there are {len(parts)} dimensions, and @dimensions says {head.dimensions}.")
    columns = [_numbers(part, where) for part in parts]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise DataError(
            f"{where}: dimensions of a case must be of one length; these are of {listing(sorted(lengths))}."
        )
    return np.column_stack(columns), label


def _numbers(part: str, where: str) -> np.ndarray:
    cells = [cell.strip() for cell in part.split(",")] if part.strip() else []
    try:
        return np.array([np.nan if cell.lower() in _MISSING else float(cell) for cell in cells])
    except ValueError:
        odd = next(cell for cell in cells if not _is_number(cell))
        raise DataError(f"{where}: {odd!r} is no number.") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _read_labels(labels: list[str], head: _Head, who: str) -> np.ndarray | None:
    """Labels as words, or as whole numbers where all are; numbers to predict as such."""
    if head.numbers:
        try:
            return np.array([float(label) for label in labels])
        except ValueError:
            raise DataError(f"{who}: @targetLabel says that the last part of each line is a number.") from None
    if head.classes is None:
        return None
    if all(label.lstrip("-").isdigit() and str(int(label)) == label for label in labels):
        return np.array([int(label) for label in labels])
    return np.array(labels)
