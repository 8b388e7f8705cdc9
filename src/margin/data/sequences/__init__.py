"""Sequences with labels: texts, lists of tokens and series of numbers, each of a length of its own."""

from margin.data.sequences.collection import Sequences

__all__ = ["Sequences"]
