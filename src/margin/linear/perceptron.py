"""The perceptron: weights that are moved by mistakes only."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.metaestimators import available_if

import margin._core as _core
from margin.base.fitting import NotYetFittedError
from margin.base.numeric import Scale
from margin.errors import NotSeparableWarning
from margin.linear.certificate import Certificate, certify
from margin.linear.reduced import NEVER, Reduced, known_ends, reduced
from margin.linear.streaming import StreamingClassifier
from margin.linear.visiting import Visiting, arrays_of, padded, rows_and_weights
from margin.params import ClassWeight, Count, Flag, NonNegative, Positive, Seed

__all__ = ["Perceptron"]

#: So many mistakes are listed row by row; passes after that are counted only.
LOGGED = 1_000_000
#: A voted perceptron keeps its latest vectors: so many, or as many as have this number of cells.
MOST_VOTERS = 1_000
VOTER_CELLS = 1 << 25
# Products of rows with all voters at a time.
VOTES_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Voters:
    """Weight vectors of a voted perceptron, the oldest first: n × scores × columns, n × scores, and visits survived."""

    coef: np.ndarray
    intercept: np.ndarray
    survived: np.ndarray


@dataclass(frozen=True)
class Memory:
    """What a perceptron goes on from: weights (padded), the sums behind their averages, the vectors that may vote."""

    w: np.ndarray
    b: np.ndarray
    late_w: np.ndarray | None
    late_b: np.ndarray | None
    voters: np.ndarray | None
    survived: np.ndarray | None
    age: float = 0.0
    made: int = 0

    @classmethod
    def empty(cls, n_scores: int, width: int, variant: str) -> Memory:
        w, b = np.zeros((n_scores, padded(width))), np.zeros(n_scores)
        if variant == "plain":
            return cls(w, b, None, None, None, None)
        if variant == "averaged":
            return cls(w, b, w.copy(), b.copy(), None, None)
        cells = w.size + b.size
        n = max(1, min(MOST_VOTERS, VOTER_CELLS // cells))
        return cls(w, b, w.copy(), b.copy(), np.zeros((n, cells)), np.zeros(n))

    def copy(self) -> Memory:
        """The same with arrays of its own, for a pass to change."""
        arrays = ("w", "b", "late_w", "late_b", "voters", "survived")
        return replace(self, **{name: a.copy() for name in arrays if (a := getattr(self, name)) is not None})

    def weights(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts: the latest, or their mean over all visits where that is kept."""
        if self.late_w is None or self.late_b is None or self.age == 0:
            return self.w[:, :width].copy(), self.b.copy()
        return self.w[:, :width] - self.late_w[:, :width] / self.age, self.b - self.late_b / self.age

    def electorate(self, width: int) -> Voters | None:
        """The vectors that vote, the oldest first."""
        if self.voters is None or self.survived is None:
            return None
        capacity, n_scores = len(self.voters), len(self.b)
        order = np.arange(max(0, self.made - capacity), self.made) % capacity
        cells = self.voters[order]
        coef = cells[:, : self.w.size].reshape(len(order), n_scores, -1)[:, :, :width]
        return Voters(coef.copy(), cells[:, self.w.size :].copy(), self.survived[order])


