"""Groups of commands that are found by looking into a package."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import click

from margin.errors import closest

__all__ = ["Modules"]


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
