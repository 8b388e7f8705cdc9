"""Files that are either written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from margin.errors import PersistenceError

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file so that nobody ever sees half of it: into a neighbour first, then renamed.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> write_whole(Path(folder) / "answer.txt", "yes").read_text()
    'yes'
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise PersistenceError(f"cannot write {str(path)!r}: {_reason(error)}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(beside, _usual_mode())
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise PersistenceError(f"cannot write {str(path)!r}: {_reason(error)}.") from error
        raise
    return path


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
