"""AdaBoost for two and for many classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from margin import parallel
from margin.base import Classifier
from margin.base.representations.representation import TrainingRows
from margin.base.softmax import softmax
from margin.boosting.adaboost.booster import AdaBooster
from margin.boosting.adaboost.learner_rounds import LearnerRounds, votes_of
from margin.boosting.adaboost.pseudo_loss import PseudoLossLearner, PseudoLossTrees
from margin.boosting.adaboost.rules import RuleBook
from margin.boosting.adaboost.settings import Learner, Plan, rounds_told
from margin.boosting.adaboost.stopping import HeldBack
from margin.boosting.adaboost.tree_rounds import TreeRounds, constant_tree
from margin.boosting.rounds import Round, RoundTable
from margin.boosting.tree_sum import TreeSum
from margin.data.weights import count_repeats
from margin.errors import ConvergenceWarning, LabelError, ParameterError, warn
from margin.params import Count, Flag, Jobs, Positive, Seed, Share
from margin.typing import Encoded, TableLike

__all__ = ["AdaBoostClassifier"]

#: So many can be told apart in the low bits of a weight.
MOST_CLASSES = 1024


class AdaBoostClassifier(AdaBooster, Classifier):
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
    algorithm
        ``"SAMME"``, ``"M1"`` (rules must have an error below ½), ``"SAMME.R"`` (rules vote with their probabilities) or
        ``"M2"`` (rules say how plausible each class is, and weights are those of pairs of a row and a wrong class); the
        first two are the same for two classes.
    criterion
        What a split makes large or small: ``"error"``, ``"gini"`` or ``"exponential"`` (Z of real votes); ``"auto"`` is
        the error for stumps, and else Gini; of real votes of two classes Z. M2 makes its pseudo-loss small instead.
    resample
        Whether an ``estimator`` learns from rows drawn by their weights; None where it takes no weights.

    Attributes
    ----------
    rounds_
        What each round was: ``epsilon``, ``alpha``, ``z``, bounds, errors and margins.

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
    _rounds: RoundTable
    _deeper = " (estimator=DecisionTreeClassifier(max_depth=…) grows deeper trees)"

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

    # ---- Learning.

    def _n_rounds(self) -> int:
        return len(self._rounds)

    def _boost(self, X: Encoded, y: np.ndarray, rows: TrainingRows, goes_on: bool) -> None:
        given = rows.weights()
        before = self._rounds if goes_on else RoundTable.none_yet()
        plan = self._plan(before, float(given.sum()) if count_repeats(given) else float(len(given)))
        if plan.n_classes == 1:
            self._answer_one_class()
            return
        state, ran = self._learn_rounds(X, y, given, plan, len(before))
        n = ran.n_kept
        self._prior = self._prior_votes(plan, state)
        self._algorithm, self._rate, self.ended_ = plan.algorithm, plan.learning_rate, ran.ended
        if not before and not ran.steps and getattr(state, "n_varying", 1) > 0:
            self._warn_of_chance(state.name)
        self._keep(state, len(before), n)
        self._rounds = rounds_told(before, ran.steps[:n], ran.validation[:n], plan)

    def _refuse_other_rounds(self) -> None:
        super()._refuse_other_rounds()
        known = {"algorithm": self.__dict__.get("_algorithm", self.algorithm)}
        # Members do not hold what multiplies their votes.
        if self.estimator is not None and self.algorithm == "SAMME.R":
            known["learning_rate"] = self.__dict__.get("_rate", self.learning_rate)
        for name, before in known.items():
            if (now := getattr(self, name)) != before:
                raise ParameterError(
                    f"{type(self).__name__}({name}={now!r}, warm_start=True): {name} must be {before!r}, as for the "
                    "rounds that are there (warm_start=False learns anew)."
                )

    def _unlearnt(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool) -> HeldBack:
        return HeldBack(X, y, weight, self._votes(X) if goes_on else np.zeros((len(y), plan.width)))

    def _state(self, X: Encoded, y: np.ndarray, weight: np.ndarray, plan: Plan, goes_on: bool) -> Any:
        if self.estimator is None:
            if plan.n_classes > MOST_CLASSES and plan.algorithm != "M2":
                raise LabelError(
                    f"{type(self).__name__}.fit: y must have at most {MOST_CLASSES:,} classes, not {plan.n_classes:,} "
                    "(algorithm='M2' takes more, and so does an estimator of your own)."
                )
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

    def _warn_of_chance(self, name: str) -> None:
        advice = "a stronger learner" if self.estimator is not None else "max_depth=2, if two say something together"
        warn(
            f"{type(self).__name__}.fit: {name} is no better than chance in round 1, and there is nothing to "
            f"boost; classes are answered by their shares (other columns may help, or {advice}).",
            ConvergenceWarning,
        )

    def _keep(self, state: Any, n_before: int, n_new: int) -> None:
        """What was there, and the first of the new rounds."""
        if self.estimator is not None:
            self.members_ = [*(self.members_ if n_before else []), *state.members[:n_new]]
        elif not n_before + n_new:
            self.trees_ = constant_tree(self._prior, state.n_columns)
        elif n_new:
            new = state.first(n_new)
            self.trees_ = self.trees_.followed_by(new) if n_before else new

    def _plan(self, before: RoundTable, n_cases: float = 1.0) -> Plan:
        algorithm, n_classes = str(self.algorithm), len(self.classes_)
        criterion = str(self.criterion)
        if criterion == "auto":
            shallow = "error" if int(self.max_depth) == 1 else "gini"
            real = "exponential" if n_classes == 2 else "gini"
            criterion = real if algorithm == "SAMME.R" else shallow
        scale = float(np.abs(before.column("alpha")).sum())
        return Plan(
            algorithm,
            n_classes,
            float(self.learning_rate),
            criterion,
            int(self.max_depth),
            self._bins(),
            parallel.n_threads(self.n_jobs),
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
            return self.trees_.sums(X, self._threads(len(X)))
        *_, last = self._staged_votes(X)
        return last

    def _staged_votes(self, X: Encoded) -> Iterator[np.ndarray]:
        """The sums after each round; the same array, added to."""
        if "trees_" in self.__dict__:
            yield from self.trees_.staged(X, self._threads(len(X)))
            return
        plan = Plan(self._algorithm, len(self.classes_), self._rate, "", 1, None, 1, 1.0)
        votes = np.zeros((X.shape[0], plan.width))
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
