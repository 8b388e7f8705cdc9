"""The ``margin`` command: finds its sub-commands, and turns every refusal into one line."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Any

import click

import margin
from margin.cli import commands
from margin.errors import MarginError

__all__ = ["cli", "main"]

REFUSED = 2
STOPPED = 130


class Stopped(Exception):
    """Someone pressed Ctrl-C."""


class Commands(click.Group):
    """A group whose commands are the modules of a package, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        return importlib.import_module(f"{commands.__name__}.{cmd_name}").command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would print an empty line and say "Aborted!"
            raise Stopped from None

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run, and leave with 0, with 2 for a refusal or wrong usage, or with 130 for Ctrl-C.

        A refusal is one line, never a traceback.
        """
        extra["standalone_mode"] = False
        try:
            sys.exit(super().main(args, prog_name or "margin", **extra) or 0)
        except MarginError as error:
            if _debugging(args):
                raise
            click.echo(f"margin: {' '.join(str(error).split())}", err=True)
            sys.exit(REFUSED)
        except click.exceptions.Exit as leaving:
            sys.exit(leaving.exit_code)
        except click.ClickException as wrong:
            wrong.show()
            sys.exit(wrong.exit_code)
        except (Stopped, KeyboardInterrupt, click.Abort):
            after_the_sign = "\n" if sys.stderr.isatty() else ""  # terminals print ^C without ending the line
            click.echo(f"{after_the_sign}margin: stopped; nothing was written.", err=True)
            sys.exit(STOPPED)
        except BrokenPipeError:  # the reader of a pipe has left, as in `margin models | head -1`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


def _debugging(args: Sequence[str] | None) -> bool:
    return "--debug" in (sys.argv[1:] if args is None else args) or bool(os.environ.get("MARGIN_DEBUG"))


@click.group("margin", cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(margin.__version__, package_name="margin", prog_name="margin")
@click.option("--debug", is_flag=True, help="Show where in the code a refusal comes from.")
def cli(debug: bool) -> None:
    """Classification that takes tables as they are, says how sure it is, and shows its work.

    \b
    margin data show table.csv                 what is in the table
    margin compare table.csv --target y        which model is best, and how good
    margin predict model.margin new.csv        answers for new rows
    """


def main() -> None:
    """The ``margin`` command, for the terminal."""
    cli.main()
