"""The main job: seal, validate, choose, open the seal once, fit the final model."""

from __future__ import annotations

import platform
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import numpy as np

import margin
from margin import zoo
from margin._core import core
from margin.data import Table
from margin.errors import MarginError
from margin.evaluation import Evaluation, SealedTest, StratifiedFolds, evaluate_steps, metric
from margin.experiment.cards import column_cards
from margin.experiment.copies import Together, copies_together
from margin.experiment.example_cases import telling_cases
from margin.experiment.headline import advised, examined, remarks, with_probabilities
from margin.experiment.notes import training_notes
from margin.experiment.ordering import settled
from margin.experiment.problem import Problem, frame, open_table, positive_label, resolve_target
from margin.experiment.read_out import label_text, rank, read_out
from margin.experiment.result import Pair, Progress, Result, Standing, TestScore
from margin.experiment.run_log import Log
from margin.experiment.seeding import seeded
from margin.experiment.spec import Spec
from margin.experiment.table_audit import with_unlabelled
from margin.experiment.table_prediction import about_model
from margin.selection import Audit, audit
from margin.typing import TableLike

__all__ = ["run", "run_to_end"]


def run(spec: Spec) -> Iterator[Any]:
    """Compare models step by step: yields a :class:`Progress` after each step and the :class:`Result` at the end.

    The test part is sealed before anything else looks at the rows and opened once, for the best model. Closing
    the generator stops the run; nothing is written anywhere. Several targets end in a ``SeveralResult``
    (``several_targets.py``).

    >>> from margin.data import Table
    >>> from sklearn.naive_bayes import GaussianNB
    >>> entry = zoo.add("sklearn-bayes", GaussianNB)
    >>> table = Table.from_columns({"x": [float(i % 7) for i in range(60)], "y": ["ab"[i % 7 > 3] for i in range(60)]})
    >>> *events, result = run(Spec(table, target="y", models=("sklearn-bayes",), folds=3, repeats=1))
    >>> [event.stage for event in events]
    ['read', 'seal', 'validate', 'validate', 'validate', 'refit', 'test', 'final']
    >>> result.best, result.n_train, result.n_test
    ('sklearn-bayes', 48, 12)
    >>> zoo.remove("sklearn-bayes")
    """
    if isinstance(spec.target, tuple):
        from margin.experiment.several_targets import run_several

        yield from run_several(spec)
        return
    log = Log()
    table, problem = _read(spec, log)
    told, (spec, ordered) = spec, settled(spec, problem.labels)
    positive = positive_label(problem.labels, spec.positive)
    yield Progress("read", log.seconds)
    sealed, copies, audited = _sealed(spec, table, problem, log)
    yield Progress("seal", log.seconds)
    race = _Race(spec, _entries(spec, sealed.n_train, log), sealed, log, positive, copies)
    yield from race.events()
    board, pairs, method = race.leaderboard()
    best = race.entries[board[0].name]
    audited, cautions = examined(
        audited, best, race.evaluations[best.name], sealed.train, spec, race.protocol, log, positive, told.command()
    )
    make, calibrated = with_probabilities(best, spec.seed)
    with log.step(f"Fitted {best.title} on all training rows", best.name) as note:
        chosen = make().fit(*sealed.train)
        note.append(f"{sealed.n_train:,} rows")
    yield Progress("refit", log.seconds, best.name)
    with log.step("Opened the sealed test, once", best.name) as note:
        asked = bool(ordered or told.positive or told.sort or spec.cost)
        measured = tuple(dict.fromkeys(("accuracy", *spec.metrics, *(("recall",) if asked else ()))))
        evaluation = sealed.open(chosen, metrics=measured, name=best.title, positive=positive, again=True)
        test = read_out(evaluation, Counter(sealed.train[1].tolist()).most_common(1)[0][0])
        note.append(f"{sealed.n_test:,} rows, digest {sealed.digest}")
    threshold = advised(make, race.evaluations[best.name], evaluation, sealed.train, spec, positive) if asked else None
    yield Progress("test", log.seconds, best.name)
    cases, final = _kept(best, chosen, make, problem, evaluation, log)
    yield Progress("final", log.seconds, best.name)
    yield Result(
        **_about_data(told, table, problem),
        metric=spec.sort,
        n_train=sealed.n_train,
        n_test=sealed.n_test,
        leaderboard=board,
        best=best.name,
        test=test,
        steps=tuple(log.steps),
        warnings=log.warnings,
        versions=_versions(),
        protocol=_protocol(race, method),
        seconds=log.seconds,
        model=final,
        explanations=cases,
        pairs=pairs,
        audit=audited,
        openings=tuple(map(str, sealed.openings)),
        positive="" if positive is None else label_text(positive),
        cautions=cautions,
        threshold=threshold,
        remarks=remarks(sealed.n_train, board, calibrated, ordered),
        about=_about_model(table, problem, race, board[0], test, method, told.command()),
    )


