"""This process, one task after another: rows stay on disk, and kernels have all threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from margin.distributed.engines.engine import Counted, Task

__all__ = ["LocalEngine"]


class LocalEngine:
    """Tasks one after another in this process.

    >>> engine = LocalEngine()
    >>> list(engine.map(lambda shared, item: shared + item, 10, [1, 2], "an example"))
    [(0, 11), (1, 12)]
    """

    name = "local"
    workers = 1

    def __init__(self) -> None:
        self.counted = Counted()

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str) -> Iterator[tuple[int, Any]]:
        """Each item with its result, in order."""
        self.counted.rounds.append(what)
        for number, item in enumerate(items):
            self.counted.tasks += 1
            yield number, task(shared, item)

    def close(self) -> None:
        """Nothing has to be let go."""
