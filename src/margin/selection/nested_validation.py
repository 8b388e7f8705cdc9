"""Nested cross-validation: the choice of a setting is part of what is judged."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.data.label_sets import are_label_sets
from margin.data.labels import label_array
from margin.data.rows import ready_for, without_column
from margin.data.weights import group_arguments
from margin.errors import ParameterError
from margin.evaluation.cross_validation.evaluate import Plan, Workers
from margin.evaluation.cross_validation.fold import check_model
from margin.evaluation.cross_validation.label_fold import label_metrics
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import METRICS, Metric, metric
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.predictions.targets import are_names, read_targets
from margin.evaluation.protocols.stratified import StratifiedFolds
from margin.evaluation.scoring.of_cases import score_folds
from margin.selection.prepare import check_effort
from margin.selection.search.results import setting_text
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["Nested", "nested"]

#: What scikit-learn calls the metrics that margin has too, with the sign it gives them.
SCORING: dict[str, tuple[str | Metric, int]] = {
    "accuracy": ("accuracy", 1),
    "balanced_accuracy": ("balanced_accuracy", 1),
    "f1": (metric("f1", positive=1), 1),
    "precision": (metric("precision", positive=1), 1),
    "recall": (metric("recall", positive=1), 1),
    "f1_macro": (metric("f1", average="macro"), 1),
    "precision_macro": (metric("precision", average="macro"), 1),
    "recall_macro": (metric("recall", average="macro"), 1),
    "matthews_corrcoef": ("matthews", 1),
    "roc_auc": ("roc_auc", 1),
    "neg_log_loss": ("log_loss", -1),
}
#: The same where a row may have several labels.
SEVERAL_SCORING = {
    "accuracy": "subset_accuracy",
    **{
        f"{name}_{how}": f"{name}_{how}"
        for name in ("f1", "precision", "recall", "jaccard")
        for how in ("micro", "macro", "weighted", "samples")
    },
}


@dataclass(frozen=True, eq=False)
class Nested:
    """What a search claims of its choice, beside what its choices are worth on rows that had no part in choosing.

    Attributes
    ----------
    evaluation
        The evaluation over the outer folds: its score is the one to report.
    metric
        What the search chose by.
    inner_scores, outer_scores
        Fold by fold, the score that the search claimed of its choice, and what the choice scored on the test part.
    choices
        The settings chosen, with how often; the most frequent first.
    optimism
        By how much the claim is better than what came of it, with its interval; positive whichever way the metric runs.
    non_nested
        What the search claims on all rows; None where it was not fitted on all.
    final
        The search fitted on all rows, as it would be used; None with ``refit=False``.
    """

    evaluation: Evaluation
    metric: str
    inner_scores: np.ndarray
    outer_scores: np.ndarray
    choices: tuple[tuple[Mapping[str, Any], int], ...]
    optimism: Score
    non_nested: Score | None = None
    final: Any = None

    @property
    def score(self) -> Score:
        """The nested score: what to expect of the whole procedure, search included."""
        return self.evaluation.scores[self.metric]

    @property
    def stability(self) -> float:
        """The share of outer folds that agree on the most frequent choice."""
        return self.choices[0][1] / sum(times for _, times in self.choices)

    def caution(self) -> str:
        """The sentence that must stand beside the search's own score."""
        claimed, real = float(self.inner_scores.mean()), float(self.outer_scores.mean())
        best = f"the score of the best setting ({self.metric} {claimed:.3f}) was chosen for being the best"
        if self.optimism.interval is not None and self.optimism.interval.low > 0:
            return f"Careful: {best} and is too good by {self.optimism}; report the nested {real:.3f}."
        return f"Careful: {best}; report the nested {real:.3f} (difference {self.optimism})."

    def __str__(self) -> str:
        n = len(self.inner_scores)
        lines = [
            f"{self.evaluation.model}: nested, {self.evaluation.protocol.name} around the search",
            f"{self.metric}, nested       {self.score}",
            f"{self.metric}, as claimed   {self.inner_scores.mean():.3f}  (of the best setting, by the search itself)",
        ]
        if self.non_nested is not None:
            lines.append(f"{self.metric}, on all rows  {self.non_nested}  (non-nested: the best setting of all rows)")
        lines.append(f"optimism             {self.optimism}")
        lines += [f"chosen {times} of {n} times: {setting_text(setting)}" for setting, times in self.choices]
        return "\n".join([*lines, self.caution()])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _choice(search: Any) -> tuple[dict[str, Any], float]:
    """What a fitted search chose, and what it claims of it."""
    if not (hasattr(search, "best_params_") and hasattr(search, "best_score_")):
        raise ParameterError(
            f"nested(search={type(search).__name__}()): the search must have best_params_ and best_score_ after fit, "
            "and predict with the setting it chose (refit=True)."
        )
    return dict(search.best_params_), float(search.best_score_)


class _NotingPlan(Plan):
    """An evaluation that keeps what the search chose in every fold."""

    note = staticmethod(_choice)


