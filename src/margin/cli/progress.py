"""What a person at a terminal sees while a run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from margin.experiment import Progress, Result

__all__ = ["followed"]

START = "reading the table"
#: What goes on once a stage is done; events come after the work they speak of.
NEXT = {
    "read": "sealing the test part",
    "seal": "validating",
    "refit": "opening the sealed test",
    "test": "fitting the best on all rows",
    "final": "gathering the result",
}


def followed(events: Iterator[Progress | Result], live: bool = True) -> Result:
    """Follow a run to its result, with a live bar on standard error where that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if live and console.is_terminal:
        return _with_bar(events, console)
    return _last(events)


def _last(events: Iterator[Any]) -> Any:
    *_, result = events
    return result


def _with_bar(events: Iterator[Any], console: Any) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
    )
    event: Any = None
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(START, total=None)
        for event in events:
            if hasattr(event, "stage"):
                bar.update(task, description=_said(event))
            if getattr(event, "total", 0):
                bar.update(task, completed=event.done, total=event.total)
    return event


def _said(event: Progress) -> str:
    if event.stage != "validate":
        return NEXT[event.stage]
    latest = "" if event.score is None else f", latest {event.score:.3f}"
    return f"{event.model}: fold {event.fold} of {event.folds}{latest}"
