"""Models made of members."""

from margin.export.members import answers, committees, forests

__all__ = ["answers", "committees", "forests"]
