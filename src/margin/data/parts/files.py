"""The files of a table in parts: found, put in order, and known again by what they hold."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from margin.errors import DataError

__all__ = ["ENDINGS", "PartFile", "found_files", "opened_file"]

#: How the files that can be parts end, and how each is read.
ENDINGS = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "text", ".tsv": "text", ".tab": "text", ".csv.gz": "text", ".tsv.gz": "text",
    ".ndjson": "records", ".jsonl": "records",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".npy": "array",
}  # fmt: skip
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class PartFile:
    """A file, what it held when it was looked at, and the columns that its folders name (``year=2024``)."""

    path: str
    form: str
    size: int
    changed: int
    digest: str
    folders: tuple[tuple[str, str], ...] = ()

    @property
    def who(self) -> str:
        return f"scan({Path(self.path).name!r})"

    def check(self) -> None:
        """Refuse a file that holds something else by now; cheap where nobody has touched it."""
        try:
            now = os.stat(self.path)
        except OSError as error:
            raise DataError(f"{self.who}: the part {self.path!r} is gone ({error.strerror}).") from None
        if (now.st_size, now.st_mtime_ns) == (self.size, self.changed):
            return
        if now.st_size != self.size or _digest(self.path) != self.digest:
            raise DataError(
                f"{self.who}: the part {self.path!r} has changed since it was scanned (scan again; with keep=, remove "
                "the file of what was known)."
            )


def found_files(given: Any, who: str, whole: bool = True) -> list[str]:
    """The files that a path, a pattern, a folder or a list of them stand for, by name.

    With ``whole`` False there are none where one of them cannot be a part, and no file is no error.
    """
    named: Iterable[Any] = [given] if isinstance(given, (str, os.PathLike)) else given
    found: list[str] = []
    for each in named:
        path = os.fspath(each)
        if os.path.isdir(path):
            inside = [str(file) for file in Path(path).rglob("*") if file.is_file() and _form(str(file))]
        elif os.path.exists(path) or not any(mark in path for mark in "*?["):
            inside = [path]
        else:
            inside = glob.glob(path, recursive=True)
        if not inside and whole:
            raise DataError(f"{who}: {path!r} stands for no file (readable are {', '.join(ENDINGS)}).")
        found += inside
    if not whole and not all(map(_form, found)):
        return []
    return sorted(dict.fromkeys(found))


def opened_file(path: str) -> PartFile:
    """A file as it is now."""
    form, who = _form(path), f"scan({Path(path).name!r})"
    if form is None:
        raise DataError(f"{who}: a part must end in one of {', '.join(ENDINGS)} (read takes other files, whole).")
    try:
        stat = os.stat(path)
        folders = tuple(re.findall(r"([^/\\=]+)=([^/\\]*)[/\\]", path))
        return PartFile(path, form, stat.st_size, stat.st_mtime_ns, _digest(path), folders)
    except OSError as error:
        raise DataError(f"{who}: the file cannot be read ({error.strerror}).") from None


def _form(path: str) -> str | None:
    name = path.lower()
    return next((form for ending, form in ENDINGS.items() if name.endswith(ending)), None)


def _digest(path: str) -> str:
    digest = hashlib.blake2b(digest_size=20)
    with open(path, "rb") as file:
        while block := file.read(_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()
