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

from margin.base.meta.inner_model import last_step, on_tables, weights_for
from margin.data.labels import distinct
from margin.data.rows import take_rows
from margin.data.splits import Part, Split
from margin.data.table import Table
from margin.errors import ConstantColumnWarning, ParameterError
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.from_model import Predictions, answers_beside, classes_of, predict_all
from margin.parallel import side_by_side

__all__ = [
    "Bench",
    "Group",
    "Trial",
    "configured",
    "fitted_on",
    "groups_of",
    "predictions_along",
    "shareable",
    "trials",
]


@dataclass(frozen=True)
class Bench:
    """What every trial needs: the model to clone, the rows, and what is measured. Checked once, before the first."""

    model: Any
    X: Any
    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    metrics: tuple[Metric, ...]
    who: str
    on_training_rows: bool = False
    weight: np.ndarray | None = None


@dataclass(frozen=True)
class Trial:
    """One setting on one split: each metric on the test part (and on the training part), or the error."""

    setting: int
    split: int
    scores: Mapping[str, float] = field(default_factory=dict)
    training_scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float = float("nan")
    error: Exception | None = None


def configured(bench: Bench, setting: Mapping[str, Any]) -> Any:
    """An unfitted model with a setting, behind an encoder where it takes no tables."""
    from sklearn.base import clone

    # Parameters may be models themselves: every trial gets its own.
    model = clone(bench.model).set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
    return on_tables(model) if isinstance(bench.X, Table) else model


def fitted_on(bench: Bench, setting: Mapping[str, Any], part: Part) -> Any:
    """The model with a setting, learnt from some rows."""
    model = configured(bench, setting)
    weight = _weight(bench, model, part)
    return model.fit(_rows(model, bench.X, part.rows, part.rows), bench.labels[part.rows], **weight)


def _weight(bench: Bench, model: Any, part: Part) -> dict[str, np.ndarray]:
    if part.weight is None:
        return {}
    return weights_for(model, part.weight, bench.who, "so it cannot be chosen by weighted rows")


def _rows(model: Any, X: Any, rows: np.ndarray, learnt: np.ndarray) -> Any:
    """Some rows; of a matrix of kernel values only their columns with the rows that were learnt from."""
    from sklearn.utils import get_tags

    some = take_rows(X, rows)
    pairwise = isinstance(X, np.ndarray) and get_tags(model).input_tags.pairwise
    return some[:, learnt] if pairwise else some


def trials(
    bench: Bench, settings: Sequence[Mapping[str, Any]], splits: Sequence[Split], n_jobs: int | None = 1
) -> Generator[list[Trial], None, None]:
    """All settings on all splits, split by split: those that share work come together, in an order that is always the
    same. Closing the iterator calls the rest off."""
    groups = groups_of(bench.model, settings)
    tasks = (
        partial(_tried, bench, settings, group, number, train, test)
        for number, (train, test) in enumerate(splits)
        for group in groups
    )
    with (
        closing(side_by_side(tasks, len(groups) * len(splits), n_jobs)) as running,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConstantColumnWarning)  # all rows have their say; a part need not
        yield from running


def _tried(
    bench: Bench, settings: Sequence[Mapping[str, Any]], group: Group, number: int, train: Part, test: Part
) -> list[Trial]:
    if group.parameter is not None:
        together = _tried_together(bench, settings, group, number, train, test)
        if together is not None:
            return together
    return [_tried_alone(bench, settings[i], i, number, train, test) for i in group.members]


def _tried_alone(bench: Bench, setting: Mapping[str, Any], i: int, number: int, train: Part, test: Part) -> Trial:
    try:
        start = perf_counter()
        model = fitted_on(bench, setting, train)
        classes = classes_of(model, bench.labels[train.rows])
        scores = [
            _scores(bench, predict_all(model, _rows(model, bench.X, part.rows, train.rows)), classes, part, model)
            for part in _asked(bench, train, test)
        ]
        seconds = perf_counter() - start
    except Exception as error:  # whatever a model may raise is reported beside the other settings, never hidden
        return Trial(i, number, error=error)
    return Trial(i, number, scores[0], scores[-1] if bench.on_training_rows else {}, seconds)


