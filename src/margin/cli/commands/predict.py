"""``margin predict``: answers for new rows from a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from margin.cli import read_options as reading
from margin.errors import listing

if TYPE_CHECKING:
    from margin.experiment import Answers

__all__ = ["command"]

#: Rows shown where no file is asked for.
SHOWN = 20


@click.command("predict", short_help="Answers for new rows from a saved model.")
@click.argument("model")
@click.argument("file")
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    help="Write an answer for every row to this file: .csv, .tsv, .json, .jsonl, .parquet.",
)
@click.option(
    "--probabilities", "-p", is_flag=True, help="Give the probability of every class, not only of the answer."
)
@click.option(
    "--extra",
    type=click.Choice(["refuse", "ignore"]),
    default="refuse",
    show_default=True,
    help="What becomes of columns that the model does not know.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON, for programs.")
@reading.options
def command(
    model: str, file: str, out: str | None, probabilities: bool, extra: str, as_json: bool, **given: Any
) -> None:
    """Answer for each row of FILE with MODEL, a file that margin compare --save wrote.

    FILE is read as the training table was, where nothing else is said; - is what is piped in. Columns are matched by
    name. The target may be in it or not.

    \b
    margin predict credit.margin new.csv --out answers.csv
    """
    from rich.console import Console

    from margin import persistence
    from margin.cli.written_answers import check_ending, written
    from margin.errors import ParameterError
    from margin.experiment import answers, read_new_rows

    if out and Path(out).absolute() in (Path(model).absolute(), Path(file).absolute()):
        raise ParameterError(f"--out {out}: is another file of this command (give it a name of its own).")
    about = persistence.header(model).about
    fitted = persistence.load(model)
    console = Console(highlight=False, quiet=as_json)
    if out:
        check_ending(out)
    rows = read_new_rows(file, about, reading.settings(given), extra)
    if "targets" in about:
        _answer_several(fitted, rows, about, out, console, as_json)
        return
    found = answers(fitted, rows, about)
    columns = _columns(found, about["target"], probabilities)
    if out:
        place = persistence.write_whole(out, written(columns, out))
        console.print(f"Answers for {len(found.labels):,} rows: {place}", markup=False, soft_wrap=True)
    else:
        _show(columns, len(found.labels), console)
    if as_json:
        told = None if found.truth is None else {"known": found.n_known, "right": found.n_right}
        _echo(columns, target=about["target"], unseen=found.unseen, agree=told)
        return
    for line in found.unseen:
        click.echo(f"! {line}", err=True)
    if found.truth is not None:
        _compare(found, about["target"], console)


def _echo(columns: dict[str, list[Any]], **told: Any) -> None:
    """The answers as JSON, an object for each row, with what else there is to say of them."""
    from margin.experiment import result_json

    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    click.echo(result_json.as_json({**told, "answers": rows}))


def _answer_several(
    fitted: Any, table: Any, about: dict[str, Any], out: str | None, console: Any, as_json: bool
) -> None:
    """A column of answers for each target."""
    from margin import persistence
    from margin.cli.written_answers import written
    from margin.experiment.table_prediction import several_answers

    columns, right = several_answers(fitted, table, about)
    n = len(columns["row"])
    if out:
        place = persistence.write_whole(out, written(columns, out))
        console.print(f"Answers for {n:,} rows: {place}", markup=False, soft_wrap=True)
    else:
        _show(columns, n, console)
    if as_json:
        _echo(columns, targets=about["targets"], agree=right)
    for name, agree in right.items():
        console.print(f"{name}: {agree:,} of {n:,} rows agree with the file.", markup=False)


def _columns(found: Answers, target: str, every_class: bool) -> dict[str, list[Any]]:
    """The columns of the answer: row, identifiers, the class, and how probable it is."""
    from margin.experiment.table_prediction import share_of_answer

    columns: dict[str, list[Any]] = {"row": list(range(1, len(found.labels) + 1))}
    columns |= {name: values.tolist() for name, values in found.identifiers.items()}
    columns[target] = found.labels.tolist()
    if found.probabilities is not None:
        if every_class:
            each = zip(found.classes, found.probabilities.T)
            columns |= {f"P({label})": values.tolist() for label, values in each}
        else:
            columns["probability"] = share_of_answer(found.labels, found.classes, found.probabilities).tolist()
    return columns


def _show(columns: dict[str, list[Any]], n_rows: int, console: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        table.add_column(Text(name), justify="right" if name == "row" or name.startswith(("P(", "prob")) else "left")
    for row in list(zip(*columns.values()))[:SHOWN]:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    console.print(table)
    if n_rows > SHOWN:
        console.print(f"… {n_rows - SHOWN:,} more rows; --out answers.csv writes them all.", style="dim", markup=False)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _compare(found: Answers, target: str, console: Any) -> None:
    """The file held the target too: say how many answers agree with it."""
    if found.n_known:
        share = f"{100 * found.n_right / found.n_known:.1f} %"
        console.print(
            f"{found.n_right:,} of {found.n_known:,} rows that have a value for {target} agree with it ({share}).",
            markup=False,
        )
    if found.strange:
        click.echo(
            f"! {target}: {listing(found.strange)} in the file is not among the classes of the model, "
            f"{listing(found.classes)}; such rows are not counted.",
            err=True,
        )
