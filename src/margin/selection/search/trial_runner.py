"""Settings tried and written down: folds, racing, progress, and what came of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from margin.data.splits import Split
from margin.evaluation.comparing.significance import corrected_t_test
from margin.evaluation.cross_validation.evaluate import evaluate
from margin.evaluation.cross_validation.fold import FoldTask
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.protocols.stratified import LeaveOneOut
from margin.neighbors import KNeighborsClassifier, choose_k
from margin.neighbors.distances import COMPARING_NUMBERS, traits_of
from margin.params import Count, Rule, no_text, rule_of
from margin.selection.prepare import cases_asked
from margin.selection.search.results import SearchResults, setting_text
from margin.selection.search.trials import Trial, trials

__all__ = ["Progress", "ProgressReport", "TrialRunner", "TriedSetting", "all_trials", "left_out_by_k"]

#: Folds that a setting has to itself before it can be dropped from a race.
BEFORE_RACE = 3


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """How far a search is: trials done, of how many (None where nobody knows), and the last setting tried.

    >>> print(ProgressReport(3, 10, "C=1", 0.93))
    3 of 10 trials, C=1: 0.9300
    """

    done: int
    of: int | None
    setting: str
    score: float

    def __str__(self) -> str:
        of = "" if self.of is None else f" of {self.of}"
        return f"{self.done}{of} trials, {self.setting}: {self.score:.4f}"


Report = Callable[[ProgressReport], Any]


Progress = Annotated[
    Any,
    Rule(
        "None, True (a line on the screen) or a function of a ProgressReport",
        lambda v: v is None or isinstance(v, bool) or callable(v),
        no_text,
    ),
]


def _on_a_line(report: ProgressReport) -> None:
    end = "\n" if report.done == report.of else ""
    print(f"\r\033[K{report}", end=end, file=sys.stderr, flush=True)


def all_trials(
    running: Generator[list[Trial], None, None], progress: Any, of: int, setting: Callable[[Trial], str], metric: str
) -> list[Trial]:
    """All trials, each reported as it comes."""
    report = _on_a_line if progress is True else progress or None
    done: list[Trial] = []
    with closing(running):
        for together in running:
            for trial in together:
                done.append(trial)
                if report is not None:
                    report(ProgressReport(len(done), of, setting(trial), trial.scores.get(metric, math.nan)))
    return done


@dataclass
class TriedSetting:
    """A setting and what came of it: a score for each fold, NaN where there is none."""

    setting: Mapping[str, Any]
    scores: np.ndarray
    resource: float = math.nan
    seconds: float = 0.0
    error: str = ""
    dropped: bool = False


class TrialRunner:
    """Tries settings on the same splits and keeps what came of them.

    ``splits`` is None for leave-one-out, where each setting is evaluated in the way that suits the model.
    """

    def __init__(
        self,
        task: FoldTask,
        splits: Sequence[Split] | None,
        *,
        n_jobs: int | None = 1,
        progress: Any = None,
        race: bool = False,
        confidence: float = 0.95,
    ) -> None:
        self.task = task
        self.splits = splits
        self.n_jobs = n_jobs
        self.race = race
        self.confidence = confidence
        self.n_fits = 0
        self.first_error: Exception | None = None
        self.tried: list[TriedSetting] = []
        self._report: Report | None = _on_a_line if progress is True else (progress or None)
        self._done = 0
        self._of: int | None = None

    @property
    def metric(self) -> Metric:
        return self.task.metrics[0]

    @property
    def n_folds(self) -> int:
        return 1 if self.splits is None else len(self.splits)

    def expect(self, n_settings: int) -> None:
        """Say how many settings will be tried, for the progress report."""
        self._of = n_settings * self.n_folds

    def try_out(
        self, settings: Sequence[Mapping[str, Any]], splits: Sequence[Split] | None = None, resource: float = math.nan
    ) -> list[int]:
        """Try settings; their numbers in the record. Other ``splits`` than usual may be given."""
        first = len(self.tried)
        self.tried += [TriedSetting(setting, np.full(self.n_folds, np.nan)) for setting in settings]
        numbers = list(range(first, len(self.tried)))
        self.try_again(numbers, splits, resource)
        return numbers

    def try_again(
        self, numbers: Sequence[int], splits: Sequence[Split] | None = None, resource: float = math.nan
    ) -> None:
        """Try settings of the record (once more), on their splits or others; what was known of them is replaced."""
        chosen = [self.tried[i] for i in numbers]
        for each in chosen:
            each.scores, each.resource = np.full(self.n_folds, np.nan), resource
        splits = self.splits if splits is None else splits
        if splits is None:
            self._run_left_out(chosen)
        elif self.race:
            self._run_race(chosen, splits)
        else:
            self._run(chosen, splits)

    def _run(self, chosen: list[TriedSetting], splits: Sequence[Split], first_split: int = 0) -> None:
        for together in trials(self.task, [each.setting for each in chosen], splits, self.n_jobs):
            self.n_fits += 1
            for trial in together:
                self._record(trial, chosen[trial.setting], trial.split + first_split)

    def _record(self, trial: Trial, tried: TriedSetting, split: int = 0) -> None:
        score = trial.scores.get(self.metric.name, math.nan)
        tried.scores[split] = score
        tried.seconds += 0.0 if math.isnan(trial.seconds) else trial.seconds
        if trial.error is not None and not tried.error:
            tried.error = f"{type(trial.error).__name__}: {trial.error}"
            self.first_error = self.first_error or trial.error
        self._done += 1
        if self._report is not None:
            self._report(ProgressReport(self._done, self._of, setting_text(tried.setting), score))

    def _run_left_out(self, chosen: list[TriedSetting]) -> None:
        together = left_out_by_k(self.task, [each.setting for each in chosen])
        self.n_fits += together is not None
        for place, each in enumerate(chosen):
            scores = {} if together is None else {self.metric.name: together[place]}
            self._record(self._left_out(each.setting) if together is None else Trial(place, 0, scores), each)

    def _left_out(self, setting: Mapping[str, Any]) -> Trial:
        """Leave-one-out of one setting, in one go where the model knows how."""
        self.n_fits += 1
        task = self.task
        try:
            evaluation = evaluate(
                task.configured(setting),
                task.X,
                task.labels,
                LeaveOneOut(),
                metrics=task.metrics,
                sample_weight=task.weight,
            )
            scores = task.scores(evaluation.answers)
        except Exception as error:  # reported beside the other settings
            return Trial(0, 0, error=error)
        return Trial(0, 0, scores, seconds=float(np.nansum(evaluation.fit_seconds)))

    def _run_race(self, alive: list[TriedSetting], splits: Sequence[Split]) -> None:
        """Fold after fold; what is surely worse than the leader after some folds is given up."""
        for number, split in enumerate(splits):
            self._run(alive, [split], number)
            if BEFORE_RACE <= number + 1 < len(splits):
                alive = self._still_in(alive, number + 1)

    def _still_in(self, alive: list[TriedSetting], n_done: int) -> list[TriedSetting]:
        sign = 1 if self.metric.greater_is_better else -1
        so_far = sign * np.array([each.scores[:n_done] for each in alive])
        means = np.where(np.isnan(so_far).any(axis=1), -np.inf, so_far.mean(axis=1))
        leader = int(np.argmax(means))
        kept = []
        for place, each in enumerate(alive):
            if means[place] == -np.inf:
                each.dropped = not each.error
            elif place != leader and self._worse(so_far[leader] - so_far[place]):
                each.dropped = True
            else:
                kept.append(each)
        return kept

    def _worse(self, lead: np.ndarray) -> bool:
        return bool(
            lead.mean() > 0 and corrected_t_test(lead, test_to_train=self.test_to_train).p < 1 - self.confidence
        )

    @property
    def test_to_train(self) -> float:
        """Weight of the test part over weight of the training part, on average."""
        if not self.splits:
            return 0.0
        return float(np.mean([test.weights.sum() / train.weights.sum() for train, test in self.splits]))

    def drop(self, numbers: Sequence[int]) -> None:
        """Mark settings as given up."""
        for i in numbers:
            self.tried[i].dropped = True

    def _n_cases(self) -> int | None:
        """How many cases a share is one of, each counted once."""
        if not self.metric.proportion:
            return None
        if self.splits is None:
            return len(self.task.labels) if self.task.weight is None else None
        return cases_asked(self.splits)

    def results(self) -> SearchResults:
        """Everything that was tried."""
        resource = np.array([each.resource for each in self.tried])
        return SearchResults(
            metric=self.metric.name,
            greater_is_better=self.metric.greater_is_better,
            bounds=self.metric.bounds,
            settings=tuple(dict(each.setting) for each in self.tried),
            fold_scores=np.array([each.scores for each in self.tried]).reshape(len(self.tried), self.n_folds),
            fit_seconds=np.array([each.seconds for each in self.tried]),
            errors=tuple(each.error for each in self.tried),
            dropped=np.array([each.dropped for each in self.tried], dtype=bool),
            test_to_train=self.test_to_train,
            confidence=self.confidence,
            resource=None if np.isnan(resource).all() else resource,
            n_cases=self._n_cases(),
        )


#: Metrics under which no row changes how far others are from each other.
FIXED = tuple(metric for metric in COMPARING_NUMBERS if traits_of(metric, 2.0).n_columns is None)


def left_out_by_k(task: FoldTask, settings: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """The accuracy (or error) of each setting by leave-one-out; None where only evaluating each is exact.

    ``choose_k`` learns what it needs of the columns from all rows. That is exact where there is nothing to learn:
    numbers without gaps, compared as they are.
    """
    model = task.model
    only_k = len(settings) > 1 and all(set(setting) == {"n_neighbors"} for setting in settings)
    if type(model) is not KNeighborsClassifier or not only_k or task.weight is not None:
        return None
    ks = [setting["n_neighbors"] for setting in settings]
    options = model.get_params(deep=False)
    fixed = options["scale"] is None and isinstance(options["metric"], str) and options["metric"] in FIXED
    numbers = isinstance(task.X, np.ndarray) and task.X.dtype.kind == "f" and not np.isnan(task.X).any()
    name = task.metrics[0].name
    if not (fixed and numbers and name in ("accuracy", "error") and all(rule_of(Count).accepts(k) for k in ks)):
        return None
    other_options = {key: options[key] for key in options if key != "n_neighbors"}
    choice = choose_k(task.X, task.labels, int(max(ks)), **other_options)
    error = [float(choice.error[min(int(k), len(choice.k)) - 1]) for k in ks]
    return error if name == "error" else [1.0 - each for each in error]
