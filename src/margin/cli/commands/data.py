"""``margin data``: what is in a table, and which tables come with margin."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]


@click.group("data", short_help="Look at tables.")
def command() -> None:
    """Look at tables: what was read and why, and the tables that come with margin."""


@command.command("show", short_help="What each column of a table was taken for, and why.")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@click.option("--keep", metavar="FILE", help="Of parts: a JSON file that keeps what was learnt, for the next time.")
@reading.options
def show(file: str, as_json: bool, keep: str | None, **given: Any) -> None:
    """Show what each column of FILE (a table on disk or a name of the catalog) was taken for, and why.

    Of a folder or a pattern, such as 'data/*.parquet', each part is looked at by itself, so that they may be larger
    than memory.
    """
    from rich.console import Console

    from margin.cli import parts_shown
    from margin.experiment import column_cards, open_table

    told = reading.settings(given)
    if (keep or parts_shown.are_parts(file, told)) and parts_shown.show(file, keep, as_json, told):
        return
    table, target = open_table(file, told)
    cards = column_cards(table, target or "")
    if as_json:
        from margin.experiment import result_json

        told = {"title": table.name or file, "n_rows": table.n_rows, "target": target, "columns": cards}
        click.echo(result_json.as_json(told))
        return
    console = Console(highlight=False)
    console.print(f"{table.name or file}: {table.n_rows:,} rows, {len(cards)} columns", style="bold", markup=False)
    console.print(_columns(cards))


def _columns(cards: Any) -> Any:
    from rich.table import Table
    from rich.text import Text

    from margin.report.phrases import shortened

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("column", overflow="fold", max_width=22)
    table.add_column("kind", no_wrap=True)
    table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("values, and why it is read so", ratio=1)
    for number, card in enumerate(cards, 1):
        values = Text(_values(card))
        if card.reason and not card.reason.endswith("different words"):  # the values have just said so
            values.append(f"\n{card.reason}", style="dim")
        name = Text(shortened(card.name, 60), style="bold" if card.is_target else "")
        name.append("\ntarget", style="dim") if card.is_target else None
        table.add_row(str(number), name, card.kind, f"{card.missing:,}" if card.missing else "–", values)
    return table


def _values(card: Any) -> str:
    from margin.report.phrases import number, shortened

    if card.low is not None:
        return f"{number(card.low)} to {number(card.high)}, mean {number(card.mean)}, {card.distinct:,} distinct"
    used = {"identifier": "left out of models", "text": "read as words by naive Bayes and linear models",
            "date": "read as days passed and parts of the calendar"}  # fmt: skip
    if card.kind in used:
        return f"{card.distinct:,} distinct; {used[card.kind]}"
    shown = ", ".join(f"{shortened(level)} ({n:,})" for level, n in card.levels[:4])
    return shown + (f", … {card.distinct:,} distinct" if card.distinct > 4 else "") or "no values"


@command.command("list", short_help="The tables that come with margin.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def list_tables(as_json: bool) -> None:
    """List the tables that come with margin; each name can stand where a FILE is asked for."""
    from rich.console import Console
    from rich.table import Table

    from margin.data import catalog

    if as_json:
        from margin.experiment import result_json

        click.echo(result_json.as_json([{"name": name, **vars(catalog.card(name))} for name in catalog.names()]))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("target", no_wrap=True)
    table.add_column("what it is")
    for name in catalog.names():
        card = catalog.card(name)
        table.add_row(name, f"{card.rows:,}", card.target, card.title)
    Console(highlight=False).print(table)
