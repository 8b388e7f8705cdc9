"""Models made of members."""

from margin.export.members import answers, bags, boosting, committees, forests

__all__ = ["answers", "bags", "boosting", "committees", "forests"]
