"""Settings tried on splits: each is learnt on the training part and judged on the test part, work shared where it can.

A trial that fails is a result too: its score is missing and its error is kept.

Which settings can be tried together: those that differ in one parameter along which the model shares work.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from margin.base.meta.inner_model import last_step, on_tables
from margin.base.parameter_path import PathTask
from margin.data.labels import distinct
from margin.data.splits import Split
from margin.data.table import Table
from margin.errors import ConstantColumnWarning
from margin.evaluation.cross_validation.fold import Fold, FoldTask, Outcome, run_fold
from margin.evaluation.cross_validation.label_fold import LabelFoldTask
from margin.evaluation.predictions.from_model import Predictions
from margin.parallel import side_by_side
from margin.typing import ClassifierLike, TableLike

__all__ = ["Group", "Trial", "groups_of", "search_task", "shareable", "trials"]


@dataclass(frozen=True)
class Trial:
    """One setting on one split: each metric on the test part (and on the training part), or the error."""

    setting: int
    split: int
    scores: Mapping[str, float] = field(default_factory=dict)
    training_scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float = float("nan")
    error: Exception | None = None


def search_task(
    model: ClassifierLike, X: TableLike, labels: np.ndarray, classes: np.ndarray, codes: np.ndarray, **known: Any
) -> FoldTask:
    """The task of a search: models that take no tables stand behind an encoder, and every metric must be had."""
    wrapped = on_tables if isinstance(X, Table) else None
    kind = LabelFoldTask if codes.ndim > 1 else FoldTask
    return kind(model, X, labels, classes, codes, every_metric=True, wrapped=wrapped, **known)


def trials(
    task: FoldTask,
    settings: Sequence[Mapping[str, Any]],
    splits: Sequence[Split],
    n_jobs: int | None = 1,
    *,
    on_training_rows: bool = False,
) -> Generator[list[Trial], None, None]:
    """All settings on all splits, split by split: those that share work come together, in an order that is always the
    same. Closing the iterator calls the rest off."""
    groups = groups_of(task.model, settings)
    jobs = (
        partial(_tried, task, settings, group, number, Fold(train, test, train if on_training_rows else None))
        for number, (train, test) in enumerate(splits)
        for group in groups
    )
    with (
        closing(side_by_side(jobs, len(groups) * len(splits), n_jobs)) as running,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConstantColumnWarning)  # all rows have their say; a part need not
        yield from running


def _tried(task: FoldTask, settings: Sequence[Mapping[str, Any]], group: Group, number: int, fold: Fold) -> list[Trial]:
    outcomes = None
    if group.parameter is not None:
        outcomes = _run_together(task, [settings[i] for i in group.members], group.parameter, fold)
    if outcomes is None:
        outcomes = [run_fold(task, fold, settings[i]) for i in group.members]
    return [
        Trial(i, number, each.scores, each.beside_scores, each.fit_seconds + each.predict_seconds, each.error)
        for i, each in zip(group.members, outcomes)
    ]


def _run_together(
    task: FoldTask, settings: Sequence[Mapping[str, Any]], parameter: str, fold: Fold
) -> list[Outcome] | None:
    """All settings of a group from one fit; None where the model cannot, or where any of them fails."""
    parts = [fold.test] if fold.beside is None else [fold.test, fold.beside]
    outcomes = []
    try:
        start = perf_counter()
        model, labels = task.configured(settings[0]), task.labels[fold.train.rows]
        X, *rows = (task.rows_for(model, part, fold.train) for part in (fold.train, *parts))
        values = [setting[parameter] for setting in settings]
        along = _predictions_along(model, parameter, PathTask(values, X, labels, rows, fold.train.weight))
        if along is None:
            return None
        classes, name = distinct(labels), type(model).__name__
        for _, given in zip(settings, along, strict=True):
            answers = [task.answers(each, classes, part, name) for each, part in zip(given, parts)]
            scores = [task.scores(each) for each in answers]
            outcomes.append(Outcome(fold, scores=scores[0], beside_scores=scores[1] if fold.beside else {}))
    except Exception:  # fits of their own will tell which setting fails, and why
        return None
    seconds = (perf_counter() - start) / len(outcomes)
    return [replace(each, fit_seconds=seconds, predict_seconds=0.0) for each in outcomes]


@dataclass(frozen=True)
class Group:
    """Settings, by number, that are tried in one go; ``parameter`` is what they differ in, None for a single one."""

    members: tuple[int, ...]
    parameter: str | None = None


def shareable(model: Any) -> tuple[str, ...]:
    """The parameters along which a model (or the last step of a pipeline) shares work, as ``set_params`` names them.

    >>> from margin.neighbors import KNeighborsClassifier
    >>> shareable(KNeighborsClassifier())
    ('n_neighbors',)
    """
    last = last_step(model)
    if not hasattr(last, "answers_along"):
        return ()
    prefix = f"{model.steps[-1][0]}__" if getattr(model, "steps", None) else ""
    return tuple(prefix + name for name in getattr(last, "parameters_along", ()))


def groups_of(model: ClassifierLike, settings: Sequence[Mapping[str, Any]]) -> list[Group]:
    """All settings in groups; the parameter with the largest groups is shared along."""
    alone = [Group((i,)) for i in range(len(settings))]
    best = alone
    for parameter in shareable(model):
        having: dict[Any, list[int]] = {}
        for i, setting in enumerate(settings):
            key = i if parameter not in setting else _key(setting, parameter)
            having.setdefault(key, []).append(i)
        groups = [Group(tuple(members), parameter if len(members) > 1 else None) for members in having.values()]
        best = groups if len(groups) < len(best) else best
    return best


def _key(setting: Mapping[str, Any], but: str) -> tuple[Any, ...]:
    """What two settings have in common that differ in one parameter only."""
    return tuple(sorted((name, *_identity(value)) for name, value in setting.items() if name != but))


def _identity(value: object) -> tuple[str, str]:
    plain = value is None or isinstance(value, (bool, int, float, str, np.generic))
    return type(value).__name__, repr(value) if plain else str(id(value))


def _predictions_along(model: Any, parameter: str, task: PathTask) -> Sequence[Sequence[Predictions]] | None:
    """What an unfitted model would predict for each value; in a pipeline all steps before the last are fitted once."""
    steps = getattr(model, "steps", None)
    name = parameter.rsplit("__", 1)[-1]
    if not steps:
        return model.answers_along(name, task.values, task.X, task.y, task.queries, sample_weight=task.sample_weight)
    if task.sample_weight is not None or len(steps) < 2:
        return None
    before = model[:-1]
    X = before.fit_transform(task.X, task.y)
    return model[-1].answers_along(name, task.values, X, task.y, [before.transform(rows) for rows in task.queries])
