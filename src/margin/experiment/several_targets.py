"""Several targets in one run: every model for each target alone and in a chain, judged by target and together."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data import Table
from margin.errors import ParameterError, listing
from margin.evaluation import corrected_t_interval, proportion_interval
from margin.experiment.notes import left_sealed
from margin.experiment.problem import check_column, frame, open_table, resolve_target
from margin.experiment.result import Progress, Score
from margin.experiment.running.parting import times_of, with_test_rows
from margin.experiment.running.run_log import Log
from margin.experiment.running.target_race import SCORES, TargetRace, right_answers
from margin.experiment.running.target_rows import TargetRows
from margin.experiment.several_result import SeveralResult, TargetScore
from margin.experiment.spec import METRICS, Spec
from margin.experiment.table_prediction import about_model

__all__ = ["run_several"]


@dataclass(frozen=True)
class _End:
    """What is left of a run: the model to keep, and what was seen of the best one on the sealed rows."""

    model: Any
    test: dict[str, Score]
    baseline: dict[str, float]
    by_target: tuple[TargetScore, ...]


def run_several(spec: Spec) -> Iterator[Progress | SeveralResult]:
    """Compare models for several targets step by step, as :func:`margin.experiment.run` does for one.

    Ctrl-C and a limit of time keep the models that are done, and the test part sealed.
    """
    log = Log()
    metric = _metric(spec)
    table, inputs, y, targets, rows = _read(spec, log)
    yield Progress("read", log.seconds)
    train, test = rows.sealed()
    log.add("Sealed the test part", 0.0, f"{len(test):,} of {len(y):,} rows")
    yield Progress("seal", log.seconds)
    race = TargetRace(spec, log, inputs.take(train), y.take(train), *rows.folds(train))
    yield from race.events()
    board, best = race.leaderboard(metric)
    end = yield from _finished(race, best, inputs, y, test)
    aside = [name for name in (spec.group, spec.time) if name is not None]
    yield SeveralResult(
        title=table.name or "a table",
        targets=targets,
        metric=metric,
        n_rows=len(y),
        n_train=len(train),
        n_test=len(test),
        leaderboard=board,
        best=best,
        test=end.test,
        baseline=end.baseline,
        by_target=end.by_target,
        protocol=race.describe(),
        steps=tuple(log.steps),
        warnings=log.warnings,
        command=spec.command(),
        seconds=log.seconds,
        spec=spec,
        model=end.model,
        about={
            **about_model(table.drop(*aside), targets[0], y.values(targets[0]), spec.reading),
            "targets": list(targets),
            "table_digest": table.digest(),
        },
        stopped=race.stopped,
        remarks=(left_sealed(spec, race.done, len(test)),) if race.stopped else (),
    )


def _finished(
    race: TargetRace, best: str, inputs: Table, y: Table, test: np.ndarray
) -> Generator[Progress, None, _End]:
    """Fit the best on the training part, open the seal for it, and fit it on everything; a stopped run opens none."""
    log = race.log
    with log.step("Fitted the best on the training part", best):
        fitted = race.model(best).fit(race.X, race.y)
    yield Progress("refit", log.seconds, best)
    if race.stopped:
        return _End(fitted, {}, {}, ())
    with log.step("Opened the sealed test", best):
        judged = _judged(fitted, inputs.take(test), race.y, y.take(test))
    yield Progress("test", log.seconds, best)
    with log.step("Fitted the best on all rows", best):
        final = race.model(best).fit(inputs, y)
    yield Progress("final", log.seconds, best)
    return _End(final, *judged)


def _metric(spec: Spec) -> str:
    for name in ("positive", "cost"):
        if getattr(spec, name):
            raise ParameterError(
                f"{name}: a run for several targets has no such setting, for each has classes of its own (compare one "
                "target at a time)."
            )
    asked = [name for name in spec.metrics if name not in METRICS and name not in SCORES]
    sort = spec.sort or spec.metrics[0]
    if asked or sort not in SCORES:
        name = asked[0] if asked else sort
        raise ParameterError(
            f"metrics={name!r}: of several targets only {listing(SCORES)} are measured, over all targets and of rows "
            "right in all of them (compare one target by the others)."
        )
    return sort


def _read(spec: Spec, log: Log) -> tuple[Table, Table, Table, tuple[str, ...], TargetRows]:
    """The table, the inputs and the targets of the rows that have them all, and where these rows belong."""
    with log.step("Read the table") as note:
        table, _ = open_table(spec.data, spec.reading)
        assert isinstance(spec.target, tuple)
        targets = tuple(dict.fromkeys(resolve_target(table, target) for target in spec.target))
        if len(targets) < len(spec.target):
            raise ParameterError(f"target={list(spec.target)!r}: each target must be named once.")
        own_from = table.n_rows
        table = with_test_rows(table, spec, targets[0])
        for what, name in (("group", spec.group), ("time", spec.time)):
            for target in targets:
                check_column(table, name, target, what)
        known = ~np.logical_or.reduce([table.missing(name) for name in targets])
        kept = table.take(known)
        for name in targets:
            others = kept.drop(*(each for each in targets if each != name))
            for warning in frame(others, name).warnings:
                log.warn(warning)
            if kept.schema[name].is_numeric:
                kept = kept.with_kind(name, "nominal")
        note.append(f"{kept.n_rows:,} rows, {len(table.names)} columns, targets {listing(targets)}")
    if not known.all():
        n = int((~known).sum())
        log.warn(
            f"{n:,} {'rows' if n > 1 else 'row'} without a value for every target {'were' if n > 1 else 'was'} left "
            "out."
        )
    aside = [name for name in (spec.group, spec.time) if name is not None]
    rows = TargetRows(
        spec,
        kept.values(targets[0]),
        groups=None if spec.group is None else kept.values(spec.group),
        times=None if spec.time is None else times_of(kept, spec.time),
        own=None if spec.test is None else np.flatnonzero(known) >= own_from,
    )
    return table, kept.drop(*targets, *aside), kept.select(targets), targets, rows


def _judged(
    model: Any, X: Table, learnt: Table, y: Table
) -> tuple[dict[str, Score], dict[str, float], tuple[TargetScore, ...]]:
    """The sealed test: scores with intervals, those of the commonest classes of the training part, and by target."""
    right, n = right_answers(model, X, y), len(y)
    guessed = np.column_stack([y.cells(name) == np.bincount(learnt.cells(name)).argmax() for name in y.names])
    mean = right.mean(axis=1)
    interval = corrected_t_interval(mean.tolist(), 0.0)  # rows are not folds: they share nothing
    ends = [] if interval is None else [max(0.0, interval.low), min(1.0, interval.high)]
    scores = {"accuracy": Score(float(mean.mean()), *ends), "subset_accuracy": _share(int(right.all(axis=1).sum()), n)}
    baseline = {"accuracy": float(guessed.mean()), "subset_accuracy": float(guessed.all(axis=1).mean())}
    by_target = tuple(
        TargetScore(
            name, len(np.unique(learnt.cells(name))), _share(int(right[:, j].sum()), n), float(guessed[:, j].mean())
        )
        for j, name in enumerate(y.names)
    )
    return scores, baseline, by_target


def _share(successes: int, trials: int) -> Score:
    interval = proportion_interval(successes, trials)
    return Score(successes / trials, interval.low, interval.high)
