"""What a trained kernel machine answers, and what can be read off it."""

from __future__ import annotations

import numpy as np

from margin.base import Classifier
from margin.base.rollback import NotYetFittedError
from margin.base.sklearn_classes import available_if
from margin.linear.presolve import NEVER
from margin.svm.kernel_machine.certificate import WORDS, Evidence, MarginCertificate
from margin.svm.kernel_machine.coupling import PairedCurves
from margin.svm.kernel_machine.kernel_estimator import KernelEstimator
from margin.svm.kernel_machine.multiclass import widened_pairs, widened_scores
from margin.svm.kernel_machine.probabilities import DecisionMap, probabilities_of
from margin.typing import Encoded, TableLike

__all__ = ["KernelModel"]


class KernelModel(KernelEstimator, Classifier):
    """A classifier whose decisions are sums of kernels over support vectors.

    It reads what training has left behind and calls nothing of the class that trains.
    """

    # The parameters that answers depend on.
    probability: str | None
    decision_function_shape: str
    break_ties: bool

    #: The classes that have rows.
    _places: np.ndarray
    #: What makes probabilities of decisions, where they were asked for.
    _map: DecisionMap | None
    #: What certificates are made of.
    _evidence: Evidence | None
    #: The training rows that are support vectors, and how many each class has.
    support_: np.ndarray
    n_support_: np.ndarray

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of each row, in the type the labels came in."""
        encoded = self._encoded(X, "predict")
        if self._machine is None:
            return self.classes_[np.full(encoded.shape[0], self._places[0])]
        return self.classes_[self._places[self._winners(self._decisions(encoded))]]

    def _winners(self, decisions: np.ndarray) -> np.ndarray:
        """Places among the classes that have rows."""
        assert self._machine is not None
        if isinstance(self._map, PairedCurves):  # answers are the most probable classes where there are probabilities
            return self._map.shares(decisions).argmax(axis=1)
        layout = self._machine.layout
        return layout.scores(decisions).argmax(axis=1) if self.break_ties else layout.answers(decisions)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """With two classes the signed decision for the second; else a score for each class or pair of classes.

        Scores of classes are votes; with coupled probabilities (``probability="sigmoid"``) they are these.
        """
        encoded = self._encoded(X, "decision_function")
        n, n_classes = encoded.shape[0], len(self.classes_)
        if self._machine is None:
            return self._alone(n)
        decisions = self._decisions(encoded)
        if n_classes == 2:
            return decisions[:, 0]
        layout = self._machine.layout
        if self.decision_function_shape == "ovo":
            return widened_pairs(layout, decisions, self._places, n_classes)
        return widened_scores(self._class_scores(decisions), self._places, n_classes)

    def _alone(self, n: int) -> np.ndarray:
        """What is said of n rows where only one class can be answered."""
        n_classes, place = len(self.classes_), int(self._places[0])
        if n_classes == 1:
            return np.zeros(n)
        if n_classes == 2:
            return np.full(n, NEVER if place == 0 else -NEVER)
        if self.decision_function_shape == "ovr":
            return widened_scores(np.zeros((n, 1)), self._places, n_classes)
        first, second = np.triu_indices(n_classes, 1)
        return np.tile(np.where(first == place, -NEVER, 0.0) + np.where(second == place, NEVER, 0.0), (n, 1))

    def _scores(self, X: Encoded) -> np.ndarray:
        n_classes = len(self.classes_)
        if self._machine is None:
            return widened_scores(np.zeros((X.shape[0], 1)), self._places, n_classes)
        return widened_scores(self._class_scores(self._decisions(X)), self._places, n_classes)

    def _class_scores(self, decisions: np.ndarray) -> np.ndarray:
        """Votes and how clear they were; coupled probabilities, where there are such, since they answer."""
        assert self._machine is not None
        if isinstance(self._map, PairedCurves):
            return self._map.shares(decisions)
        return self._machine.layout.scores(decisions)

    @available_if(lambda self: self.probability is not None)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        encoded = self._encoded(X, "predict_proba")
        n_classes = len(self.classes_)
        if self._machine is None:
            return np.tile((np.arange(n_classes) == self._places[0]).astype(np.float64), (encoded.shape[0], 1))
        return self._shares(self._decisions(encoded))

    def _shares(self, decisions: np.ndarray) -> np.ndarray:
        if self._machine is None or self._map is None:
            raise NotYetFittedError(
                f"{type(self).__name__}.predict_proba: none were learnt; call fit with probability='sigmoid'."
            )
        return probabilities_of(self._map, self._machine.layout, decisions, self._places, len(self.classes_))

    @available_if(lambda self: self.probability is not None)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(lambda self: self.probability is not None)
    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        encoded = self._encoded(X, "predict_with_proba")
        if self._machine is None:
            return self.predict(X), self.predict_proba(X)
        decisions = self._decisions(encoded)
        return self.classes_[self._places[self._winners(decisions)]], self._shares(decisions)

    @property
    def certificate_(self) -> MarginCertificate:
        """Primal and dual objective, gap, violation, margin width and where the rows lie, worked out when asked."""
        self._fitted("certificate_")
        return MarginCertificate.empty() if self._evidence is None else self._evidence.certificate()

    @property
    def margin_width_(self) -> float | np.ndarray:
        """2/‖w‖ in the space of the kernel; with more than two classes one for each problem."""
        parts = self.certificate_.parts
        return np.array([part.margin_width for part in parts]) if parts else self.certificate_.margin_width

    @property
    def slack_(self) -> np.ndarray:
        """ξ = max(0, 1 - s f(x)) of each training row; with more than two classes a column for each problem.

        NaN stands where a row takes no part: in pairs of other classes, and everywhere for rows of weight 0.
        """
        self._fitted("slack_")
        slacks = [] if self._evidence is None else self._evidence.slacks()
        return self._by_row(slacks, np.nan)

    @property
    def category_(self) -> np.ndarray:
        """Where each training row lies, "outside" the margin, "on" its edge or "inside", as :attr:`slack_` is laid out.

        Rows that take no part have an empty word.
        """
        self._fitted("category_")
        codes = [] if self._evidence is None else self._evidence.categories()
        return np.append(WORDS, "")[self._by_row(codes, -1).astype(np.int8)]

    @property
    def misclassified_(self) -> np.ndarray:
        """Whether a training row is on the wrong side of the boundary, as :attr:`slack_` is laid out."""
        return self.slack_ >= 1

    def _by_row(self, found: list[np.ndarray], nothing: float) -> np.ndarray:
        """One value for each given row, or a column of them for each problem."""
        table = np.full((self._n_given, max(1, len(found))), nothing)
        problems = [] if self._evidence is None else self._evidence.problems()
        for i, (problem, values) in enumerate(zip(problems, found)):
            rows = problem.rows if self._kept is None else self._kept[problem.rows]
            table[rows, i] = values
        return table[:, 0] if table.shape[1] == 1 else table
