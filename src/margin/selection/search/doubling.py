"""Search by doubling and halving: the number of fits grows with the logarithm of the way to the best value."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from margin.errors import ParameterError
from margin.params import Count, Flag, Jobs, NonNegative, Rule, Seed, Share, is_number, is_whole, no_text
from margin.selection.search.parameter_grids import check_names
from margin.selection.search.search import Chosen, Folds, MetricName, Model, Search, Simpler
from margin.selection.search.trial_runner import Progress, TrialRunner
from margin.selection.search.trials import shareable

__all__ = ["LogSearch", "Step"]

#: Where the model shares work along the parameter, so many values are tried in one go.
AHEAD = 3


def _is_positive(value: object) -> bool:
    return is_number(value) and value > 0


def _is_start(value: object) -> bool:
    return value is None or (isinstance(value, Mapping) and len(value) > 0 and all(map(_is_positive, value.values())))


def _are_bounds(value: object) -> bool:
    return value is None or (
        isinstance(value, Mapping)
        and all(
            isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(_is_positive, pair)) and pair[0] <= pair[1]
            for pair in value.values()
        )
    )


Whole = Annotated[int, Rule("a whole number of at least 0", lambda v: is_whole(v) and v >= 0, int)]
Start = Annotated[Any, Rule("None or a mapping from parameters to numbers above 0", _is_start, no_text)]
Bounds = Annotated[
    Any, Rule("None or a mapping from parameters to pairs (least, most) of numbers above 0", _are_bounds, no_text)
]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the search: the value tried for a parameter, why, its score, and whether it was gone on from."""

    parameter: str
    value: float
    move: str
    score: float
    taken: bool

    def __str__(self) -> str:
        return f"{self.move:<8} {self.parameter} = {self.value:g}: {self.score:.4f}{'  better' if self.taken else ''}"


class LogSearch(Search):
    r"""Doubles or halves a positive parameter while the score gets better, then looks between.

    From a start value v it tries 2v, 4v, …; if the first doubling is no better, v/2, v/4, …. What lies :math:`2^m` away
    is found in about m + 2 settings, where a grid would need its ends known beforehand. Then values are tried between
    the best and its neighbours, at the ratio √2, and so on. Several parameters are searched in turn, each with the
    others at their best. Fails where the curve has several valleys; a little noise is looked past (``patience``).

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree whose depth is searched. One that takes no
        tables gets them through ``TableEncoder``.
    start
        Where to begin, by the name of the parameter. A whole number keeps the parameter whole.
    bounds
        Least and most value, by the name of the parameter; whole numbers are at least 1 in any case.
    noise
        By how many standard errors of the difference over the folds a step must be better to count as better.
    patience
        How many steps that are no better are looked past before turning round.
    refine
        How often the space beside the best value is cut in the middle: 1 tries the ratio √2, 2 also its root.
    turns
        How often all parameters are searched; a turn that changes nothing is the last.

    Attributes
    ----------
    path_
        The steps (:class:`Step`) in the order they were taken.

    Examples
    --------
    >>> from margin import KNeighborsClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> search = LogSearch(KNeighborsClassifier(), {"n_neighbors": 1}, patience=0, refine=0).fit(X, y)
    >>> for step in search.path_:
    ...     print(step)
    start    n_neighbors = 1: 0.9600
    double   n_neighbors = 2: 0.9600
    """

    def __init__(
        self,
        model: Model = None,
        start: Start = None,
        *,
        bounds: Bounds = None,
        noise: NonNegative = 0.5,
        patience: Whole = 1,
        refine: Whole = 1,
        turns: Count = 2,
        metric: MetricName = "accuracy",
        cv: Folds = 5,
        rule: Chosen = "best",
        simpler: Simpler = None,
        refit: Flag = True,
        n_jobs: Jobs = 1,
        progress: Progress = None,
        confidence: Share = 0.95,
        random_state: Seed = None,
    ) -> None:
        self.model = model
        self.start = start
        self.bounds = bounds
        self.noise = noise
        self.patience = patience
        self.refine = refine
        self.turns = turns
        self.metric = metric
        self.cv = cv
        self.rule = rule
        self.simpler = simpler
        self.refit = refit
        self.n_jobs = n_jobs
        self.progress = progress
        self.confidence = confidence
        self.random_state = random_state

    def _search(self, runner: TrialRunner) -> None:
        self._refuse_no_settings("start", "{'C': 1.0}")
        start = {"max_depth": 2} if self.start is None else dict(self.start)
        bounds = {} if self.bounds is None else dict(self.bounds)
        check_names(runner.task.model, [*start, *bounds], "LogSearch")
        ladders = {name: Ladder(name, value, bounds.get(name)) for name, value in start.items()}
        walk = _Walk(runner, float(self.noise), shareable(runner.task.model))
        at = {name: ladder.start for name, ladder in ladders.items()}
        walk.ensure([at])
        walk.steps += [Step(name, float(value), "start", walk.score(at), False) for name, value in at.items()]
        for turn in range(int(self.turns)):
            before = dict(at)
            for ladder in ladders.values():
                at = self._along(walk, ladder, at)
            if at == before or (len(ladders) == 1 and turn == 0):
                break
        self.path_ = tuple(walk.steps)

    def _along(self, walk: _Walk, ladder: Ladder, at: dict[str, Any]) -> dict[str, Any]:
        """Climb one parameter: double, else halve, then look between."""
        best = self._climb(walk, ladder, at, 2.0, "double")
        if best == at:
            best = self._climb(walk, ladder, at, 0.5, "halve")
        for level in range(1, int(self.refine) + 1):
            beside = [best | {ladder.name: value} for value in ladder.beside(best[ladder.name], 2.0 ** (0.5**level))]
            walk.ensure(beside)
            for setting in beside:
                best = walk.step(ladder.name, setting, best, "between")
        return best

    def _climb(self, walk: _Walk, ladder: Ladder, at: dict[str, Any], ratio: float, move: str) -> dict[str, Any]:
        best, value, misses = at, at[ladder.name], 0
        while misses <= self.patience:
            ahead = ladder.ahead(value, ratio, AHEAD if ladder.name in walk.shared else 1)
            if not ahead:
                break
            walk.ensure([best | {ladder.name: each} for each in ahead])
            for value in ahead:
                after = walk.step(ladder.name, best | {ladder.name: value}, best, move)
                misses = 0 if after != best else misses + 1
                best = after
                if misses > self.patience:
                    break
        return best


