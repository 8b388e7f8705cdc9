"""Models made of members."""

from margin.export.members import adaboost, answers, bags, committees, forests

__all__ = ["adaboost", "answers", "bags", "committees", "forests"]
