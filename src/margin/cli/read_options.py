"""The options that say how a file is read, the same for every command that reads one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["POSITIVE", "options", "pairs_of", "settings"]

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
        help="Read a column as numeric, nominal, ordinal, identifier or text; can be given again.",
    ),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds ``--header``, ``--separator``, ``--missing`` and ``--kind`` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings(header: bool | None, separator: str, missing: tuple[str, ...], kind: tuple[str, ...]) -> dict[str, Any]:
    """The options as :func:`margin.data.read` takes them."""
    return {
        "header": "auto" if header is None else header,
        "separator": "\t" if separator in ("\\t", "tab") else separator,
        "missing": missing or None,
        "kinds": pairs_of(kind, "--kind", "COLUMN=KIND, as in age=nominal") or None,
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
