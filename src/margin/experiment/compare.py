"""The main job: seal, validate, choose, open the seal once, fit the final model."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import margin
from margin import zoo
from margin._core import core
from margin.data import Table
from margin.evaluation import SealedTest, metric
from margin.experiment.cards import column_cards
from margin.experiment.example_cases import telling_cases
from margin.experiment.headline.findings import advised, examined, remarks, with_probabilities, with_threshold
from margin.experiment.headline.ordering import settled
from margin.experiment.headline.threshold import judged_threshold
from margin.experiment.notes import left_sealed, training_notes
from margin.experiment.portrait.opened_rows import identifier_of
from margin.experiment.portrait.parts import Portrait
from margin.experiment.portrait.taking import portrait_of, with_rows
from margin.experiment.problem import Problem, frame, open_table, positive_label, resolve_target
from margin.experiment.read_out import label_text, read_out
from margin.experiment.result import Partition, Progress, Result, Standing, TestScore, Threshold
from margin.experiment.running.entrants import entrants, tried
from margin.experiment.running.label_race import LabelRace
from margin.experiment.running.parting import Parting, with_test_rows
from margin.experiment.running.run_log import Log
from margin.experiment.spec import Spec
from margin.experiment.table_audit import with_unlabelled
from margin.experiment.table_prediction import about_model
from margin.parallel import side_by_side
from margin.selection import Audit, audit

__all__ = ["run", "run_to_end"]

#: What is said of the seal in the notes of a model of a run that was stopped.
UNOPENED = "The sealed test was not opened: the run was stopped"


def run(spec: Spec) -> Iterator[Any]:
    """Compare models step by step: yields a :class:`Progress` after each step and the :class:`Result` at the end.

    The test part is sealed before anything else looks at the rows and opened once, for the best model. Closing
    the generator stops the run; nothing is written anywhere. Ctrl-C while models are validated, also thrown into the
    generator, and the spec's limit of time keep the models that are done, and the test part sealed. Several targets
    end in a ``SeveralResult`` (``several_targets.py``).

    >>> from margin.data import Table
    >>> from sklearn.naive_bayes import GaussianNB
    >>> entry = zoo.add("sklearn-bayes", GaussianNB)
    >>> table = Table.from_columns({"x": [float(i % 7) for i in range(60)], "y": ["ab"[i % 7 > 3] for i in range(60)]})
    >>> *events, result = run(Spec(table, target="y", models=("sklearn-bayes",), folds=3, repeats=1))
    >>> [event.stage for event in events]
    ['read', 'seal', 'validate', 'validate', 'validate', 'standing', 'refit', 'test', 'final']
    >>> result.best, result.n_train, result.n_test
    ('sklearn-bayes', 48, 12)
    >>> zoo.remove("sklearn-bayes")
    """
    if isinstance(spec.target, tuple):
        from margin.experiment.several_targets import run_several

        yield from run_several(spec)
        return
    log = Log()
    table, problem, parting = _read(spec, log)
    told, (spec, ordered) = spec, settled(spec, problem.labels)
    positive = positive_label(problem.labels, spec.positive)
    yield Progress("read", log.seconds)
    sealed, audited = _sealed(parting, table, log)
    yield Progress("seal", log.seconds)
    entries, folds = entrants(spec, sealed.train[0], log), parting.folds(sealed, log)
    race = LabelRace(spec, log, entries, sealed, folds, positive)
    yield from race.events()
    board, pairs, method = race.leaderboard()
    best = entries[board[0].name]
    audited, cautions = examined(
        audited, best, race.found[best.name], sealed.train, spec, folds, log, positive, told.command()
    )
    asked = bool(ordered or told.positive or told.sort or spec.cost)
    end = yield from _finished(parting, race, best, asked)
    yield Result(
        **_about_data(told, table, problem),
        metric=spec.sort,
        n_train=sealed.n_train,
        n_test=sealed.n_test,
        leaderboard=board,
        best=best.name,
        test=end.test,
        steps=tuple(log.steps),
        warnings=log.warnings,
        versions=_versions(),
        protocol=race.told(method),
        seconds=log.seconds,
        model=end.model,
        explanations=end.cases,
        pairs=pairs,
        audit=audited,
        openings=tuple(map(str, sealed.openings)),
        positive="" if positive is None else label_text(positive),
        cautions=cautions,
        threshold=end.threshold,
        portrait=end.portrait,
        partition=_partition(spec, race.n_fits, sealed.n_train),
        remarks=(
            *remarks(sealed.n_train, board, end.calibrated, ordered, end.threshold),
            *([left_sealed(told, race.found, sealed.n_test)] if race.stopped else []),
        ),
        about=_about_model(table, problem, race, board[0], end, method, told.command()),
        stopped=race.stopped,
    )


def _sealed(parting: Parting, table: Table, log: Log) -> tuple[SealedTest, Audit]:
    """The test part, split off before anything else looks, and what an audit finds."""
    problem, spec = parting.problem, parting.spec
    with log.step("Sealed the test part") as note:
        sealed = parting.sealed()
        note.append(f"{sealed.n_test:,} of {len(problem.labels):,} rows, {_drawn(spec)}")
    with log.step("Looked for leaks and traps") as note:
        told = {"groups": parting.groups, "times": parting.times}
        audited = audit(parting.inputs, problem.labels, sealed, seed=spec.seed, **told)
        audited = with_unlabelled(audited, table.n_rows - len(problem.rows), table.n_rows, problem.target)
        note.append(audited.verdict.rstrip("."))
    return sealed, audited


@dataclass(frozen=True)
class _End:
    """What is left of a run: the model to keep, and what was seen of it on the sealed rows."""

    model: Any
    calibrated: bool
    test: TestScore | None
    cases: tuple[Any, ...]
    threshold: Threshold | None
    portrait: Portrait | None = None


def _finished(parting: Parting, race: LabelRace, best: zoo.Entry, asked: bool) -> Generator[Progress, None, _End]:
    """Fit the best on the training part, open the seal for it, and fit it on everything.

    A run that was stopped is no end: what others would have done is not known, and the one look at the sealed rows is
    left to whoever decides what it is for. The model to keep has then learnt from the training part alone.
    ``asked``: whether the positive class is what it is about, so that its recall is measured and a threshold chosen.
    """
    spec, log, sealed, problem = race.spec, race.log, race.sealed, parting.problem
    make, calibrated = with_probabilities(best, spec.seed)
    advice = advised(make, race.found[best.name], sealed.train, spec, race.positive) if asked else None
    make = with_threshold(make, advice, race.positive)
    # With several jobs both fits go on at once; nothing that the sealed rows show can reach the second.
    rows = [sealed.train, *([] if race.stopped else [(parting.inputs, problem.labels)])]
    fits = side_by_side([partial(_fitted, make, *part) for part in rows], len(rows), spec.jobs)
    with log.step(f"Fitted {best.title} on all training rows", best.name) as note:
        chosen = next(fits)
        note.append(f"{sealed.n_train:,} rows")
    yield Progress("refit", log.seconds, best.name)
    if race.stopped:
        threshold = None if advice is None else Threshold(label_text(race.positive), *advice)
        return _End(chosen, calibrated, None, (), threshold)
    with log.step("Opened the sealed test, once", best.name) as note:
        measured = tuple(dict.fromkeys(("accuracy", *spec.metrics, *(("recall",) if asked else ()))))
        evaluation = sealed.open(chosen, metrics=measured, name=best.title, positive=race.positive, again=True)
        test = read_out(evaluation, Counter(sealed.train[1].tolist()).most_common(1)[0][0])
        note.append(f"{sealed.n_test:,} rows, digest {sealed.digest}")
    threshold = None if advice is None else judged_threshold(advice, evaluation, race.positive)
    yield Progress("test", log.seconds, best.name)
    with log.step(f"Explained answers of {best.title} to sealed rows", best.name) as note:
        cases = telling_cases(chosen, parting.inputs, evaluation, problem.rows)
        note.append(f"{len(cases)} told one by one")
        portrait = portrait_of(chosen, parting.inputs, evaluation, problem.texts, race.positive, spec.seed)
        test = with_rows(test, evaluation, parting.inputs, problem.rows, race.positive, portrait)
        if portrait.n_asked:
            note.append(f"and each column shuffled among {portrait.n_asked:,} of them")
    with log.step(f"Fitted {best.title} on all the data", best.name) as note:
        final = next(fits)
        note.append(f"{len(problem.labels):,} rows; this is the model to keep")
    yield Progress("final", log.seconds, best.name)
    return _End(final, calibrated, test, cases, threshold, portrait)


def _fitted(make: Callable[[], Any], X: Table, y: np.ndarray) -> Any:
    return make().fit(X, y)


def run_to_end(spec: Spec) -> Any:
    """Compare models and give the result."""
    *_, result = run(spec)
    return result


def _read(spec: Spec, log: Log) -> tuple[Table, Problem, Parting]:
    for name in spec.metrics:
        metric(name)
    with log.step("Read the table") as note:
        table, known_target = open_table(spec.data, spec.reading)
        assert not isinstance(spec.target, tuple)  # several targets have a run of their own
        target = resolve_target(table, known_target if spec.target is None else spec.target)
        own_from = None if spec.test is None else table.n_rows
        table = with_test_rows(table, spec, target)
        problem = frame(table, target, zoo.texts_read(tuple(tried(spec))))
        parting = Parting.of(spec, table, problem, own_from)
        note.append(f"{table.n_rows:,} rows, {len(table.names)} columns, target {target!r}")
    for warning in problem.warnings:
        log.warn(warning)
    return table, problem, parting


def _drawn(spec: Spec) -> str:
    if spec.test is not None:
        return "those of the test file"
    if spec.time is not None:
        return f"the last by {spec.time!r}"
    by = "" if spec.group is None else f"whole groups of {spec.group!r}, "
    return f"{by}drawn with seed {spec.seed}"


def _about_data(spec: Spec, table: Table, problem: Problem) -> dict[str, Any]:
    """The parts of a result that say what was asked and of which data."""
    return {
        "title": table.name or "a table",
        "target": problem.target,
        "n_rows": len(problem.labels),
        "class_counts": _class_counts(problem.labels),
        "columns": tuple(
            replace(card, is_input=False) if card.name in (spec.group, spec.time) else card
            for card in column_cards(table, problem.target, problem.texts)
        ),
        "command": spec.command(),
        "python": spec.call(),
        "identifier": identifier_of(problem.inputs),
        "spec": spec,
    }


def _partition(spec: Spec, n_fits: int, n_train: int) -> Partition:
    """Which rows were used for what."""
    repeats = 1 if spec.time is not None else spec.n_repeats(n_train)
    by = "time" if spec.time is not None else "group" if spec.group is not None else "chance"
    return Partition(by, n_fits // repeats, repeats, spec.time or spec.group or "", spec.test is not None)


def _about_model(
    table: Table, problem: Problem, race: LabelRace, best: Standing, end: _End, method: str, command: str
) -> dict[str, Any]:
    """What a file of the model tells of it."""
    spec, test = race.spec, end.test
    opened = f"{f'The sealed test of {test.n_rows:,} rows was opened {_times(race)}' if test else UNOPENED}."
    table = table.drop(*(name for name in (spec.group, spec.time) if name is not None))
    notes = training_notes(
        table,
        rows=len(problem.labels) if test else race.sealed.n_train,
        validation=best.scores,
        test=test.scores if test else {},
        protocol=f"{race.told(method)} {opened}",
        seed=spec.seed,
        command=command,
        positive=race.positive,
        threshold=end.threshold,
    )
    return {**about_model(table, problem.target, problem.labels, spec.reading), "name": best.name, **notes}


def _times(race: LabelRace) -> str:
    n = len(race.sealed.openings)
    return "once" if n == 1 else f"{n} times"


def _class_counts(labels: np.ndarray) -> dict[str, int]:
    return {label_text(label): n for label, n in Counter(labels.tolist()).most_common()}


def _versions() -> dict[str, str]:
    versions = {"margin": margin.__version__, "Python": platform.python_version()}
    for package in ("numpy", "scipy", "scikit-learn", "polars"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {**versions, "system": f"{platform.system()} {platform.machine()}", "instruction set": core.simd()}
