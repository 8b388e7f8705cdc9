"""``margin runs``: the runs that ``margin compare --record FOLDER`` wrote down."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["command"]

_JSON = click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")


@click.group("runs", short_help="Look at runs on record, and hold two of them against each other.")
def command() -> None:
    """Look at the runs that margin compare --record FOLDER wrote down."""


@command.command("list", short_help="All runs in a folder.")
@click.argument("folder")
@_JSON
def list_runs(folder: str, as_json: bool) -> None:
    """List the runs in FOLDER, the oldest first."""
    from margin.experiment.records import read_records

    records = read_records(folder)
    if as_json:
        _echo([_line(record) for record in records])
        return
    for record in records:
        line = _line(record)
        score = "" if line["accuracy"] is None else f", accuracy {line['accuracy']:.3f}"
        click.echo(f"{record.name}\n    {line['target']}: {line['best']}{score} on {line['n_test']:,} sealed rows")


@command.command("show", short_help="One run: its leaderboard, its data, and how to do it again.")
@click.argument("folder")
@click.argument("run", default="last")
@click.option("--out", "-o", metavar="HTML", help="Write its report to this file.")
@_JSON
def show(folder: str, run: str, out: str | None, as_json: bool) -> None:
    """Show a RUN of FOLDER: its name, the beginning of it, or last."""
    from margin.experiment.records import read_record

    record = read_record(folder, run)
    if as_json:
        _echo(record)
        return
    result = record.read()
    click.echo(
        f"{record.name}, {record.when}\ndata digest {record.digest}\n\n{result}\n\n{record.command}\n\n{record.python}"
    )
    if out:
        from margin import persistence

        click.echo(f"Report: {persistence.write_whole(out, result.html())}")


@command.command("compare", short_help="Two runs: what differs in what was asked and in what came out.")
@click.argument("folder")
@click.argument("one")
@click.argument("other", default="last")
@_JSON
def compare(folder: str, one: str, other: str, as_json: bool) -> None:
    """Hold two runs of FOLDER against each other."""
    from margin.experiment.records import read_record

    first, second = read_record(folder, one), read_record(folder, other)
    scores = _scores(first, second)
    same = first.digest == second.digest
    if as_json:
        _echo({"first": first.name, "second": second.name, "same_data": same, "scores": scores})
        return
    click.echo(f"{first.name}: {first.command}\n{second.name}: {second.command}")
    click.echo("The same data." if same else "Different data: scores of one say nothing about the other's.")
    width = max(len(name) for name in scores)
    for name, (before, after) in scores.items():
        moved = "" if before is None or after is None else f"  {after - before:+.3f}"
        click.echo(f"{name:<{width}}  {_shown(before)}  {_shown(after)}{moved}")


def _scores(first: Any, second: Any) -> dict[str, list[float | None]]:
    """By model: the score that decided, in either run; and that of the sealed test."""
    metric = first.result["metric"]
    found: dict[str, list[float | None]] = {}
    for at, record in enumerate((first, second)):
        for line in record.result["leaderboard"]:
            score = line["scores"].get(metric)
            found.setdefault(line["name"], [None, None])[at] = score and score["value"]
    tests = [_tested(record).get(metric) for record in (first, second)]
    return {**found, "sealed test": [score and score["value"] for score in tests]}


def _line(record: Any) -> dict[str, Any]:
    told = record.result
    accuracy = _tested(record).get("accuracy")
    return {
        "name": record.name,
        "when": record.when,
        "digest": record.digest,
        "command": record.command,
        "target": ", ".join(record.targets),
        **{part: told[part] for part in ("title", "best", "n_rows", "n_test")},
        "accuracy": accuracy and accuracy["value"],
    }


def _tested(record: Any) -> dict[str, Any]:
    """The scores of the sealed test; none where a run was stopped before it was opened."""
    test = record.result["test"] or {}
    return test.get("scores", {} if "n_rows" in test else test)


def _shown(score: float | None) -> str:
    return "    -" if score is None else f"{score:.3f}"


def _echo(value: Any) -> None:
    from margin.experiment.result_json import as_json

    click.echo(as_json(value))