class Perceptron(StreamingClassifier):
    r"""Linear classifier trained by correcting its mistakes.

    A mistake :math:`y\,(w \cdot x - \tau) \le 0` moves the weights, :math:`w \leftarrow w + \eta\, y\, x`, from
    :math:`w = 0` on; the threshold is the weight of a constant 1, :math:`\tau = -` ``intercept_``. Data that can be
    separated with margin :math:`\gamma` inside a ball of radius :math:`R` cost at most :math:`(R/\gamma)^2` mistakes
    (``certificate_``); other data never settle, and training stops after ``max_iter`` passes with a warning. More than
    two classes have weights each: a row is added to those of its class and taken from those of the best other, which
    with two classes is the same rule. One pass is :math:`O(n d)`.

    Parameters
    ----------
    eta0
        Step of an update. Scales the weights, not the decisions.
    max_iter
        Passes over the data; a pass without mistakes ends training.
    tol
        If given, training also ends when the share of mistakes has not fallen by so much for ``n_iter_no_change``
        passes.
    n_iter_no_change
        Passes without progress to wait for, where there is a ``tol``.
    shuffle
        Visit the rows in another random order in every pass, not as they stand. Of more than 16,384 visits, blocks of
        eight neighbours are drawn, and then the rows of 128 such blocks in random order.
    variant
        "plain" answers by the last weights, "averaged" by their mean over all visits, "voted" by the vote of all
        weights there were (the latest 1,000 at most), each counting for the visits that it survived.
    fit_intercept
        Whether there is a threshold; otherwise the plane goes through the origin.
    class_weight
        Factors for the steps of each class; "balanced" lets all classes count the same.
    scale
        "standard" or "range" to put numeric columns on one scale first; None takes them as they are.
    random_state
        Seed of the random orders.

    Attributes
    ----------
    coef_, intercept_
        The last weights, for the averaged and the voted form their mean; one row for two classes, else one per class.
    mistakes_
        Rows that caused an update, pass by pass; the last entry is empty if the data were separated. Passes are listed
        until they hold a million rows; ``mistake_counts_`` has the numbers of all.
    n_mistakes_, n_iter_
        Updates and passes in all.
    voters_
        The vectors of the voted form and how many visits each survived, else None.

    Notes
    -----
    Whole-number sample weights are further visits to a row, other weights and class weights multiply the step.
    ``partial_fit`` makes one pass, and its rows are numbered from 0 in every call.

    References
    ----------
    Rosenblatt (1958); Novikoff (1962); Freund, Schapire (1999) for voting and averaging; Crammer, Singer (2003) for
    several classes.

    Examples
    --------
    >>> X, y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.0]], ["in", "in", "out", "out"]
    >>> model = Perceptron().fit(X, y)
    >>> model.coef_.tolist(), model.intercept_.tolist(), [rows.tolist() for rows in model.mistakes_]
    ([[-2.0, -1.0]], [-1.0], [[0], []])
    """

    mistakes_: tuple[np.ndarray, ...]
    mistake_counts_: np.ndarray
    n_mistakes_: int
    n_iter_: int
    voters_: Voters | None
    _memory: Memory

    def __init__(
        self,
        *,
        eta0: Positive = 1.0,
        max_iter: Count = 1000,
        tol: NonNegative | None = None,
        n_iter_no_change: Count = 5,
        shuffle: Flag = False,
        variant: Literal["plain", "averaged", "voted"] = "plain",
        fit_intercept: Flag = True,
        class_weight: ClassWeight = None,
        scale: Scale | None = None,
        random_state: Seed = None,
    ) -> None:
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.variant = variant
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.scale = scale
        self.random_state = random_state

    @property
    def certificate_(self) -> Certificate:
        """Radius, largest margin and the bound on mistakes beside those made, of a model of two classes.

        Computed when first asked for, from the rows of the last ``fit``: they must not have been changed since, and
        are not saved with a model.
        """
        found = self.__dict__.get("_certificate")
        if found is None:
            found = self._certificate = self._certified()
        return found

    def _certified(self) -> Certificate:
        self._fitted("certificate_")
        kept = self.__dict__.get("_certified_rows")
        if kept is None:
            raise NotYetFittedError(
                "Perceptron.certificate_: the bound is one for two classes whose rows all count the same, and needs the "
                "rows of a fit in this process (not of partial_fit, nor of a saved model)."
            )
        X, y, columns = kept
        found = certify(X, np.where(y == 1, 1.0, -1.0), bool(self.fit_intercept), self.n_mistakes_)
        if found.direction is None:
            return found
        direction = np.zeros(self.coef_.shape[1])
        direction[columns] = found.direction
        return replace(found, direction=direction)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_certified_rows", None)
        return state

    def _fit(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        intercept = bool(self.fit_intercept)
        part = reduced(X, y, len(self.classes_), known_ends(self._encoder, X), intercept, True)
        self._forget()
        repeats, step = self._visits_and_steps(part.y, weight, part.classes, whole=True)
        if len(part.classes) < 2 or (len(part.columns) == 0 and intercept):
            self._settle_for_shares(part, weight if step is None else step)
            return
        n_scores = 1 if len(part.classes) == 2 else len(part.classes)
        self._memory = Memory.empty(n_scores, part.X.shape[1], self.variant)
        self._train(part.X, part.y, repeats, step)
        if step is None and len(self.classes_) == 2:
            self._certified_rows = (part.X, part.y, part.columns)
        self._widen(part)

    def _train(self, X: Any, y: np.ndarray, repeats: np.ndarray | None, step: np.ndarray | None) -> None:
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "perceptron")
        fewest, waited = np.inf, 0
        for number in range(self.max_iter):
            wrong = self._pass(X, y, step, visiting.order(number)) / visiting.n
            if wrong == 0:
                return
            waited = 0 if self.tol is None or wrong < fewest - self.tol else waited + 1
            fewest = min(fewest, wrong)
            if waited >= self.n_iter_no_change:
                break
        warnings.warn(
            f"Perceptron.fit: the last of {self.n_iter_} passes still made {self.mistake_counts_[-1]} mistakes on "
            f"{visiting.n} rows, so that no plane between the classes was found; if there is none, there is no end to "
            "it. variant='averaged' or LogisticRegression find a good compromise; if there may be one, try more passes "
            "(max_iter) or scale='standard'.",
            NotSeparableWarning,
            stacklevel=7,
        )

    def _pass(self, X: Any, y: np.ndarray, step: np.ndarray | None, order: np.ndarray | None) -> int:
        """One pass that changes the memory; the number of mistakes, which are noted."""
        m = self._memory
        room = LOGGED - sum(map(len, self.mistakes_)) if len(self.mistakes_) == self.n_iter_ else 0
        rows, n, age, made = _core.linear.perceptron_pass(
            *arrays_of(X), y, step, order, float(self.eta0), bool(self.fit_intercept), room,
            m.w, m.b, m.late_w, m.late_b, m.age, m.voters, m.survived, m.made,
        )  # fmt: skip
        self._memory = replace(m, age=age, made=made)
        if len(self.mistakes_) == self.n_iter_ and n == len(rows):
            self.mistakes_ = (*self.mistakes_, self._as_given(rows))
        self.mistake_counts_ = np.append(self.mistake_counts_, n)
        self.n_mistakes_ += n
        self.n_iter_ += 1
        return n

    def _visits_and_steps(
        self, y: np.ndarray, weight: np.ndarray, classes: np.ndarray, whole: bool
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """How often rows are visited, and the factors of their steps, which have the mean 1 if these are all rows."""
        repeats, step = rows_and_weights(weight)
        if step is not None and whole:
            step = step / step.mean()
        if self.class_weight is None:
            return repeats, step
        factor = self._with_class_weight(classes[y], weight) / weight
        return repeats, np.ascontiguousarray(factor if step is None else factor * step)

    def _forget(self) -> None:
        self.mistakes_, self.mistake_counts_ = (), np.zeros(0, dtype=np.int64)
        self.n_mistakes_, self.n_iter_, self.voters_ = 0, 0, None

    def _settle_for_shares(self, part: Reduced, weight: np.ndarray) -> None:
        """No column tells the classes apart: the most frequent is the answer."""
        n_scores = 1 if len(part.classes) <= 2 else len(part.classes)
        self._memory = Memory.empty(n_scores, len(part.columns), self.variant)
        shares = np.bincount(part.y, weight, len(part.classes)) / weight.sum()
        self._memory.b[:] = shares[-1:] * 2 - 1 if n_scores == 1 else shares
        self._widen(part)

    def _widen(self, part: Reduced) -> None:
        """Give back what was left out of the rows: constant columns and classes without rows."""
        m, width = self._memory, len(part.columns)
        self.coef_, self.intercept_ = part.whole(*m.weights(width))
        self.voters_ = _all_voters(m.electorate(width), part)
        if len(part.columns) < part.n_columns or len(part.classes) < part.n_classes:
            self._memory = _all_columns(m, part)

    def _begin(self, n_columns: int) -> None:
        self._memory = Memory.empty(1 if len(self.classes_) <= 2 else len(self.classes_), n_columns, self.variant)
        self._forget()

    def _go_on(self, X: Any, y: np.ndarray, weight: np.ndarray) -> None:
        self.__dict__.pop("_certified_rows", None)
        self.__dict__.pop("_certificate", None)
        if self._memory.late_w is None and self.variant != "plain":
            self._memory = Memory.empty(len(self._memory.b), X.shape[1], self.variant)
        else:
            self._memory = self._memory.copy()
        repeats, step = self._visits_and_steps(y, weight, np.arange(len(self.classes_)), whole=False)
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "perceptron")
        self._pass(X, y if len(self.classes_) > 1 else y + 1, step, visiting.order(self.n_iter_))
        self.coef_, self.intercept_ = self._memory.weights(X.shape[1])
        self.voters_ = self._memory.electorate(X.shape[1])

    def _decisions(self, X: Any) -> np.ndarray:
        if self.voters_ is None or not len(self.voters_.survived):
            return super()._decisions(X)
        shares = _votes(X, self.voters_, len(self.classes_))
        return shares[:, -1] * 2 - 1 if shares.shape[1] <= 2 else shares

    @available_if(lambda self: self.variant == "voted")
    def vote_shares(self, X: Any) -> np.ndarray:
        """The share of the votes for each class (columns as in ``classes_``): how sure the voted form is."""
        encoded = self._encoded(X, "vote_shares")
        if self.voters_ is None or not len(self.voters_.survived):
            scores = self._scores(encoded)
            return (scores == scores.max(axis=1, keepdims=True)).astype(float)
        return _votes(encoded, self.voters_, len(self.classes_))


