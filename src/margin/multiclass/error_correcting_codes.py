"""Members that each divide the classes into two sides: a class is told by its code word."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from margin.base.meta.inner_model import Estimator
from margin.base.meta.members import Member
from margin.base.representations.representation import TrainingRows
from margin.multiclass.code_words import (
    MOST_EXHAUSTIVE,
    exhaustive_code,
    given_code,
    random_code,
    usual_bits,
)
from margin.multiclass.strategy import Strategy
from margin.params import Count, Jobs, Rule, Seed
from margin.typing import Encoded, TableLike

__all__ = ["ErrorCorrectingCodes"]

NAMED = ("auto", "exhaustive", "random")
Code = Annotated[
    Any,
    Rule(
        "one of 'auto', 'exhaustive', 'random', or a matrix with a row of +1 and -1 for each class",
        lambda value: value in NAMED if isinstance(value, str) else isinstance(value, (list, tuple, np.ndarray)),
        lambda text: {name: name for name in NAMED}[text],
        lambda: NAMED,
    ),
]
#: Probabilities nearer to 0 and 1 than this are as good as certain; one certain member does not decide alone.
LEAST = 1e-6
#: The steps towards the probabilities of classes end here, or where none of them moves any more.
MOST_STEPS, STILL = 500, 1e-8


class ErrorCorrectingCodes(Strategy):
    r"""Classifiers that each divide the classes into two sides, as the bits of code words do.

    A class is answered whose word is nearest to what the members say. Where words differ in at least d bits, the answer
    is right although (d - 1)/2 members are wrong: that is what more members than log₂ K are for. A member learns which
    of two sides a row is on, where a side may be classes that have little in common; trees and kernels can, straight
    lines often cannot.

    Probabilities are the maximum of the likelihood in which a member that says r for its side is r rows on that side
    and 1 - r on the other (Bradley and Terry, generalised).

    Parameters
    ----------
    code
        ``"exhaustive"``, all 2^(K-1) - 1 divisions of K classes; ``"random"``, the best of many random codes; a matrix
        with a row for each class in the order of ``classes_``, of +1 and -1, where 0 leaves a class out of a member, or
        of 1 and 0. ``"auto"`` is exhaustive up to 7 classes, else random.
    n_bits
        Members of a random code; None is 10 log₂ K.
    decoding
        ``"loss"`` takes the word with the least loss of all members: the log loss of their probabilities, or the hinge
        loss of their scores. ``"hamming"`` counts bits, and only among equal counts looks at the loss.
    random_state
        Of the random code.

    Attributes
    ----------
    code_
        The words: a row of +1, -1 and 0 for each class.
    members_
        A member for each column of the code; its 1 is the side +1.

    References
    ----------
    Dietterich, Bakiri (1995); Allwein, Schapire, Singer (2000) for losses and random codes; Huang, Weng, Lin (2006)
    for probabilities.

    Examples
    --------
    >>> from margin import DecisionTreeClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = ErrorCorrectingCodes(DecisionTreeClassifier(max_depth=3)).fit(X, y)
    >>> model.code_.tolist(), model.predict(X.take([0, 60])).tolist()
    ([[1, 1, 1], [1, -1, -1], [-1, 1, -1]], ['Iris-setosa', 'Iris-versicolor'])
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        code: Code = "auto",
        n_bits: Count | None = None,
        decoding: Literal["loss", "hamming"] = "loss",
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.n_bits = n_bits
        self.decoding = decoding
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _members(self) -> list[Member]:
        return list(self.__dict__.get("members_", ()))

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self.code_ = self._words(len(self.classes_))
        self._there = np.unique(y).astype(np.int64)
        parts: list[tuple[np.ndarray | None, np.ndarray]] = []
        for column in self.code_.T:
            side = column[y]
            chosen = None if side.all() else np.flatnonzero(side)
            parts.append((chosen, ((side if chosen is None else side[chosen]) > 0).astype(np.int32)))
        # A member of whose classes none has rows says nothing, and every other one learns.
        learnt = iter(self._learn(X, [part for part in parts if len(part[1])], rows))
        kept = [bool(len(codes)) for _, codes in parts]
        self.code_ = self.code_[:, kept]
        self.members_ = list(learnt)

    def _words(self, n_classes: int) -> np.ndarray:
        if not isinstance(self.code, str):
            return given_code(self.code, n_classes)
        if self.code == "exhaustive" or (self.code == "auto" and n_classes <= MOST_EXHAUSTIVE and self.n_bits is None):
            return exhaustive_code(n_classes)
        return random_code(n_classes, int(self.n_bits or usual_bits(n_classes)), self.random_state)

    def _scores(self, X: Encoded) -> np.ndarray:
        """A column for each member: the probability of the side +1, or a score above 0 where that is the answer."""
        kind, who = self._kind(), type(self).__name__
        said = [member.yes(X, kind, who) for member in self.members_]
        return np.column_stack(said) if said else np.empty((X.shape[0], 0))

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        return self.classes_.take(self._nearness(scores).argmax(axis=1))

    def _nearness(self, said: np.ndarray) -> np.ndarray:
        """How near what the members said is to each word; minus infinity for classes without rows."""
        words = self.code_[self._there].astype(np.float64)
        loss = self._losses(said, words)
        if self.decoding == "hamming":
            bits = np.where(said > (0.5 if self._kind() == "probability" else 0.0), 1.0, -1.0)
            wrong = (words.shape[1] - bits @ words.T) / 2
            beyond = loss - loss.min(axis=1, keepdims=True)
            loss = wrong + beyond / (3 * (beyond + 1))  # less than half a bit
        found = np.full((len(said), len(self.classes_)), -np.inf)
        found[:, self._there] = -loss
        return found

    def _losses(self, said: np.ndarray, words: np.ndarray) -> np.ndarray:
        """The sum of the members' losses if each class were true."""
        if self._kind() == "probability":
            sure = np.clip(said, LEAST, 1 - LEAST)
            return -(np.log(sure) @ (words.T > 0) + np.log(1 - sure) @ (words.T < 0))
        limited = np.clip(said, -LARGEST, LARGEST)
        return np.maximum(1 - limited, 0) @ (words.T > 0) + np.maximum(1 + limited, 0) @ (words.T < 0)

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        found = np.zeros((len(scores), len(self.classes_)))
        found[:, self._there] = _likeliest(scores, self.code_[self._there])
        return found

    def decision_function(self, X: TableLike) -> np.ndarray:
        """How near what the members said is to the word of each class, as the negative of its loss or of its wrong
        bits; of two classes the difference of the two, above 0 for the second."""
        near = self._nearness(self._scores(self._encoded(X, "decision_function")))
        return near[:, 1] - near[:, 0] if near.shape[1] == 2 else near


