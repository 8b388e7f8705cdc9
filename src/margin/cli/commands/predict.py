"""``margin predict``: answers for new rows from a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from margin.errors import listing

if TYPE_CHECKING:
    from margin.experiment import Answers

__all__ = ["command"]

#: Rows shown where no file is asked for.
SHOWN = 20


@click.command("predict", short_help="Answers for new rows from a saved model.")
@click.argument("model")
@click.argument("file")
@click.option("--out", "-o", metavar="CSV", help="Write an answer for every row to this file.")
@click.option(
    "--probabilities", "-p", is_flag=True, help="Give the probability of every class, not only of the answer."
)
def command(model: str, file: str, out: str | None, probabilities: bool) -> None:
    """Answer for each row of FILE with MODEL, a file that margin compare --save wrote.

    FILE is read as the training table was; columns are matched by name. The target may be in it or not.

    \b
    margin predict credit.margin new.csv --out answers.csv
    """
    from rich.console import Console

    from margin import persistence
    from margin.errors import ParameterError
    from margin.experiment import answers, read_new_rows

    if out and Path(out).absolute() in (Path(model).absolute(), Path(file).absolute()):
        raise ParameterError(f"--out {out}: is another file of this command (give it a name of its own).")
    about = persistence.header(model).about
    fitted = persistence.load(model)
    console = Console(highlight=False)
    if "targets" in about:
        _answer_several(fitted, read_new_rows(file, about), about, out, console)
        return
    found = answers(fitted, read_new_rows(file, about), about)
    columns = _columns(found, about["target"], probabilities)
    if out:
        place = persistence.write_whole(out, _csv(columns))
        console.print(f"Answers for {len(found.labels):,} rows: {place}", markup=False, soft_wrap=True)
    else:
        _show(columns, len(found.labels), console)
    if found.truth is not None:
        _compare(found, about["target"], console)


def _answer_several(fitted: Any, table: Any, about: dict[str, Any], out: str | None, console: Any) -> None:
    """A column of answers for each target."""
    from margin import persistence
    from margin.experiment.table_prediction import several_answers

    columns, right = several_answers(fitted, table, about)
    n = len(columns["row"])
    if out:
        place = persistence.write_whole(out, _csv(columns))
        console.print(f"Answers for {n:,} rows: {place}", markup=False, soft_wrap=True)
    else:
        _show(columns, n, console)
    for name, agree in right.items():
        console.print(f"{name}: {agree:,} of {n:,} rows agree with the file.", markup=False)


def _columns(found: Answers, target: str, every_class: bool) -> dict[str, list[Any]]:
    """The columns of the answer: row, identifiers, the class, and how probable it is."""
    columns: dict[str, list[Any]] = {"row": list(range(1, len(found.labels) + 1))}
    columns |= {name: values.tolist() for name, values in found.identifiers.items()}
    columns[target] = found.labels.tolist()
    if found.probabilities is not None:
        if every_class:
            each = zip(found.classes, found.probabilities.T)
            columns |= {f"P({label})": values.tolist() for label, values in each}
        else:
            columns["probability"] = found.probabilities.max(axis=1).tolist()
    return columns


def _csv(columns: dict[str, list[Any]]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()


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
