"""A table on disk and a model of the zoo: how well the model does there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from margin import zoo
from margin.errors import ParameterError
from margin.evaluation import Evaluation, TimeOrdered, evaluate
from margin.evaluation.cross_validation.evaluate import DEFAULT_METRICS
from margin.experiment.compare import seeded
from margin.experiment.problem import check_column, frame, open_table, positive_label, resolve_target

__all__ = ["evaluate_table"]


def evaluate_table(
    data: Any,
    target: str | int | None,
    model: str,
    *,
    protocol: Any = None,
    metrics: Iterable[str] = DEFAULT_METRICS,
    settings: Mapping[str, str] | None = None,
    group: str | None = None,
    time: str | None = None,
    positive: str | None = None,
    jobs: int = 1,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
    progress: bool = False,
) -> Evaluation:
    """How well a model of the zoo does on a table; ``settings`` are words, as in ``{"knn.p": "1"}``.

    >>> evaluate_table("iris", None, "naive-bayes", protocol="5-fold").protocol.name
    '5-fold cross-validation'
    """
    table, known = open_table(data, reading)
    column = resolve_target(table, known if target is None else target)
    for flag, name in (("group", group), ("time", time)):
        check_column(table, name, column, flag)
    (entry,) = zoo.models([model], settings)
    problem = frame(table, column, zoo.texts_read((entry,)))
    return evaluate(
        seeded(entry.model(), seed),
        problem.inputs,
        problem.labels,
        _protocol(protocol, time),
        metrics=tuple(metrics),
        groups=group,
        positive=positive_label(problem.labels, positive) if positive else None,
        n_jobs=jobs,
        progress=progress,
    )


def _protocol(protocol: Any, time: str | None) -> Any:
    """The protocol, in order of time where a column says when."""
    if time is None:
        return protocol
    if protocol not in (None, "time"):
        raise ParameterError(f"time={time!r}: splits in order of time are the protocol 'time', not {protocol!r}.")
    return TimeOrdered(time)
