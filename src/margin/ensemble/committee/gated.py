"""Different members for different regions: a gate learns from their success which of them to ask."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from margin.base.meta.cross_fitting import splits_of
from margin.base.meta.inner_model import on_tables
from margin.base.meta.members import Member
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if, clone
from margin.data.rows import ready_for
from margin.data.table import Table
from margin.ensemble.committee.committee import (
    CommitteeOfClassifiers,
    Estimators,
    Folds,
    held_out_rows,
    naming,
)
from margin.ensemble.committee.simplex import FLOOR, mixture_shares
from margin.errors import MarginWarning, hushed
from margin.params import Jobs, Rule, Seed
from margin.typing import Encoded, TableLike

__all__ = ["GatedClassifier", "rule_words"]

#: Rounds in which the shares of a softmax gate and what each member is answerable for are brought together.
ROUNDS = 4
#: Parts that a gate is judged by where all rows come from one split.
PARTS = 5


def _is_gate(value: object) -> bool:
    if isinstance(value, str):
        return value in ("tree", "softmax")
    return not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict")


Gate = Annotated[
    Any,
    Rule(
        "'tree', 'softmax' or a classifier that learns weighted rows",
        _is_gate,
        lambda text: {"tree": "tree", "softmax": "softmax"}[text],
        lambda: ("tree", "softmax"),
    ),
]


class GatedClassifier(CommitteeOfClassifiers):
    r"""Asks different classifiers in different regions: a gate has learnt where each of them is good.

    Members answer rows that they had not learnt from, fold by fold, and the gate learns from how much each lost on each
    row (Brier's score). A *tree* learns the member to ask: rows count as much as the choice matters there, so that a
    leaf names the member of the least loss in it, and its branches are rules (:meth:`regions`). A *softmax* learns
    shares :math:`g_m(x)` of the mixture :math:`\sum_m g_m(x) P_m(y \mid x)` that make the right classes most probable
    (expectation maximisation), which change with the columns; learnt shares of ``VotingClassifier`` are those of a gate
    that sees no columns.

    A gate is kept only if it helps: it is learnt again without each fold in turn, and must lose less there than the
    best member alone, by more than a standard error. Else the best member answers everything, and ``gate_`` is None.
    Costs a fit for each member and fold, one more for each member, and a gate for each fold.

    Parameters
    ----------
    estimators
        None is logistic regression, naive Bayes and a tree of depth 5.
    gate
        ``"tree"``, ``"softmax"``, or a classifier that learns which member to ask, by name, from weighted rows.
    cv
        How rows are held out from members: a number of folds, splits, or a splitter.
    random_state
        Shuffles rows before they are dealt to folds, and decides how a tree is pruned; None leaves them as they stand.

    Attributes
    ----------
    members_
        The fitted members in the order of ``estimators``; ``named_members_`` has the models by name.
    names_
        The names of the members.
    gate_
        The fitted gate, a classifier whose classes are the names of members; None where the best member answers.
    best_
        The name of the member that loses least alone.
    losses_
        What each member loses on rows held out, in the order of ``estimators``.
    gate_loss_
        What the gate loses on rows that neither members nor gate had learnt from; NaN if it could not be judged.

    References
    ----------
    Jacobs, Jordan, Nowlan, Hinton (1991) for gates; Koppel, Engelson (1996) for learning where members are right.

    Examples
    --------
    >>> import numpy as np
    >>> from margin import LogisticRegression, NaiveBayes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = np.where(X[:, 0] > 0, X[:, 1] > 0, np.abs(X[:, 1]) > 0.7)
    >>> members = [("line", LogisticRegression()), ("bayes", NaiveBayes())]
    >>> model = GatedClassifier(members).fit(X, y)
    >>> bool(model.gate_loss_ < model.losses_.min())
    True
    """

    def __init__(
        self,
        estimators: Estimators = None,
        *,
        gate: Gate = "tree",
        cv: Folds = 5,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.estimators = estimators
        self.gate = gate
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        splits = splits_of(self.cv, y, rows, self.random_state, type(self).__name__)
        self.members_, apart = self._learn_all(X, y, rows, splits)
        names = self.names_ = [name for name, _ in self._named()]
        self.mixes_ = isinstance(self.gate, str) and self.gate == "softmax"
        if not splits:  # not one class has two rows: nothing can be held out
            self.best_, self.losses_, self.gate_loss_, self.gate_ = names[0], np.zeros(len(names)), np.nan, None
            return
        held, weight = held_out_rows(splits)
        said = np.concatenate([self._said(members, X[test.rows]) for members, (_, test) in zip(apart, splits)])
        task = _GateTask(self, X[held], said, y[held], weight)
        self.losses_ = weight @ task.losses / weight.sum()
        best = int(self.losses_.argmin())
        self.best_ = names[best]
        folds = np.concatenate([np.full(len(test.rows), i) for i, (_, test) in enumerate(splits)])
        lost = task.judged(folds if len(splits) > 1 else np.arange(len(held)) % PARTS)
        gained = task.losses[:, best] - lost
        self.gate_loss_ = float(weight @ lost / weight.sum())
        share = weight / weight.sum()
        mean = float(share @ gained)
        error = float(np.sqrt((share**2) @ (gained - mean) ** 2))
        self.gate_ = task.learn(np.arange(len(held))) if mean > error else None

    def _said(self, members: list[Member], X: Encoded) -> np.ndarray:
        """What members say: rows x members x classes, their votes where they have no probabilities."""
        n_classes = len(self.classes_)
        found = np.zeros((X.shape[0], len(members), n_classes))
        for m, member in enumerate(members):
            if member.model is None or hasattr(member.model, "predict_proba"):
                found[:, m] = member.probabilities(X, n_classes)
            else:
                found[np.arange(X.shape[0]), m, member.answers(X)] = 1.0
        return found

    def _new_gate(self, X: Encoded) -> Any:
        if self.gate == "tree":
            from margin.tree.decision_tree import DecisionTreeClassifier

            seed = 0 if self.random_state is None else self.random_state
            return DecisionTreeClassifier(
                prune="cost_complexity", min_samples_leaf=10, charge_levels=True, random_state=seed
            )
        if self.gate == "softmax":
            from margin.linear.logistic.regression import LogisticRegression

            return LogisticRegression(scale="standard")
        return clone(on_tables(self.gate) if isinstance(X, Table) else self.gate)

    def _shares(self, gate: Any, X: Encoded) -> np.ndarray:
        """How much each member counts for each row."""
        names = self.names_
        found = np.zeros((X.shape[0], len(names)))
        if gate is None:
            found[:, names.index(self.best_)] = 1.0
        elif X.shape[0]:
            seen, places = ready_for(gate, X), [names.index(str(name)) for name in gate.classes_]
            if self.mixes_:
                found[:, places] = gate.predict_proba(seen)
            else:
                chosen = [names.index(str(name)) for name in gate.predict(seen)]
                found[np.arange(X.shape[0]), chosen] = 1.0
        return found

    def _scores(self, X: Encoded) -> np.ndarray:
        shares = self._shares(self.gate_, X)
        found = np.zeros((X.shape[0], len(self.classes_)))
        for m, member in enumerate(self.members_):
            asked = np.flatnonzero(shares[:, m])
            if len(asked):
                found[asked] += shares[asked, m, None] * self._said([member], X[asked])[:, 0]
        return found

    def shares(self, X: TableLike) -> np.ndarray:
        """How much each member counts for each row, in the order of ``estimators``; 1 for the one that is asked."""
        return self._shares(self.gate_, self._encoded(X, "shares"))

    def regions(self) -> list[str]:
        """Which member is asked where: a rule for each leaf of a tree, else one line on the gate."""
        gate = self._fitted("regions").gate_
        if gate is None:
            return [f"everywhere {self.best_}: no gate loses less"]
        if not hasattr(gate, "rules"):
            return [f"shares of {type(gate).__name__}" if self.mixes_ else f"by {type(gate).__name__}"]
        return [rule_words(rule) for rule in gate.rules()]

    def _has_probabilities(self) -> bool:
        if "members_" in self.__dict__:
            return all(hasattr(each, "predict_proba") for each in self._models())
        return not self._without("predict_proba")

    @available_if(lambda self: not self._has_probabilities())
    def decision_function(self, X: TableLike) -> np.ndarray:
        """What the members that are asked say of each class; of two classes the second's less the first's."""
        said = self._scores(self._encoded(X, "decision_function"))
        return said[:, 1] - said[:, 0] if said.shape[1] == 2 else said


def rule_words(rule: Any) -> str:
    """A rule of a gate: its cases are counted by what the choice is worth, and so are not told.

    >>> from types import SimpleNamespace
    >>> rule_words(SimpleNamespace(conditions=("age > 30", "sex = f"), answer="near"))
    'if age > 30 and sex = f then near'
    """
    demands = " and ".join(map(str, rule.conditions))
    return f"if {demands} then {rule.answer}" if demands else f"everywhere {rule.answer}"


class _GateTask:
    """What a gate learns from: rows held out, what members said of them, and what each of them lost."""

    def __init__(self, model: GatedClassifier, X: Encoded, said: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
        self.model, self.X, self.said, self.weight = model, X, said, weight
        self.names = np.array(model.names_, dtype=object)
        self.truth = np.eye(said.shape[2])[y]
        self.losses = ((said - self.truth[:, None]) ** 2).sum(axis=2)
        self.right = np.maximum(said[np.arange(len(y)), :, y], FLOOR)

    def learn(self, rows: np.ndarray) -> Any:
        """A gate from some rows; None where one member is the best on all of them."""
        if not self.model.mixes_:
            gain = self.losses[rows].max(axis=1, keepdims=True) - self.losses[rows]
            return self._fitted(rows, gain)
        right = self.right[rows]
        shares = np.tile(mixture_shares(right, self.weight[rows])[0], (len(rows), 1))
        gate = None
        for _ in range(ROUNDS):
            answerable = shares * right
            gate = self._fitted(rows, answerable / answerable.sum(axis=1, keepdims=True))
            if gate is None:
                return None
            shares = self.model._shares(gate, self.X[rows])
        return gate

    def _fitted(self, rows: np.ndarray, counts: np.ndarray) -> Any:
        """A gate that learns each member's name with what it counts for in each row."""
        weight = (self.weight[rows, None] * counts).ravel()
        at, which = np.divmod(np.arange(weight.size), counts.shape[1])
        kept = np.flatnonzero(weight > 1e-9 * weight.max(initial=1e-300))
        names = self.names[which[kept]].astype(str)
        if len(np.unique(names)) < 2:
            return None
        gate = self.model._new_gate(self.X)
        seen = self.X[rows[at[kept]]]
        with naming(type(self.model).__name__, "gate"), hushed(MarginWarning):
            return gate.fit(ready_for(gate, seen), names, sample_weight=weight[kept])

    def judged(self, folds: np.ndarray) -> np.ndarray:
        """What gates lose on rows of a fold that they had not learnt from."""
        found = np.empty(len(folds))
        best = self.losses.sum(axis=0).argmin()
        for fold in np.unique(folds):
            inside = np.flatnonzero(folds == fold)
            gate = self.learn(np.flatnonzero(folds != fold))
            if gate is None:
                found[inside] = self.losses[inside, best]
                continue
            shares = self.model._shares(gate, self.X[inside])
            mixed = np.einsum("nm,nmk->nk", shares, self.said[inside])
            found[inside] = ((mixed - self.truth[inside]) ** 2).sum(axis=1)
        return found
