"""What every engine can do: the same function on many items, each a pure task that may run twice or elsewhere.

Rounds are coordinated by the caller alone. A task sees what is *shared* with all tasks of its round and its own item;
it gives its result back and keeps nothing. So a lost worker costs its tasks, which run again, and never the round.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from margin.errors import ParameterError, closest

__all__ = ["Counted", "Engine", "Task", "engine_named", "engine_of", "use"]

#: ``function(shared, item)``, found by its name in its module.
Task = Callable[[Any, Any], Any]


@dataclass
class Counted:
    """What an engine has moved and done since it was made: bytes down to workers and up from them, tasks, deaths."""

    down: int = 0
    up: int = 0
    tasks: int = 0
    deaths: int = 0
    rounds: list[str] = field(default_factory=list)


class Engine(Protocol):
    """Runs tasks. ``workers`` is how many at once; ``counted`` what was moved."""

    name: str
    workers: int
    counted: Counted

    def map(self, task: Task, shared: Any, items: Sequence[Any], what: str) -> Iterator[tuple[int, Any]]:
        """The number of each item with what the task gives for it, as they are ready, in any order.

        Closing the iterator calls off what has not begun. ``what`` names the round, for messages.
        """
        ...

    def close(self) -> None:
        """Let all workers go."""
        ...


_in_use: contextvars.ContextVar[Engine | None] = contextvars.ContextVar("margin.distributed.engine", default=None)


def engine_named(engine: Any, **settings: Any) -> tuple[Engine, bool]:
    """An engine by its name, a Dask client or itself; and whether it was made here, and so has to be closed here."""
    from margin.distributed.engines.local import LocalEngine
    from margin.distributed.engines.processes import ProcessEngine

    known = {"local": LocalEngine, "processes": ProcessEngine}
    if isinstance(engine, str):
        if engine not in known:
            raise ParameterError(
                f"distributed(engine={engine!r}): engine must be 'local', 'processes', an engine or a dask.distributed "
                f"Client{closest(engine, known)}."
            )
        return known[engine](**settings), True
    if type(engine).__module__.startswith("distributed"):
        from margin.distributed.engines.dask import DaskEngine

        return DaskEngine(engine, **settings), True
    if settings:
        raise ParameterError(f"distributed({', '.join(settings)}=…): an engine that is there has its settings already.")
    if not hasattr(engine, "map") or not hasattr(engine, "counted"):
        raise ParameterError(f"distributed(engine={engine!r}): this is no engine.")
    return engine, False


@contextmanager
def use(engine: Any = "local", **settings: Any) -> Iterator[Engine]:
    """Let models that are fitted on parts inside a ``with`` block use an engine; its workers go with the block.

    ``engine`` is ``"local"`` (this process), ``"processes"`` (with ``workers=2``: two processes of one thread each), a
    ``dask.distributed.Client``, or an engine that was made before.

    >>> import margin
    >>> from margin import distributed
    >>> parts = margin.scan({"size": [1.0, 2.0, 8.0, 9.0], "kind": ["s", "s", "b", "b"]}, target="kind")
    >>> with distributed.use("local"):
    ...     model = margin.NaiveBayes().fit(parts)
    >>> model.predict([{"size": 7.0}]).tolist()
    ['b']
    """
    made, is_mine = engine_named(engine, **settings)
    before = _in_use.set(made)
    try:
        yield made
    finally:
        _in_use.reset(before)
        if is_mine:
            made.close()


@contextmanager
def engine_of(engine: Any, **settings: Any) -> Iterator[Engine]:
    """The engine that was asked for or, if none was, the one in use; this process if there is none."""
    if engine is None and not settings and (there := _in_use.get()) is not None:
        yield there
        return
    made, is_mine = engine_named("local" if engine is None else engine, **settings)
    try:
        yield made
    finally:
        if is_mine:
            made.close()