def _sealed(spec: Spec, table: Table, problem: Problem, log: Log) -> tuple[SealedTest, np.ndarray | None, Audit]:
    """The test part, split off before anything else looks; which rows are copies; and what an audit finds."""
    with log.step("Sealed the test part") as note:
        copies, held_back = copies_together(problem.inputs, problem.labels, spec.test_share, spec.seed)
        sealed = SealedTest(problem.inputs, problem.labels, spec.test_share, spec.seed, protocol=held_back)
        note.append(f"{sealed.n_test:,} of {len(problem.labels):,} rows, drawn with seed {spec.seed}")
    with log.step("Looked for leaks and traps") as note:
        audited = audit(problem.inputs, problem.labels, sealed, seed=spec.seed)
        audited = with_unlabelled(audited, table.n_rows - len(problem.rows), table.n_rows, problem.target)
        note.append(audited.verdict.rstrip("."))
    return sealed, copies, audited


def _kept(
    best: zoo.Entry, chosen: Any, make: Callable[[], Any], problem: Problem, evaluation: Evaluation, log: Log
) -> tuple[tuple[Any, ...], Any]:
    """A few answers to sealed rows explained, and the model fitted on all the data."""
    with log.step(f"Explained answers of {best.title} to sealed rows", best.name) as note:
        cases = telling_cases(chosen, problem.inputs, evaluation, problem.rows)
        note.append(f"{len(cases)} of them")
    with log.step(f"Fitted {best.title} on all the data", best.name) as note:
        final = make().fit(problem.inputs, problem.labels)
        note.append(f"{len(problem.labels):,} rows; this is the model to keep")
    return cases, final


def run_to_end(spec: Spec) -> Any:
    """Compare models and give the result."""
    *_, result = run(spec)
    return result


def _read(spec: Spec, log: Log) -> tuple[Table, Problem]:
    for name in spec.metrics:
        metric(name)
    with log.step("Read the table") as note:
        table, known_target = open_table(spec.data, spec.reading)
        assert not isinstance(spec.target, tuple)  # several targets have a run of their own
        target = resolve_target(table, known_target if spec.target is None else spec.target)
        problem = frame(table, target, zoo.texts_read(zoo.models(spec.models, spec.settings)))
        note.append(f"{table.n_rows:,} rows, {len(table.names)} columns, target {target!r}")
    for warning in problem.warnings:
        log.warn(warning)
    return table, problem


def _about_data(spec: Spec, table: Table, problem: Problem) -> dict[str, Any]:
    """The parts of a result that say what was asked and of which data."""
    return {
        "title": table.name or "a table",
        "target": problem.target,
        "n_rows": len(problem.labels),
        "class_counts": _class_counts(problem.labels),
        "columns": column_cards(table, problem.target, problem.texts),
        "command": spec.command(),
        "spec": spec,
    }


def _about_model(
    table: Table, problem: Problem, race: _Race, best: Standing, test: TestScore, method: str, command: str
) -> dict[str, Any]:
    """What a file of the model tells of it."""
    spec = race.spec
    notes = training_notes(
        table,
        rows=len(problem.labels),
        validation=best.scores,
        test=test.scores,
        protocol=f"{_protocol(race, method)} The sealed test of {test.n_rows:,} rows was opened {_times(race)}.",
        seed=spec.seed,
        command=command,
        positive=race.positive,
    )
    return {**about_model(table, problem.target, problem.labels, spec.reading), "name": best.name, **notes}


