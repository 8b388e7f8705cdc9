"""``margin audit``: leaks and traps in a table, before any model is believed."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]


@click.command("audit", short_help="Look for leaks and traps in a table before believing any model of it.")
@click.argument("file")
@click.option("--target", "-t", metavar="COLUMN", help="What is to be predicted: a name, a number from 1, or last.")
@click.option("--test", metavar="FILE", help="The table that models are to be tested on; else a quarter of the rows.")
@click.option("--group", metavar="COLUMN", help="Which rows belong together, as those of one patient.")
@click.option("--time", metavar="COLUMN", help="When each row happened: numbers or dates.")
@click.option("--out", "-o", metavar="HTML", help="Write the findings to this file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same findings.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@reading.options
def command(
    file: str,
    target: str | None,
    test: str | None,
    group: str | None,
    time: str | None,
    out: str | None,
    seed: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Look for leaks and traps in FILE, a table on disk or a name of the catalog (margin data list).

    Copies of rows on both sides of a split, columns that give the target away or only name the rows, groups and
    times torn apart, test rows unlike the others, classes too small. Each finding comes with its evidence and with
    what to do about it. Leaves with 1 where there is a leak, so that scripts can stop.

    \b
    margin audit credit
    margin audit visits.csv --target diagnosis --group patient --time day
    margin audit train.csv --target y --test test.csv --out audit.html
    """
    from rich.console import Console

    from margin.cli.output_paths import check_places
    from margin.experiment.table_audit import audit_table
    from margin.report import terminal

    check_places(file, ("--out", out))
    found, title, column = audit_table(
        file, target, test=test, group=group, time=time, seed=seed, reading=reading.settings(given)
    )
    console = Console(highlight=False)
    if as_json:
        from margin.experiment import result_json

        click.echo(result_json.as_json(found.to_dict()))
    else:
        terminal.show_audit(found, console)
    if out:
        from margin import persistence
        from margin.report import render_audit

        said = {
            "--target": target,
            "--test": test,
            "--group": group,
            "--time": time,
            "--seed": str(seed) if seed else None,
        }
        page = render_audit(found, title, column, _typed(file, said))
        place = persistence.write_whole(out, page)
        if not as_json:
            console.print(f"\nReport: {place}", markup=False, soft_wrap=True)
    if found.leaks:
        raise SystemExit(1)


def _typed(file: str, said: dict[str, str | None]) -> str:
    """What to type to get the same findings again, but for how the file is read."""
    import shlex

    words = [word for flag, value in said.items() if value is not None for word in (flag, value)]
    return shlex.join(["margin", "audit", file, *words])
