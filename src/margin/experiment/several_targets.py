"""Several targets in one run: every model for each target alone and in a chain, judged by target and together."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from margin import zoo
from margin.base.sklearn_classes import clone
from margin.data import Table
from margin.errors import MarginError, ParameterError, listing
from margin.evaluation import correct, corrected_t_interval, corrected_t_test, proportion_interval
from margin.experiment.problem import check_column, frame, open_table, resolve_target
from margin.experiment.result import Progress, Score, Standing, Step
from margin.experiment.running.parting import times_of, with_test_rows
from margin.experiment.running.run_log import Log
from margin.experiment.running.target_rows import TargetRows
from margin.experiment.spec import METRICS, Spec
from margin.experiment.table_prediction import about_model
from margin.multiclass import ClassifierChain, OneVsRest

__all__ = ["SCORES", "SeveralResult", "TargetScore", "run_several"]

#: What is measured: the share of right answers over all targets, and the share of rows right in all of them.
SCORES = ("accuracy", "subset_accuracy")
#: Differences from the best model below this (corrected) p-value are taken for real.
LEVEL = 0.05


@dataclass(frozen=True)
class TargetScore:
    """How the best model fared on one target of the sealed test; ``baseline`` is its commonest class in training."""

    name: str
    n_classes: int
    accuracy: Score
    baseline: float


@dataclass(frozen=True, repr=False)
class SeveralResult:
    """A finished comparison of models for several targets.

    ``leaderboard`` is sorted, best first, failed models last. ``test`` has the scores of the best on the sealed test,
    ``baseline`` those of always answering the commonest class of every target, ``by_target`` a line for each target.
    ``model`` is the best, fitted on all the rows.
    """

    title: str
    targets: tuple[str, ...]
    metric: str
    n_rows: int
    n_train: int
    n_test: int
    leaderboard: tuple[Standing, ...]
    best: str
    test: dict[str, Score]
    baseline: dict[str, float]
    by_target: tuple[TargetScore, ...]
    protocol: str
    steps: tuple[Step, ...]
    warnings: tuple[str, ...]
    command: str
    seconds: float
    spec: Any = None
    model: Any = None
    about: dict[str, Any] = field(default_factory=dict)
    #: The metrics are about all classes of all targets.
    positive: str = ""

    @property
    def winner(self) -> Standing:
        return next(standing for standing in self.leaderboard if standing.name == self.best)

    def html(self) -> str:
        """The whole report as one HTML page."""
        from margin.report.several import render_several

        return render_several(self)

    def to_dict(self) -> dict[str, Any]:
        """The result as dictionaries, lists, numbers and texts; the model and the spec are left out."""
        from margin.experiment.result_json import plain

        return {name: plain(value) for name, value in vars(self).items() if name not in ("spec", "model")}

    def __str__(self) -> str:
        from rich.console import Console

        from margin.report import several

        text = io.StringIO()
        several.show(self, Console(file=text, width=80, highlight=False))
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    def __repr__(self) -> str:
        return f"<SeveralResult of {len(self.leaderboard)} models for {len(self.targets)} targets: best {self.best}>"


def run_several(spec: Spec) -> Iterator[Progress | SeveralResult]:
    """Compare models for several targets step by step, as :func:`margin.experiment.run` does for one."""
    log = Log()
    metric = _metric(spec)
    table, inputs, y, targets, rows = _read(spec, log)
    yield Progress("read", log.seconds)
    train, test = rows.sealed()
    log.add("Sealed the test part", 0.0, f"{len(test):,} of {len(y):,} rows")
    yield Progress("seal", log.seconds)
    race = _Race(spec, log, inputs.take(train), y.take(train), *rows.folds(train))
    yield from race.events()
    board, best = race.leaderboard(metric)
    model, aside = race.models[best], [name for name in (spec.group, spec.time) if name is not None]
    with log.step("Fitted the best on the training part", best):
        fitted = clone(model).fit(inputs.take(train), y.take(train))
    yield Progress("refit", log.seconds, best)
    with log.step("Opened the sealed test", best):
        scores, baseline, by_target = _judged(fitted, inputs.take(test), y.take(train), y.take(test))
    yield Progress("test", log.seconds, best)
    with log.step("Fitted the best on all rows", best):
        final = clone(model).fit(inputs, y)
    yield Progress("final", log.seconds, best)
    yield SeveralResult(
        title=table.name or "a table",
        targets=targets,
        metric=metric,
        n_rows=len(y),
        n_train=len(train),
        n_test=len(test),
        leaderboard=board,
        best=best,
        test=scores,
        baseline=baseline,
        by_target=by_target,
        protocol=race.describe(),
        steps=tuple(log.steps),
        warnings=log.warnings,
        command=spec.command(),
        seconds=log.seconds,
        spec=spec,
        model=final,
        about={
            **about_model(table.drop(*aside), targets[0], y.values(targets[0]), spec.reading),
            "targets": list(targets),
        },
    )


def _metric(spec: Spec) -> str:
    for name in ("limit", "own", "positive", "cost"):
        if getattr(spec, name):
            raise ParameterError(
                f"{name}: a run for several targets has no such setting (compare one target at a time)."
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


def _candidates(spec: Spec, n_train: int, log: Log) -> Iterator[tuple[str, str, str, Any]]:
    """Name, title, note and model: each entry of the zoo for every target alone, and in a chain."""
    from margin.experiment.running.seeding import seeded

    for entry in zoo.models(spec.models, spec.settings):
        if spec.models is None and entry.on_request:
            continue
        if spec.models is None and entry.limit is not None and n_train > entry.limit:
            log.warn(f"{entry.name} was left out: it is not tried on more than {entry.limit:,} training rows.")
            continue
        model, title = seeded(entry.model(), spec.seed), entry.title or entry.name
        native = getattr(model, "several_outputs", False)
        yield entry.name, title, entry.note, model if native else OneVsRest(model, n_jobs=spec.jobs)
        if entry.name != "majority":  # it does not look at columns, and so not at other targets
            note = f"{title}, each target with the answers for those before it."
            yield f"{entry.name}-chain", f"{title}, in a chain", note, ClassifierChain(model, n_jobs=spec.jobs)


class _Race:
    """All models on the same folds of the training part."""

    def __init__(
        self, spec: Spec, log: Log, X: Table, y: Table, splits: list[tuple[np.ndarray, np.ndarray]], how: str
    ) -> None:
        self.spec, self.log, self.X, self.y = spec, log, X, y
        self.splits, self.how = splits, how
        self.models: dict[str, Any] = {}
        self.about: dict[str, tuple[str, str]] = {}
        self.found: dict[str, np.ndarray] = {}
        self.seconds: dict[str, float] = {}
        self.errors: dict[str, str] = {}

    def describe(self) -> str:
        return (
            f"{self.how} All models met the same folds of the {len(self.y):,} training "
            "rows. Differences were tested by the corrected resampled t-test, corrected for their number (Holm)."
        )

    def events(self) -> Iterator[Progress]:
        candidates = list(_candidates(self.spec, len(self.y), self.log))
        of = len(self.splits)
        for place, (name, title, note, model) in enumerate(candidates):
            self.models[name], self.about[name] = model, (title, note)
            began, scores = perf_counter(), []
            try:
                for number, (learn, held) in enumerate(self.splits, 1):
                    with self.log.listening(name):
                        fitted = clone(model).fit(self.X.take(learn), self.y.take(learn))
                        right = _right(fitted, self.X.take(held), self.y.take(held))
                    scores.append([right.mean(), right.all(axis=1).mean()])
                    so_far = place * of + number
                    yield Progress(
                        "validate", self.log.seconds, name, number, of, scores[-1][0], so_far, of * len(candidates)
                    )
            except MarginError as error:
                self.errors[name] = " ".join(str(error).split())
            else:
                self.found[name], self.seconds[name] = np.array(scores), perf_counter() - began
            self.log.add(
                f"Validated {title}", perf_counter() - began, "failed" if name in self.errors else f"{of} fits"
            )

    def leaderboard(self, metric: str) -> tuple[tuple[Standing, ...], str]:
        if not self.found:
            name, error = next(iter(self.errors.items()))
            raise MarginError(f"compare: no model could be fitted; {name}: {error}")
        ratio = float(np.mean([len(held) / len(learn) for learn, held in self.splits]))
        at = SCORES.index(metric)
        names = sorted(self.found, key=lambda name: -self.found[name][:, at].mean())
        best, others = names[0], names[1:]
        p = [
            corrected_t_test(self.found[best][:, at], self.found[name][:, at], test_to_train=ratio).p for name in others
        ]
        corrected = dict(zip(others, correct(p) if p else []))
        lines = [self._standing(name, at, ratio, corrected.get(name)) for name in names]
        failed = [Standing(name, *self.about[name], error=error) for name, error in self.errors.items()]
        return (*lines, *failed), best

    def _standing(self, name: str, at: int, ratio: float, p: float | None) -> Standing:
        found = self.found[name]
        scores = {}
        for place, which in enumerate(SCORES):
            interval = corrected_t_interval(found[:, place].tolist(), ratio)
            ends = [] if interval is None else [max(0.0, interval.low), min(1.0, interval.high)]
            scores[which] = Score(float(found[:, place].mean()), *ends)
        seconds = self.seconds[name] / len(found)
        return Standing(
            name,
            *self.about[name],
            scores=scores,
            fold_scores=tuple(found[:, at].tolist()),
            fit_seconds=seconds,
            p_value=p,
            differs=p is not None and p < LEVEL,
        )


def _right(model: Any, X: Table, y: Table) -> np.ndarray:
    """Which answers are right: rows × targets."""
    said = np.asarray(model.predict(X), dtype=object)
    return np.column_stack([said[:, j] == y.values(name) for j, name in enumerate(y.names)]).astype(bool)


def _judged(
    model: Any, X: Table, learnt: Table, y: Table
) -> tuple[dict[str, Score], dict[str, float], tuple[TargetScore, ...]]:
    """The sealed test: scores with intervals, those of the commonest classes of the training part, and by target."""
    right, n = _right(model, X, y), len(y)
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