def _times(race: _Race) -> str:
    n = len(race.sealed.openings)
    return "once" if n == 1 else f"{n} times"


def _entries(spec: Spec, n_train: int, log: Log) -> dict[str, zoo.Entry]:
    """The models to try; unless they were named, those for which the table is too long are left out."""
    chosen = {}
    for entry in zoo.models(spec.models, spec.settings):
        if spec.models is None and entry.limit is not None and n_train > entry.limit:
            log.warn(
                f"{entry.name} was left out: it is not tried on more than {entry.limit:,} training rows "
                f"(--models {entry.name} tries it all the same)."
            )
        else:
            chosen[entry.name] = entry
    return chosen


@dataclass
class _Race:
    """All models validated on the same folds of the training part."""

    spec: Spec
    entries: dict[str, zoo.Entry]
    sealed: SealedTest
    log: Log
    positive: Any = None
    copies: np.ndarray | None = None
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows, folds = self.sealed.n_train, self.spec.folds
        if rows < folds:
            self.log.warn(f"{rows} training rows do not fill {folds} folds; {rows} were made.")
            folds = max(rows, 2)
        self.protocol: Any = StratifiedFolds(folds, self.spec.n_repeats(rows), self.spec.seed)
        if self.copies is not None:
            self.protocol = Together(self.protocol, self.copies[self.sealed.train_rows])

    def events(self) -> Iterator[Progress]:
        X, y = self.sealed.train
        total = self.protocol.n_fits * len(self.entries)
        for place, entry in enumerate(self.entries.values()):
            began = perf_counter()
            try:
                for done in self._folds(entry, X, y):
                    score = done.scores.get(self.spec.sort)
                    so_far = place * self.protocol.n_fits + done.number
                    yield Progress("validate", self.log.seconds, entry.name, done.number, done.of, score, so_far, total)
            except Exception as error:  # a model that fails stands on the leaderboard as failed; the others go on
                self.errors[entry.name] = _one_line(error)
            detail = "failed" if entry.name in self.errors else f"{self.protocol.n_fits} fits"
            self.log.add(f"Validated {entry.title or entry.name}", perf_counter() - began, detail)

    def _folds(self, entry: zoo.Entry, X: TableLike, y: np.ndarray) -> Iterator[Any]:
        """The folds of a model as they are done; its evaluation is kept."""
        model = seeded(entry.model(), self.spec.seed)
        told = {"metrics": self.spec.metrics, "positive": self.positive, "n_jobs": self.spec.jobs}
        steps = evaluate_steps(model, X, y, self.protocol, **told)
        while True:
            # Warnings are caught fold by fold: the caller's code must not run inside the catching.
            with self.log.listening(entry.name):
                step = next(steps)
            if isinstance(step, Evaluation):
                break
            yield step
        for warning in step.warnings:
            self.log.warn(warning, entry.name)
        if self.spec.sort not in step.scores:
            raise MarginError(f"gives no probabilities, which {self.spec.sort} needs.")
        self.evaluations[entry.name] = step

    def leaderboard(self) -> tuple[tuple[Standing, ...], tuple[Pair, ...], str]:
        if not self.evaluations:
            name, error = next(iter(self.errors.items()))
            raise MarginError(f"compare: no model could be fitted; {name}: {error}")
        return rank(self.entries, self.evaluations, self.errors, self.spec.sort)


def _protocol(race: _Race, method: str) -> str:
    told = f"{race.protocol.describe()} "
    if len(race.evaluations) == 1:
        return f"{told}The folds were made of the {race.sealed.n_train:,} training rows."
    if not method:
        return f"{told}All models met the same folds of the {race.sealed.n_train:,} training rows."
    return (
        f"{told}All models met the same folds of the {race.sealed.n_train:,} training rows. "
        f"Differences were tested by {method}."
    )


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no reason given"
    if isinstance(error, MarginError):
        return text
    return f"{type(error).__name__}: {textwrap.shorten(text, 200, placeholder=' …')}"


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
