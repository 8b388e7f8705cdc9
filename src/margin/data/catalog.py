"""Known tables that come with margin: small ones to check a method by hand, and one for trying everything out."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from margin.data.readers import read
from margin.data.table import Table
from margin.errors import ParameterError, closest

__all__ = ["Card", "card", "load", "names"]

_BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True)
class Card:
    """What is known about a bundled table.

    ``classes`` gives the rows of each class; ``shows`` says what the table is good for.
    """

    name: str
    title: str
    source: str
    licence: str
    rows: int
    columns: int
    target: str
    classes: Mapping[str, int]
    shows: str
    file: str
    kinds: Mapping[str, Any] = field(default_factory=dict)


def names() -> tuple[str, ...]:
    """The tables that :func:`load` knows.

    >>> "iris" in names()
    True
    """
    return tuple(_cards())


def card(name: str) -> Card:
    """Where a table comes from, what it holds and what it shows.

    >>> card("iris").classes["Iris-setosa"]
    50
    """
    try:
        return _cards()[name]
    except (KeyError, TypeError):
        known = ", ".join(map(repr, names()))
        raise ParameterError(f"catalog({name!r}): name must be one of {known}{closest(name, names())}.") from None


def load(name: str) -> Table:
    """A bundled table.

    >>> load("xor")
    <Table 'xor': 4 rows, 3 columns (a: nominal, b: nominal, y: nominal)>
    """
    about = card(name)
    return read(_BUNDLED / about.file, kinds=about.kinds, target=about.target, name=name)


@functools.cache
def _cards() -> dict[str, Card]:
    described = json.loads((_BUNDLED / "cards.json").read_text(encoding="utf-8"))
    return {name: Card(name=name, **about) for name, about in described.items()}
