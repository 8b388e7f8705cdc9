"""``margin models``: what ``margin compare`` can try."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("models", short_help="List the models that compare tries, or the parameters of one.")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def command(name: str | None, as_json: bool) -> None:
    """List the models that compare tries, with what they are; with a NAME, the parameters of that model."""
    if as_json:
        _tell_programs(name)
    elif name is None:
        _list_models()
    else:
        _list_parameters(name)


def _tell_programs(name: str | None) -> None:
    from margin import params, zoo
    from margin.experiment import result_json

    if name is None:
        told: object = [{"name": each.name, "title": each.title, "note": each.note} for each in zoo.models()]
    else:
        model = zoo.models([name])[0].make()
        told = [
            {"name": each.name, "value": getattr(model, each.name), "meaning": each.meaning, "rule": each.rule.words}
            for each in params.parameters(type(model))
        ]
    click.echo(result_json.as_json(told))


def _list_parameters(name: str) -> None:
    from rich.console import Console
    from rich.table import Table

    from margin import params, zoo

    entry = zoo.models([name])[0]
    model = entry.make()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", leading=1)
    for title in ("parameter", "here", "what it is"):
        table.add_column(title)
    for parameter in params.parameters(type(model)):
        value = getattr(model, parameter.name)
        table.add_row(parameter.name, repr(value), f"{parameter.meaning} Must be {parameter.rule.words}.")
    console = Console(highlight=False)
    console.print(f"{entry.title} ({type(model).__name__}): {entry.note}\n", markup=False)
    console.print(table if table.rows else "It has no parameters.")


def _list_models() -> None:
    from rich.console import Console
    from rich.table import Table

    from margin import zoo

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("what it is")
    for entry in zoo.models():
        limit = f" Tried up to {entry.limit:,} rows unless named." if entry.limit else ""
        table.add_row(entry.name, entry.note + limit)
    Console(highlight=False).print(table)
