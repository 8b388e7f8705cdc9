"""From the outcomes of folds to one evaluation. Outcomes are added up as they come and not kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputError, MarginError
from margin.evaluation.cross_validation.fold import FoldTask, Outcome
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.intervals.interval import Score
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.from_model import model_name
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.stratified import SplitProtocol
from margin.evaluation.scoring.bootstrap_632 import Replicates
from margin.evaluation.scoring.of_cases import score_cases
from margin.evaluation.scoring.over_folds import score_over_folds

__all__ = ["Collector"]


class Collector:
    """Takes outcomes in order and gives the evaluation at the end."""

    def __init__(self, task: FoldTask, protocol: SplitProtocol, confidence: float) -> None:
        self._task, self._protocol, self._confidence = task, protocol, confidence
        self._folds: list[FoldDone] = []
        self._asides: list[FoldDone] = []
        self._beside: dict[str, Answers] = {}
        self._remarks: list[str] = []
        self._first_error: Exception | None = None
        self._out_of_fold = _OutOfFold(task)
        self._replicates = Replicates(protocol, len(task.labels)) if isinstance(protocol, Bootstrap) else None

    def add(self, outcome: Outcome, event: FoldDone) -> None:
        """Count one more fold in."""
        (self._asides if outcome.fold.role else self._folds).append(event)
        self._first_error = self._first_error or outcome.error
        if outcome.fold.role and outcome.error is not None:
            self._raise(outcome.error, f"failed on the fold of the {outcome.fold.role}")
        if outcome.answers is None:
            return
        if outcome.fold.role:
            self._beside[outcome.fold.role] = outcome.answers
            return
        self._out_of_fold.add(outcome.fold.test.rows, outcome.answers)
        if outcome.beside is not None:
            self._beside["validation"] = outcome.beside
        if self._replicates is not None:
            self._replicates.add(outcome, self._task.usable(outcome.answers)[0])

    def remark(self, sentence: str) -> None:
        """Have a sentence stand beside the scores."""
        self._remarks.append(sentence)

    def evaluation(self, **known: Any) -> Evaluation:
        """Everything put together; raises the first error where no fold went well."""
        if self._first_error is not None and all(fold.failed for fold in self._folds):
            self._raise(self._first_error, f"failed in all {len(self._folds)} folds; this is the first error")
        rows, answers = self._out_of_fold.answers()
        usable, left_out = self._task.usable(answers)
        cautions = [self._protocol.caution] if self._protocol.caution else []
        cautions += self._remarks + left_out + [str(fold) for fold in self._folds if fold.failed]
        draws = Draws(answers)  # the same resamples for every metric
        return Evaluation(
            model_name(self._task.model),
            self._protocol,
            tuple(usable),
            {each.name: self._score(each, answers, draws) for each in usable},
            tuple(self._folds),
            rows,
            answers,
            self._confidence,
            tuple(cautions),
            beside=self._scores_beside(usable),
            asides=tuple(self._asides),
            **known,
        )

    def _score(self, which: Metric, answers: Answers, draws: Draws) -> Score:
        if self._replicates is not None:
            return self._replicates.score(which, self._beside.get("training data"), self._confidence)
        if self._protocol.judged_by == "cases":
            return score_cases(which, answers, self._confidence, draws=draws)
        done = [fold for fold in self._folds if not fold.failed]
        test_to_train = float(np.mean([fold.n_test / fold.n_train for fold in done]))
        return score_over_folds(
            which,
            [fold.scores[which.name] for fold in done],
            test_to_train,
            draws,
            disjoint=self._out_of_fold.disjoint,
            confidence=self._confidence,
        )

    def _scores_beside(self, usable: list[Metric]) -> dict[str, dict[str, Score]]:
        beside = {
            role: {each.name: score_cases(each, answers, self._confidence) for each in usable}
            for role, answers in self._beside.items()
        }
        if self._replicates is not None:
            beside |= self._replicates.beside(usable, self._beside.get("training data"), self._confidence)
        return beside

    def _raise(self, error: Exception, what: str) -> None:
        name = model_name(self._task.model)
        if self._task.encoded_from_table and not isinstance(error, MarginError):
            last = type(self._task.model).__name__
            raise InputError(
                f"evaluate: {name} cannot take this table ({str(error).splitlines()[0]}); put margin.TableEncoder() "
                f"in front of it, as in make_pipeline(margin.TableEncoder(), {last}())."
            ) from error
        error.add_note(f"evaluate: {name} {what}.")
        raise error


class _OutOfFold:
    """Rows asked about, with the first prediction of each and the mean of its probabilities (or of its scores)."""

    def __init__(self, task: FoldTask) -> None:
        self._task = task
        self._times = np.zeros(len(task.labels), dtype=np.int32)
        self._predicted: np.ndarray | None = None
        self._totals: dict[str, np.ndarray | None] = {}

    def add(self, rows: np.ndarray, answers: Answers) -> None:
        assert answers.predicted is not None
        before = self._times[rows]
        first = not before.any()
        if self._predicted is None:
            self._predicted = np.zeros(len(self._times), dtype=answers.predicted.dtype)
        new = slice(None) if first else before == 0
        self._predicted[rows[new]] = answers.predicted[new]
        self._times[rows] = before + 1
        for what in ("probabilities", "scores"):
            given = getattr(answers, what)
            if what not in self._totals:
                self._totals[what] = None if given is None else np.zeros((len(self._times), given.shape[1]))
            total = self._totals[what]
            if total is None or given is None:
                self._totals[what] = None  # one fold without them, and there are none of all rows
            else:
                total[rows] = given if first else total[rows] + given  # the first time nothing is there to be read

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
        task = self._task
        everything = Answers(
            task.classes, task.codes, self._predicted, means["probabilities"], task.weight, means["scores"]
        )
        return rows, everything if len(rows) == len(self._times) else everything.take(rows)
