"""Files that nobody ever sees half of."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from margin.errors import PersistenceError

__all__ = ["write_whole", "written_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file so that nobody ever sees half of it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> write_whole(Path(folder) / "answer.txt", "yes").read_text()
    'yes'
    """
    data = content.encode() if isinstance(content, str) else content

    def fill(descriptor: int) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]

    return written_whole(path, fill)


def written_whole(path: str | os.PathLike[str], fill: Callable[[int], None]) -> Path:
    """A file that ``fill`` writes into a neighbour, which is synced, renamed, and its folder synced.

    Whatever happens in between, a crash of the machine too, the old file stands there or the new one.
    """
    path = Path(path)
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise PersistenceError(f"cannot write {str(path)!r}: {_reason(error)}.") from error
    try:
        try:
            fill(descriptor)
            os.fchmod(descriptor, _usual_mode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise PersistenceError(f"cannot write {str(path)!r}: {_reason(error)}.") from error
        raise
    _sync_folder(path.parent)
    return path


def _sync_folder(folder: Path) -> None:
    """So that the new name outlives a crash too; where folders cannot be synced the rename has to do."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _usual_mode() -> int:
    """The permissions that ``open`` would give; ``mkstemp`` shuts everyone else out."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "the folder does not exist (create it first)"
    if isinstance(error, IsADirectoryError):
        return "it is a folder (add a file name)"
    return (error.strerror or str(error)).lower()
