"""Logistic regression that chooses its penalty by cross-validation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from margin import parallel
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.readout import shown_in_notebooks
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.data.weights import cases_per_weight, count_repeats
from margin.linear.logistic.certificate import chances, scores
from margin.linear.logistic.folds import folds
from margin.linear.logistic.path import Strengths, solved_along, strengths
from margin.linear.logistic.regression import LogisticModel, SolverName
from margin.linear.logistic.solve import Setting
from margin.linear.presolve import NEVER, Reduced, reduced
from margin.linear.problem import Problem
from margin.params import ClassWeight, Count, Flag, Jobs, Positive, Rule, Seed, Several, is_list_of, is_number
from margin.random import seed_for
from margin.typing import Encoded

__all__ = ["LogisticRegressionCV", "StrengthChoice"]

SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)


def _are_ratios(value: Any) -> bool:
    return is_list_of(value, lambda each: is_number(each) and 0 <= each <= 1)


def _ratios_from(text: str) -> list[float]:
    return [float(part) for part in text.strip("[]()").replace(",", " ").split()]


Ratios = Annotated[Any, Rule("a list of numbers from 0 to 1", _are_ratios, _ratios_from)]


@shown_in_notebooks
@dataclass(frozen=True, eq=False)
class StrengthChoice:
    """The penalty that was chosen, and what speaks for it.

    Attributes
    ----------
    Cs, l1_ratios
        What was tried: C ascending.
    losses, standard_errors
        Mean loss over all held-out cases (shares of L1 × C) and its standard error over cases.
    best, chosen
        Places (share of L1, C) of the smallest loss and of the choice.
    rule
        ``"best"``, or ``"one_standard_error"``: the strongest penalty, of the same share of L1, whose loss is within
        one standard error of the best.
    """

    Cs: np.ndarray
    l1_ratios: np.ndarray
    losses: np.ndarray
    standard_errors: np.ndarray
    best: tuple[int, int]
    chosen: tuple[int, int]
    rule: str

    @property
    def C(self) -> float:  # noqa: N802
        """The chosen C."""
        return float(self.Cs[self.chosen[1]])

    @property
    def l1_ratio(self) -> float:
        """The chosen share of L1."""
        return float(self.l1_ratios[self.chosen[0]])

    def __str__(self) -> str:
        lines = [f"{self.losses.size} penalties tried, rule {self.rule}"]
        for what, place in (("smallest loss", self.best), ("chosen", self.chosen)):
            loss = f"loss {self.losses[place]:.4g} ± {self.standard_errors[place]:.2g}"
            lines.append(f"  {what + ':':15}C {self.Cs[place[1]]:.4g}, l1_ratio {self.l1_ratios[place[0]]:g}, {loss}")
        return "\n".join(lines)


class LogisticRegressionCV(KeepsGroups, LogisticModel):
    """Logistic regression whose penalty is chosen by cross-validation along a path of C.

    The rows are dealt out to folds class by class, by what is in them, so that the choice depends neither on their
    order nor on chance. In each fold the solutions along C are found from strong to weak penalty, each begun at the one
    before, and judged on the held-out rows. The choice is then fitted to all rows.

    Parameters
    ----------
    Cs
        How many values of C between 1e-4 and 1e4, or a list of them.
    l1_ratios
        Shares of L1 to try; 0 is ridge, 1 the lasso.
    n_folds
        Parts that the rows are cut into.
    scoring
        What is judged on held-out rows: "log_loss", "brier" or "error"; less is better.
    rule
        "one_standard_error" takes the strongest penalty whose loss is within one standard error of the smallest,
        "best" the smallest loss.
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same. Judged is without them.
    solver
        "auto" chooses by size, sparsity and penalty.
    max_iter
        Iterations after which it stops in any case.
    random_state
        Which rows fall into one fold; None is the same as 0.

    Attributes
    ----------
    C_, l1_ratio_
        The choice.
    choice_
        Losses with standard errors for all that was tried, and what was chosen (:class:`StrengthChoice`).
    scores_
        Mean loss of each fold (folds × shares of L1 × C).
    coef_, intercept_, certificate_
        As in :class:`LogisticRegression`, for the choice on all rows.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = LogisticRegressionCV(Cs=5, scale="standard").fit(X, y)
    >>> model.C_, model.scores_.shape
    (100.0, (5, 1, 5))
    """

    C_: float
    l1_ratio_: float
    choice_: StrengthChoice
    scores_: np.ndarray

    def __init__(
        self,
        *,
        Cs: Strengths = 10,
        l1_ratios: Ratios = (0.0,),
        n_folds: Several = 5,
        scoring: Literal["log_loss", "brier", "error"] = "log_loss",
        rule: Literal["one_standard_error", "best"] = "one_standard_error",
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        solver: SolverName = "auto",
        tol: Positive = 1e-4,
        max_iter: Count = 1000,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.n_folds = n_folds
        self.scoring = scoring
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _setting(self) -> Setting:
        known = self.__dict__
        return Setting(
            C=known.get("C_", float(strengths(self.Cs)[-1])),
            l1_ratio=known.get("l1_ratio_", 0.0),
            intercept=bool(self.fit_intercept),
            solver=self.solver,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            who=type(self).__name__,
        )

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        begin = time.perf_counter()
        part = self._reduced(X, y, self._known_ends(X))
        with parallel.threads(parallel.n_threads(self.n_jobs)):
            self._choose(part, rows)
            setting = self._setting()
            part = self._reduced(X, y, self._known_ends(X)) if not np.isfinite(setting.C) else part
            self._keep(part, self._row_weights(y, rows.weight), None, setting)
        self.certificate_ = self.certificate_.timed(time.perf_counter() - begin)

    def _choose(self, part: Reduced, rows: TrainingRows) -> None:
        """Judge every C and share of L1 on the folds."""
        weight = rows.weight
        Cs, ratios = strengths(self.Cs), np.unique(np.asarray(self.l1_ratios, dtype=np.float64))
        seed = seed_for(0 if self.random_state is None else self.random_state, "folds")
        means, sums, squares, judged = [], np.zeros((len(ratios), len(Cs))), np.zeros((len(ratios), len(Cs))), 0.0
        for learning, judging in folds(part.X, part.y, weight, int(self.n_folds), seed, rows.groups):
            losses = np.array([list(self._losses(part, learning, judging, Cs, ratio)) for ratio in ratios])
            held = judging[judging > 0]
            means.append(losses @ held / held.sum())
            sums, squares, judged = sums + losses @ held, squares + losses**2 @ held, judged + held.sum()
        self.scores_ = np.array(means).reshape(len(means), len(ratios), len(Cs))
        losses = sums / max(judged, 1e-300)
        n = judged if weight is None else judged * _cases(weight)
        errors = np.sqrt(np.maximum(squares / max(judged, 1e-300) - losses**2, 0.0) / max(n, 1.0))
        self.choice_ = _chosen(Cs, ratios, losses, errors, self.rule)
        self.C_, self.l1_ratio_ = self.choice_.C, self.choice_.l1_ratio

    def _losses(
        self, part: Reduced, learning: np.ndarray, judging: np.ndarray, Cs: np.ndarray, ratio: float
    ) -> Iterator[np.ndarray]:
        """The loss of every held-out row, for each C."""
        known, held = np.flatnonzero(learning), np.flatnonzero(judging)
        y, setting = part.y[known], replace(self._setting(), l1_ratio=float(ratio), polish=False)
        n_classes = len(part.classes)
        fold = reduced(part.X[known], y, n_classes, None, setting.intercept, bool(np.isfinite(Cs[-1])))
        weight = self._fold_weights(part, y, learning[known])
        to_judge = Problem(part.X[held], part.y[held], None, n_classes, 0.0, 0.0, setting.intercept)
        for done in solved_along(fold, weight, Cs, setting):
            coef, intercept = fold.whole(done.point.coef, done.point.intercept, NEVER)
            p = chances(scores(to_judge, coef) + intercept)
            yield _loss(
                p if p.shape[1] > 1 else np.column_stack([1 - p, p])[:, -n_classes:], part.y[held], self.scoring
            )

    def _fold_weights(self, part: Reduced, y: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        return self._row_weights(part.classes[y].astype(np.int32), weight)


def _cases(weight: np.ndarray) -> float:
    return cases_per_weight(float(weight.sum()), float((weight**2).sum()), count_repeats(weight))


def _loss(p: np.ndarray, y: np.ndarray, scoring: str) -> np.ndarray:
    true = p[np.arange(len(y)), y]
    if scoring == "log_loss":
        return -np.log(np.maximum(true, SMALLEST_PROBABILITY))
    if scoring == "error":
        return (p.argmax(axis=1) != y).astype(np.float64)
    squared = (p**2).sum(axis=1) - true**2 + (1 - true) ** 2
    return squared / 2 if p.shape[1] <= 2 else squared


def _chosen(Cs: np.ndarray, ratios: np.ndarray, losses: np.ndarray, errors: np.ndarray, rule: str) -> StrengthChoice:
    """The best place, and the one that the rule takes; ties go to the strongest penalty."""
    ratio, C = (int(i) for i in np.unravel_index(np.argmin(losses), losses.shape))
    best = (ratio, C)
    if rule == "one_standard_error":
        C = int(np.flatnonzero(losses[ratio] <= losses[best] + errors[best])[0])
    return StrengthChoice(Cs, ratios, losses, errors, best, (ratio, C), rule)
