"""Tables: what they hold, how they are read, and a small collection of known ones."""

from margin.data.schema import Column, Schema
from margin.data.table import Table

__all__ = ["Column", "Schema", "Table"]
