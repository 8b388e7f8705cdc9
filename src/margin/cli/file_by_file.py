"""Files of answers, one for each file of rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click

from margin.errors import DataError, ParameterError

__all__ = ["outputs_of"]


def outputs_of(pattern: str, folder: str) -> Iterator[tuple[str, str]]:
    """Each file that a pattern or a folder names, with the file of its answers; those that are there are left out."""
    import glob

    found = sorted(str(p) for p in Path(pattern).iterdir()) if os.path.isdir(pattern) else sorted(glob.glob(pattern))
    if not found:
        raise DataError(f"predict({pattern!r}): there is no such file.")
    names = [_answers_of(path) for path in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"--out {folder}: two files would have their answers in {twice!r} (rename one of them).")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for path, name in zip(found, names):
        answers = Path(folder) / name
        if answers.exists() and answers.stat().st_mtime_ns >= os.stat(path).st_mtime_ns:
            click.echo(f"{answers}: is there already", err=True)
            continue
        yield path, str(answers)


def _answers_of(path: str) -> str:
    name = Path(path).name.removesuffix(".gz")
    typed = name.endswith((".parquet", ".pq"))
    return f"{Path(name).stem}{Path(name).suffix if typed else '.csv'}"
