"""Names that load their module on first use, so that ``import margin`` stays cheap, and packages that may be absent."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType

from margin.errors import MissingPackageError, closest

__all__ = ["attach", "package_of_extra"]


def attach(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose names live in other modules.

    ``homes`` says where each public name lives: ``{"NaiveBayes": "margin.bayes"}``. A name whose home
    is ``package.name`` itself is a sub-package.
    """

    def find(name: str) -> object:
        if name not in homes:
            # No public name begins with "_": tools that look for marks of theirs on whatever they meet need no hint.
            hint = "" if name.startswith("_") else closest(name, homes)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        home = importlib.import_module(homes[name])
        value = home if homes[name] == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    def known() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return find, known


def package_of_extra(name: str, who: str, extra: str = "deep") -> ModuleType:
    """A package that comes with one of margin's extras; where it is absent, an error that says how to get it.

    >>> package_of_extra("math", "an example").floor(3.7)
    3
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise MissingPackageError(
            f'{who}: {name} is not installed, and this needs it (pip install "margin[{extra}]").'
        ) from None
