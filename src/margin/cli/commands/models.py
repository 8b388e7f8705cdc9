"""``margin models``: what ``margin compare`` can try."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("models", short_help="List the models that compare tries.")
def command() -> None:
    """List the models that compare tries, with what they are."""
    from rich.console import Console
    from rich.table import Table

    from margin import zoo

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("what it is")
    for entry in zoo.models():
        limit = f" Tried up to {entry.limit:,} rows unless named." if entry.limit else ""
        table.add_row(entry.name, entry.note + limit)
    Console().print(table)
