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
from margin.params import Rule, no_text
from margin.selection.search.results import SearchResults
from margin.selection.search.trial_runner import TrialRunner
from margin.selection.search.trials import search_task
from margin.tree import DecisionTreeClassifier
from margin.typing import TableLike

__all__ = ["Chosen", "Folds", "MetricName", "Model", "Search", "Simpler"]


def _is_model(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


def _is_cv(value: object) -> bool:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value) >= 2
    return not isinstance(value, (bool, str, type)) and (isinstance(value, (list, tuple)) or hasattr(value, "split"))


def _is_simpler(value: object) -> bool:
    return value is None or (
        isinstance(value, Mapping) and all(each in ("larger", "smaller") for each in value.values())
    )


Model = Annotated[Any, Rule("None or a classifier with fit and predict", _is_model, no_text)]
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
Simpler = Annotated[Any, Rule("None or a mapping from parameters to 'larger' or 'smaller'", _is_simpler, no_text)]
Chosen = Literal["best", "one_standard_error"]


class Search(PassesOn):
    """A classifier that chooses the setting of another by cross-validation, and is then that one, fitted on all rows.

    A subclass writes ``_search(runner)``: it has the runner try settings. Everything else is here.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree of different depths. One that takes no
        tables gets them through ``TableEncoder``.
    metric
        What is to be best: the name of a metric, or one with options, as ``metric("f1", positive="bad")``.
    cv
        Number of folds, or the splits themselves: a list of (training rows, test rows), a protocol of
        ``margin.evaluation`` or a splitter of scikit-learn. Models that know how do ``LeaveOneOut()`` in one go.
    rule
        ``"best"`` takes the best score; ``"one_standard_error"`` the simplest setting at most one standard error worse.
    simpler
        For that rule, whether ``"larger"`` or ``"smaller"`` values of a parameter are simpler, where its name does not
        say so: of well-known ones, such as C, n_neighbors or max_depth, it does.
    refit
        Whether the chosen setting is then fitted on all rows.
    race
        Whether settings that are surely worse than the leader after three folds or more are dropped (corrected
        resampled t-test).
    n_jobs
        Trials at once, in threads; None for as many as there are cores. Results do not depend on it.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each trial.
    confidence
        Of intervals, and for telling settings apart.
    random_state
        None deals rows to folds in the order in which they stand; a seed shuffles them first.

    Attributes
    ----------
    best_params_, best_index_
        The chosen setting, and its place in ``results_``.
    best_score_
        Its score with an interval. It was chosen for its score, which is therefore optimistic: see ``nested``.
    results_
        Everything that was tried (:class:`SearchResults`): print it for a table.
    model_
        The classifier with the chosen setting, fitted on all rows.
    n_fits_
        How many fits it took; settings that share a fit count once.
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
        return bool(getattr(self, "race", False))

    # ---- Learning.

    def _fit(self, X: TableLike, y: np.ndarray, rows: TrainingRows) -> None:
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

    def _inputs(self, X: TableLike, method: str) -> Any:
        encoded = self._encoded(X, method)
        if "model_" not in self.__dict__:
            raise NotYetFittedError(f"{type(self).__name__}.{method}: with refit=False there is no classifier to ask.")
        return encoded

    def predict(self, X: TableLike) -> np.ndarray:
        """What the chosen classifier answers, in the type the labels came in."""
        encoded = self._inputs(X, "predict")
        if encoded.shape[0] == 0:
            return self.classes_[:0]
        labels = np.asarray(self.model_.predict(ready_for(self.model_, encoded)))
        return labels if labels.dtype == object else labels.astype(self.classes_.dtype, copy=False)
