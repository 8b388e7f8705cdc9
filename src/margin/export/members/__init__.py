"""Models made of members."""

from margin.export.members import answers, forests

__all__ = ["answers", "forests"]
