"""``margin picture``: networks that see and make, a module for each command."""

from __future__ import annotations

import sys

import click

from margin.cli.app import Modules

__all__ = ["command"]


@click.group(
    "picture", cls=Modules, package=sys.modules[__name__], short_help="Segment, caption, make and look into pictures."
)
def command() -> None:
    """What networks can do with pictures beside telling classes.

    Needs pip install "margin[deep]".
    """
