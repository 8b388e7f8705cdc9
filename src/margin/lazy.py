"""Names that load their module on first use, so that ``import margin`` stays cheap."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping

from margin.errors import closest

__all__ = ["attach"]


def attach(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose names live in other modules.

    ``homes`` says where each public name lives: ``{"NaiveBayes": "margin.bayes"}``. A name whose home
    is ``package.name`` itself is a sub-package.
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{closest(name, homes)}")
        home = importlib.import_module(homes[name])
        value = home if homes[name] == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    def known() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return find, known
