"""margin on the command line. Each command is a file in ``commands/`` that loads what it needs when it runs."""

from margin.cli.app import main

__all__ = ["main"]
