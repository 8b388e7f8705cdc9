"""Answers to rows that were not learnt from, put together over folds and repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from margin.evaluation.predictions.answers import Answers

if TYPE_CHECKING:
    from margin.evaluation.cross_validation.fold import FoldTask

__all__ = ["OutOfFold"]


class OutOfFold:
    """Rows asked about, with the first prediction of each and the mean of its probabilities (or of its scores).

    Of ``repeats`` of the same folds the predictions of each are kept.
    """

    def __init__(self, task: FoldTask, repeats: int = 1) -> None:
        self._task = task
        self._runs: np.ndarray | None = None
        self._repeats = repeats
        self._times = np.zeros(len(task.labels), dtype=np.int32)
        self._predicted: np.ndarray | None = None
        self._totals: dict[str, np.ndarray | None] = {}

    def add(self, rows: np.ndarray, answers: Answers) -> None:
        assert answers.predicted is not None
        before = self._times[rows]
        first = not before.any()
        if self._predicted is None:
            shape = len(self._times), *answers.predicted.shape[1:]
            self._predicted = np.zeros(shape, dtype=answers.predicted.dtype)
        new = slice(None) if first else before == 0
        self._predicted[rows[new]] = answers.predicted[new]
        self._times[rows] = before + 1
        self._keep(rows, before, answers.predicted)
        for what in self._task.strengths:
            given = getattr(answers, what)
            if what not in self._totals:
                self._totals[what] = None if given is None else np.zeros((len(self._times), given.shape[1]))
            total = self._totals[what]
            if total is None or given is None:
                self._totals[what] = None  # one fold without them, and there are none of all rows
            else:
                total[rows] = given if first else total[rows] + given  # the first time nothing is there to be read

    def _keep(self, rows: np.ndarray, run: np.ndarray, predicted: np.ndarray) -> None:
        if self._repeats < 2 or predicted.ndim > 1 or run.max(initial=0) >= self._repeats:
            return
        if self._runs is None:
            self._runs = np.zeros((self._repeats, len(self._times)), dtype=predicted.dtype)
        self._runs[run, rows] = predicted

    @property
    def repeated(self) -> np.ndarray | None:
        """The predictions of every repeat, a row each; None where some row was asked about less often than others."""
        return self._runs if self._runs is not None and (self._times == self._repeats).all() else None

    @property
    def disjoint(self) -> bool:
        """Whether no row was asked about twice."""
        return bool(self._times.max() <= 1)

    def answers(self) -> tuple[np.ndarray, Answers]:
        """The rows and their answers."""
        assert self._predicted is not None
        rows = np.flatnonzero(self._times)
        means = {
            what: None if total is None else (total if self.disjoint else total / np.maximum(self._times, 1)[:, None])
            for what, total in self._totals.items()
        }
        everything = self._task.together(self._predicted, means)
        return rows, everything if len(rows) == len(self._times) else everything.take(rows)
