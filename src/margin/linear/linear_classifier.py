"""What all linear models share: one linear layer, f(x) = W x + b."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Classifier, Numeric
from margin.base.planes import distance_from_planes
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import NO_LIMIT, TrainingRows
from margin.base.representations.tiny_columns import TINY
from margin.base.sklearn_classes import available_if
from margin.errors import InputError
from margin.linear.presolve import NEVER
from margin.typing import Encoded, TableLike

__all__ = ["LinearClassifier"]

# Below so many cells one thread is quicker than asking how many there are.
SMALL = 20_000
# Scores beyond it are all the same to people, and what is added to them does not overflow.
LARGEST_SCORE = -0.1 * NEVER


class LinearClassifier(Classifier):
    """A model whose scores are linear in the columns of one numeric matrix.

    A subclass leaves ``coef_`` (one row for two classes, else one per class) and ``intercept_`` behind, and says in
    ``_gives_probabilities`` whether its scores become probabilities, and in ``_link`` how; if not, it has no
    ``predict_proba`` (:class:`margin.CalibratedClassifier` adds one).

    ``coef_`` and ``intercept_`` are read anew in every call: answers follow what a user puts there.

    Parameters
    ----------
    class_weight
        Factors for the rows of each class; "balanced" lets all classes count the same.
    scale
        "standard" or "range" to put numeric columns on one scale first; None takes them as they are.
    n_jobs
        Threads; None for all cores. The answer does not depend on it.
    """

    coef_: np.ndarray
    intercept_: np.ndarray
    scale: Scale | None
    #: Added to the intercepts so that a class which had no rows is never answered; None where all had some.
    _bars: np.ndarray | None = None
    #: The largest magnitude that a cell may have.
    _largest_cell = 1e100

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale, sparse=True, keep_float32=True, largest=self._largest_cell)

    def _unheard_below(self) -> float:
        """Of a penalty or a step that has a unit; without a penalty, and on one scale, none has."""
        return 0.0 if self.scale is not None else TINY / max(1.0, float(getattr(self, "C", 1.0)))

    @property
    def coef_names_(self) -> list[str]:
        """What the columns of ``coef_`` are called: those of X, and ``sex=female`` for a level of a nominal one."""
        return self._fitted("coef_names_")._encoder.names_out()

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
                if len(self.classes_) > 1 and _pass_csr(
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
        if self._pass(X, coef, intercept, what, found):
            return found
        return self._made_of(self._careful_scores(X, coef) + intercept, what)

    def _careful_scores(self, X: Encoded, coef: np.ndarray) -> np.ndarray:
        """W x without overflow, for the rows in which a plain sum would not be finite."""
        plain, small = np.empty((2, X.shape[0], len(coef)))
        none = np.zeros(len(coef))
        exponent = int(np.frexp(np.abs(coef).max())[1]) + coef.shape[1].bit_length()
        for found, weights in ((plain, coef), (small, np.ldexp(coef, -exponent))):
            self._pass(X, weights, none, "scores", found[:, 0] if len(coef) == 1 else found)
        with np.errstate(over="ignore"):
            return np.where(np.isfinite(plain), plain, np.ldexp(small, exponent)).clip(-LARGEST_SCORE, LARGEST_SCORE)

    def _pass(self, X: Encoded, coef: np.ndarray, intercept: np.ndarray, what: str, found: np.ndarray) -> bool:
        """Clean rows through a layer; False, with all of ``found`` written, if a score is not finite."""
        threads = self._n_threads()
        if not isinstance(X, np.ndarray):
            return _pass_csr(X, coef, intercept, NO_LIMIT, what, found, threads)
        X = np.ascontiguousarray(X)
        n_classes = len(self.classes_)
        return _core.linear.answer(X, coef, intercept, None, None, n_classes, NO_LIMIT, what, found, threads)

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

    def _n_threads(self) -> int:
        return parallel.n_threads(getattr(self, "n_jobs", None))

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


def _pass_csr(
    X: Encoded, coef: np.ndarray, intercept: np.ndarray, largest: float, what: str, found: np.ndarray, n_threads: int
) -> bool:
    """False where X cannot be read as it is, and where a score is not finite."""
    data, columns, start = parts = X.data, X.indices, X.indptr
    if data.dtype not in (np.float64, np.float32) or columns.dtype not in (np.int32, np.int64):
        return False
    if columns.dtype != start.dtype or len(start) != X.shape[0] + 1 or len(columns) != len(data):
        return False
    if not all(part.ndim == 1 and part.flags.c_contiguous and part.flags.aligned for part in parts):
        return False
    return _core.linear.answer_csr(data, columns, start, coef, intercept, largest, what, found, n_threads)
