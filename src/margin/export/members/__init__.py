"""Models made of members."""

from margin.export.members import answers, bags, committees, forests

__all__ = ["answers", "bags", "committees", "forests"]
