"""The perceptron: weights that are moved by mistakes only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

import margin._core as _core
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import NotYetFittedError
from margin.base.sklearn_classes import available_if
from margin.errors import NotSeparableWarning, warn
from margin.linear.online.mistake_bound import Certificate, certify, certify_classes
from margin.linear.online.perceptron_state import Log, Memory, Voters, all_columns, votes_of
from margin.linear.online.row_order import Visiting, over_rows, rows_and_weights
from margin.linear.online.streaming import StreamingClassifier
from margin.linear.presolve import Reduced, known_ends, reduced
from margin.params import ClassWeight, Count, Flag, NonNegative, Positive, Ratio, Seed
from margin.random import generator
from margin.typing import Encoded, TableLike

__all__ = ["Perceptron"]

# The size of random first weights beside a step, so that the first mistakes soon outweigh them.
SMALL = 0.05


class Perceptron(StreamingClassifier):
    r"""Linear classifier trained by correcting its mistakes.

    A mistake :math:`y\,(w \cdot x - \tau) \le 0` moves the weights, :math:`w \leftarrow w + \eta\, y\, x`, from
    :math:`w = 0` or small random weights on; the threshold is the weight of a constant 1, :math:`\tau = -`
    ``intercept_``. Data that can be separated with margin :math:`\gamma` inside a ball of radius :math:`R` cost at
    most :math:`(R/\gamma)^2` mistakes from 0 on (``certificate_``); other data never settle, and training stops after
    ``max_iter`` passes with a warning. More than two classes have weights each: a row is added to those of its class
    and taken from those of the best other, which with two classes is the same rule. One pass is :math:`O(n d)`.

    Parameters
    ----------
    eta0
        Step of an update. Scales the weights, not the decisions.
    max_iter
        Passes over the data; a pass without mistakes ends training.
    max_error
        Training also ends after a pass with at most this share of mistakes, without a warning; 0 asks for a pass
        without any.
    init
        "zeros" begins with all weights 0, "random" with small ones: drawn between -0.05 and 0.05 times ``eta0``.
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
    random_state
        Seed of the random orders and of random first weights.

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
        max_error: Ratio = 0.0,
        init: Literal["zeros", "random"] = "zeros",
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
        self.max_error = max_error
        self.init = init
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
        """Radius, largest margin and the bound on mistakes beside those made.

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
                "Perceptron.certificate_: the bound is one for weights that begin at 0 and rows that count the same, "
                "and needs the rows of a fit in this process (not of partial_fit, nor of a saved model)."
            )
        X, y, columns = kept
        intercept, n_classes = bool(self.fit_intercept), len(self.classes_)
        if n_classes == 2:
            found = certify(X, np.where(y == 1, 1.0, -1.0), intercept, self.n_mistakes_)
        else:
            found = certify_classes(X, y, n_classes, intercept, self.n_mistakes_)
        if found.direction is None:
            return found
        direction = np.zeros((*found.direction.shape[:-1], self.coef_.shape[1]))
        direction[..., columns] = found.direction
        return replace(found, direction=direction)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_certified_rows", None)
        return state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        intercept, weight = bool(self.fit_intercept), rows.weights()
        part = reduced(X, y, len(self.classes_), known_ends(self._encoder, X), intercept, True)
        repeats, step = self._visits_and_steps(part.y, weight, part.classes, whole=True)
        if len(part.classes) < 2 or (len(part.columns) == 0 and intercept):
            self._settle_for_shares(part, weight if step is None else step)
            return
        n_scores = 1 if len(part.classes) == 2 else len(part.classes)
        self._memory = self._first_memory(n_scores, part.X.shape[1])
        log = Log((), (), rows.kept)
        self._train(part.X, part.y, repeats, step, log)
        self._keep_log(log)
        if step is None and len(part.classes) == len(self.classes_) and self.init == "zeros":
            self._certified_rows = (part.X, part.y, part.columns)
        self._widen(part)

    def _train(self, X: Encoded, y: np.ndarray, repeats: np.ndarray | None, step: np.ndarray | None, log: Log) -> None:
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "perceptron")
        fewest, waited = np.inf, 0
        for number in range(self.max_iter):
            wrong = self._make_pass(X, y, step, visiting.order(number), log) / visiting.n
            if wrong <= self.max_error:
                return
            waited = 0 if self.tol is None or wrong < fewest - self.tol else waited + 1
            fewest = min(fewest, wrong)
            if waited >= self.n_iter_no_change:
                break
        compromise = "" if self.variant != "plain" else "variant='averaged' or "
        warn(
            f"Perceptron.fit: the last of {len(log.counts)} passes still made {log.counts[-1]} mistakes on "
            f"{visiting.n} rows, so that no plane between the classes was found; if there is none, there is no end to "
            f"it ({compromise}LogisticRegression find{'' if compromise else 's'} a good compromise; if there may be "
            "one, try more passes (max_iter) or scale='standard').",
            NotSeparableWarning,
        )

    def _make_pass(self, X: Encoded, y: np.ndarray, step: np.ndarray | None, order: np.ndarray | None, log: Log) -> int:
        """One pass that changes the memory; the number of mistakes, which are noted."""
        m = self._memory
        rows, n, age, made = over_rows(
            _core.linear.perceptron_pass, X, y, step, order, float(self.eta0), bool(self.fit_intercept), log.room,
            m.w, m.b, m.late_w, m.late_b, m.age, m.voters, m.survived, m.made,
        )  # fmt: skip
        self._memory = replace(m, age=age, made=made)
        log.note(rows, n)
        return n

    def _keep_log(self, log: Log) -> None:
        self.mistakes_, self.mistake_counts_ = tuple(log.passes), np.array(log.counts, dtype=np.int64)
        self.n_mistakes_, self.n_iter_ = sum(log.counts), len(log.counts)

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

    def _settle_for_shares(self, part: Reduced, weight: np.ndarray) -> None:
        """No column tells the classes apart: the most frequent is the answer."""
        n_scores = 1 if len(part.classes) <= 2 else len(part.classes)
        self._keep_log(Log((), ()))
        self._memory = Memory.empty(n_scores, len(part.columns), self.variant)
        shares = np.bincount(part.y, weight, len(part.classes)) / weight.sum()
        self._memory.b[:] = shares[-1:] * 2 - 1 if n_scores == 1 else shares
        self._widen(part)

    def _widen(self, part: Reduced) -> None:
        """Give back what was left out of the rows: constant columns and classes without rows."""
        m, width = self._memory, len(part.columns)
        self.coef_, self.intercept_ = part.whole(*m.weights(width))
        if len(part.columns) < part.n_columns or len(part.classes) < part.n_classes:
            self._memory = all_columns(m, part)
        self.voters_ = self._memory.electorate(part.n_columns)

    def _first_memory(self, n_scores: int, width: int) -> Memory:
        """Weights to begin with: all 0, or small ones on either side of it."""
        memory = Memory.empty(n_scores, width, self.variant)
        if self.init == "random":
            draws = generator(self.random_state, "perceptron", "first weights").uniform(-1, 1, (n_scores, width + 1))
            memory.w[:, :width] = SMALL * self.eta0 * draws[:, :width]
            memory.b[:] = SMALL * self.eta0 * draws[:, width] if self.fit_intercept else 0.0
        return memory

    def _begin(self, n_columns: int) -> None:
        self._memory = self._first_memory(1 if len(self.classes_) <= 2 else len(self.classes_), n_columns)
        self._keep_log(Log((), ()))

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self.__dict__.pop("_certified_rows", None)
        self.__dict__.pop("_certificate", None)
        if self._memory.late_w is None and self.variant != "plain":
            self._memory = Memory.empty(len(self._memory.b), X.shape[1], self.variant)
        else:
            self._memory = self._memory.copy()
        repeats, step = self._visits_and_steps(y, rows.weights(), np.arange(len(self.classes_)), whole=False)
        visiting = Visiting.of(X.shape[0], repeats, bool(self.shuffle), self.random_state, "perceptron")
        log = Log(self.mistakes_, self.mistake_counts_.tolist(), rows.kept)
        self._make_pass(X, y if len(self.classes_) > 1 else y + 1, step, visiting.order(self.n_iter_), log)
        self._keep_log(log)
        self.coef_, self.intercept_ = self._memory.weights(X.shape[1])
        self.voters_ = self._memory.electorate(X.shape[1])

    def _answer(self, X: Encoded, what: str, method: str) -> np.ndarray:
        if self.__dict__.get("voters_") is None:
            return super()._answer(X, what, method)
        return self._answer_encoded(self._encoded(X, method), what, method)

    def _answer_encoded(self, X: Encoded, what: str, method: str) -> np.ndarray:
        if self.voters_ is None or len(self.classes_) == 1:
            return super()._answer_encoded(X, what, method)
        shares = votes_of(X, self.voters_, len(self.classes_))
        return self._made_of(2 * shares[:, 1] - 1 if shares.shape[1] == 2 else shares, what)

    def _has_planes(self) -> bool:
        return bool(self.variant != "voted")

    @available_if(lambda self: self.variant == "voted")
    def vote_shares(self, X: TableLike) -> np.ndarray:
        """The share of the votes for each class (columns as in ``classes_``): how sure the voted form is."""
        encoded = self._encoded(X, "vote_shares")
        if self.voters_ is None:
            scores = self._scores(encoded)
            return (scores == scores.max(axis=1, keepdims=True)).astype(float)
        return votes_of(encoded, self.voters_, len(self.classes_))
