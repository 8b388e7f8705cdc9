"""``margin explain``: what a saved model has learnt, or why it answers a row as it does."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]


@click.command("explain", short_help="What a saved model has learnt, or why it answers a row as it does.")
@click.argument("model")
@click.argument("file", required=False)
@click.option("--row", "-r", type=click.IntRange(1), default=1, show_default=True, help="Which row of FILE, from 1 on.")
@click.option(
    "--rows",
    metavar="TABLE",
    help="The training table, or one like it: for the average case, plausible values, the nearest row.",
)
@click.option(
    "--wanted", metavar="ANSWER", help="The answer to look for; LOW..HIGH of a regression. [default: another]"
)
@click.option("--keep", metavar="COLUMN", multiple=True, help="A column that cannot change; can be given again.")
@click.option(
    "--set",
    "changes",
    metavar="COLUMN=VALUE",
    multiple=True,
    help="Say what the answer would be if the row held this instead; can be given again.",
)
@click.option("--html", "page", metavar="FILE", help="Write it to this file as HTML.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@reading.options
def command(
    model: str,
    file: str | None,
    row: int,
    rows: str | None,
    wanted: str | None,
    keep: tuple[str, ...],
    changes: tuple[str, ...],
    page: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Explain MODEL, a file that margin compare --save wrote: all that it has learnt, in the terms of its method.

    With FILE, a table or - for what is piped in, explain its answer to one row: the reasons of its method, what each
    column does, what would have to change for another answer, how far the row lies from the training rows.

    \b
    margin explain credit.margin
    margin explain credit.margin new.csv --row 3 --rows credit.csv
    margin explain credit.margin new.csv --row 3 --wanted good --keep age --keep sex
    margin explain credit.margin new.csv --row 3 --set amount=1500 --set housing=own
    margin explain credit.margin new.csv --json | jq .change
    tail -1 new.csv | cat header.csv - | margin explain credit.margin -
    """
    from margin import persistence
    from margin.cli.output_paths import check_places
    from margin.errors import ParameterError

    if file is None and (rows or wanted or keep or changes or row != 1):
        raise ParameterError("explain: --row, --rows, --wanted, --keep and --set are about a row; name its file.")
    check_places(model, ("--html", page))
    about, loaded = persistence.header(model).about, persistence.load(model)
    if file is None:
        from margin.explain import model as learnt

        reading.settings(given)
        found: Any = learnt(loaded)
    else:
        found = _of_row(loaded, about, file, row, rows, (wanted, keep, changes), reading.settings(given))
    _give(found, page, as_json)


def _of_row(
    model: Any,
    about: dict[str, Any],
    file: str,
    row: int,
    rows: str | None,
    asked: tuple[str | None, tuple[str, ...], tuple[str, ...]],
    told: dict[str, Any],
) -> Any:
    from margin.cli.new_rows import inputs_of
    from margin.errors import ParameterError
    from margin.explain import case, what_if

    wanted, keep, changes = asked
    table, _ = inputs_of(file, about, told)
    if row > len(table):
        raise ParameterError(f"--row {row}: {file} has {len(table):,} row{'' if len(table) == 1 else 's'}.")
    one = table.take([row - 1])
    if changes:
        cells = reading.pairs_of(changes, "--set", "COLUMN=VALUE, as in age=30", at_first=True)
        return what_if(model, one, {name: None if value == "" else value for name, value in cells.items()})
    known = None if rows is None else inputs_of(rows, about, {})[0]
    return case(model, one, known, wanted=_wanted(model, wanted), keep=keep)


def _wanted(model: Any, given: str | None) -> Any:
    """An answer as the model gives it: a class in its own type, or two numbers."""
    from margin.errors import ParameterError

    if given is None:
        return None
    if hasattr(model, "classes_"):
        return next((label for label in model.classes_.tolist() if str(label) == given), given)
    low, dots, high = given.partition("..")
    try:
        return (float(low), float(high if dots else low))
    except ValueError:
        raise ParameterError(f"--wanted {given}: must read LOW..HIGH, as in 10..20, for a model of numbers.") from None


def _give(found: Any, page: str | None, as_json: bool) -> None:
    if page is not None:
        from pathlib import Path

        head = '<!doctype html><meta charset="utf-8"><title>margin explain</title>'
        Path(page).write_text(f"{head}<body>{found.html()}</body>\n", encoding="utf-8")
    if as_json:
        import json

        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
    else:
        click.echo(found.text())
