"""All models for several targets on the same folds: each target alone, and in a chain, until done or stopped."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data import Table
from margin.errors import MarginError, MarginWarning, ParameterError
from margin.evaluation import correct, corrected_t_interval, corrected_t_test
from margin.experiment.result import Progress, Score, Standing
from margin.experiment.running.alarm import Alarm, race_until
from margin.experiment.running.race import tried
from margin.experiment.running.run_log import Log
from margin.experiment.running.seeding import seeded
from margin.experiment.spec import Spec
from margin.multiclass import ClassifierChain, OneVsRest
from margin.zoo import Entry

__all__ = ["SCORES", "TargetRace", "right_answers"]

#: What is measured: the share of right answers over all targets, and the share of rows right in all of them.
SCORES = ("accuracy", "subset_accuracy")
#: Differences from the best model below this (corrected) p-value are taken for real.
LEVEL = 0.05


class TargetRace:
    """All models on the same folds of the training part.

    Ctrl-C, or the end of the time that the spec allows, ends the race; models that are done then stand as they are.
    """

    def __init__(
        self, spec: Spec, log: Log, X: Table, y: Table, splits: list[tuple[np.ndarray, np.ndarray]], how: str
    ) -> None:
        self.spec, self.log, self.X, self.y = spec, log, X, y
        self.splits, self.how = splits, how
        self.models: dict[str, Any] = {}
        self.entries: dict[str, Entry] = {}
        self.titles: dict[str, str] = {}
        self.found: dict[str, np.ndarray] = {}
        self.seconds: dict[str, float] = {}
        self.errors: dict[str, str] = {}
        self.stopped = ""
        self._alarm = Alarm(None)

    def describe(self) -> str:
        return (
            f"{self.how} All models met the same folds of the {len(self.y):,} training "
            "rows. Differences were tested by the corrected resampled t-test, corrected for their number (Holm)."
        )

    @property
    def done(self) -> tuple[str, ...]:
        """The names, of the zoo or one's own, that stand on the leaderboard."""
        return tuple(dict.fromkeys(self.entries[name].name for name in self.found))

    def events(self) -> Iterator[Progress]:
        """Signs of life: each fold, and the standing of each model as soon as it is there."""
        self._alarm, self._began = Alarm(race_until(self.spec.limit, self.log.start)), perf_counter()
        self._enter()
        try:
            for place, name in enumerate(self.models):
                yield from self._validated(name, place)
        except KeyboardInterrupt:
            if not self.found:
                if not self._alarm.rang:
                    raise
                raise MarginError(
                    f"compare(limit={self.spec.limit:g}): no model was done after {self.spec.limit:g} s "
                    "(give more time, or name quicker models first)."
                ) from None
            self._stop()

    def _enter(self) -> None:
        """Each model for every target alone, and in a chain."""
        spec = self.spec
        for entry in tried(spec):
            if spec.models is None and entry.limit is not None and len(self.y) > entry.limit:
                self.log.warn(f"{entry.name} was left out: it is not tried on more than {entry.limit:,} training rows.")
                continue
            model, title = seeded(entry.model(), spec.seed), entry.title or entry.name
            alone = model if self._learns_all_at_once(model) else OneVsRest(model, n_jobs=spec.jobs)
            forms = {entry.name: (title, alone)}
            if entry.name != "majority":  # it does not look at columns, and so not at other targets
                chain = ClassifierChain(model, n_jobs=spec.jobs)
                forms[f"{entry.name}-chain"] = (f"{title}, in a chain", chain)
            for name, (told, made) in forms.items():
                self.models[name], self.entries[name], self.titles[name] = made, entry, told

    def _learns_all_at_once(self, model: Any) -> bool:
        """Whether one model can have several targets, with its settings; a few rows show it."""
        if not getattr(model, "several_outputs", False):
            return False
        few = np.arange(min(len(self.y), 20))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MarginWarning)
                clone(model).fit(self.X.take(few), self.y.take(few))
        except ParameterError:
            return False
        except MarginError:
            return True  # so few rows may be too few; all of them will tell
        return True

    def _validated(self, name: str, place: int) -> Iterator[Progress]:
        of, total = len(self.splits), len(self.splits) * len(self.models)
        began, scores = perf_counter(), []
        try:
            for number, (learn, held) in enumerate(self.splits, 1):
                with self._alarm, self.log.listening(name):
                    fitted = clone(self.models[name]).fit(self.X.take(learn), self.y.take(learn))
                    right = right_answers(fitted, self.X.take(held), self.y.take(held))
                scores.append([right.mean(), right.all(axis=1).mean()])
                told = (name, number, of, scores[-1][0], place * of + number, total)
                yield Progress("validate", self.log.seconds, *told, left=self._left(place * of + number, total))
        except MarginError as error:
            self.errors[name] = " ".join(str(error).split())
        else:
            self.found[name], self.seconds[name] = np.array(scores), perf_counter() - began
        detail = "failed" if name in self.errors else f"{of} fits"
        self.log.add(f"Validated {self.titles[name]}", perf_counter() - began, detail)
        so_far = (place + 1) * of
        left, standing = self._left(so_far, total), self._standing(name)
        yield Progress("standing", self.log.seconds, name, done=so_far, total=total, left=left, standing=standing)

    def _left(self, done: int, total: int) -> float:
        """Seconds until the race is over, if what comes takes as long as what was, and the limit allows."""
        left, until = (perf_counter() - self._began) * (total - done) / done, self._alarm.at
        return left if until is None else min(left, max(0.0, until - perf_counter()))

    def _stop(self) -> None:
        by = f"the limit of {self.spec.limit:g} s" if self._alarm.rang else "Ctrl-C"
        left = [name for name in self.models if name not in self.found and name not in self.errors]
        self.stopped = f"Stopped by {by} after {len(self.found)} of {len(self.models)} models."
        self.log.warn(self.stopped)
        for name in left:
            self.errors[name] = f"not done when the run was stopped by {by}"

    def leaderboard(self, metric: str) -> tuple[tuple[Standing, ...], str]:
        """The models from best to worst, yardsticks behind them and failures last; and the name of the best."""
        if not self.found:
            name, error = next(iter(self.errors.items()))
            raise MarginError(f"compare: no model could be fitted; {name}: {error}")
        at = SCORES.index(metric)
        mean = {name: float(scores[:, at].mean()) for name, scores in self.found.items()}
        names = sorted(self.found, key=lambda name: (self.entries[name].yardstick, -mean[name]))
        best, others = names[0], names[1:]
        p = [
            corrected_t_test(self.found[best][:, at], self.found[name][:, at], test_to_train=self._ratio).p
            for name in others
        ]
        corrected = dict(zip(others, correct(p) if p else []))
        lines = [self._standing(name, at, corrected.get(name), behind=mean[name] < mean[best]) for name in names]
        return (*lines, *(self._standing(name) for name in self.errors)), best

    @property
    def _ratio(self) -> float:
        return float(np.mean([len(held) / len(learn) for learn, held in self.splits]))

    def _standing(self, name: str, at: int = 0, p: float | None = None, behind: bool = False) -> Standing:
        entry = self.entries[name]
        note = entry.note if name == entry.name else f"{entry.title}, each target with the answers for those before it."
        if name in self.errors:
            return Standing(name, self.titles[name], note, error=self.errors[name])
        found = self.found[name]
        scores = {}
        for place, which in enumerate(SCORES):
            interval = corrected_t_interval(found[:, place].tolist(), self._ratio)
            ends = [] if interval is None else [max(0.0, interval.low), min(1.0, interval.high)]
            scores[which] = Score(float(found[:, place].mean()), *ends)
        return Standing(
            name,
            self.titles[name],
            note,
            scores=scores,
            fold_scores=tuple(found[:, at].tolist()),
            fit_seconds=self.seconds[name] / len(found),
            p_value=p,
            differs=p is not None and p < LEVEL and behind,
            yardstick=entry.yardstick,
        )


def right_answers(model: Any, X: Table, y: Table) -> np.ndarray:
    """Which answers are right: rows × targets."""
    said = np.asarray(model.predict(X), dtype=object)
    return np.column_stack([said[:, j] == y.values(name) for j, name in enumerate(y.names)]).astype(bool)
