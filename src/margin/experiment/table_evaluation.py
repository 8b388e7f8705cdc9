"""A table on disk and a model of the zoo: how well the model does there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from margin import zoo
from margin.errors import ParameterError
from margin.evaluation import Evaluation, TimeHoldOut, TimeOrdered, evaluate
from margin.evaluation.cross_validation.evaluate import DEFAULT_METRICS
from margin.experiment.problem import check_column, frame, open_table, positive_label, resolve_target
from margin.experiment.running.seeding import seeded

__all__ = ["evaluate_table", "evaluation_parts"]


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
    since: str | None = None,
    test: Any = None,
    positive: str | None = None,
    jobs: int = 1,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
    progress: bool = False,
) -> Evaluation:
    """How well a model of the zoo does on a table; ``settings`` are words, as in ``{"knn.p": "1"}``.

    ``time`` is the column that says when; with ``since`` rows before it are learnt from and those from it on asked
    about. ``test`` is a table of its own to be asked about.

    >>> evaluate_table("iris", None, "naive-bayes", protocol="5-fold").protocol.name
    '5-fold cross-validation'
    """
    table, known = open_table(data, reading)
    column = resolve_target(table, known if target is None else target)
    for flag, name in (("group", group), ("time", time)):
        check_column(table, name, column, flag)
    (entry,) = zoo.models([model], settings)
    problem = frame(table, column, zoo.texts_read((entry,)))
    own = None
    if test is not None:
        other = frame(open_table(test, reading)[0], column, zoo.texts_read((entry,)))
        own = (other.inputs, other.labels)
    return evaluate(
        seeded(entry.model(), seed),
        problem.inputs,
        problem.labels,
        _protocol(protocol, time, since),
        metrics=tuple(metrics),
        groups=group,
        test=own,
        positive=positive_label(problem.labels, positive) if positive else None,
        n_jobs=jobs,
        progress=progress,
    )


def evaluation_parts(found: Evaluation) -> dict[str, Any]:
    """An evaluation as dictionaries, lists, numbers and texts, for programs.

    >>> found = evaluate_table("iris", None, "naive-bayes", protocol="hold-out", metrics=["accuracy"])
    >>> sorted(evaluation_parts(found)["scores"]["accuracy"])
    ['high', 'how', 'low', 'value']
    """
    scores = {}
    for name, score in found.scores.items():
        ends = (None, None) if score.interval is None else (score.interval.low, score.interval.high)
        scores[name] = {"value": float(score.value), "low": ends[0], "high": ends[1], "how": score.how}
    return {
        "model": found.model,
        "protocol": found.protocol.name,
        "described": found.protocol.describe(),
        "scores": scores,
        "folds": [{"n_train": fold.n_train, "n_test": fold.n_test, "scores": fold.scores} for fold in found.folds],
        "classes": found.classes.tolist(),
        "warnings": list(found.warnings),
        "seconds": found.seconds,
    }


def _protocol(protocol: Any, time: str | None, since: str | None) -> Any:
    """The protocol, in order of time where a column says when."""
    if time is None:
        if since is not None:
            raise ParameterError(f"since={since!r}: say which column holds the times (time=…).")
        return protocol
    if protocol not in (None, "time", "time-hold-out"):
        raise ParameterError(
            f"time={time!r}: splits in order of time are the protocol 'time' or 'time-hold-out', not {protocol!r}."
        )
    if since is None and protocol != "time-hold-out":
        return TimeOrdered(time)
    return TimeHoldOut(time, at=_as_number(since))


def _as_number(since: str | None) -> Any:
    try:
        return since if since is None else float(since)
    except ValueError:  # a date
        return since
