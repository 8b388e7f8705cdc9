"""Where a command may write, decided before it works."""

from __future__ import annotations

import os
from pathlib import Path

from margin.errors import ParameterError

__all__ = ["check_places"]


def check_places(read: str, *places: tuple[str, str | None]) -> None:
    """Refuse a place that cannot be written to, or holds what is being read, before the work, not after it.

    ``places`` are flags with what was given for them.

    >>> check_places("table.csv", ("--out", "report.html"), ("--save", None))
    """
    taken = {Path(read).absolute()}
    for flag, place in places:
        if place is None:
            continue
        if Path(place).absolute() in taken:
            raise ParameterError(f"{flag} {place}: is another file of this command (give it a name of its own).")
        taken.add(Path(place).absolute())
        folder = Path(place).absolute().parent
        if not folder.is_dir():
            raise ParameterError(f"{flag} {place}: the folder {str(folder)!r} does not exist (create it first).")
        if Path(place).is_dir() or not os.access(folder, os.W_OK):
            raise ParameterError(f"{flag} {place}: cannot be written there (name a file in a folder of yours).")
