"""Kernel machines for classes: the problems of two classes, solved and put together."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.representations.representation import TrainingRows
from margin.base.targets.class_weight import class_factors
from margin.errors import ParameterError
from margin.svm.kernel_machine.certificate import Evidence
from margin.svm.kernel_machine.learner import Learner, Learnt
from margin.svm.kernel_machine.model import KernelModel
from margin.svm.kernel_machine.multiclass import Layout, Multiclass
from margin.svm.kernel_machine.probabilities import cross_fitted_map
from margin.svm.kernel_machine.solve import MarginPolicy
from margin.typing import Encoded

__all__ = ["KernelClassifier"]


class KernelClassifier(KeepsGroups, KernelModel):
    """A classifier that learns its machines by a :class:`MarginPolicy`, which a subclass states.

    Parameters
    ----------
    multiclass
        "one_vs_one" or "one_vs_rest".
    decision_function_shape
        "ovr" gives a score for each class, "ovo" the decisions of all pairs.
    break_ties
        Whether equal votes of pairs are decided by how clear the pairs were; else the first class wins.
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same.
    probability
        None, or the curve that makes probabilities of decisions: "sigmoid" (Platt's) or "isotonic". It is learnt from
        the decisions of five machines about rows that they have not seen, which costs five more fits. Pairs of classes
        have a sigmoid each, and the probabilities of the classes are those that fit all pairs best (Wu, Lin, Weng
        2004), which then answer and score in the place of votes; an isotonic curve is one of each class.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        Rows with a weight above 0, class by class: their numbers, themselves, and how many of each class.
    dual_coef_
        Signed weights. One-versus-one has a row less than classes, in scikit-learn's layout; else one row for each
        problem.
    intercept_
        The constant of each problem.
    coef_
        With the linear kernel, the coefficients of each problem.
    gamma_, C_
        The values in use.
    n_iter_
        Steps of the solver, for each problem.
    """

    # What all of them are told.
    multiclass: Multiclass
    class_weight: Any

    dual_coef_: np.ndarray
    intercept_: np.ndarray
    C_: float | np.ndarray
    n_iter_: np.ndarray

    @property
    def lambda_(self) -> float | np.ndarray:
        r"""λ of the same problem as :math:`\tfrac\lambda2\|w\|^2` + the mean hinge loss, one for each problem: 1/(N C).

        N is the number of rows of the problem, weights counted. (With :math:`\|w\|^2 + C\sum\xi` instead of
        :math:`\tfrac12\|w\|^2 + C\sum\xi` the same λ is written :math:`2/(N C)`, with twice the C.)
        """
        evidence = self._fitted("lambda_")._evidence
        if evidence is None:
            raise AttributeError(f"{type(self).__name__}.lambda_: a single class has rows, and there is no problem.")
        total = np.array([evidence.weight[problem.rows].sum() for problem in evidence.problems()])
        with np.errstate(divide="ignore"):
            found = 1.0 / (total * evidence.C)
        return float(found[0]) if len(found) == 1 else found

    def _margin_policy(self, learner: Learner, rows: TrainingRows) -> MarginPolicy:
        raise TypeError(f"{type(self).__name__} must say how rows may lie inside the margin: def _margin_policy.")

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        codes, weight = self._weighed(y, rows)
        if len(self._places) > 1:
            self._train(X, codes, weight, rows)
        else:
            self._keep_nothing()

    def _weighed(self, y: np.ndarray, rows: TrainingRows) -> tuple[np.ndarray, np.ndarray]:
        """Codes of the classes that have rows, and how much each row counts, class weights included."""
        self._check_settings()
        self._places, codes = np.unique(y, return_inverse=True)
        totals = np.bincount(y, rows.weight, len(self.classes_))
        factors = class_factors(self.class_weight, self.classes_, totals, type(self).__name__)
        self._machine = self._evidence = self._map = None
        self._kept, self._n_given = rows.kept, rows.n_given
        return codes.astype(np.int32), rows.weights() * factors[y]

    def _train(self, X: Encoded, y: np.ndarray, weight: np.ndarray, rows: TrainingRows) -> None:
        learner = self._learner(X, rows, Layout(len(self._places), self.multiclass))
        policy = self._margin_policy(learner, rows)
        learnt = learner.learn(policy, y, weight)
        self._keep(learnt)
        kept_rows = learner.X if self._machine_is_quick(learnt) else learner.X.copy()
        names = self._problem_names(learner.layout)
        self._evidence = Evidence(learnt.machine, learnt.alphas, kept_rows, y, weight, learnt.solutions.C, names)
        gaps = learnt.solutions.gaps
        if kept_rows is learner.X or learner.loses_digits(
            learnt.largest_total
        ):  # nor is a square matrix of values kept then
            gaps = self._evidence.gaps()
        if self.probability is not None:
            self._map = cross_fitted_map(learner, policy, learnt, y, weight, rows, self.probability)
        self._warn_of_gaps([gap.relative for gap in gaps])

    def _machine_is_quick(self, learnt: Learnt) -> bool:
        """Whether deciding on the training rows costs hardly anything: planes, and kernel values that are there."""
        return learnt.machine.planes is not None or learnt.machine.columns is not None

    def _problem_names(self, layout: Layout) -> list[str]:
        """What each problem is about, in words."""
        classes = self.classes_[self._places].tolist()
        return [f"{classes[a]!r} against {'the rest' if b is None else repr(classes[b])}" for a, b in layout.sides()]

    def _keep(self, learnt: Learnt) -> None:
        machine, table, solutions = learnt.machine, learnt.table, learnt.solutions
        self.support_ = table.support if self._kept is None else self._kept[table.support]
        # New rows have kernel values with all training rows, those of weight 0 included.
        self._machine = machine if machine.columns is None else replace(machine, columns=self.support_)
        self.n_support_ = np.zeros(len(self.classes_), dtype=np.int32)
        self.n_support_[self._places] = table.n_support
        self.dual_coef_, self.intercept_ = table.coef, learnt.machine.intercept
        self.n_iter_ = np.array([each.steps for each in solutions.found])
        self.C_ = float(solutions.C[0]) if len(solutions.C) == 1 else solutions.C

    def _with_machine(self, learnt: Learnt) -> Self:
        """A copy of this model that answers with another machine of the same rows."""
        other = copy(self)
        other._keep(learnt)
        return other

    def _keep_nothing(self) -> None:
        """A single class has rows: there is nothing to separate."""
        self.n_support_ = np.zeros(len(self.classes_), dtype=np.int32)
        self.support_, self.n_iter_ = np.zeros((2, 0), dtype=np.int64)
        self.dual_coef_, self.intercept_ = np.zeros((0, 0)), np.zeros(0)
        self.gamma_, self.C_ = 1.0, float(getattr(self, "C", 1.0))

    def _check_settings(self) -> None:
        name = type(self).__name__
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                f"{name}(break_ties=True): ties are broken by scores of classes (decision_function_shape='ovr')."
            )
        if self.multiclass == "one_vs_rest" and self.decision_function_shape == "ovo":
            raise ParameterError(f"{name}(decision_function_shape='ovo'): one_vs_rest has no decisions of pairs.")
        self._check_kernel()
