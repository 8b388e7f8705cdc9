"""Classifiers that choose their own setting: what all searches share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from margin.base import AsGiven
from margin.base.meta.cross_fitting import given_splits, stratified_splits
from margin.base.meta.delegating import PassesOn
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import NotYetFittedError
from margin.data.rows import ready_for
from margin.data.splits import Part, Split
from margin.errors import ParameterError
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import METRICS, Metric, metric
from margin.evaluation.protocols.stratified import LeaveOneOut
from margin.params import Rule
from margin.selection.search.results import SearchResults
from margin.selection.search.trial_runner import TrialRunner
from margin.selection.search.trials import search_task
from margin.tree import DecisionTreeClassifier

__all__ = ["Chosen", "Folds", "MetricName", "Model", "Search", "Simpler"]


def _no_text(text: str) -> Any:
    raise ValueError(text)


def _is_model(value: Any) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


def _is_cv(value: Any) -> bool:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value) >= 2
    return not isinstance(value, (bool, str, type)) and (isinstance(value, (list, tuple)) or hasattr(value, "split"))


def _is_simpler(value: Any) -> bool:
    return value is None or (
        isinstance(value, Mapping) and all(each in ("larger", "smaller") for each in value.values())
    )


Model = Annotated[Any, Rule("None or a classifier with fit and predict", _is_model, _no_text)]
Folds = Annotated[
    Any,
    Rule("a whole number of at least 2, a splitter or a list of (training rows, test rows)", _is_cv, int),
]
MetricName = Annotated[
    Any,
    Rule(
        "the name of a metric, or a metric with options, as metric('f1', positive='bad')",
        lambda v: isinstance(v, Metric) or (isinstance(v, str) and v in METRICS),
        str,
        lambda: tuple(METRICS),
    ),
]
Simpler = Annotated[Any, Rule("None or a mapping from parameters to 'larger' or 'smaller'", _is_simpler, _no_text)]
Chosen = Literal["best", "one_standard_error"]


class Search(PassesOn):
    """A classifier that chooses the setting of another by cross-validation, and is then that one, fitted on all rows.

    A subclass writes ``_search(runner)``: it has the runner try settings. Everything else is here.
    """

    representation = AsGiven()
    model: Any
    metric: Any
    cv: Any
    rule: str
    simpler: Any
    refit: bool
    n_jobs: Any
    progress: Any
    confidence: float
    random_state: Any
    model_: Any
    results_: SearchResults
    best_params_: dict[str, Any]
    best_score_: Score
    best_index_: int
    n_fits_: int

    def _model(self) -> Any:
        return DecisionTreeClassifier() if self.model is None else self.model

    def _search(self, runner: TrialRunner) -> None:
        raise TypeError(f"{type(self).__name__} must say what it tries: def _search(self, runner).")

    def _races(self) -> bool:
        return False

    # ---- Learning.

    def _learn(self, X: Any, y: np.ndarray, rows: TrainingRows) -> None:
        task = search_task(
            self._model(),
            X,
            self.classes_[y],
            self.classes_,
            y,
            metrics=(metric(self.metric),),
            caller=type(self).__name__,
            weight=rows.weight,
        )
        everything = Part.weighted(np.arange(len(y)), rows.weights())
        runner = TrialRunner(
            task,
            self._splits(y, rows),
            n_jobs=self.n_jobs,
            progress=self.progress,
            race=self._races(),
            confidence=float(self.confidence),
        )
        self._search(runner)
        self.results_, self.n_fits_ = runner.results(), runner.n_fits
        self._choose(runner, everything)
        if self.refit:
            self.model_, _ = task.fitted(everything, self.best_params_)

    def _splits(self, y: np.ndarray, rows: TrainingRows) -> list[Split] | None:
        weight = rows.weights()
        if isinstance(self.cv, LeaveOneOut) and len(y) > 1:
            return None
        if isinstance(self.cv, (int, np.integer)):
            return stratified_splits(y, weight, int(self.cv), self.random_state)
        return given_splits(self.cv, y, weight, rows.kept, rows.n_given, type(self).__name__)

    def _choose(self, runner: TrialRunner, everything: Part) -> None:
        results, who = self.results_, type(self).__name__
        if runner.n_folds == 0:  # not one class has two rows: nothing can be held out, and the first setting is taken
            self.best_index_ = 0
        elif np.isnan(results.mean).all():
            runner.task.fitted(everything, results.settings[0])  # refuses the same cell, and names its row as given
            if runner.first_error is None:
                raise ParameterError(
                    f"{who}(metric={results.metric!r}): it is undefined in a fold of every setting (use fewer folds or "
                    "another metric)."
                )
            runner.first_error.add_note(f"{who}: all {len(results)} settings failed; this is the first error.")
            raise runner.first_error
        elif self.rule == "one_standard_error":
            self.best_index_ = results.within_one_standard_error(self.simpler, who)
        else:
            self.best_index_ = results.best
        self.best_params_ = dict(results.settings[self.best_index_])
        self.best_score_ = results.score(self.best_index_)

    def _refuse_no_settings(self, name: str, example: str) -> None:
        if self.model is not None and getattr(self, name) is None:
            raise ParameterError(f"{type(self).__name__}({name}=None): name what is to be tried, as {name}={example}.")

    # ---- Answering.

    def _inputs(self, X: Any, method: str) -> Any:
        encoded = self._encoded(X, method)
        if "model_" not in self.__dict__:
            raise NotYetFittedError(f"{type(self).__name__}.{method}: with refit=False there is no classifier to ask.")
        return encoded

    def predict(self, X: Any) -> np.ndarray:
        """What the chosen classifier answers, in the type the labels came in."""
        encoded = self._inputs(X, "predict")
        if encoded.shape[0] == 0:
            return self.classes_[:0]
        labels = np.asarray(self.model_.predict(ready_for(self.model_, encoded)))
        return labels if labels.dtype == object else labels.astype(self.classes_.dtype, copy=False)
