"""AdaBoost for two and for many classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from margin import parallel, params
from margin.base import AsGiven, Classifier
from margin.base.representations.mixed import Mixed
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all
from margin.base.softmax import softmax
from margin.boosting.adaboost.learner_rounds import LearnerRounds, votes_of
from margin.boosting.adaboost.pseudo_loss import PseudoLossLearner, PseudoLossTrees
from margin.boosting.adaboost.rules import RuleBook
from margin.boosting.adaboost.settings import Learner, Plan, Step
from margin.boosting.adaboost.stopping import FOLDS, HeldBack, Patience, held_back, rounds_out_of_fold, which_fold
from margin.boosting.adaboost.tree_rounds import TreeRounds, constant_tree
from margin.boosting.rounds import Round, RoundTable
from margin.boosting.tree_sum import MOST_DEPTH, TreeSum
from margin.data.weights import count_repeats
from margin.errors import ConvergenceWarning, ParameterError, warn
from margin.params import Count, Flag, Jobs, Positive, Seed, Share
from margin.random import generator
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["AdaBoostClassifier"]

#: Up to so many rows one thread answers.
FEW = 2000


class AdaBoostClassifier(Classifier):
    r"""Lets weak rules vote, each learnt under weights that say how often its predecessors were wrong.

    A rule with weighted error :math:`\varepsilon` gets a vote of :math:`\alpha = \tfrac12 \ln\frac{1-\varepsilon}
    {\varepsilon}`; weights are multiplied by :math:`e^{-\alpha y h(x)}` and divided by their sum :math:`Z`. The
    training error is at most :math:`\prod Z \le e^{-2\sum(1/2-\varepsilon)^2}`, and often falls on unseen rows
    after it is 0 on the training rows, while margins grow. Rows whose labels are wrong get ever more weight: with
    noisy labels fewer rounds or a smaller ``learning_rate`` are better. Costs O(rows x columns) a round after
    columns were ranked once.

    Parameters
    ----------
    estimator
        None is a stump (a tree of ``max_depth``) on columns as they are, missing cells and words included. Else any
        classifier, of margin or scikit-learn, or a list of rules: ``"size > 3 and kind == a -> spam"``, or a function
        of the rows that gives True or False, with the class that it speaks for.
    n_estimators
        Rounds, at most.
    learning_rate
        Multiplies every vote.
    algorithm
        ``"SAMME"``, ``"M1"`` (rules must have an error below ½), ``"SAMME.R"`` (rules vote with their probabilities) or
        ``"M2"`` (rules say how plausible each class is, and weights are those of pairs of a row and a wrong class); the
        first two are the same for two classes.
    max_depth
        Depth of the trees where there is no ``estimator``, at most 7.
    criterion
        What a split makes large or small: ``"error"``, ``"gini"`` or ``"exponential"`` (Z of real votes); ``"auto"`` is
        the error for stumps, and else Gini; of real votes of two classes Z. M2 makes its pseudo-loss small instead.
    max_bins
        At most so many bins for a column of numbers; None for every threshold between two numbers.
    resample
        Whether an ``estimator`` learns from rows drawn by their weights; None where it takes no weights.
    early_stopping
        Whether rows are held back, and rounds behind the best on them forgotten. With ``"out_of_fold"`` each of five
        folds is held back in turn, which says how many rounds are best, and these are learnt from all rows.
    validation_fraction
        The share that is held back; nothing out of fold.
    n_iter_no_change
        Rounds without a better error on rows held back that end the training.
    warm_start
        Whether ``fit`` keeps the rounds that are there and adds those that are lacking to ``n_estimators``.
    n_jobs
        Threads; None uses all cores. The model does not depend on it.
    random_state
        Decides which rows are drawn and held back.

    Attributes
    ----------
    rounds_
        What each round was: ``epsilon``, ``alpha``, ``z``, bounds, errors and margins.
    ended_
        Why there is no further round.

    References
    ----------
    Freund, Schapire (1997), M1 and M2; Schapire, Singer (1999); Zhu, Zou, Rosset, Hastie (2009) for SAMME.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    >>> len(model.rounds_), bool(model.score(X, y) > 0.95)
    (20, True)
    """

    trees_: TreeSum
    members_: list[Any]

    def __init__(
        self,
        estimator: Learner = None,
        *,
        n_estimators: Count = 50,
        learning_rate: Positive = 1.0,
        algorithm: Literal["SAMME", "SAMME.R", "M1", "M2"] = "SAMME",
        max_depth: Count = 1,
        criterion: Literal["auto", "error", "gini", "exponential"] = "auto",
        max_bins: Count | None = None,
        resample: Flag | None = None,
        early_stopping: Flag | Literal["out_of_fold"] = False,
        validation_fraction: Share = 0.1,
        n_iter_no_change: Count = 10,
        warm_start: Flag = False,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.algorithm = algorithm
        self.max_depth = max_depth
        self.criterion = criterion
        self.max_bins = max_bins
        self.resample = resample
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def representation(self) -> Any:
        """Columns as they are for stumps, and rows as they were given for other learners."""
        return Mixed() if self.estimator is None else AsGiven(surveyed=True)

    # ---- Learning.

    def fit(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from rows X with classes y; with ``warm_start`` rounds that are there stay, and more are added."""
        if not (self.warm_start and self.__sklearn_is_fitted__()):
            return super().fit(X, y, sample_weight)
        who = f"{type(self).__name__}.fit"
        known = self.classes_
        with further_or_not_at_all(self):
            params.check(self)
            if int(self.n_estimators) < len(self._rounds):
                raise ParameterError(
                    f"{type(self).__name__}(n_estimators={self.n_estimators}, warm_start=True): n_estimators must be "
                    f"at least the {len(self._rounds)} rounds that are there (warm_start=False learns anew)."
                )
            data, targets, rows = self._read_rows(X, y, sample_weight, who, self._columns)
            if not np.array_equal(known, self.classes_):
                raise ParameterError(f"{who}: y must have the classes of the rounds that are there, and no other.")
            self._boost(data, targets, rows, self._rounds)
        return self

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._boost(X, y, rows, RoundTable.none_yet())

    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, before: RoundTable) -> None:
        given = rows.weights()
        weight = given / given.sum()
        plan = self._plan(before, float(given.sum()) if count_repeats(given) else float(len(given)))
        if plan.n_classes == 1:
            self._answer_one_class()
            return
        goes_on, who = len(before) > 0, type(self).__name__
        if self.early_stopping == "out_of_fold":
            if goes_on:
                raise ParameterError(
                    f"{who}(early_stopping='out_of_fold', warm_start=True): folds tell how many rounds are best from "
                    "the first one on (warm_start=False learns anew)."
                )
            fold = which_fold(y, generator(self.random_state, "folds"), who)
            errors = rounds_out_of_fold(
                [self._without(fold == k, X, y, weight, plan, False) for k in range(FOLDS)],
                int(self.n_estimators),
                Patience(int(self.n_iter_no_change)),
            )
            self._run(self._state(X, y, weight, plan, False), before, None, errors)
        elif self.early_stopping:
            held = held_back(y, float(self.validation_fraction), generator(self.random_state, "held back"), who)
            state, rest = self._without(held, X, y, weight, plan, goes_on)
            rest.weight = rest.weight / rest.weight.sum()
            self._run(state, before, rest, None)
        else:
            self._run(self._state(X, y, weight, plan, goes_on), before, None, None)

    def _without(
        self, held: np.ndarray, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool
    ) -> tuple[Any, HeldBack]:
        """Rounds without some rows, and these rows."""
        take = X.take if hasattr(X, "numeric") else X.__getitem__
        part = weight[~held] / weight[~held].sum()
        state = self._state(take(np.flatnonzero(~held)), y[~held], part, plan, goes_on)
        rest = take(np.flatnonzero(held))
        width = 1 if plan.n_classes == 2 else plan.n_classes
        votes = self._votes(rest) if goes_on else np.zeros((int(held.sum()), width))
        return state, HeldBack(rest, y[held], weight[held], votes)

    def _state(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool) -> Any:
        if self.estimator is None:
            kind: Any = PseudoLossTrees if plan.algorithm == "M2" else TreeRounds
            return kind(X, y, weight, plan, self.trees_ if goes_on else None)
        is_list = isinstance(self.estimator, (list, tuple))
        learner = RuleBook(self.estimator, self.classes_, X) if is_list else self.estimator
        if plan.algorithm in ("SAMME.R", "M2") and not hasattr(learner, "predict_proba"):
            raise ParameterError(
                f"{type(self).__name__}(algorithm={plan.algorithm!r}): its votes need probabilities, and the estimator "
                "has none (algorithm='SAMME' counts its answers)."
            )
        pairs = list(zip(self.members_, self._rounds.column("alpha").tolist())) if goes_on else []
        rounds = PseudoLossLearner if plan.algorithm == "M2" else LearnerRounds
        return rounds(X, y, weight, plan, learner, self.resample, self.random_state, pairs)

    def _run(self, state: Any, before: RoundTable, held: HeldBack | None, errors: list[float] | None) -> None:
        """Round after round, judged by rows held back, or as many as there are errors out of fold."""
        numbers: list[list[float]] = []
        margins: list[np.ndarray] = []
        plan, patience = state.plan, Patience(int(self.n_iter_no_change))
        says_something = getattr(state, "n_varying", 1) > 0
        ended = "as many rounds as asked for" if says_something else "no column varies"
        n_rounds = int(self.n_estimators) if says_something else 0
        if errors is not None and len(errors) < n_rounds:
            n_rounds, ended = len(errors), f"no better error out of fold since round {len(errors)}"
        for number in range(len(before), n_rounds):
            step = state.step()
            if not isinstance(step, Step):
                ended = f"no rule of round {number + 1} is better than chance (ε = {step.epsilon:.3f})"
                break
            validation = np.nan if errors is None else errors[number]
            if held is not None:
                validation = held.error_after(state)
            numbers.append(self._record(step, before, numbers, validation, plan))
            margins.append(step.margins)
            if step.weighed.perfect:
                ended = f"the rule of round {number + 1} has no error"
                break
            if held is not None and patience.is_over(validation, number):
                ended = f"no better error on the rows held back since round {patience.best_at + 1}"
                break
        table = before.followed_by(numbers, margins)
        self._prior = self._prior_votes(plan, state)
        self._algorithm, self._rate = plan.algorithm, plan.learning_rate
        kept = table.first(patience.best_at + 1) if np.isfinite(patience.best) else table
        self._keep(state, table, before, kept, ended)

    def _keep(self, state: Any, table: RoundTable, before: RoundTable, kept: RoundTable, ended: str) -> None:
        self.ended_ = ended
        self._rounds = kept
        n_new = max(len(kept) - len(before), 0)
        if not len(table) and getattr(state, "n_varying", 1) > 0:
            advice = (
                "a stronger learner" if self.estimator is not None else "max_depth=2, if two say something together"
            )
            warn(
                f"{type(self).__name__}.fit: {state.name} is no better than chance in round 1, and there is nothing to "
                f"boost; classes are answered by their shares (other columns may help, or {advice}).",
                ConvergenceWarning,
            )
        if self.estimator is not None:
            self.members_ = [*(self.members_ if len(before) else []), *state.members[:n_new]]
            return
        old = [self.trees_] if len(before) else []
        if not len(table):
            self.trees_ = constant_tree(self._prior, state.n_columns)
            return
        parts = [*old, *([state.first(n_new)] if n_new else [])]
        self.trees_ = parts[0] if len(parts) == 1 else parts[0].followed_by(parts[1])

    def _record(
        self, step: Step, before: RoundTable, numbers: list[list[float]], validation: float, plan: Plan
    ) -> list[float]:
        """The numbers of a round, in the order of ``rounds.FIELDS``."""
        first = float(plan.n_classes - 1) if plan.algorithm == "M2" else 1.0
        last = numbers[-1] if numbers else before.numbers[-1].tolist() if len(before) else [0, 0, 1, first, first]
        weighed = step.weighed
        holds = plan.algorithm != "SAMME.R" or plan.n_classes == 2
        simple = plan.learning_rate == 1 and (plan.n_classes == 2 or plan.algorithm in ("M1", "M2"))
        bound = last[3] * weighed.z if holds else np.nan
        exponential = last[4] * float(np.exp(-2 * (0.5 - weighed.epsilon) ** 2)) if simple else np.nan
        found = [weighed.epsilon, weighed.alpha, weighed.z, bound, exponential]
        return [*found, step.error, validation, step.least_margin]

    def _plan(self, before: RoundTable, n_cases: float = 1.0) -> Plan:
        algorithm, n_classes = str(self.algorithm), len(self.classes_)
        if int(self.max_depth) > MOST_DEPTH:
            raise ParameterError(
                f"{type(self).__name__}(max_depth={self.max_depth}): max_depth must be at most {MOST_DEPTH} "
                "(estimator=DecisionTreeClassifier(max_depth=…) grows deeper trees)."
            )
        criterion = str(self.criterion)
        if criterion == "auto":
            shallow = "error" if int(self.max_depth) == 1 else "gini"
            real = "exponential" if n_classes == 2 else "gini"
            criterion = real if algorithm == "SAMME.R" else shallow
        scale = float(np.abs(before.column("alpha")).sum())
        threads = parallel.n_threads(self.n_jobs)
        bins = None if self.max_bins is None else max(2, min(int(self.max_bins), 65535))
        return Plan(
            algorithm,
            n_classes,
            float(self.learning_rate),
            criterion,
            int(self.max_depth),
            bins,
            threads,
            n_cases,
            scale,
        )

    def _prior_votes(self, plan: Plan, state: Any) -> np.ndarray:
        """Votes that stand for the shares of the classes, where no round was taken."""
        shares = np.bincount(state.y, state.given, plan.n_classes)
        logs = np.log(np.maximum(shares, 1e-300))  # a class may weigh nothing
        if plan.n_classes == 2:
            return np.array([logs[1] - logs[0]]) / 2
        return (1.0 if plan.algorithm == "M2" else plan.n_classes - 1.0) * (logs - logs.mean())

    def _answer_one_class(self) -> None:
        self.ended_, self._rounds = "there is one class", RoundTable.none_yet()
        if self.estimator is None:
            self.trees_ = constant_tree(np.zeros(1), self._columns.n)
        else:
            self.members_ = []
            self._prior, self._algorithm, self._rate = np.zeros(1), "SAMME", 1.0

    # ---- Answers.

    @property
    def rounds_(self) -> list[Round]:
        """What each round was."""
        return list(self._fitted("rounds_")._rounds)

    def _votes(self, X: Encoded) -> np.ndarray:
        """The sum of all votes: one number of two classes, else one for each."""
        if "trees_" in self.__dict__:
            return self.trees_.sums(X, 1 if len(X) <= FEW else parallel.n_threads(self.n_jobs))
        *_, last = self._staged_votes(X)
        return last

    def _staged_votes(self, X: Encoded) -> Iterator[np.ndarray]:
        """The sums after each round; the same array, added to."""
        if "trees_" in self.__dict__:
            yield from self.trees_.staged(X, 1 if len(X) <= FEW else parallel.n_threads(self.n_jobs))
            return
        plan = Plan(self._algorithm, len(self.classes_), self._rate, "", 1, None, 1, 1.0)
        votes = np.zeros((X.shape[0], 1 if plan.n_classes == 2 else plan.n_classes))
        if not self.members_:
            yield votes + self._prior
        for member, alpha in zip(self.members_, self._rounds.column("alpha").tolist(), strict=True):
            votes += votes_of(member, alpha, X, plan)
            yield votes

    def _scores(self, X: Encoded) -> np.ndarray:
        return self._by_class(self._votes(X))

    def _by_class(self, votes: np.ndarray) -> np.ndarray:
        return votes * np.array([[-1.0, 1.0]]) if len(self.classes_) == 2 else votes

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores / self._unit())

    def _unit(self) -> float:
        """Votes of this much are a factor e between probabilities of classes, and of two classes e²."""
        return 1.0 if self.__dict__.get("_algorithm") == "M2" else max(len(self.classes_) - 1.0, 1.0)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The votes for each class; of two classes one number, above 0 for the second."""
        votes = self._votes(self._encoded(X, "decision_function"))
        return votes[:, 0] if len(self.classes_) == 2 else votes

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        for votes in self._staged_votes(self._encoded(X, "staged_predict")):
            yield self.classes_.take(self._by_class(votes).argmax(axis=1))

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """The probabilities after each round."""
        for votes in self._staged_votes(self._encoded(X, "staged_predict_proba")):
            yield self._proba(self._by_class(votes))

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """The votes after each round."""
        for votes in self._staged_votes(self._encoded(X, "staged_decision_function")):
            yield votes[:, 0].copy() if len(self.classes_) == 2 else votes.copy()