def _asked(bench: Bench, train: Part, test: Part) -> list[Part]:
    return [test, train] if bench.on_training_rows else [test]


def _tried_together(
    bench: Bench, settings: Sequence[Mapping[str, Any]], group: Group, number: int, train: Part, test: Part
) -> list[Trial] | None:
    """All settings of a group from one fit; None where the model cannot, or where any of them fails."""
    assert group.parameter is not None
    first = settings[group.members[0]]
    values = [settings[i][group.parameter] for i in group.members]
    parts = _asked(bench, train, test)
    try:
        start = perf_counter()
        model = configured(bench, first)
        rows = [_rows(model, bench.X, part.rows, train.rows) for part in parts]
        X = _rows(model, bench.X, train.rows, train.rows)
        labels = bench.labels[train.rows]
        along = predictions_along(model, group.parameter, values, X, labels, rows, train.weight)
        if along is None:
            return None
        classes, found = distinct(labels), []
        for i, of_value in zip(group.members, along, strict=True):
            scores = [_scores(bench, each, classes, part, model) for each, part in zip(of_value, parts)]
            found.append(Trial(i, number, scores[0], scores[-1] if bench.on_training_rows else {}))
    except Exception:  # fits of their own will tell which setting fails, and why
        return None
    seconds = (perf_counter() - start) / len(found)
    return [replace(each, seconds=seconds) for each in found]


def _scores(bench: Bench, given: Predictions, columns: np.ndarray, part: Part, model: Any) -> dict[str, float]:
    name = type(model).__name__
    answers = answers_beside(given, columns, bench.classes, bench.codes[part.rows], part.weight, name)
    for each in bench.metrics:
        if each.needs == "probabilities" and answers.probabilities is None:
            raise ParameterError(
                f"{bench.who}: {each.name} needs probabilities, and {type(bench.model).__name__} gives none "
                "(choose a metric on labels, as 'accuracy')."
            )
    return {each.name: each.value(answers) for each in bench.metrics}


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


def groups_of(model: Any, settings: Sequence[Mapping[str, Any]]) -> list[Group]:
    """All settings in groups; the parameter with the largest groups is shared along."""
    alone = [Group((i,)) for i in range(len(settings))]
    best = alone
    for parameter in shareable(model):
        having: dict[Any, list[int]] = {}
        for i, setting in enumerate(settings):
            key = i if parameter not in setting else _key(setting, parameter)
            having.setdefault(key, []).append(i)
        found = [Group(tuple(members), parameter if len(members) > 1 else None) for members in having.values()]
        best = found if len(found) < len(best) else best
    return best


def _key(setting: Mapping[str, Any], but: str) -> tuple[Any, ...]:
    """What two settings have in common that differ in one parameter only."""
    return tuple(sorted((name, *_identity(value)) for name, value in setting.items() if name != but))


def _identity(value: Any) -> tuple[str, str]:
    plain = value is None or isinstance(value, (bool, int, float, str, np.generic))
    return type(value).__name__, repr(value) if plain else str(id(value))


def predictions_along(
    model: Any, parameter: str, values: Sequence[Any], X: Any, y: Any, asked: Sequence[Any], weight: np.ndarray | None
) -> Sequence[Sequence[Predictions]] | None:
    """What an unfitted model would predict for each value; in a pipeline all steps before the last are fitted once."""
    steps = getattr(model, "steps", None)
    name = parameter.rsplit("__", 1)[-1]
    if not steps:
        return model.answers_along(name, values, X, y, asked, sample_weight=weight)
    if weight is not None or len(steps) < 2:
        return None
    before = model[:-1]
    X = before.fit_transform(X, y)
    return model[-1].answers_along(name, values, X, y, [before.transform(rows) for rows in asked])
