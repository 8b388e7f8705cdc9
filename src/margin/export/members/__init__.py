"""Models made of members."""

from margin.export.members import adaboost, additive, answers, bags, boosting, committees, forests, weighted_votes

__all__ = ["adaboost", "additive", "answers", "bags", "boosting", "committees", "forests", "weighted_votes"]
