"""Tables that are not in memory: files that are read piece by piece, each cell as reading the whole would have it."""

from typing import TYPE_CHECKING

from margin.lazy import attach

if TYPE_CHECKING:
    from margin.data.parts.parts import Parts
    from margin.data.parts.scanning import scan

__all__ = ["Parts", "scan"]

__getattr__, __dir__ = attach(__name__, {"Parts": "margin.data.parts.parts", "scan": "margin.data.parts.scanning"})
