"""The options that say how a file is read, the same for every command that reads one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["NAMES", "POSITIVE", "options", "pairs_of", "settings"]

#: What ``--positive`` is, wherever scores are shown.
POSITIVE = "The class that precision, recall and F1 are about. [default: of two the one that says yes, or the rarer]"

_OPTIONS = (
    click.option("--header/--no-header", default=None, help="Whether the first line names the columns; else guessed."),
    click.option("--separator", metavar="CHAR", default="auto", help="What stands between cells; else guessed."),
    click.option("--missing", metavar="TEXT", multiple=True, help="A text that means no value; can be given again."),
    click.option(
        "--kind",
        metavar="COLUMN=KIND",
        multiple=True,
        help="Read a column as numeric, nominal, ordinal, date, identifier or text; can be given again.",
    ),
    click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out; can be given again."),
    click.option("--only", metavar="COLUMN", multiple=True, help="Keep this column and no other; can be given again."),
    click.option("--coerce", is_flag=True, help="Read cells that are no numbers in a column of numbers as missing."),
    click.option("--skip", metavar="N", type=click.IntRange(0), help="Lines above the names of the columns."),
    click.option("--sheet", metavar="NAME", help="Which sheet of a workbook, by name or number. [default: the first]"),
)
#: What the options are called in Python, as a command receives them.
NAMES = ("header", "separator", "missing", "kind", "drop", "only", "coerce", "skip", "sheet")


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say how a file is read to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings(given: dict[str, Any]) -> dict[str, Any]:
    """The options as :func:`margin.data.read` takes them, taken out of all that a command was given."""
    told = {name: given.pop(name) for name in NAMES}
    separator, kind, header = told["separator"], told.pop("kind"), told["header"]
    return told | {
        "header": "auto" if header is None else header,
        "separator": "\t" if separator in ("\\t", "tab") else separator,
        "missing": told["missing"] or None,
        "kinds": pairs_of(kind, "--kind", "COLUMN=KIND, as in age=nominal") or None,
        "drop": told["drop"] or None,
        "only": told["only"] or None,
    }


def pairs_of(pairs: tuple[str, ...], flag: str, form: str, at_first: bool = False) -> dict[str, str]:
    """``("age=nominal",)`` as a dictionary; the last ``=`` parts the two, since names may hold one.

    With ``at_first`` the first one does, for values that may.
    """
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=") if at_first else pair.rpartition("=")
        if not equals or not name:
            raise click.BadParameter(f"{pair!r} must read {form}.", param_hint=flag)
        found[name] = value
    return found