class Ladder:
    """The values of one parameter: whole where the start is, and within its bounds."""

    def __init__(self, name: str, start: Any, bounds: Any) -> None:
        self.name = name
        self.whole = isinstance(start, numbers.Integral)
        self.start: Any = int(start) if self.whole else float(start)
        self.least, self.most = (1e-300, 1e300) if bounds is None else (float(bounds[0]), float(bounds[1]))
        if self.whole:
            self.least = max(1.0, self.least)
        if not self.least <= self.start <= self.most:
            raise ParameterError(
                f"LogSearch(start={{{name!r}: {start!r}}}): the start must lie within the bounds, "
                f"{self.least:g} to {self.most:g}."
            )

    def _fitting(self, value: float) -> Any:
        value = min(max(value, self.least), self.most)
        return round(value) if self.whole else value

    def ahead(self, value: Any, ratio: float, n: int) -> list[Any]:
        """The next values in one direction, as many as there are up to n."""
        values: list[Any] = []
        for _ in range(n):
            following = self._fitting((values[-1] if values else value) * ratio)
            if following == (values[-1] if values else value):
                break
            values.append(following)
        return values

    def beside(self, value: Any, ratio: float) -> list[Any]:
        """Values on both sides at a ratio, other than the value itself."""
        return [other for other in dict.fromkeys(map(self._fitting, (value / ratio, value * ratio))) if other != value]


class _Walk:
    """Settings tried on the way, each once, and the steps that were taken."""

    def __init__(self, runner: TrialRunner, noise: float, shared: tuple[str, ...]) -> None:
        self.runner = runner
        self.noise = noise
        self.shared = shared
        self.steps: list[Step] = []
        self._number: dict[tuple[tuple[str, Any], ...], int] = {}

    def ensure(self, settings: list[dict[str, Any]]) -> None:
        """Try those that were not tried yet, together."""
        new = [setting for setting in settings if tuple(setting.items()) not in self._number]
        for setting, number in zip(new, self.runner.try_out(new) if new else []):
            self._number[tuple(setting.items())] = number

    def _scores(self, setting: dict[str, Any]) -> np.ndarray:
        return self.runner.tried[self._number[tuple(setting.items())]].scores

    def score(self, setting: dict[str, Any]) -> float:
        scores = self._scores(setting)
        return float(scores.mean()) if scores.size else math.nan

    def step(self, name: str, setting: dict[str, Any], best: dict[str, Any], move: str) -> dict[str, Any]:
        """Note a step, and give the setting to go on from."""
        self.ensure([setting])
        lead = self._scores(setting) - self._scores(best)
        lead = lead if self.runner.metric.greater_is_better else -lead
        error = lead.std(ddof=1) / math.sqrt(len(lead)) if len(lead) > 1 else 0.0
        taken = bool(lead.size and lead.mean() > self.noise * error) or self._only_works(setting, best)
        self.steps.append(Step(name, float(setting[name]), move, self.score(setting), taken))
        return setting if taken else best

    def _only_works(self, setting: dict[str, Any], best: dict[str, Any]) -> bool:
        return math.isnan(self.score(best)) and not math.isnan(self.score(setting))
