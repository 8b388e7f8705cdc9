"""The ``margin`` command: finds its sub-commands, and turns every refusal into one line."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import click

import margin
from margin.cli import commands
from margin.cli.plain_text import speak_plainly
from margin.errors import MarginError, MarginWarning, closest

__all__ = ["Modules", "cli", "main"]

REFUSED = 2
STOPPED = 130


class Stopped(Exception):
    """Someone pressed Ctrl-C."""


class Modules(click.Group):
    """A group whose commands are the modules of a package, each imported when it is asked for."""

    def __init__(self, *args: Any, package: ModuleType, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(self.package.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        return importlib.import_module(f"{self.package.__name__}.{cmd_name}").command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            known = self.list_commands(ctx)
            raise click.UsageError(
                f"there is no command {args[0]!r}; commands are {', '.join(known)}{closest(args[0], known)}."
            )
        return super().resolve_command(ctx, args)


class Commands(Modules):
    """The ``margin`` command itself: whatever goes wrong inside ends here, in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would print an empty line and say "Aborted!"
            raise Stopped from None

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run, and leave with 0, with 1 where an audit finds a leak, with 2 for a refusal, or with 130 for Ctrl-C.

        A refusal is one line, never a traceback.
        """
        extra["standalone_mode"] = False
        speak_plainly()
        try:
            with _warnings_in_one_line(_debugging(args)):
                sys.exit(super().main(args, prog_name or "margin", **extra) or 0)
        except MarginError as error:
            if _debugging(args):
                raise
            click.echo(f"margin: {' '.join(str(error).split())}", err=True)
            sys.exit(REFUSED)
        except click.exceptions.Exit as leaving:
            sys.exit(leaving.exit_code)
        except click.exceptions.NoArgsIsHelpError as nothing:
            click.echo(nothing.format_message())
        except click.ClickException as wrong:
            click.echo(f"margin: {_usage(wrong)}", err=True)
            sys.exit(REFUSED)
        except (Stopped, KeyboardInterrupt, click.Abort):
            after_the_sign = "\n" if sys.stderr.isatty() else ""  # terminals print ^C without ending the line
            click.echo(f"{after_the_sign}margin: stopped; nothing was written.", err=True)
            sys.exit(STOPPED)
        except BrokenPipeError:  # the reader of a pipe has left, as in `margin models | head -1`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)


@contextlib.contextmanager
def _warnings_in_one_line(debugging: bool) -> Iterator[None]:
    """What margin wants known goes to standard error without the place in the code it came from."""

    def say(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, MarginWarning):
            click.echo(f"! {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings():
        if not debugging:
            warnings.showwarning = say
            warnings.simplefilter("always", MarginWarning)
        yield


def _usage(wrong: click.ClickException) -> str:
    """Wrong usage in one line, with where to read more."""
    context = getattr(wrong, "ctx", None)
    command = context.command_path if context else "margin"
    message = " ".join(wrong.format_message().split()).rstrip(".")
    if isinstance(wrong, click.NoSuchOption) and context is not None:
        known = [name for option in context.command.params for name in option.opts if name.startswith("--")]
        message = f"there is no option {wrong.option_name}{closest(wrong.option_name, known)}"
    return f"{message} ({command} --help says more)."


def _debugging(args: Sequence[str] | None) -> bool:
    return "--debug" in (sys.argv[1:] if args is None else args) or bool(os.environ.get("MARGIN_DEBUG"))


@click.group(
    "margin",
    cls=Commands,
    package=commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(margin.__version__, package_name="margin", prog_name="margin")
@click.option("--debug", is_flag=True, help="Show where in the code a refusal comes from.")
def cli(debug: bool) -> None:
    """Classification that takes tables as they are, says how sure it is, and shows its work.

    \b
    margin data show table.csv                 what is in the table
    margin audit table.csv --target y          whether scores on it can be believed
    margin compare table.csv --target y        which model is best, and how good
    margin evaluate table.csv -t y -m knn      how good one model is, by any protocol
    margin predict model.margin new.csv        answers for new rows
    margin explain model.margin new.csv        why a row is answered as it is
    margin importance model.margin held.csv    what columns are worth
    margin model show model.margin             what a model is, from what, how good
    """


def main() -> None:
    """The ``margin`` command, for the terminal."""
    cli.main()
