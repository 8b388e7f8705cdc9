"""Tables: what they hold, how they are read, and a small collection of known ones."""

from typing import TYPE_CHECKING

from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.lazy import attach

if TYPE_CHECKING:
    from margin.data import catalog, generators
    from margin.data.images import Images
    from margin.data.parts import Parts, scan
    from margin.data.readers import read
    from margin.data.readers.typed_frame import from_polars
    from margin.data.sequences import Sequences
    from margin.data.summary import describe

__all__ = [
    "Column",
    "Images",
    "Parts",
    "Schema",
    "Sequences",
    "Table",
    "catalog",
    "describe",
    "from_polars",
    "generators",
    "read",
    "scan",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "catalog": "margin.data.catalog",
        "describe": "margin.data.summary",
        "from_polars": "margin.data.readers.typed_frame",
        "Images": "margin.data.images",
        "Parts": "margin.data.parts",
        "scan": "margin.data.parts",
        "Sequences": "margin.data.sequences",
        "generators": "margin.data.generators",
        "read": "margin.data.readers",
    },
)
