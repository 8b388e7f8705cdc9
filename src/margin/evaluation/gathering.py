"""From the outcomes of folds to one evaluation. Outcomes are added up as they come and not kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.errors import InputError, MarginError
from margin.evaluation.answers import Answers
from margin.evaluation.asking import model_name
from margin.evaluation.bootstrap import Bootstrap
from margin.evaluation.fold import Outcome, Work
from margin.evaluation.fold_intervals import score_over_folds
from margin.evaluation.intervals import Score
from margin.evaluation.metrics import Metric
from margin.evaluation.replicates import Replicates
from margin.evaluation.result import Evaluation, FoldDone
from margin.evaluation.scoring import score_cases
from margin.evaluation.splits import SplitProtocol

__all__ = ["Gathering"]


class Gathering:
    """Takes outcomes in order and gives the evaluation at the end."""

    def __init__(self, work: Work, protocol: SplitProtocol, confidence: float) -> None:
        self._work, self._protocol, self._confidence = work, protocol, confidence
        self._folds: list[FoldDone] = []
        self._asides: list[FoldDone] = []
        self._beside: dict[str, Answers] = {}
        self._first_error: Exception | None = None
        self._answers = _OutOfFold(work)
        self._replicates = Replicates(protocol, len(work.labels)) if isinstance(protocol, Bootstrap) else None

    def add(self, outcome: Outcome) -> None:
        """Count one more fold in."""
        (self._asides if outcome.part.role else self._folds).append(outcome.event)
        self._first_error = self._first_error or outcome.error
        if outcome.part.role and outcome.error is not None:
            self._raise(outcome.error, f"failed on the fold of the {outcome.part.role}")
        if outcome.answers is None:
            return
        if outcome.part.role:
            self._beside[outcome.part.role] = outcome.answers
            return
        self._answers.add(outcome.part.test, outcome.answers)
        if outcome.beside is not None:
            self._beside["validation"] = outcome.beside
        if self._replicates is not None:
            self._replicates.add(outcome, self._work.usable(outcome.answers)[0])

    def evaluation(self, **known: Any) -> Evaluation:
        """Everything put together; raises the first error where no fold went well."""
        if self._first_error is not None and all(fold.failed for fold in self._folds):
            self._raise(self._first_error, f"failed in all {len(self._folds)} folds; this is the first error")
        rows, answers = self._answers.gathered()
        usable, left_out = self._work.usable(answers)
        cautions = [self._protocol.caution] if self._protocol.caution else []
        cautions += left_out + [str(fold) for fold in self._folds if fold.failed]
        return Evaluation(
            model_name(self._work.model),
            self._protocol,
            tuple(usable),
            {each.name: self._score(each, answers) for each in usable},
            tuple(self._folds),
            rows,
            answers,
            self._confidence,
            tuple(cautions),
            beside=self._scores_beside(usable),
            asides=tuple(self._asides),
            **known,
        )

    def _score(self, which: Metric, answers: Answers) -> Score:
        if self._replicates is not None:
            return self._replicates.score(which, self._beside.get("training data"), self._confidence)
        if self._protocol.judged_by == "cases":
            return score_cases(which, answers, self._confidence)
        done = [fold for fold in self._folds if not fold.failed]
        test_to_train = float(np.mean([fold.n_test / fold.n_train for fold in done]))
        return score_over_folds(
            which,
            [fold.scores[which.name] for fold in done],
            test_to_train,
            answers,
            disjoint=self._answers.disjoint,
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
        name = model_name(self._work.model)
        if self._work.turned_from_table and not isinstance(error, MarginError):
            last = type(self._work.model).__name__
            raise InputError(
                f"evaluate: {name} cannot take this table ({str(error).splitlines()[0]}); put margin.TableEncoder() "
                f"in front of it, as in make_pipeline(margin.TableEncoder(), {last}())."
            ) from error
        error.add_note(f"evaluate: {name} {what}.")
        raise error


@dataclass
class _OutOfFold:
    """Rows asked about, with the first prediction of each and the mean of its probabilities (or of its scores)."""

    work: Work
    predicted: np.ndarray = field(init=False)
    times: np.ndarray = field(init=False)
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    without: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.predicted = np.full(len(self.work.labels), -1, dtype=np.intp)
        self.times = np.zeros(len(self.work.labels), dtype=np.intp)

    def add(self, rows: np.ndarray, answers: Answers) -> None:
        assert answers.predicted is not None
        new = self.times[rows] == 0
        first = bool(new.all())
        self.predicted[rows if first else rows[new]] = answers.predicted if first else answers.predicted[new]
        self.times[rows] += 1
        for what in ("probabilities", "scores"):
            given = getattr(answers, what)
            if given is None:
                self.without.add(what)
                continue
            if getattr(self, what) is None:
                setattr(self, what, np.zeros((len(self.predicted), given.shape[1])))
            total = getattr(self, what)
            total[rows] = given if first else total[rows] + given  # the first time without reading what is only 0

    @property
    def disjoint(self) -> bool:
        """Whether no row was asked about twice."""
        return bool(self.times.max() <= 1)

    def gathered(self) -> tuple[np.ndarray, Answers]:
        rows = np.flatnonzero(self.times)
        probabilities, scores = (
            None if total is None or what in self.without else total[rows] / self.times[rows, None]
            for what, total in (("probabilities", self.probabilities), ("scores", self.scores))
        )
        weight = None if self.work.weight is None else self.work.weight[rows]
        work = self.work
        return rows, Answers(work.classes, work.codes[rows], self.predicted[rows], probabilities, weight, scores)
