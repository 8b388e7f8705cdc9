"""Tables in parts on the terminal: what their columns are, without having all rows in memory."""

from __future__ import annotations

import os
from typing import Any

import click

from margin.errors import DataError, ParameterError

__all__ = ["are_parts", "scanned", "show"]

#: What of the ways to read a file also holds for parts.
_ASKED = ("target", "kinds", "missing", "header", "separator", "only")


def are_parts(file: str, settings: dict[str, Any]) -> bool:
    """Whether a folder or a pattern of files was named that can be read part by part, as the flags want it."""
    from margin.data.parts.files import found_files

    named = os.path.isdir(file) or (any(mark in file for mark in "*?") and not os.path.exists(file))
    return named and not _only_whole(settings) and found_files(file, "margin", whole=False) != []


def scanned(file: str, keep: str | None, target: str | None, settings: dict[str, Any]) -> Any:
    """The parts, read as the flags say; flags that only whole files know are refused."""
    from margin.data.parts import scan

    if unknown := _only_whole(settings):
        raise ParameterError(f"--{unknown[0]}: this is for files that are read whole, not for parts.")
    told = _told(settings)
    only = told.pop("only", None)
    return scan(file, columns=only, keep=keep, target=target, **told)


def _told(settings: dict[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in settings.items() if value not in (None, False, 0, "auto", (), [], {})}
    return told | ({"header": False} if settings.get("header") is False else {})


def _only_whole(settings: dict[str, Any]) -> list[str]:
    return [name for name in _told(settings) if name not in _ASKED]


def show(file: str, keep: str | None, as_json: bool, settings: dict[str, Any]) -> bool:
    """What each column of the parts was taken for, and why; False where the files have to be read whole."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from margin.experiment import result_json

    try:
        parts = scanned(file, keep, None, settings)
    except DataError:
        if keep:
            raise
        return False  # text in another encoding, quotes in odd places, a single column
    if as_json:
        columns = [
            {"name": r.column.name, "kind": r.column.kind, "missing": r.missing, "levels": list(r.column.levels),
             "low": _plain(r.low), "high": _plain(r.high), "reason": r.column.reason}
            for r in parts.readings
        ]  # fmt: skip
        told = {"title": file, "n_rows": parts.n_rows, "n_parts": len(parts.files), "n_blocks": parts.n_blocks}
        click.echo(result_json.as_json({**told, "columns": columns, "digest": parts.digest()}))
        return True
    console = Console(highlight=False)
    plural = "s" * (len(parts.files) != 1)
    title = f"{file}: {parts.n_rows:,} rows in {len(parts.files):,} part{plural}, {len(parts.readings)} columns"
    console.print(title, style="bold", markup=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, right in (("#", True), ("column", False), ("kind", False), ("missing", True), ("values, and why", False)):
        table.add_column(name, justify="right" if right else "left")
    for number, reading in enumerate(parts.readings, 1):
        values = Text(_values(reading))
        values.append(f"\n{reading.column.reason}", style="dim")
        missing = f"{reading.missing:,}" if reading.missing else "–"
        table.add_row(str(number), Text(reading.column.name, style="bold"), reading.column.kind, missing, values)
    console.print(table)
    return True


def _plain(number: float) -> float | None:
    return number if number == number and abs(number) != float("inf") else None


def _values(reading: Any) -> str:
    from margin.report.phrases import number, shortened

    if reading.column.is_numeric:
        return f"{number(reading.low)} to {number(reading.high)}" if reading.low <= reading.high else "no values"
    if not reading.column.levels:
        return "left out of models" if reading.column.kind == "identifier" else "read as words"
    often = sorted(zip(reading.counts, reading.column.levels), key=lambda each: -each[0])
    shown = ", ".join(f"{shortened(level)} ({n:,})" for n, level in often[:4])
    return shown + (f", … {len(often):,} distinct" if len(often) > 4 else "")