#: Scores beyond this are as clear as can be.
LARGEST = 1e100


def _likeliest(said: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The probabilities under which what the members said of their sides is likeliest.

    max over p of Σ_s r_s log(q_s⁺ / (q_s⁺ + q_s⁻)) + (1 - r_s) log(q_s⁻ / (q_s⁺ + q_s⁻)), where q_s⁺ and q_s⁻ are the
    sums of p over the classes on the two sides of member s. Each step raises it (Huang, Weng, Lin, 2006, algorithm 2).
    """
    n_classes = len(words)
    yes, no = (words > 0).astype(np.float64), (words < 0).astype(np.float64)
    both = yes.any(axis=0) & no.any(axis=0)  # the others have rows on one side only
    yes, no, said = yes[:, both], no[:, both], said[:, both]
    shares = np.full((len(said), n_classes), 1 / n_classes)
    if not said.shape[1]:
        return shares
    left = np.arange(len(said))
    for _ in range(MOST_STEPS):
        p, r = shares[left], said[left]
        above, below = np.maximum(p @ yes, 1e-300), np.maximum(p @ no, 1e-300)
        gain = (r / above) @ yes.T + ((1 - r) / below) @ no.T
        moved = p * gain / np.maximum((1 / (above + below)) @ (yes + no).T, 1e-300)
        moved /= moved.sum(axis=1, keepdims=True)
        shares[left] = moved
        left = left[np.abs(moved - p).max(axis=1) > STILL]
        if not len(left):
            break
    return shares
