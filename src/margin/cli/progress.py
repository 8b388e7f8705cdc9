"""What a person at a terminal sees while a run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from margin.experiment import Progress, Result

__all__ = ["followed"]

STAGES = {
    "read": "reading",
    "seal": "sealing the test part",
    "validate": "validating",
    "refit": "fitting the best on all training rows",
    "test": "opening the sealed test",
    "final": "fitting the best on all rows",
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
        TextColumn("{task.description}", table_column=None),
        BarColumn(bar_width=24),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    event: Any = None
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)
        for event in events:
            if hasattr(event, "stage"):
                bar.update(task, description=_said(event), completed=event.done, total=event.total or None)
    return event


def _said(event: Progress) -> str:
    if event.stage != "validate":
        return STAGES.get(event.stage, event.stage)
    latest = "" if event.score is None else f" {event.score:.3f}"
    return f"{event.model} {event.fold}/{event.folds}{latest}"
