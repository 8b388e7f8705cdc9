"""A race for several targets: each model for every target alone, and in a chain."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from margin.base.sklearn_classes import clone
from margin.data import Table
from margin.errors import MarginError, MarginWarning, ParameterError
from margin.evaluation import correct, corrected_t_interval, corrected_t_test
from margin.experiment.result import Score, Standing
from margin.experiment.running.entrants import entrants
from margin.experiment.running.race import Race
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


@dataclass(frozen=True)
class Found:
    """The scores of a model, folds × ``SCORES``, and the seconds that a fold took."""

    scores: np.ndarray
    seconds: float


class TargetRace(Race[Found]):
    """All models for several targets on the same folds of the training part."""

    def __init__(
        self, spec: Spec, log: Log, X: Table, y: Table, splits: list[tuple[np.ndarray, np.ndarray]], how: str
    ) -> None:
        self.X, self.y, self.splits, self.how = X, y, splits, how
        forms = [form for entry in entrants(spec, X, log).values() for form in _forms(entry, spec, X, y)]
        super().__init__(spec, log, {entry.name: entry for _, entry in forms}, len(splits))
        self._origin = {entry.name: origin for origin, entry in forms}

    def describe(self) -> str:
        return (
            f"{self.how} All models met the same folds of the {len(self.y):,} training "
            "rows. Differences were tested by the corrected resampled t-test, corrected for their number (Holm)."
        )

    @property
    def done(self) -> tuple[str, ...]:
        """The names, of the zoo or one's own, that stand on the leaderboard."""
        return tuple(dict.fromkeys(self._origin[name] for name in self.found))

    def model(self, name: str) -> Any:
        """A new model for all targets, in the form of this name."""
        return self.entries[name].make()

    def _folds(self, name: str) -> Iterator[tuple[int, int, float | None]]:
        of, began, scores = len(self.splits), perf_counter(), []
        for number, (learn, held) in enumerate(self.splits, 1):
            with self._heard(name):
                fitted = self.model(name).fit(self.X.take(learn), self.y.take(learn))
                right = right_answers(fitted, self.X.take(held), self.y.take(held))
            scores.append([right.mean(), right.all(axis=1).mean()])
            yield number, of, float(scores[-1][0])
        self.found[name] = Found(np.array(scores), (perf_counter() - began) / of)

    def leaderboard(self, metric: str) -> tuple[tuple[Standing, ...], str]:
        """The models from best to worst, yardsticks behind them and failures last; and the name of the best."""
        self.refuse_none()
        at = SCORES.index(metric)
        by_fold = {name: found.scores[:, at] for name, found in self.found.items()}
        mean = {name: float(scores.mean()) for name, scores in by_fold.items()}
        names = sorted(mean, key=lambda name: (self.entries[name].yardstick, -mean[name]))
        best, others = names[0], names[1:]
        p = [corrected_t_test(by_fold[best], by_fold[name], test_to_train=self._ratio).p for name in others]
        corrected = dict(zip(others, correct(p) if p else []))
        lines = []
        for name in names:
            differs = name in corrected and corrected[name] < LEVEL and mean[name] < mean[best]
            compared = {"p_value": corrected.get(name), "differs": differs}
            lines.append(self.standing(name, fold_scores=tuple(by_fold[name].tolist()), **compared))
        return (*lines, *map(self.standing, self.errors)), best

    @property
    def _ratio(self) -> float:
        return float(np.mean([len(held) / len(learn) for learn, held in self.splits]))

    def _measured(self, name: str) -> dict[str, Any]:
        found, scores = self.found[name], {}
        for place, which in enumerate(SCORES):
            interval = corrected_t_interval(found.scores[:, place].tolist(), self._ratio)
            ends = [] if interval is None else [max(0.0, interval.low), min(1.0, interval.high)]
            scores[which] = Score(float(found.scores[:, place].mean()), *ends)
        return {"scores": scores, "fold_scores": tuple(found.scores[:, 0].tolist()), "fit_seconds": found.seconds}


def _forms(entry: Entry, spec: Spec, X: Table, y: Table) -> Iterator[tuple[str, Entry]]:
    """A model for every target alone, and in a chain; each with the name of the entry that it is a form of."""
    model, title = seeded(entry.model(), spec.seed), entry.title or entry.name
    alone = model if _learns_all_at_once(model, X, y) else OneVsRest(model, n_jobs=spec.jobs)
    yield entry.name, replace(entry, make=partial(clone, alone), title=title)
    if entry.name != "majority":  # it does not look at columns, and so not at other targets
        yield (
            entry.name,
            replace(
                entry,
                name=f"{entry.name}-chain",
                make=partial(clone, ClassifierChain(model, n_jobs=spec.jobs)),
                title=f"{title}, in a chain",
                note=f"{title}, each target with the answers for those before it.",
            ),
        )


def _learns_all_at_once(model: Any, X: Table, y: Table) -> bool:
    """Whether one model can have several targets, with its settings; a few rows show it."""
    if not getattr(model, "several_outputs", False):
        return False
    few = np.arange(min(len(y), 20))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MarginWarning)
            clone(model).fit(X.take(few), y.take(few))
    except ParameterError:
        return False
    except MarginError:
        return True  # so few rows may be too few; all of them will tell
    return True


def right_answers(model: Any, X: Table, y: Table) -> np.ndarray:
    """Which answers are right: rows × targets."""
    said = np.asarray(model.predict(X), dtype=object)
    return np.column_stack([said[:, j] == y.values(name) for j, name in enumerate(y.names)]).astype(bool)
