"""What was learnt of parts, kept as JSON, so that looking at all of them is paid for once."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.parts.files import PartFile
from margin.data.parts.parts import Parts
from margin.data.parts.pieces import Piece
from margin.data.parts.settling import Reading
from margin.data.readers.file import Request
from margin.data.schema import Column
from margin.errors import DataError

__all__ = ["load", "save"]

FORMAT = "margin parts 1"


def save(parts: Parts, path: str | os.PathLike[str], asked: dict[str, Any]) -> None:
    """Write what is known of the parts, all of it or nothing."""
    told = {
        "format": FORMAT,
        "asked": asked,
        "files": [asdict(file) for file in parts.files],
        "pieces": [[p.file, p.begin, p.end, p.rows, list(p.names), p.separator] for p in parts.pieces],
        "columns": [_told(reading) for reading in parts.readings],
    }
    made = Path(f"{os.fspath(path)}.part")
    made.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    made.replace(path)


def load(path: str | os.PathLike[str], paths: list[str], asked: dict[str, Any], request: Request) -> Parts:
    """What was known of these very parts; others, and parts that have changed since, are refused by name."""
    who = f"scan(keep={os.fspath(path)!r})"
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        if told["format"] != FORMAT:
            raise ValueError(f"the format is {told['format']!r}")
        files = tuple(PartFile(**{**each, "folders": tuple(map(tuple, each["folders"]))}) for each in told["files"])
        pieces = tuple(Piece(f, b, e, n, tuple(names), mark) for f, b, e, n, names, mark in told["pieces"])
        readings = tuple(_reading(each) for each in told["columns"])
        before = told["asked"]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(f"{who}: this file does not hold what scan keeps ({error}); remove it.") from None
    if before != asked:
        odd = next(name for name in asked if before.get(name) != asked[name])
        raise DataError(
            f"{who}: the file was kept with {odd}={before.get(odd)!r}, not {asked[odd]!r} (remove it, or name another)."
        )
    odd_files = sorted(set(paths) ^ {file.path for file in files})
    if odd_files:
        state = "is new" if odd_files[0] in paths else "is gone"
        raise DataError(f"{who}: the part {odd_files[0]!r} {state} since (remove the file to scan again).")
    for file in files:
        file.check()
    return Parts(files, pieces, readings, asked["target"], asked["weight"], request)


def _told(reading: Reading) -> dict[str, Any]:
    column = reading.column
    return {
        "name": column.name, "kind": column.kind, "levels": list(column.levels), "reason": column.reason,
        "storage": reading.storage, "way": reading.way, "keys": list(reading.keys), "counts": list(reading.counts),
        "stored": None if reading.stored is None else [None if math.isnan(v) else v for v in reading.stored.tolist()],
        "missing": reading.missing, "low": _plain(reading.low), "high": _plain(reading.high),
    }  # fmt: skip


def _plain(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _reading(told: dict[str, Any]) -> Reading:
    column = Column(told["name"], told["kind"], tuple(told["levels"]), told["reason"])
    stored = None
    if told["stored"] is not None:
        cells = [math.nan if value is None else value for value in told["stored"]]
        stored = np.array(cells, dtype=np.float64 if column.is_numeric else np.int32)
    low, high = (math.nan if told[end] is None else told[end] for end in ("low", "high"))
    return Reading(
        column,
        told["storage"],
        told["way"],
        tuple(told["keys"]),
        stored,
        tuple(told["counts"]),
        told["missing"],
        low,
        high,
    )
