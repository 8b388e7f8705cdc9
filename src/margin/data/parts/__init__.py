"""Tables that are not in memory: files that are read piece by piece, each cell as reading the whole would have it."""

from margin.data.parts.parts import Parts
from margin.data.parts.scanning import scan

__all__ = ["Parts", "scan"]