def nested(
    search: Any,
    X: TableLike,
    y: LabelsLike,
    outer: Any = None,
    inner: Any = None,
    *,
    metrics: Iterable[str | Metric] = (),
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    n_jobs: int = 1,
    workers: Workers = "threads",
    confidence: float = 0.95,
    refit: bool = True,
    progress: bool | Callable[[FoldDone], Any] = False,
) -> Nested:
    """Judge a search by rows that had no part in it, and show how much too good its own score is.

    In every outer fold the whole search runs on the training part alone, and the classifier it ends with is asked about
    the test part. The score of the best setting, as the search itself sees it, is the largest of many and therefore
    optimistic, the more so the more settings and the fewer rows there are (Cawley, Talbot 2010).

    Parameters
    ----------
    search
        Any classifier that searches inside ``fit`` and then has ``best_params_`` and ``best_score_``: ``GridSearch``
        and its kin, or scikit-learn's ``GridSearchCV``.
    X, y
        Rows and labels, as for :func:`margin.evaluation.evaluate`.
    outer
        The protocol around the search; five stratified folds without it.
    inner
        The folds inside the search (its ``cv``); None leaves them as they are.
    metrics
        What else is measured over the outer folds, beside what the search chooses by.
    sample_weight, groups
        Weights of rows; groups that must not be split, neither by the outer folds nor by those of margin's searches.
    n_jobs, workers
        Outer folds at once, and whether in threads or processes, as in ``evaluate``. Results do not depend on it.
    confidence
        Of the intervals.
    refit
        Whether the search is fitted on all rows in the end.
    progress
        True shows a line on the screen; a function is called with a ``FoldDone`` after each outer fold.

    Examples
    --------
    >>> from margin import GridSearch, KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)  # nothing to be learnt
    >>> found = nested(GridSearch(KNeighborsClassifier(), {"n_neighbors": list(range(1, 30))}), X, y)
    >>> bool(found.optimism.value > 0), 0.5 in found.score.interval
    (True, True)
    """
    check_model(search, "nested")
    check_effort(1, confidence, "nested")
    which, sign = _metric_of(search, are_label_sets(y) or (isinstance(y, (list, tuple)) and are_names(X, y)))
    if inner is not None:
        search = _with_cv(search, inner)
    if outer is None and groups is None:
        outer = StratifiedFolds(folds=5)
    measured = tuple(dict.fromkeys([which, *_others(metrics, which)]))
    plan = _NotingPlan(outer, measured, sample_weight, groups, n_jobs, workers, confidence=confidence)
    evaluation = plan.evaluation(search, X, y, progress)
    done = [fold for fold in evaluation.folds if not fold.failed]
    notes = [fold.note for fold in done]
    inner_scores = sign * np.array([score for _, score in notes])
    outer_scores = np.array([fold.scores[which.name] for fold in done])
    lead = (inner_scores - outer_scores) * (1 if which.greater_is_better else -1)
    ratio = float(np.mean([fold.n_test / fold.n_train for fold in done]))
    optimism = _unbounded(which, lead, ratio, confidence)
    final = _final(search, X, y, sample_weight, groups) if refit else None
    return Nested(
        evaluation,
        which.name,
        inner_scores,
        outer_scores,
        _counted(setting for setting, _ in notes),
        optimism,
        None if final is None else _claim(final, sign),
        final,
    )


def _others(metrics: Any, which: Any) -> list[Any]:
    """What else is measured: of several labels where the search chooses by such a metric."""
    given: list[Any] = [metrics] if isinstance(metrics, (str, Metric, MultilabelMetric)) else list(metrics)
    if isinstance(which, MultilabelMetric):
        return list(label_metrics(given, "nested")) if given else []
    return [metric(each) for each in given]


def _metric_of(search: Any, several: bool) -> tuple[Any, int]:
    """What the search chooses by, and the sign that it gives it."""
    params = search.get_params(deep=False)
    chosen = params.get("metric")
    if several and isinstance(chosen, (Metric, MultilabelMetric, str)):
        return label_metrics(chosen, "nested")[0], 1
    if "metric" in params and (isinstance(chosen, Metric) or chosen in METRICS):
        return metric(chosen), 1
    if several:
        several_name = SEVERAL_SCORING.get(params.get("scoring") or "accuracy")
        if several_name is not None:
            return MULTILABEL_METRICS[several_name], 1
    scoring = params.get("scoring")
    if scoring is None:
        return metric("accuracy"), 1
    if isinstance(scoring, str) and scoring in SCORING:
        name, sign = SCORING[scoring]
        return metric(name), sign
    known = ", ".join(map(repr, SCORING))
    raise ParameterError(
        f"nested(search={type(search).__name__}(scoring={scoring!r})): what the search chooses by must be a metric "
        f"that the outer folds can be judged by too; scoring may be None or one of {known}."
    )


def _with_cv(search: Any, inner: Any) -> Any:
    from sklearn.base import clone

    if "cv" not in search.get_params(deep=False):
        raise ParameterError(f"nested(inner={inner!r}): {type(search).__name__} has no parameter cv to set.")
    return clone(search).set_params(cv=inner)


def _unbounded(which: Metric, values: np.ndarray, ratio: float, confidence: float) -> Score:
    """A mean of differences: they may have either sign, whatever bounds the metric has."""
    return score_folds(replace(which, bounds=(-np.inf, np.inf)), values.tolist(), ratio, confidence)


def _counted(settings: Iterable[Mapping[str, Any]]) -> tuple[tuple[Mapping[str, Any], int], ...]:
    by_text: dict[str, Mapping[str, Any]] = {}
    times: Counter[str] = Counter()
    for setting in settings:
        text = repr(sorted(setting.items()))
        by_text.setdefault(text, setting)
        times[text] += 1
    return tuple((by_text[text], n) for text, n in times.most_common())


def _final(search: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None, groups: Any) -> Any:
    from sklearn.base import clone

    if isinstance(groups, str):
        groups, X = without_column(X, groups, "nested(groups=…)")
    X, targets = read_targets(X, y, "nested")
    known = {} if sample_weight is None else {"sample_weight": sample_weight}
    if groups is not None:
        known |= group_arguments(search, label_array(groups, "nested(groups=…)"))
    return clone(search).fit(ready_for(search, X), targets.labels, **known)


def _claim(final: Any, sign: int) -> Score:
    claimed = final.best_score_
    return claimed if isinstance(claimed, Score) else Score(sign * float(claimed), None, "no interval")
