"""``margin report``: the page of a run that is on record, or of the JSON that ``margin compare`` printed."""

from __future__ import annotations

from typing import Any

import click

from margin.cli.page_options import page_options, page_settings

__all__ = ["command"]


@click.command("report", short_help="Write the page of a run on record, with a title and notes of your own.")
@click.argument("source")
@click.argument("run", default="last")
@click.option("--out", "-o", metavar="HTML", help="Where to write. [default: to standard output]")
@page_options
@click.option("--json", "as_json", is_flag=True, help="The result instead of its page, as JSON.")
def command(source: str, run: str, out: str | None, as_json: bool, **given: Any) -> None:
    """Write the page of a RUN (its name, the beginning of it, or last) in SOURCE, a folder of margin compare --record.

    SOURCE can also be a file with what margin compare --json printed; - is what is piped in. The models are not fitted
    again.

    \b
    margin report runs --out report.html --title "Who pays back?" --author "the risk team"
    margin report runs 20260102-credit --notes @notes.txt --out report.html
    margin compare credit --json | margin report - > report.html
    """
    from pathlib import Path

    from margin import persistence
    from margin.cli.output_paths import check_places
    from margin.experiment import result_json

    check_places(source, ("--out", out))
    head = page_settings(given)
    result = _of_record(source, run) if Path(source).is_dir() else _of_json(source)
    if as_json:
        click.echo(result_json.as_json(result.to_dict()))
        return
    page = result.html(**head)
    if out is None:
        click.echo(page)
    else:
        click.echo(f"Report: {persistence.write_whole(out, page)}")


def _of_record(folder: str, run: str) -> Any:
    from margin.experiment.records import read_record

    return read_record(folder, run).read()


def _of_json(file: str) -> Any:
    import json
    import sys
    from pathlib import Path

    from margin.errors import DataError
    from margin.experiment.result import Result
    from margin.experiment.several_result import SeveralResult

    try:
        told = json.loads(sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file!r}: cannot be read as a result ({error}).") from None
    told = told.get("result", told) if isinstance(told, dict) else told
    if not isinstance(told, dict) or "leaderboard" not in told:
        raise DataError(f"{file!r}: is no result (margin compare … --json prints one).")
    return (SeveralResult if "targets" in told else Result).from_dict(told)
