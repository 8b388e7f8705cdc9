"""Models made of members."""

from margin.export.members import additive, answers, bags, committees, forests, weighted_votes

__all__ = ["additive", "answers", "bags", "committees", "forests", "weighted_votes"]
