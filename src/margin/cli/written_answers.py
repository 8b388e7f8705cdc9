"""Answers as a file: its ending says in which form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from margin.errors import ParameterError

__all__ = ["check_ending", "written"]

_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq")


def check_ending(path: str) -> None:
    """Refuse a name whose ending says nothing, before the work is done."""
    ending = Path(path).suffix.lower()
    if ending not in ("", *_ENDINGS):
        raise ParameterError(f"--out {path}: the ending must be one of {', '.join(_ENDINGS)}.")


def written(columns: dict[str, list[Any]], path: str) -> str | bytes:
    """The columns as the ending of the path wants them; CSV where there is none.

    >>> written({"row": [1], "risk": ["low"]}, "answers.jsonl")
    '{"row": 1, "risk": "low"}\\n'
    """
    ending = Path(path).suffix.lower()
    if ending in (".parquet", ".pq"):
        return _parquet(columns)
    if ending in (".json", ".jsonl", ".ndjson"):
        records = [json.dumps(dict(zip(columns, row)), ensure_ascii=False) for row in zip(*columns.values())]
        return "[\n" + ",\n".join(records) + "\n]\n" if ending == ".json" else "".join(f"{each}\n" for each in records)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter="\t" if ending == ".tsv" else ",")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    import polars as pl

    content = io.BytesIO()
    pl.DataFrame([pl.Series(name, cells, strict=False) for name, cells in columns.items()]).write_parquet(content)
    return content.getvalue()