def _votes(X: Any, voters: Voters, n_classes: int) -> np.ndarray:
    """The share of the votes for each class of each row."""
    n, (n_voters, n_scores, width) = X.shape[0], voters.coef.shape
    flat, ballot = voters.coef.reshape(-1, width).T, voters.survived / voters.survived.sum()
    shares = np.empty((n, n_classes))
    for first in range(0, n, step := max(1, VOTES_AT_ONCE // (n_voters * n_scores))):
        scores = np.asarray(X[first : first + step] @ flat).reshape(-1, n_voters, n_scores) + voters.intercept
        best = (scores[:, :, 0] > 0).astype(np.intp) if n_scores == 1 else scores.argmax(axis=2)
        for k in range(n_classes):
            shares[first : first + step, k] = (best == (k if n_classes > 1 else 1)) @ ballot
    return shares


def _all_voters(voters: Voters | None, part: Reduced) -> Voters | None:
    if voters is None or not len(voters.survived):
        return None
    whole = [part.whole(coef, intercept) for coef, intercept in zip(voters.coef, voters.intercept)]
    return Voters(np.array([coef for coef, _ in whole]), np.array([b for _, b in whole]), voters.survived)


def _all_columns(memory: Memory, part: Reduced) -> Memory:
    """A memory to go on from with all columns and classes; those left out begin at 0."""

    def whole(w: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        coef, intercept = part.whole(w[:, : len(part.columns)], b)
        wide = np.zeros((len(coef), padded(part.n_columns)))
        wide[:, : part.n_columns] = coef
        return wide, np.where(np.abs(intercept) >= -NEVER, 0.0, intercept)

    found = Memory.empty(1 if part.n_classes <= 2 else part.n_classes, part.n_columns, "plain")
    w, b = whole(memory.w, memory.b)
    found = replace(found, w=w, b=b, age=memory.age)
    if memory.late_w is None or memory.late_b is None:
        return found
    late_w, late_b = whole(memory.late_w, memory.late_b)
    found = replace(found, late_w=late_w, late_b=late_b)
    if memory.voters is None:
        return found
    fresh = Memory.empty(len(b), part.n_columns, "voted")
    assert fresh.voters is not None and memory.survived is not None
    known = memory.electorate(len(part.columns))
    assert known is not None
    n = min(len(known.survived), len(fresh.voters))
    for at in range(n):
        vector, intercept = whole(known.coef[at - n], known.intercept[at - n])
        fresh.voters[at] = np.append(vector.ravel(), intercept)
        fresh.survived[at] = known.survived[at - n]  # type: ignore[index]
    return replace(found, voters=fresh.voters, survived=fresh.survived, made=n)
