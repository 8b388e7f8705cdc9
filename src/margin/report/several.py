"""A comparison for several targets: on the terminal, and as one HTML page."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import margin
from margin.report import phrases as words
from margin.report import terminal
from margin.report.page import environment_of, paragraphs, style_of

__all__ = ["answer", "render_several", "show"]


def answer(result: Any) -> str:
    """The result in a sentence or two."""
    winner, test = result.winner, result.test
    if not test:
        found = winner.scores["accuracy"]
        return (
            f"{winner.title} did best so far: {words.score(found.value)} of its answers were right over all "
            f"{len(result.targets)} targets in cross-validation ({words.interval(found)}). The run was stopped, and "
            "the sealed test was not opened."
        )
    rows = test["subset_accuracy"]
    return (
        f"{winner.title} did best. On {result.n_test:,} sealed rows {words.score(test['accuracy'].value)} of its "
        f"answers were right over all {len(result.targets)} targets ({words.interval(test['accuracy'])}), and "
        f"{words.score(rows.value)} of the rows were right in every target ({words.interval(rows)}); always answering "
        f"the commonest class gives {words.score(result.baseline['accuracy'])} and "
        f"{words.score(result.baseline['subset_accuracy'])}."
    )


def show(result: Any, console: Console) -> None:
    """Print the leaderboard, the best model by target, and the answer."""
    console.print(terminal.board(result, console.width))
    if result.by_target:
        _show_targets(result, console)
    if result.warnings:
        console.print()
        for warning in result.warnings:
            console.print(Text(f"! {warning}"), style="yellow")
    console.print()
    console.print(Text(answer(result).replace(words.THIN, " ")), style="bold")
    for remark in result.remarks:
        console.print(Text(remark), style="dim")


def _show_targets(result: Any, console: Console) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("target", "classes", "right", "interval", "commonest class"):
        table.add_column(name, justify="left" if name == "target" else "right")
    for line in result.by_target:
        cells = (words.score(line.accuracy.value), words.interval(line.accuracy), words.score(line.baseline))
        table.add_row(*(Text(str(cell).replace(words.THIN, " ")) for cell in (line.name, line.n_classes, *cells)))
    console.print()
    console.print(Text(f"{result.winner.title} on the sealed test"), style="dim")
    console.print(table)


def render_several(result: Any, title: str = "", author: str = "", notes: str = "") -> str:
    """The page for a finished comparison for several targets."""
    template = environment_of().get_template("several.html")
    head = {"title": title, "author": author, "notes": paragraphs(notes)}
    return template.render(result=result, answer=answer(result), css=style_of(), version=margin.__version__, **head)
