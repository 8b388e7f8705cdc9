"""Models made of members."""

from margin.export.members import answers

__all__ = ["answers"]
