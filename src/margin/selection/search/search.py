"""Classifiers that choose their own setting: what all searches share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from sklearn.utils import get_tags

from margin.base import AsGiven, Classifier
from margin.base.meta.cross_fitting import given_splits, stratified_splits
from margin.base.meta.delegating import PassesOn
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import NotYetFittedError
from margin.base.targets.labels import encode_labels
from margin.data.label_sets import are_label_sets, sets_of
from margin.data.labels import distinct
from margin.data.rows import ready_for
from margin.data.splits import Part, Split
from margin.errors import LabelError, ParameterError
from margin.evaluation.cross_validation.label_fold import label_metrics
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import METRICS, Metric
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.predictions.label_sets import LabelSets
from margin.evaluation.protocols.groups import GroupFolds
from margin.evaluation.protocols.label_matrix import set_numbers
from margin.evaluation.protocols.named import as_protocol
from margin.evaluation.protocols.stratified import LeaveOneOut, StratifiedFolds
from margin.evaluation.scoring.of_cases import check_metrics
from margin.params import Rule, no_text
from margin.selection.search.results import SearchResults
from margin.selection.search.trial_runner import TrialRunner
from margin.selection.search.trials import search_task
from margin.tree import DecisionTreeClassifier
from margin.typing import Encoded, TableLike

__all__ = ["Chosen", "Folds", "MetricName", "Model", "Search", "Simpler"]


def _is_model(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


def _is_cv(value: object) -> bool:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value) >= 2
    return not isinstance(value, (bool, str, type)) and (isinstance(value, (list, tuple)) or hasattr(value, "split"))


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer))


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
        lambda v: (
            isinstance(v, Metric | MultilabelMetric) or (isinstance(v, str) and v in {**METRICS, **MULTILABEL_METRICS})
        ),
        str,
        lambda: (*METRICS, *MULTILABEL_METRICS),
    ),
]
Simpler = Annotated[Any, Rule("None or a mapping from parameters to 'larger' or 'smaller'", _is_simpler, no_text)]
Chosen = Literal["best", "one_standard_error"]


class Search(KeepsGroups, PassesOn):
    """A classifier that chooses the setting of another by cross-validation, and is then that one, fitted on all rows.

    A subclass writes ``_search(runner)``: it has the runner try settings. Everything else is here.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree of different depths. One that takes no
        tables gets them through ``TableEncoder``.
    metric
        What is to be best: the name of a metric, or one with options, as ``metric("f1", positive="bad")``. Of several
        labels a row, where the model learns them, a name from ``MULTILABEL_METRICS``; "accuracy" is then the share of
        the rows with all labels right.
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
    labels_
        Of several labels a row, what the columns of answers stand for.
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
    labels_: np.ndarray

    def _model(self) -> Any:
        return DecisionTreeClassifier() if self.model is None else self.model

    def _search(self, runner: TrialRunner) -> None:
        raise TypeError(f"{type(self).__name__} must say what it tries: def _search(self, runner).")

    def _races(self) -> bool:
        return bool(getattr(self, "race", False))

    @property
    def best_estimator_(self) -> Any:
        """``model_`` under scikit-learn's name for it."""
        return self.model_

    @property
    def cv_results_(self) -> dict[str, Any]:
        """``results_`` as scikit-learn lays it out: arrays by name, settings in the order in which they were tried."""
        return self.results_.as_columns()

    # ---- Learning.

    @property
    def several_outputs(self) -> bool:  # type: ignore[override]
        """Whether the model inside learns several labels a row."""
        tags = get_tags(self._model())
        return bool(tags.target_tags.multi_output or (tags.classifier_tags and tags.classifier_tags.multi_label))

    def _read_targets(self, y: Any, n_rows: int, who: str) -> np.ndarray:
        # Models of margin say whether they learn several labels a row; others find out for themselves.
        knows = self.several_outputs or not isinstance(self._model(), Classifier)
        if not knows or not are_label_sets(y) or (sets_of(y, who) is None and _is_ragged(y)):
            self.classes_, codes = encode_labels(y, n_rows, who)
            self.__dict__.pop("labels_", None)
            return np.ascontiguousarray(codes, dtype=np.int32)
        sets = LabelSets.of(y, who=who)
        if len(sets) != n_rows:
            raise LabelError(f"{who}: y must have labels for each row, but has {len(sets)} for {n_rows} rows.")
        self.classes_, self.labels_ = [np.array([0, 1])] * len(sets.labels), sets.labels
        return np.ascontiguousarray(sets.truth, dtype=np.int32)

    def _fit(self, X: TableLike, y: np.ndarray, rows: TrainingRows) -> None:
        who, several = type(self).__name__, y.ndim > 1
        task = search_task(
            self._model(),
            X,
            y.astype(np.int64) if several else self.classes_[y],
            self.labels_ if several else self.classes_,
            y.astype(bool) if several else y,
            metrics=label_metrics(self.metric, who) if several else check_metrics(self.metric, who),
            caller=who,
            weight=rows.weight,
            groups=rows.groups,
        )
        everything = Part.weighted(np.arange(len(y)), rows.weights())
        runner = TrialRunner(
            task,
            self._splits(task.codes, rows, task.groups),
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

    def _splits(self, y: np.ndarray, rows: TrainingRows, groups: np.ndarray | None) -> list[Split] | None:
        weight, cv, who = rows.weights(), self.cv, type(self).__name__
        if isinstance(cv, LeaveOneOut) and len(y) > 1 and groups is None:
            return None
        if isinstance(cv, (list, tuple)) or (groups is None and y.ndim == 1 and not _is_whole(cv)):
            return given_splits(cv, set_numbers(y) if y.ndim > 1 else y, rows, who)
        if groups is None and y.ndim == 1:
            return stratified_splits(y, weight, int(cv), self.random_state)
        if _is_whole(cv):
            folds, seed = int(cv), self.random_state or 0
            most = len(y) if groups is None else len(distinct(groups, who))
            folds = max(2, min(folds, most))
            cv = StratifiedFolds(folds, seed=seed) if groups is None else GroupFolds(groups, folds, seed=seed)
            groups = None
        pairs = as_protocol(cv, len(y), groups, who).split(y)
        return [(Part.weighted(train, weight[train]), Part.weighted(test, weight[test])) for train, test in pairs]

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

    def _passed_on(self, X: Encoded, method: str, never: float) -> np.ndarray:
        if not isinstance(self.__dict__.get("classes_"), list):
            return super()._passed_on(X, method, never)
        encoded = self._inputs(X, method)
        return getattr(self.model_, method)(ready_for(self.model_, encoded))

    def _inputs(self, X: TableLike, method: str) -> Any:
        encoded = self._encoded(X, method)
        if "model_" not in self.__dict__:
            raise NotYetFittedError(f"{type(self).__name__}.{method}: with refit=False there is no classifier to ask.")
        return encoded

    def predict(self, X: TableLike) -> np.ndarray:
        """What the chosen classifier answers, in the type the labels came in."""
        encoded = self._inputs(X, "predict")
        if isinstance(self.classes_, list):
            return self.model_.predict(ready_for(self.model_, encoded))
        if encoded.shape[0] == 0:
            return self.classes_[:0]
        labels = np.asarray(self.model_.predict(ready_for(self.model_, encoded)))
        return labels if labels.dtype == object else labels.astype(self.classes_.dtype, copy=False)


def _is_ragged(y: Any) -> bool:
    """Whether rows are lists of different lengths: neither a table of labels nor sets of them."""
    return isinstance(y, (list, tuple)) and len({len(row) for row in y if isinstance(row, (list, tuple))}) > 1
