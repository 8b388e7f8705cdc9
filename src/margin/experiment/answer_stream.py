"""Answers for rows that come in parts: the columns of each part, and what is counted over all of them."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

from margin.data import Table
from margin.data.readers.witness import ReadWhole
from margin.errors import MarginWarning
from margin.experiment.table_prediction import Answers, answers, several_answers, share_of_answer, told_of_unseen

__all__ = ["AnswerStream"]


class AnswerStream:
    """What a saved model answers, part after part.

    ``n_rows`` have been answered; where they hold the target, ``n_known`` have a value that is a class of the model and
    ``n_right`` of these agree with the answer; ``strange`` are other values. ``agree`` is the same for several targets.
    """

    def __init__(self, model: Any, about: dict[str, Any], every_class: bool = False, in_parts: bool = False) -> None:
        self.model = model
        self.about = about
        self.every_class = every_class
        self.in_parts = in_parts
        self.n_rows = self.n_known = self.n_right = 0
        self.has_truth = False
        self.strange: dict[Any, None] = {}
        self.agree: Counter[str] = Counter()
        self._new: dict[str, Counter[Any]] = {}
        self._names: tuple[str, ...] = ()

    @property
    def unseen(self) -> tuple[str, ...]:
        """A sentence for each column that holds categories which were not there at fit."""
        return told_of_unseen(self._new)

    def columns(self, table: Table) -> dict[str, list[Any]]:
        """The columns of the answer for the next rows: row, identifiers, the class, and how probable it is.

        What a model warns of, it would say of each part, with numbers that are not those of the file; so it is asked
        about the whole then.
        """
        with warnings.catch_warnings(record=self.in_parts) as said:
            if self.in_parts:
                warnings.simplefilter("always", MarginWarning)
            found = self._several(table) if "targets" in self.about else self._one(table)
        if said and any(issubclass(each.category, MarginWarning) for each in said):
            raise ReadWhole("the model has something to say of all rows.")
        self._names = self._names or tuple(found)
        if tuple(found) != self._names:
            raise ReadWhole("a column names rows only in some parts.")
        found["row"] = list(range(self.n_rows + 1, self.n_rows + len(table) + 1))
        self.n_rows += len(table)
        return found

    def _several(self, table: Table) -> dict[str, list[Any]]:
        columns, right = several_answers(self.model, table, self.about)
        self.agree.update(right)
        return columns

    def _one(self, table: Table) -> dict[str, list[Any]]:
        found = answers(self.model, table, self.about)
        if found.truth is not None:
            self.has_truth = True
            self.n_known += found.n_known
            self.n_right += found.n_right
            self.strange |= dict.fromkeys(found.strange)
        for name, cells in found.new_categories.items():
            self._new.setdefault(name, Counter()).update(cells)
        return _columns(found, self.about["target"], self.every_class)


def _columns(found: Answers, target: str, every_class: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"row": []}
    columns |= {name: values.tolist() for name, values in found.identifiers.items()}
    columns[target] = found.labels.tolist()
    if found.probabilities is not None:
        if every_class:
            each = zip(found.classes, found.probabilities.T)
            columns |= {f"P({label})": values.tolist() for label, values in each}
        else:
            columns["probability"] = share_of_answer(found.labels, found.classes, found.probabilities).tolist()
    return columns
