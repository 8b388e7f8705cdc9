"""``margin.scan``: one look at every part, and what all of them together say of the columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.declared_kinds import DeclaredKind, declared_kinds
from margin.data.kind_inference import Written
from margin.data.parts import kept
from margin.data.parts.files import PartFile, found_files, opened_file
from margin.data.parts.from_memory import parts_of_table
from margin.data.parts.loading import called_part, frame_of, pieces_of, with_folders
from margin.data.parts.parts import Parts
from margin.data.parts.pieces import Piece
from margin.data.parts.settling import Reading, reading_of
from margin.data.parts.summary import ColumnSummary, summary_of
from margin.data.parts.text import cleaned
from margin.data.readers import read, request_of
from margin.data.readers.file import Request
from margin.errors import DataError, ParameterError, closest, listing

__all__ = ["scan"]


def scan(
    data: Any,
    *,
    target: str | None = None,
    columns: Iterable[str] | None = None,
    kinds: Mapping[str, Any] | None = None,
    weight: str | None = None,
    missing: str | Iterable[object] | None = None,
    header: bool | str = "auto",
    separator: str = "auto",
    keep: str | os.PathLike[str] | None = None,
) -> Parts:
    """A table in parts, of any size: each part is looked at once, and its rows are read when they are needed.

    What the columns are is decided over all rows, by the rule of :func:`margin.read`; so a column is one kind
    everywhere, and no level or label comes as a surprise later.

    Parameters
    ----------
    data
        A file, a pattern (``data/*.parquet``), a folder or a list of them: Parquet, CSV and TSV (also ``.gz``), NDJSON,
        Arrow files, ``.npy`` of two dimensions. Folders named ``year=2024`` are columns. Or a list of functions that
        each give a part whenever they are called; or data in memory, which are written to parts first.
    target
        The column to predict.
    columns
        The columns to read, besides target and weight; all of them, unless said.
    kinds
        What columns are, where the inferred kind is not meant, as in :func:`margin.read`.
    weight
        The column that says how much each row counts.
    missing, header, separator
        As in :func:`margin.read`; header and separator are found out from the beginning of each file.
    keep
        A JSON file that keeps what was learnt, so that it is paid for once; parts that have changed since are refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "1.csv").write_text("age,sex\\n31,f\\n")
    >>> _ = (folder / "2.csv").write_text("age,sex\\n?,m\\n")
    >>> scan(folder / "*.csv").read() == read([folder / "1.csv", folder / "2.csv"])
    True
    """
    who = "scan"
    request = request_of(header, separator, missing, kinds, target)
    if not _in_files(data) and not _functions(data):
        return parts_of_table(read(data, kinds=kinds, target=target, missing=missing), target, weight, columns, who)
    calls: tuple[Callable[[], Any], ...] = tuple(data) if _functions(data) else ()
    asked = {"target": target, "weight": weight, "columns": None if columns is None else sorted(columns)}
    asked |= {"kinds": repr(sorted((kinds or {}).items())), "missing": repr(missing), "header": str(header),
              "separator": separator}  # fmt: skip
    paths = [] if calls else found_files(data, who)
    if keep is not None and not calls and Path(keep).exists():
        return kept.load(keep, paths, asked, request)
    files = tuple(called_part(call, i) for i, call in enumerate(calls)) or tuple(map(opened_file, paths))
    look = _Look(files, calls, request, set(columns) if columns is not None else None, target, weight)
    found = look.parts()
    if keep is not None:
        kept.save(found, keep, asked)
    return found


def _in_files(data: Any) -> bool:
    each = data if isinstance(data, (list, tuple)) and data else [data]
    return all(isinstance(one, (str, os.PathLike)) for one in each)


def _functions(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and bool(data) and all(callable(each) for each in data)


class _Look:
    """The first look at all parts."""

    def __init__(
        self, files: tuple[PartFile, ...], calls: Sequence[Callable[[], Any]], request: Request,
        columns: set[str] | None, target: str | None, weight: str | None,
    ) -> None:  # fmt: skip
        self.files, self.calls, self.request = files, tuple(calls), request
        self.columns, self.target, self.weight = columns, target, weight
        self.names: list[str] = []
        self.pieces: list[Piece] = []
        self.found: dict[str, ColumnSummary] = {}

    def parts(self) -> Parts:
        for number, file in enumerate(self.files):
            call = self.calls[number] if self.calls else None
            for piece, frame in pieces_of(file, number, self.request, call):
                self._see(file, piece, frame, call)
        if not sum(piece.rows or 0 for piece in self.pieces):
            raise DataError(f"scan({len(self.files)} parts): there are no rows in any part; a table needs some.")
        self._look_again_where_mixed()
        readings = [self._settled(name) for name in self.names]
        unnamed = [
            r for r in readings if r.column.name not in self._unnamed() or r.missing < self.found[r.column.name].rows
        ]
        return Parts(self.files, tuple(self.pieces), tuple(unnamed), self.target, self.weight, self.request, self.calls)

    def _see(self, file: PartFile, piece: Piece, frame: Any, call: Any) -> None:
        self._check_names(file, piece)
        if frame is None:
            frame = frame_of(file, piece, self.names, self.request, call)
        self.pieces.append(piece.counted(frame.height))
        if not frame.height:
            return
        frame = with_folders(cleaned(frame, self.request), file)
        for name in self.names:
            self._add(name, frame, self._wanted(name), file.who)

    def _add(self, name: str, frame: Any, wanted: str, who: str) -> None:
        if name in frame.columns:
            more = summary_of(frame[name], wanted, name, who)
        else:
            more = ColumnSummary("", frame.height, frame.height, steady=False)
        before = self.found.get(name)
        self.found[name] = more if before is None else before.plus(more, name, who)

    def _wanted(self, name: str) -> str:
        """Whether the values of a column are collected even where they are numbers."""
        if name in self.request.kinds:
            declared = declared_kinds("scan", {name: self.request.kinds[name]}, [name])[name]
            return "" if declared.kind == "numeric" else "words"
        return "numbers" if name == self.target else ""

    def _check_names(self, file: PartFile, piece: Piece) -> None:
        """The columns of the first part are those of all; records may leave some out."""
        there = [*piece.names, *(name for name, _ in file.folders)]
        if not self.names:
            self._choose(there, file.who)
            self._all = set(there)
        elif file.form == "records":
            more = [name for name in there if name not in self._all]
            self._all.update(more)
            for name in more if self.columns is None else []:
                rows = sum(each.rows or 0 for each in self.pieces)
                self.found[name] = ColumnSummary("", rows, rows, steady=False)
                self.names.append(name)
        elif odd := sorted(set(there) ^ self._all):
            lacks = [name for name in odd if name in self._all]
            raise DataError(
                f"{file.who}: all parts must have the same columns, but {listing(odd)} "
                f"{'is missing here' if lacks else 'is not in the parts before'}."
            )

    def _choose(self, there: list[str], who: str) -> None:
        asked = [*(self.columns or ()), *filter(None, (self.target, self.weight)), *self.request.kinds]
        unknown = [name for name in asked if name not in there]
        if unknown:
            raise ParameterError(
                f"{who}: column {listing(unknown)} is not there; columns are {listing(there)}"
                f"{closest(unknown[0], there)}."
            )
        chosen = self.columns
        self.names = [n for n in there if chosen is None or n in chosen or n in (self.target, self.weight)]

    def _look_again_where_mixed(self) -> None:
        """Columns that are numbers in some pieces and words in others: all of their words are needed."""
        mixed = [name for name in self.names if self.found[name].mixed]
        if not mixed:
            return
        for name in mixed:
            del self.found[name]
        for piece in self.pieces:
            file, call = self.files[piece.file], self.calls[piece.file] if self.calls else None
            frame = cleaned(frame_of(file, piece, mixed, self.request, call), self.request)
            frame = with_folders(frame, file)
            for name in mixed if frame.height else ():
                self._add(name, frame, "words", file.who)

    def _unnamed(self) -> set[str]:
        """Columns that no header names: those of nothing but missing cells are a separator at the end of lines."""
        return {f"column{i + 1}" for i, _ in enumerate(self.names)} if self.files[0].form == "text" else set()

    def _settled(self, name: str) -> Reading:
        first, text = self.pieces[0], self.files[0].form == "text"
        said = {name: self.request.kinds[name]} if name in self.request.kinds else {}
        declared: DeclaredKind | None = declared_kinds("scan", said, [name]).get(name)
        about = Written(
            name, who="scan", missing=self.request.missing, is_target=name == self.target, declared=declared,
            decimal_comma=(first.separator != ",") if text else None, place="row",
        )  # fmt: skip
        reading = reading_of(self.found[name], about)
        if name == self.weight and not reading.column.is_numeric:
            raise DataError(
                f"scan(weight={name!r}): the weights must be numbers, but the column is {reading.column.kind}."
            )
        if name == self.weight and (reading.missing or not reading.low > 0 or not np.isfinite(reading.high)):
            raise DataError(f"scan(weight={name!r}): weights in parts must all be there, finite and above 0.")
        if name == self.target and reading.missing:
            raise DataError(
                f"scan(target={name!r}): {reading.missing:,} rows have no target; leave them out of the parts."
            )
        return replace(reading)
