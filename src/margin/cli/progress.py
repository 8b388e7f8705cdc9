"""What a person at a terminal sees while a run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from margin.experiment import Progress, Result

__all__ = ["followed", "with_share"]

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


def with_share(parts: Iterator[tuple[Any, float]], what: str) -> Iterator[Any]:
    """The parts of some work, with a bar of the share that is done on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        for part, share in parts:
            yield part
            bar.update(task, completed=share)


def _last(events: Iterator[Any]) -> Any:
    *_, result = _unbroken(events)
    return result


def _unbroken(events: Iterator[Any]) -> Iterator[Any]:
    """The events; Ctrl-C between two of them is told to the run, which may keep what is done."""
    event = next(events, None)
    while event is not None:
        try:
            yield event
            event = next(events, None)
        except KeyboardInterrupt:
            if not hasattr(events, "throw") or getattr(events, "gi_frame", None) is None:
                raise
            event = events.throw(KeyboardInterrupt)


def _with_bar(events: Iterator[Any], console: Any) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    event: Any = None
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(START, total=None, left="")
        for event in _unbroken(events):
            if not hasattr(event, "stage"):
                continue
            if event.stage == "standing":
                bar.console.print(_stands(event.standing), markup=False, highlight=False)
            bar.update(task, description=_said(event), left=_time_left(event.left))
            if event.total:
                bar.update(task, completed=event.done, total=event.total)
    return event


def _stands(standing: Any) -> str:
    """How a model did, in a line, as soon as it is known."""
    if standing.error:
        return f"{standing.name}: {standing.error}"
    name, score = next(iter(standing.scores.items()))
    reach = "" if score.low is None else f" ({score.low:.3f} to {score.high:.3f})"
    return f"{standing.name}: {name} {score.value:.3f}{reach}"


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {seconds:.0f} s left" if seconds < 100 else f"about {seconds / 60:.0f} min left"


def _said(event: Progress) -> str:
    if event.stage == "standing":
        return f"{event.model}: done"
    if event.stage != "validate":
        return NEXT[event.stage]
    latest = "" if event.score is None else f", latest {event.score:.3f}"
    return f"{event.model}: fold {event.fold} of {event.folds}{latest}"
