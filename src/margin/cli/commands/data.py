"""``margin data``: what is in a table, which tables come with margin, and data that are made."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]


@click.group("data", short_help="Look at tables, make pictures.")
def command() -> None:
    """Look at tables: what was read and why, and the tables that come with margin. Make pictures."""


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


@command.command("make", short_help="Made pictures as a folder of files.")
@click.argument("what", type=click.Choice(["scenes", "two_domains", "textures"]))
@click.argument("folder")
@click.option("--n", "count", type=int, default=100, show_default=True, help="How many pictures.")
@click.option("--size", type=int, default=32, show_default=True, help="Pixels of a side.")
@click.option("--objects", metavar="FROM-TO", default="2-3", show_default=True, help="Objects of a scene.")
@click.option("--noise", type=float, default=0.05, show_default=True, help="Noise of scenes.")
@click.option("--from", "source", metavar="PATH", help="Pictures to make two domains of; shapes are drawn otherwise.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same files.")
def make(
    what: str, folder: str, count: int, size: int, objects: str, noise: float, source: str | None, seed: int
) -> None:
    """Make pictures in FOLDER, which must not be there yet or be empty.

    scenes: pictures with masks of classes and of objects, boxes, captions, questions with answers. two_domains: the
    same pictures, white on black (a) and as ink on paper (b), not in pairs. textures: something to take a style from.

    \b
    margin data make scenes shapes/ --n 600
    margin picture segment shapes/ --save shapes.margin
    """
    from margin.data import generators
    from margin.data.generated import folders
    from margin.errors import ParameterError

    if what == "scenes":
        first, _, last = objects.partition("-")
        if not (first.isdigit() and (last or first).isdigit()):
            raise ParameterError(f"--objects {objects}: give the smallest and the largest number, as in 2-3.")
        between = int(first), int(last or first)
        made = generators.scenes(count, size, objects=between, noise=noise, seed=seed)
        folders.save_scenes(made, folder)
        click.echo(f"{folder}: {len(made)} scenes with masks, boxes, captions and {len(made.questions)} questions")
    elif what == "two_domains":
        light = _light_on_dark(source, count, size, seed)
        folders.save_domains(generators.two_domains(light, seed=seed), folder)
        click.echo(f"{folder}: {len(light)} pictures, half of them in a, half in b")
    else:
        folders.save_pictures(generators.textures(count, size, seed=seed), folder)
        click.echo(f"{folder}: {count} textures")


def _light_on_dark(source: str | None, count: int, size: int, seed: int) -> Any:
    """Pictures of a folder or an IDX file in grey, or shapes that are drawn."""
    from margin.data import generators
    from margin.data.images import Images

    if source is None:
        made = generators.scenes(count, size, objects=(1, 1), strokes=0, noise=0, seed=seed)
        return (made.class_masks > 0).astype("uint8") * 255
    images = Images.read(source)[:count]
    return images.framed(None if images.image_size == (size, size) else size, 1).pixels()[..., 0]
