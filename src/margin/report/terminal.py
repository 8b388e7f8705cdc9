"""A result on the terminal: the leaderboard as a table of at most 80 columns, and the answer in words."""

from __future__ import annotations

from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from margin.report import leaderboard
from margin.report import phrases as words

__all__ = ["board", "interval_bar", "show", "show_audit"]

#: Characters of the drawn interval.
WIDTH = 20
#: Terminals of fewer columns see neither the drawn interval nor what stands behind it.
NARROW = 72
#: Traps that are told one by one.
MOST_TRAPS = 3


def show(result: Any, console: Console) -> None:
    """Print the leaderboard, what it says, and the answer."""
    console.print(board(result, console.width))
    console.print(Text(_plain(words.board_summary(result))), style="dim")
    leaks, traps = _untold(result)
    if result.warnings or leaks or traps:
        console.print()
        for leak in leaks:
            console.print(Text(_plain(f"! Leak: {leak.says} {leak.advice}")), style="red")
        for trap in traps[:MOST_TRAPS]:
            console.print(Text(_plain(f"! Trap: {trap.says} {trap.advice}")), style="yellow")
        if len(traps) > MOST_TRAPS:
            more = f"! {len(traps) - MOST_TRAPS} more of the kind stand in the report (--out report.html)."
            console.print(Text(more), style="yellow")
        for warning in result.warnings:
            console.print(Text(f"! {_plain(warning)}"), style="yellow")
    console.print()
    console.print(Text(_plain(words.answer(result))), style="bold")
    _show_caution(result, console)
    for remark in result.remarks:
        console.print(Text(_plain(remark)), style="dim")


def _untold(result: Any) -> tuple[list[Any], list[Any]]:
    """The leaks and traps that the audit found and that do not stand beside the score."""
    if result.audit is None:
        return [], []
    told = {caution.says for caution in result.cautions}
    leaks, traps = (
        [each for each in found if each.says not in told] for found in (result.audit.leaks, result.audit.traps)
    )
    return leaks, traps


def _show_caution(result: Any, console: Console) -> None:
    """What the score rests on, right under it."""
    caution = words.caution(result)
    if caution is None:
        return
    style = SEVERITIES[caution["severity"]]
    console.print(Text(_plain(" ".join(["!", caution["call"], *caution["says"], caution["without"]]))), style=style)
    console.print(Text(_plain(" ".join(caution["advice"]))))
    if caution["remedy"]:
        console.print(Text(f"  {caution['remedy']}"), soft_wrap=True)


#: How each severity is shown.
SEVERITIES = {"leak": "bold red", "trap": "yellow", "note": "dim"}


def show_audit(audit: Any, console: Console) -> None:
    """Print the findings of an audit, the gravest first, each with its advice."""
    console.print(Text(_plain(audit.verdict)), style="bold")
    console.print(Text(_plain(audit.split)), style="dim")
    for finding in audit.findings:
        console.print()
        console.print(Text(finding.severity, style=SEVERITIES[finding.severity]).append(f"  {finding.title}", "bold"))
        for text, style in ((finding.says, ""), (finding.advice, "dim")):
            console.print(Padding(Text(_plain(text), style=style), (0, 0, 0, 6)))
    for note in audit.notes:
        console.print()
        console.print(Text(note), style="dim")


def board(result: Any, width: int = 80) -> Group:
    """The leaderboard; the last column says which models are behind the best by more than chance.

    A narrow terminal is shown the score and its interval, and goes without the rest.
    """
    metric, narrow = result.metric, width < NARROW
    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0), header_style="dim")
    table.add_column("model", no_wrap=True, max_width=max(8, width - 27) if narrow else 20)
    heading = metric.replace("_", " ") + words.about_class(metric, result.positive)
    table.add_column(heading, justify="right", min_width=8, max_width=8 if narrow else 10)
    table.add_column("interval" if narrow else "95 % interval", justify="right", no_wrap=True)
    columns = () if narrow else leaderboard.COLUMNS
    if not narrow:
        table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    table.add_column("" if narrow else "to the best", no_wrap=True)
    low, high = leaderboard.score_range(result)
    failed = []
    for standing in result.leaderboard:
        if standing.error:
            failed.append(standing)
            continue
        one = standing.scores[metric]
        is_best = standing.name == result.best
        drawn = Text(interval_bar(one, low, high), style="green" if is_best else "cyan")
        table.add_row(
            Text(standing.name, style="bold green" if is_best else ""),
            Text(_plain(words.score(one.value, metric)), style="bold" if is_best else ""),
            words.interval(one, metric),
            *(() if narrow else (drawn,)),
            *(_plain(column.text(standing)) for column in columns),
            leaderboard.mark_of(standing, result.best),
        )
    lines = [Text.from_markup(f"[red]{escape(s.name)} failed:[/] {escape(s.error)}") for s in failed]
    return Group(table, *lines)


def interval_bar(one: Any, low: float, high: float, width: int = WIDTH) -> str:
    """An interval drawn with characters on the axis from ``low`` to ``high``.

    >>> from types import SimpleNamespace
    >>> interval_bar(SimpleNamespace(value=0.75, low=0.7, high=0.8), 0.6, 0.9, 13)
    '    ├─●─┤    '
    """

    def place(value: float) -> int:
        share = (value - low) / (high - low) if high > low else 0.5
        return min(max(round(share * (width - 1)), 0), width - 1)

    cells = [" "] * width
    if one.low is not None and one.high is not None:
        left, right = place(one.low), place(one.high)
        cells[left : right + 1] = "─" * (right + 1 - left)
        cells[left], cells[right] = "├", "┤"
    cells[place(one.value)] = "●"
    return "".join(cells)


def _plain(text: str) -> str:
    """Terminals in the wild print a narrow space as a box; an ordinary one does."""
    return text.replace(words.THIN, " ")
