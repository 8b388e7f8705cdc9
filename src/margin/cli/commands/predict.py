"""``margin predict``: answers for new rows from a saved model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from margin.cli import read_options as reading
from margin.errors import listing

if TYPE_CHECKING:
    from margin.experiment.answer_stream import AnswerStream

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
    name. The target may be in it or not. Of a pattern of files with a folder for --out (it ends in /), each file has a
    file of answers of its own, and those that are there already are kept.

    \b
    margin predict credit.margin new.csv --out answers.csv
    margin predict credit.margin 'new/*.parquet' --out answers/
    """
    from rich.console import Console

    from margin import persistence
    from margin.cli.file_by_file import outputs_of
    from margin.cli.written_answers import check_ending
    from margin.errors import MarginError, ParameterError, PersistenceError

    if out and (out.endswith(("/", "\\")) or Path(out).is_dir()):
        each = click.get_current_context()
        for one, answers in outputs_of(file, out):
            each.invoke(
                command, model=model, file=one, out=answers, probabilities=probabilities, extra=extra, as_json=as_json,
                **given,
            )  # fmt: skip
        return
    if out and Path(out).absolute() in (Path(model).absolute(), Path(file).absolute()):
        raise ParameterError(f"--out {out}: is another file of this command (give it a name of its own).")
    job = _Job(persistence.header(model).about, persistence.load(model), file, out, probabilities)
    if out:
        check_ending(out)
    if getattr(job.model, "takes_cases", False):
        from margin.base import Classifier

        if not isinstance(job.model, Classifier):
            raise ParameterError(
                f"{model}: is a {type(job.model).__name__}, which gives no class for each picture (margin picture "
                "--help says which command it is for)."
            )
        _answer_cases(job, as_json)
        return
    told = reading.settings(given)
    try:
        done, shown = job.in_parts(told, extra, as_json)
    except PersistenceError:  # the place of the answers, not the file
        raise
    except MarginError:  # a part may mean something else than the whole, and rows are numbered from its start
        done, shown = job.whole(told, extra, as_json)
    console = Console(highlight=False, quiet=as_json)
    if out:
        console.print(f"Answers for {done.n_rows:,} rows: {out}", markup=False, soft_wrap=True)
    else:
        _show(shown, done.n_rows, console)
    _say(done, job.about, shown, console, as_json)


def _answer_cases(job: _Job, as_json: bool) -> None:
    """A line for each picture or sequence: its file or row, the answer and how probable it is."""
    import json

    from margin.cli.written_answers import write_answers
    from margin.experiment.pictures import cases_to_answer

    cases, names = cases_to_answer(job.file, job.model)
    what = "row" if hasattr(cases, "lengths") else "file"
    columns: dict[str, list[Any]] = {what: names}
    if hasattr(job.model, "predict_proba"):
        answers, shares = job.model.predict_with_proba(cases)
        columns |= {"answer": answers.tolist(), "probability": shares.max(1).tolist()}
        if job.every_class:
            columns |= {f"p({label})": shares[:, k].tolist() for k, label in enumerate(job.model.classes_.tolist())}
    else:
        columns["answer"] = job.model.predict(cases).tolist()
    if job.out:
        write_answers(job.out, iter([columns]))
        click.echo(f"Answers for {len(cases):,} {'pictures' if what == 'file' else 'sequences'}: {job.out}")
    elif as_json:
        click.echo(json.dumps(columns))
    else:
        for cells in list(zip(*columns.values()))[:SHOWN]:
            click.echo("  ".join(_cell(cell) for cell in cells))
        if len(cases) > SHOWN:
            click.echo(f"… and {len(cases) - SHOWN} more (--out writes all of them)")


@dataclass(frozen=True)
class _Job:
    """Rows of a file to be answered by a model, and where the answers go."""

    about: dict[str, Any]
    model: Any
    file: str
    out: str | None
    every_class: bool

    def in_parts(self, told: dict[str, Any], extra: str, keep: bool) -> tuple[AnswerStream, dict[str, list[Any]]]:
        from margin.data.readers.witness import ReadWhole
        from margin.experiment.table_prediction import new_rows_in_parts

        if keep:
            raise ReadWhole("all answers are kept, and so may be all rows.")
        return self._answered(new_rows_in_parts(self.file, self.about, told, extra), keep, in_parts=True)

    def whole(self, told: dict[str, Any], extra: str, keep: bool) -> tuple[AnswerStream, dict[str, list[Any]]]:
        from margin.experiment import read_new_rows

        return self._answered(iter([(read_new_rows(self.file, self.about, told, extra), 1.0)]), keep)

    def _answered(
        self, rows: Iterator[tuple[Any, float]], keep: bool, in_parts: bool = False
    ) -> tuple[AnswerStream, dict[str, list[Any]]]:
        """What was counted, and the first answers, or all of them if they are kept."""
        from margin.cli.progress import with_share
        from margin.cli.written_answers import write_answers
        from margin.experiment.answer_stream import AnswerStream

        stream = AnswerStream(self.model, self.about, self.every_class, in_parts)
        first: dict[str, list[Any]] = {}

        def batches() -> Iterator[dict[str, list[Any]]]:
            for table in with_share(rows, "answering"):
                columns = stream.columns(table)
                if not first:
                    first.update({name: cells if keep else cells[:SHOWN] for name, cells in columns.items()})
                yield columns

        if self.out:
            write_answers(self.out, batches())
        else:
            for _ in batches():
                pass
        return stream, first


def _say(done: AnswerStream, about: dict[str, Any], columns: dict[str, list[Any]], console: Any, as_json: bool) -> None:
    """What else there is to say of the answers."""
    if "targets" in about:
        if as_json:
            _echo(columns, targets=about["targets"], agree=dict(done.agree))
        for name, agree in done.agree.items():
            console.print(f"{name}: {agree:,} of {done.n_rows:,} rows agree with the file.", markup=False)
        return
    if as_json:
        told = {"known": done.n_known, "right": done.n_right} if done.has_truth else None
        _echo(columns, target=about["target"], unseen=done.unseen, agree=told)
        return
    for line in done.unseen:
        click.echo(f"! {line}", err=True)
    if done.has_truth:
        _compare(done, about["target"], console)


def _echo(columns: dict[str, list[Any]], **told: Any) -> None:
    """The answers as JSON, an object for each row, with what else there is to say of them."""
    from margin.experiment import result_json

    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    click.echo(result_json.as_json({**told, "answers": rows}))


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


def _compare(found: AnswerStream, target: str, console: Any) -> None:
    """The file held the target too: say how many answers agree with it."""
    if found.n_known:
        share = f"{100 * found.n_right / found.n_known:.1f} %"
        console.print(
            f"{found.n_right:,} of {found.n_known:,} rows that have a value for {target} agree with it ({share}).",
            markup=False,
        )
    if found.strange:
        click.echo(
            f"! {target}: {listing(list(found.strange))} in the file is not among the classes of the model, "
            f"{listing(found.model.classes_.tolist())}; such rows are not counted.",
            err=True,
        )
