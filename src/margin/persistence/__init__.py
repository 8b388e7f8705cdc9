"""Fitted models as files that hold data only: loading one runs nothing that the file brings along."""

from typing import TYPE_CHECKING

from margin.lazy import attach
from margin.persistence.cards.card import Card, card
from margin.persistence.container.bytes import FORMAT
from margin.persistence.opening import Header, header

if TYPE_CHECKING:
    from margin.persistence.archive import convert, from_bytes, load, save, to_bytes, verify
    from margin.persistence.container.files import write_whole

__all__ = [
    "FORMAT",
    "Card",
    "Header",
    "card",
    "convert",
    "from_bytes",
    "header",
    "load",
    "save",
    "to_bytes",
    "verify",
    "write_whole",
]

# What a file says of itself is read without a model family, or even NumPy, being imported. Names that modules of this
# package have too must be bound here: a lazy one would be found only until that module is loaded.
__getattr__, __dir__ = attach(
    __name__,
    {
        **dict.fromkeys(("convert", "from_bytes", "load", "save", "to_bytes", "verify"), "margin.persistence.archive"),
        "write_whole": "margin.persistence.container.files",
    },
)
