"""All models validated on the same folds of the training part, one after the other, until done or stopped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from margin import zoo
from margin.base.sklearn_classes import clone
from margin.errors import MarginError
from margin.evaluation import Evaluation, SealedTest, evaluate_steps
from margin.experiment.read_out import rank
from margin.experiment.result import Pair, Progress, Score, Standing
from margin.experiment.running.alarm import Alarm, race_until
from margin.experiment.running.run_log import Log
from margin.experiment.running.seeding import seeded
from margin.experiment.spec import Spec
from margin.typing import TableLike

__all__ = ["Race", "entries_of", "tried"]


def entries_of(spec: Spec, sealed: SealedTest, log: Log) -> dict[str, zoo.Entry]:
    """The models to try; unless they were named, those for which the table is too long are left out.

    So are those of the zoo that find nothing to read in a table of nothing but text.
    """
    chosen, n_train = {}, sealed.n_train
    for entry in tried(spec):
        if spec.models is None and entry.limit is not None and n_train > entry.limit:
            log.warn(
                f"{entry.name} was left out: it is not tried on more than {entry.limit:,} training rows "
                f"(--models {entry.name} tries it all the same)."
            )
        else:
            chosen[entry.name] = entry
    if sealed.train[0].inputs().names:
        return chosen
    readers = {*zoo.texts_read(chosen.values()), *(spec.own or {})}
    blind = [name for name in chosen if name not in readers]
    if blind:
        log.warn(f"{', '.join(blind)} left out: all columns are free text, which {_these(blind)} not read.")
    return {name: entry for name, entry in chosen.items() if name in readers}


def _these(names: list[str]) -> str:
    return "these models do" if len(names) > 1 else "this model does"


def tried(spec: Spec) -> Iterator[zoo.Entry]:
    """What the spec names: entries of the zoo, and models of one's own as such."""
    if not (spec.own and spec.models == ()):
        found = zoo.models(spec.models, spec.settings)
        yield from (entry for entry in found if spec.models is not None or not entry.on_request)
    for name, model in (spec.own or {}).items():
        yield zoo.Entry(name, partial(clone, model), f"{type(model).__name__}, as it was given.", title=name)


@dataclass
class Race:
    """All models validated on the same folds of the training part.

    Ctrl-C, or the end of the time that the spec allows, ends the race; models that are done then stand as they are.
    """

    spec: Spec
    entries: dict[str, zoo.Entry]
    sealed: SealedTest
    protocol: Any
    log: Log
    positive: Any = None
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    stopped: str = ""

    def events(self) -> Iterator[Progress]:
        """Signs of life: each fold, and the standing of each model as soon as it is there."""
        self._alarm = Alarm(race_until(self.spec.limit, self.log.start))
        self._began = perf_counter()
        X, y = self.sealed.train
        try:
            for place, entry in enumerate(self.entries.values()):
                yield from self._validated(entry, place, X, y)
        except KeyboardInterrupt:
            if not self.evaluations:
                if not self._alarm.rang:
                    raise
                raise MarginError(
                    f"compare(limit={self.spec.limit:g}): no model was done after {self.spec.limit:g} s "
                    "(give more time, or name quicker models first)."
                ) from None
            self._stop()

    def _validated(self, entry: zoo.Entry, place: int, X: TableLike, y: np.ndarray) -> Iterator[Progress]:
        total = self.protocol.n_fits * len(self.entries)
        began = perf_counter()
        try:
            for done in self._folds(entry, X, y):
                score, so_far = done.scores.get(self.spec.sort), place * self.protocol.n_fits + done.number
                told = (entry.name, done.number, done.of, score, so_far, total)
                yield Progress("validate", self.log.seconds, *told, left=self._left(so_far, total))
        except Exception as error:  # a model that fails stands on the leaderboard as failed; the others go on
            self.errors[entry.name] = _one_line(error)
        detail = "failed" if entry.name in self.errors else f"{self.protocol.n_fits} fits"
        self.log.add(f"Validated {entry.title or entry.name}", perf_counter() - began, detail)
        so_far = (place + 1) * self.protocol.n_fits
        yield Progress(
            "standing",
            self.log.seconds,
            entry.name,
            done=so_far,
            total=total,
            standing=self._standing(entry),
            left=self._left(so_far, total),
        )

    def _left(self, done: int, total: int) -> float | None:
        """Seconds until the race is over, if what comes takes as long as what was, and the limit allows."""
        so_far = perf_counter() - self._began
        left = so_far * (total - done) / done
        until = self._alarm.at
        return left if until is None else min(left, max(0.0, until - perf_counter()))

    def _standing(self, entry: zoo.Entry) -> Standing:
        """How the model did, before it is held against the others."""
        if entry.name in self.errors:
            return Standing(entry.name, entry.title or entry.name, entry.note, error=self.errors[entry.name])
        evaluation = self.evaluations[entry.name]
        scores = {
            name: Score(float(score.value), *((score.interval.low, score.interval.high) if score.interval else ()))
            for name, score in evaluation.scores.items()
        }
        return Standing(entry.name, entry.title or entry.name, entry.note, scores, yardstick=entry.yardstick)

    def _folds(self, entry: zoo.Entry, X: TableLike, y: np.ndarray) -> Iterator[Any]:
        """The folds of a model as they are done; its evaluation is kept."""
        model = seeded(entry.model(), self.spec.seed)
        told = {"metrics": self.spec.metrics, "positive": self.positive, "n_jobs": self.spec.jobs}
        steps = evaluate_steps(model, X, y, self.protocol, **told)
        while True:
            # Warnings are caught fold by fold: the caller's code must not run inside the catching, nor meet the alarm.
            with self._alarm, self.log.listening(entry.name):
                step = next(steps)
            if isinstance(step, Evaluation):
                break
            yield step
        for warning in step.warnings:
            self.log.warn(warning, entry.name)
        if self.spec.sort not in step.scores:
            raise MarginError(f"gives no probabilities, which {self.spec.sort} needs.")
        self.evaluations[entry.name] = step

    def _stop(self) -> None:
        by = f"the limit of {self.spec.limit:g} s" if self._alarm.rang else "Ctrl-C"
        left = [name for name in self.entries if name not in self.evaluations and name not in self.errors]
        n, of = len(self.evaluations), len(self.entries)
        self.stopped = f"Stopped by {by} after {n} of {of} models."
        self.log.warn(self.stopped)
        for name in left:
            self.errors[name] = f"not done when the run was stopped by {by}"

    def leaderboard(self) -> tuple[tuple[Standing, ...], tuple[Pair, ...], str]:
        if not self.evaluations:
            name, error = next(iter(self.errors.items()))
            raise MarginError(f"compare: no model could be fitted; {name}: {error}")
        return rank(self.entries, self.evaluations, self.errors, self.spec.sort)

    def told(self, method: str) -> str:
        """How the models were compared, in sentences."""
        begin = f"{self.protocol.describe()} "
        if len(self.evaluations) == 1:
            return f"{begin}The folds were made of the {self.sealed.n_train:,} training rows."
        begin += f"All models met the same folds of the {self.sealed.n_train:,} training rows."
        return f"{begin} Differences were tested by {method}." if method else begin


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no reason given"
    if isinstance(error, MarginError):
        return text
    return f"{type(error).__name__}: {textwrap.shorten(text, 200, placeholder=' …')}"
