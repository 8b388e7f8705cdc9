"""What a long fit has worked out so far, kept in a file: after a stop it goes on there, and ends in the same bytes."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from pathlib import Path
from typing import Any

from margin.data.parts.row_blocks import JoinedInPairs
from margin.errors import DataError, ParameterError

__all__ = ["Checkpoint"]

MARK = b"margin checkpoint 1\n"


class Checkpoint:
    """A file with the sums of the rounds that are done and of the one that is not.

    It is written every ``every`` tasks, all of it or nothing, and is good for the same model on the same parts by the
    same version alone. It holds Python objects: give no file that somebody else could have written.
    """

    def __init__(self, path: str | os.PathLike[str], every: int, job: tuple[Any, ...]) -> None:
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ParameterError(f"fit(every={every!r}): every must be a whole number of tasks above 0.")
        self.path, self.every = Path(path), every
        self._job = hashlib.sha256(repr(job).encode()).digest()
        self._rounds: dict[str, tuple[int, set[int], Any, Any]] = self._read()
        self._since, self.written = 0, time.monotonic()

    def _read(self) -> dict[str, Any]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        head = MARK + self._job
        if not content.startswith(MARK):
            raise DataError(f"fit(checkpoint={str(self.path)!r}): this file is no checkpoint (name another).")
        if not content.startswith(head):
            raise DataError(
                f"fit(checkpoint={str(self.path)!r}): the file is of another model, other parts or another version "
                "(remove it, or name another)."
            )
        body = content[len(head) + 32 :]
        if hashlib.sha256(body).digest() != content[len(head) : len(head) + 32]:
            raise DataError(f"fit(checkpoint={str(self.path)!r}): the file is damaged (remove it).")
        found: dict[str, Any] = pickle.loads(body)
        return found

    def resume(self, what: str, whole: JoinedInPairs[Any], n: int) -> set[int]:
        """Put back what is known of a round; the numbers of the tasks that are done."""
        kept = self._rounds.get(what)
        if kept is None or kept[0] != n:  # another number of workers cuts the blocks into other runs
            return set()
        _, done, whole._waiting, whole.sum = kept
        return set(done)

    def keep(self, what: str, whole: JoinedInPairs[Any], done: set[int]) -> None:
        """Take note of one more task; every so often the file is written."""
        self._rounds[what] = (whole.n, set(done), whole._waiting, whole.sum)
        self._since += 1
        if self._since >= self.every or len(done) == whole.n:
            self._since = 0
            body = pickle.dumps(self._rounds, protocol=5)
            made = self.path.with_name(self.path.name + ".part")
            made.write_bytes(MARK + self._job + hashlib.sha256(body).digest() + body)
            made.replace(self.path)
