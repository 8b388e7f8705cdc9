"""What the curves and nested validation do first: data, metrics and splits checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.labels import label_array
from margin.data.splits import Part, Split
from margin.data.table import Table
from margin.data.weights import check_weights
from margin.errors import DataError, ParameterError
from margin.evaluation.cross_validation.fold import FoldTask, check_model
from margin.evaluation.cross_validation.label_fold import label_metrics
from margin.evaluation.intervals.interval import Score, proportion_interval
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.targets import read_targets
from margin.evaluation.protocols.named import bound_protocol
from margin.evaluation.protocols.stratified import SplitProtocol, StratifiedFolds
from margin.evaluation.scoring.of_cases import check_metrics, score_folds
from margin.evaluation.scoring.over_folds import share_over_folds
from margin.params import Jobs, Share, rule_of
from margin.selection.search.trials import search_task
from margin.typing import ClassifierLike, LabelsLike, TableLike, WeightsLike

__all__ = ["cases_asked", "check_effort", "mean_score", "prepared"]

#: Cells of the lists of rows that all splits together may have: leave-one-out of many rows would fill the memory.
MOST_ROWS_LISTED = 50_000_000


def check_effort(n_jobs: int | None, confidence: Any, who: str) -> None:
    """Refuse numbers of jobs and confidences that cannot be."""
    for name, value, rule in (("n_jobs", n_jobs, rule_of(Jobs)), ("confidence", confidence, rule_of(Share))):
        if not rule.accepts(value):
            raise ParameterError(f"{who}({name}={value!r}): {name} must be {rule.words}.")


def prepared(
    model: ClassifierLike,
    X: TableLike,
    y: LabelsLike,
    protocol: Any,
    metrics: Any,
    sample_weight: WeightsLike | None,
    groups: LabelsLike | None,
    who: str,
) -> tuple[FoldTask, list[Split], SplitProtocol]:
    """The task that trials are folds of, and the splits; five stratified folds without a protocol."""
    check_model(model, who)
    if isinstance(X, Table) and isinstance(y, str):
        X, y = X.target(y)
    X, targets = read_targets(X, y, who)
    labels, several = targets.labels, targets.several
    chosen = label_metrics(metrics, who) if several else check_metrics(metrics, who)
    if protocol is None and groups is None:
        protocol = StratifiedFolds(folds=max(2, min(5, len(labels))))
    split_by, X = bound_protocol(protocol, X, len(labels), groups, who)
    weight = check_weights(sample_weight, len(labels), who)
    weight = np.ones(len(labels)) if weight is None else weight
    n_fits = split_by.n_fits or len(labels)
    if n_fits * len(labels) > MOST_ROWS_LISTED:
        raise DataError(f"{who}: {n_fits} splits of {len(labels)} rows are too many (use fewer folds).")
    splits = [
        (_part(train, weight), _part(test, weight))
        for train, test in split_by.split(targets.codes if several else labels)
    ]
    cut = getattr(split_by, "groups", None)
    told = {"metrics": chosen, "caller": who, "groups": None if cut is None else label_array(cut, f"{who}(groups=…)")}
    task = search_task(model, X, labels, targets.classes, targets.codes, **told)
    return task, splits, split_by


def _part(rows: np.ndarray, weight: np.ndarray) -> Part:
    return Part.weighted(np.asarray(rows), weight[rows])


def mean_score(which: Metric, values: Sequence[float], splits: Sequence[Split], confidence: float) -> Score:
    """The mean over splits, with an interval that allows for shared training rows; exact for a share of one split."""
    if np.isnan(values).any():
        return Score(float("nan"), None, "a fold failed")
    n_cases = cases_asked(splits) if which.proportion else None
    if len(splits) == 1 and n_cases is not None:
        interval = proportion_interval(round(values[0] * n_cases), n_cases, confidence)
        return Score(float(values[0]), interval, f"on {n_cases} cases; {100 * confidence:g} % interval, exact")
    ratio = float(np.mean([test.weights.sum() / train.weights.sum() for train, test in splits]))
    score = score_folds(which, values, ratio, confidence)
    if n_cases is None or score.interval is None:
        return score
    return replace(score, interval=share_over_folds(score.interval, score.value, n_cases).clipped(*which.bounds))


def cases_asked(splits: Sequence[Split]) -> int | None:
    """How many rows are asked about in all test parts, each counted once; None where they have weights."""
    if any(test.weight is not None for _, test in splits):
        return None
    return len(np.unique(np.concatenate([test.rows for _, test in splits]))) if splits else None
