"""Answers as a file: its ending says in which form."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from margin.data.readers.witness import ReadWhole
from margin.errors import ParameterError
from margin.persistence.container.files import written_whole

__all__ = ["Columns", "check_ending", "write_answers"]

#: Some rows of the answers, column by column.
Columns = dict[str, list[Any]]

_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq")


def check_ending(path: str) -> None:
    """Refuse a name whose ending says nothing, before the work is done."""
    ending = Path(path).suffix.lower()
    if ending not in ("", *_ENDINGS):
        raise ParameterError(f"--out {path}: the ending must be one of {', '.join(_ENDINGS)}.")


def write_answers(path: str, batches: Iterator[Columns]) -> Path:
    """Write the columns of all batches, in the form that the ending wants, so that nobody ever sees half of them.

    >>> folder = tempfile.mkdtemp()
    >>> batches = iter([{"row": [1], "risk": ["low"]}, {"row": [2], "risk": ["high"]}])
    >>> write_answers(f"{folder}/a.csv", batches).read_text()
    'row,risk\\n1,low\\n2,high\\n'
    """
    ending = Path(path).suffix.lower()
    if ending in (".parquet", ".pq"):
        return written_whole(path, lambda descriptor: _fill_parquet(descriptor, Path(path), batches))
    as_text = {".json": _json, ".jsonl": _json_lines, ".ndjson": _json_lines}.get(ending)
    texts = as_text(batches) if as_text else _delimited(batches, "\t" if ending == ".tsv" else ",")

    def fill(descriptor: int) -> None:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="", closefd=False) as file:
            file.writelines(texts)

    return written_whole(path, fill)


def _delimited(batches: Iterator[Columns], separator: str) -> Iterator[str]:
    for place, columns in enumerate(batches):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", delimiter=separator)
        if not place:
            writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
        yield text.getvalue()


def _records(columns: Columns) -> list[str]:
    return [json.dumps(dict(zip(columns, row)), ensure_ascii=False) for row in zip(*columns.values())]


def _json_lines(batches: Iterator[Columns]) -> Iterator[str]:
    for columns in batches:
        yield "".join(f"{each}\n" for each in _records(columns))


def _json(batches: Iterator[Columns]) -> Iterator[str]:
    for place, columns in enumerate(batches):
        yield (",\n" if place else "[\n") + ",\n".join(_records(columns))
    yield "\n]\n"


def _fill_parquet(descriptor: int, path: Path, batches: Iterator[Columns]) -> None:
    """A file for each batch, beside the place of the answers, then one of them all: Parquet has no end to add to."""
    import polars as pl

    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        types: list[Any] = []
        for place, columns in enumerate(batches):
            frame = pl.DataFrame([pl.Series(name, cells, strict=False) for name, cells in columns.items()])
            types = types or frame.dtypes
            if frame.dtypes != types:
                raise ReadWhole("a column is of another type in some part.")
            frame.write_parquet(Path(folder, f"{place:09}.parquet"))
        whole = Path(folder, "000000000.parquet")
        if place:
            whole = Path(folder, "whole")
            pl.scan_parquet(Path(folder, "*.parquet")).sink_parquet(whole)
        with whole.open("rb") as source, os.fdopen(descriptor, "wb", closefd=False) as file:
            shutil.copyfileobj(source, file)
