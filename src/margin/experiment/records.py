"""Runs on record: what was asked of which data, what came out, and how to do it again."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from margin.errors import DataError, ParameterError, closest, listing
from margin.experiment.result import Result
from margin.experiment.result_json import as_json
from margin.experiment.several_result import SeveralResult

__all__ = ["Record", "keep_record", "read_record", "read_records"]

#: What the files say they are.
FORMAT = "margin run 1"


@dataclass(frozen=True)
class Record:
    """One run on record: its name, when it was, of which data, and the whole result as ``to_dict`` told it."""

    name: str
    when: str
    digest: str
    command: str
    python: str
    result: dict[str, Any]

    def read(self) -> Result | SeveralResult:
        """The result, with its page."""
        kind = SeveralResult if "targets" in self.result else Result
        return kind.from_dict(self.result)

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns that were predicted."""
        return tuple(self.result.get("targets") or (self.result["target"],))


def keep_record(result: Any, folder: Any) -> Path:
    """Write a run down in a folder, which is made if need be; where it was written.

    >>> import margin, tempfile
    >>> result = margin.compare("iris", models="naive-bayes", folds=3)
    >>> folder = tempfile.mkdtemp()
    >>> path = keep_record(result, folder)
    >>> [(record.command, record.result["best"]) for record in read_records(folder)]
    [('margin compare iris --models naive-bayes --folds 3', 'naive-bayes')]
    """
    from margin import persistence

    now = datetime.now(UTC)
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(f"record={str(folder)!r}: the folder cannot be made ({error.strerror}).") from None
    stem = f"{now:%Y%m%d-%H%M%S}-{re.sub(r'[^A-Za-z0-9]+', '-', result.title).strip('-') or 'table'}"
    taken = {path.stem for path in place.glob("*.json")}
    name = next(each for n in range(len(taken) + 1) if (each := stem if not n else f"{stem}-{n + 1}") not in taken)
    told = {
        "format": FORMAT,
        "name": name,
        "when": f"{now:%Y-%m-%d %H:%M:%S} UTC",
        "digest": result.about.get("table_digest", ""),
        "command": result.command,
        "python": python_lines(result),
        "result": result.to_dict(),
    }
    return Path(persistence.write_whole(place / f"{name}.json", as_json(told)))


def python_lines(result: Any) -> str:
    """What to write in Python to get the same."""
    return f"import margin\n\nresult = {result.spec.call()}\nprint(result)\n"


def read_records(folder: Any) -> tuple[Record, ...]:
    """All runs on record in a folder, the oldest first."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{str(folder)!r}: there is no such folder (margin compare … --record {folder} makes it).")
    found = [_read(path) for path in sorted(place.glob("*.json"))]
    return tuple(record for record in found if record is not None)


def read_record(folder: Any, name: str) -> Record:
    """The run of this name, or of the only name that begins so; ``last`` is the latest."""
    records = {record.name: record for record in read_records(folder)}
    if name == "last" and records:
        return records[max(records)]
    near = [each for each in records if each.startswith(name)]
    if name in records or len(near) == 1:
        return records.get(name) or records[near[0]]
    raise ParameterError(f"run={name!r}: must be one of {listing(records, 8) or 'none'}{closest(name, records)}.")


def _read(path: Path) -> Record | None:
    """The record of a file; None for JSON of something else."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{str(path)!r}: cannot be read as a run on record ({error}).") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return None
    return Record(**{name: told[name] for name in Record.__dataclass_fields__})
