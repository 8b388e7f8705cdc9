"""Successive halving: many settings on little, few on everything."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from margin.data.splits import Part
from margin.errors import ParameterError
from margin.params import Count, Flag, Jobs, Positive, Rule, Seed, Share
from margin.random import generator
from margin.selection.search.grid import DEPTHS
from margin.selection.search.parameter_grids import Grid, check_names, combinations, drawn, listed
from margin.selection.search.search import Chosen, Folds, MetricName, Model, Search, Simpler
from margin.selection.search.subsets import growing_order
from margin.selection.search.trial_runner import Progress, TrialRunner

__all__ = ["HalvingSearch"]

Resource = Annotated[str, Rule("'rows' or the name of a parameter", lambda v: isinstance(v, str), str)]


class HalvingSearch(Search):
    r"""Tries all settings on a few rows, keeps the better part of them, and gives those more rows, until few are left.

    With ``factor`` :math:`f`, each round keeps one setting of :math:`f` and gives it :math:`f` times as many rows of
    each training part; the last round has all rows. Every round costs about as much as any other. Test parts stay
    whole, so that early rounds are no noisier than their training parts make them. Fails where a setting that is best
    with all rows is poor with few, as weak penalties often are.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree of different depths. One that takes no
        tables gets them through ``TableEncoder``.
    grid
        Lists of values by the name of the parameter, or a list of such grids.
    n
        How many of the combinations are drawn; None tries all of them.
    factor
        Of so many settings one is kept, and what it gets grows so many times from round to round.
    resource
        What there is little of in early rounds: ``"rows"``, or a parameter such as ``n_estimators`` or ``max_iter``.
    least
        What the first round has of it; None such that the last round has all, but at least some rows of each class.
    most
        What the last round may have of it; None for all rows, and for the model's own value of a parameter.
    metric
        What is to be best: the name of a metric, or one with options, as ``metric("f1", positive="bad")``.
    cv
        Number of folds, or the splits themselves: a list of (training rows, test rows), a protocol of
        ``margin.evaluation`` or a splitter of scikit-learn. Models that know how do ``LeaveOneOut()`` in one go.
    rule
        ``"best"`` takes the best score; ``"one_standard_error"`` the simplest setting at most one standard error worse.
    simpler
        For that rule, whether ``"larger"`` or ``"smaller"`` values of a parameter are simpler, where its name does not
        say so: of well-known ones, such as C, n_neighbors or max_depth, it does.
    refit
        Whether the chosen setting is then fitted on all rows.
    n_jobs
        Trials at once, in threads; None for as many as there are cores. Results do not depend on it.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each trial.
    confidence
        Of intervals, and for telling settings apart.
    random_state
        Draws settings and rows, and shuffles rows before they are dealt to folds; None is the same in every run.

    Attributes
    ----------
    best_params_, best_index_
        The chosen setting, and its place in ``results_``.
    best_score_
        Its score with an interval. It was chosen for its score, which is therefore optimistic: see ``nested``.
    results_
        Everything that was tried (:class:`SearchResults`): print it for a table.
    model_
        The classifier with the chosen setting, fitted on all rows.
    n_fits_
        How many fits it took; settings that share a fit count once.
    rounds_
        How many settings and how much of the resource each round had.

    References
    ----------
    Jamieson, Talwalkar (2016).

    Examples
    --------
    >>> from margin import SVC
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> search = HalvingSearch(SVC(), {"C": [0.01, 0.1, 1, 10, 100], "gamma": [0.01, 0.1, 1, 10]}).fit(X, y)
    >>> search.rounds_
    ((20, 13), (7, 40), (3, 120))
    """

    def __init__(
        self,
        model: Model = None,
        grid: Grid = None,
        *,
        n: Count | None = None,
        factor: Positive = 3.0,
        resource: Resource = "rows",
        least: Count | None = None,
        most: Count | None = None,
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
        self.grid = grid
        self.n = n
        self.factor = factor
        self.resource = resource
        self.least = least
        self.most = most
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
        self._check(runner)
        settings = self._settings()
        most = self._most(runner)
        amounts = self._amounts(runner, len(settings), most)
        alive = list(range(len(settings)))
        self.rounds_: tuple[tuple[int, int], ...] = ()
        for number, amount in enumerate(amounts, 1):
            self.rounds_ += ((len(alive), amount),)
            self._try(runner, settings if number == 1 else None, alive, amount, most)
            if number < len(amounts):
                kept = self._kept(runner, alive, math.ceil(len(alive) / self.factor))
                runner.drop([i for i in alive if i not in kept])
                alive = kept

    def _check(self, runner: TrialRunner) -> None:
        self._refuse_no_settings("grid", "{'C': [0.1, 1, 10]}")
        if self.factor <= 1:
            raise ParameterError(f"HalvingSearch(factor={self.factor!r}): factor must be a number above 1, as 3.")
        if runner.splits is None:
            raise ParameterError("HalvingSearch(cv=LeaveOneOut()): rows are few in early rounds; give cv some folds.")
        names = listed(self.grid) if self.grid is not None else []
        check_names(runner.task.model, names, "HalvingSearch")
        if self.resource != "rows":
            check_names(runner.task.model, [self.resource], "HalvingSearch")
            if self.resource in names:
                raise ParameterError(
                    f"HalvingSearch(resource={self.resource!r}): it grows by itself and must not be in the grid."
                )

    def _settings(self) -> list[dict[str, Any]]:
        grid = {"max_depth": DEPTHS} if self.grid is None else self.grid
        settings = combinations(grid)
        if self.n is None or self.n >= len(settings):
            return settings
        seed = 0 if self.random_state is None else self.random_state
        if isinstance(grid, dict):
            return drawn(grid, int(self.n), generator(seed, "settings"))
        places = generator(seed, "settings").choice(len(settings), int(self.n), replace=False)
        return [settings[i] for i in sorted(places.tolist())]

    def _most(self, runner: TrialRunner) -> int:
        if self.resource == "rows":
            rows = max((len(train) for train, _ in runner.splits or ()), default=1)
            return rows if self.most is None else min(rows, int(self.most))
        own = runner.task.model.get_params(deep=True)[self.resource] if self.most is None else self.most
        if not isinstance(own, (int, np.integer)) or own < 1:
            raise ParameterError(
                f"HalvingSearch(resource={self.resource!r}): {self.resource} is {own!r} in the model; say most=…."
            )
        return int(own)

    def _amounts(self, runner: TrialRunner, n_settings: int, most: int) -> list[int]:
        """What each round has: as many rounds as bring the settings down to one, or the resource up to all of it."""
        factor = float(self.factor)
        rounds = 1 + math.floor(math.log(n_settings, factor) + 1e-9)
        if self.least is None:
            fewest = 2 * len(runner.task.classes) if self.resource == "rows" else 1
            while rounds > 1 and most / factor ** (rounds - 1) < fewest:
                rounds -= 1
            return [round(most / factor**later) for later in reversed(range(rounds))]
        amounts = [min(int(self.least), most)]
        while len(amounts) < rounds and amounts[-1] < most:
            amounts.append(min(round(amounts[0] * factor ** len(amounts)), most))
        return amounts

    def _try(
        self, runner: TrialRunner, settings: list[dict[str, Any]] | None, alive: list[int], amount: int, most: int
    ) -> None:
        splits = runner.splits
        assert splits is not None
        if self.resource == "rows":
            splits = [(self._some(runner, train, amount), test) for train, test in splits] if amount < most else splits
        else:
            for i in alive if settings is None else ():
                tried = runner.tried[i]
                tried.setting = {**tried.setting, self.resource: amount}
            settings = settings and [{**setting, self.resource: amount} for setting in settings]
        if settings is None:
            runner.try_again(alive, splits, amount)
        else:
            runner.try_out(settings, splits, amount)

    def _some(self, runner: TrialRunner, train: Part, amount: int) -> Part:
        seed = 0 if self.random_state is None else self.random_state
        rows = growing_order(runner.task.codes[train.rows], generator(seed, "rows"))[:amount]
        return train.take(np.sort(rows))

    def _kept(self, runner: TrialRunner, alive: list[int], n: int) -> list[int]:
        rank = runner.results().rank[alive]
        return sorted(alive[place] for place in np.argsort(rank, kind="stable")[:n].tolist())
