"""What all linear models share: one linear layer, f(x) = W x + b."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin.base import Classifier
from margin.base.planes import distance_from_planes
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if
from margin.errors import InputError
from margin.linear.linear_layer import SMALL, LinearLayer, careful_scores, pass_csr, pass_rows
from margin.linear.presolve import NEVER
from margin.typing import Encoded, TableLike

__all__ = ["LinearClassifier"]


class LinearClassifier(LinearLayer, Classifier):
    """A model whose scores are linear in the columns of one numeric matrix.

    A subclass leaves ``coef_`` (one row for two classes, else one per class) and ``intercept_`` behind, and says in
    ``_gives_probabilities`` whether its scores become probabilities, and in ``_link`` how; if not, it has no
    ``predict_proba`` (:class:`margin.CalibratedClassifier` adds one).

    ``coef_`` and ``intercept_`` are read anew in every call: answers follow what a user puts there.

    Parameters
    ----------
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same.
    """

    coef_: np.ndarray
    intercept_: np.ndarray
    #: Added to the intercepts so that a class which had no rows is never answered; None where all had some.
    _bars: np.ndarray | None = None

    def _gives_probabilities(self) -> bool:
        return False

    def _link(self) -> str:
        """How scores become probabilities: ``softmax``, ``one_vs_rest`` or ``modified_huber``."""
        return "softmax"

    def _with_targets(self, rows: TrainingRows, y: np.ndarray) -> TrainingRows:
        self._note_classes(y)
        return super()._with_targets(rows, y)

    def _note_classes(self, y: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Let only those classes be answered that have rows among these, or had some before."""
        n_classes = len(self.classes_)
        seen = np.bincount(y, weight, n_classes) > 0
        if "_bars" in self.__dict__:
            seen |= True if self._bars is None else self._bars == 0
        self._bars = None if seen.all() else np.where(seen, 0.0, NEVER)

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of the largest score of each row, in the type the labels came in; ties go to the first class."""
        winners = self._answer(X, "winners", "predict")
        return self.classes_[winners]

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The score of each class (columns as in ``classes_``); with two classes that of the second alone."""
        return self._answer(X, "scores", "decision_function")

    @available_if(lambda self: self._has_planes())
    def distance(self, X: TableLike) -> np.ndarray:
        """How far each row lies from the plane on which the answer changes, in the columns as the model sees them.

        With two classes distances are above 0 on the side of the second; with more they are those from the nearest
        plane between the class answered and another. ``scale`` changes the columns, and so the unit; where no column
        counts there is no plane, and distances are infinite.
        """
        return distance_from_planes(self.decision_function(X), self._layer("distance")[0])

    def _has_planes(self) -> bool:
        """Whether answers change on planes: not where several layers vote, nor in the space of a kernel."""
        return True

    @available_if(lambda self: self._gives_probabilities())
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each row."""
        return self._answer(X, self._link(), "predict_proba")

    @available_if(lambda self: self._gives_probabilities())
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            if self._link() != "softmax":
                return np.log(self.predict_proba(X))
            scores = self.decision_function(X)
            if scores.ndim == 1:
                scores = np.column_stack([np.zeros(len(scores)), scores])[:, : len(self.classes_)]
            scores = scores - scores.max(axis=1, keepdims=True, initial=NEVER)
            return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    @available_if(lambda self: self._gives_probabilities())
    def predict_with_proba(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """Both at once, for the price of one."""
        scores = self.decision_function(X)
        return self.classes_[self._made_of(scores, "winners")], self._made_of(scores, self._link())

    def _decisions(self, X: Encoded) -> np.ndarray:
        """What ``decision_function`` gives, for rows that have been checked, filled and scaled."""
        return self._answer_encoded(X, "scores", "decision_function")

    def _scores(self, X: Encoded) -> np.ndarray:
        found = self._decisions(X)
        if found.ndim == 2:
            return found
        return np.column_stack([-found, found])[:, -len(self.classes_) :]

    def _answer(self, X: Encoded, what: str, method: str) -> np.ndarray:
        """What is asked of the scores of X; rows that can be read as they are go straight through the core."""
        encoder = self._fitted(method)._encoder
        if self._columns.schema is None:
            if type(X) is np.ndarray and X.ndim == 2:
                found = self._room(X.shape[0], what)
                scaled = encoder.form.scale is not None
                if _core.linear.answer(
                    X, self.coef_, self.intercept_ if self._bars is None else self._intercept(self.intercept_),
                    encoder.center if scaled else None, encoder.spread if scaled else None, len(self.classes_),
                    encoder.largest, what, found, 1 if X.size < SMALL else self._n_threads(),
                ):  # fmt: skip
                    return found
            elif (
                getattr(X, "format", None) == "csr" and X.shape[1:] == (self._columns.n,) and encoder.form.scale is None
            ):
                coef, intercept = self._layer(method)
                found = self._room(X.shape[0], what)
                if len(self.classes_) > 1 and pass_csr(
                    X, coef, intercept, encoder.largest, what, found, self._n_threads()
                ):
                    return found
        return self._answer_encoded(self._encoded(X, method), what, method)

    def _answer_encoded(self, X: Encoded, what: str, method: str) -> np.ndarray:
        """The same for rows that have been checked, filled and scaled."""
        if len(self.classes_) == 1:
            return self._made_of(np.zeros(X.shape[0]), what)
        coef, intercept = self._layer(method)
        if X.shape[1] != coef.shape[1]:
            raise InputError(
                f"{type(self).__name__}.{method}: coef_ must have {X.shape[1]} columns, but has {coef.shape[1]}."
            )
        found = self._room(X.shape[0], what)
        threads = 1 if X.size < SMALL else self._n_threads()
        if pass_rows(X, coef, intercept, len(self.classes_), what, found, threads):
            return found
        return self._made_of(careful_scores(X, coef, threads) + intercept, what)

    def _made_of(self, scores: np.ndarray, what: str) -> np.ndarray:
        """What is asked, out of scores as ``decision_function`` gives them."""
        found = self._room(len(scores), what)
        if len(self.classes_) == 1:
            found[:] = {"scores": 0, "winners": 0}.get(what, 1)
        else:
            _core.linear.answer_scores(scores.reshape(len(scores), self._n_scores()), what, found)
        return found

    def _room(self, n_rows: int, what: str) -> np.ndarray:
        if what == "winners":
            return np.empty(n_rows, np.int64)
        width = self._n_scores() if what == "scores" else len(self.classes_)
        return np.empty(n_rows) if what == "scores" and width == 1 else np.empty((n_rows, width))

    def _n_scores(self) -> int:
        return max(1, len(self.classes_) if len(self.classes_) != 2 else 1)

    def _layer(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts as they stand now, in the form the core reads."""
        coef = np.ascontiguousarray(self.coef_, dtype=np.float64)
        intercept = np.ascontiguousarray(self.intercept_, dtype=np.float64)
        for name, given, wanted in (("coef_", coef, 2), ("intercept_", intercept, 1)):
            if given.ndim != wanted or len(given) != self._n_scores() or not np.isfinite(given).all():
                rows = "one row" if self._n_scores() == 1 else f"{self._n_scores()} rows"
                raise InputError(
                    f"{type(self).__name__}.{method}: {name} must hold finite numbers, {rows} of them for "
                    f"{len(self.classes_)} classes, but has the shape {given.shape}."
                )
        return coef, intercept if self._bars is None else self._intercept(intercept)

    def _intercept(self, given: np.ndarray) -> np.ndarray:
        """Intercepts that keep classes without rows from being answered."""
        assert self._bars is not None
        return given + (self._bars if len(self._bars) != 2 else self._bars[1:] - self._bars[:1])
