"""The options that say what stands at the head of a report, the same for every command that writes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from margin.errors import ParameterError

__all__ = ["page_options", "page_settings"]

_OPTIONS = (
    click.option("--title", metavar="TEXT", default="", help="What stands over the report."),
    click.option("--author", metavar="TEXT", default="", help="Who wrote the report."),
    click.option("--notes", metavar="TEXT", default="", help="What else is to stand at its head; @FILE reads a file."),
)


def page_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a report's head to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def page_settings(given: dict[str, Any]) -> dict[str, str]:
    """What ``html`` of a result is given, taken out of all that a command was given.

    >>> page_settings({"title": "Who pays?", "author": "", "notes": "", "seed": 0})
    {'title': 'Who pays?', 'author': '', 'notes': ''}
    """
    told = {name: given.pop(name) for name in ("title", "author", "notes")}
    if told["notes"].startswith("@"):
        try:
            told["notes"] = Path(told["notes"][1:]).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ParameterError(f"--notes {told['notes']}: cannot be read ({error}).") from None
    return told
