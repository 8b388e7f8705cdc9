"""Models made of members."""

from margin.export.members import additive, answers, bags, boosting, committees, forests, weighted_votes

__all__ = ["additive", "answers", "bags", "boosting", "committees", "forests", "weighted_votes"]
