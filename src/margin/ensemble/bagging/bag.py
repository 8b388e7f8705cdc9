"""What bags of classes and of values share: how members draw and learn, and what is known of rows out of bag."""

from __future__ import annotations

import hashlib
import math
import numbers
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from sklearn.utils import get_tags

from margin import params
from margin.base import AsGiven
from margin.base.meta.inner_model import last_step, on_tables
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.meta.members import naming, one_by_one
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all
from margin.base.sklearn_classes import clone
from margin.data.splits import group_codes
from margin.data.table import Table
from margin.data.weights import weight_arguments
from margin.ensemble.bagging.drawing import Drawing, Stratum, of_columns
from margin.ensemble.forest.growing import whole_repeats
from margin.errors import InputError, ParameterError, columns_from
from margin.params import Rule, is_whole, no_text
from margin.random import seed_for
from margin.tree.settings import features_of
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["Bag", "BaseModel"]


def _learns(value: object) -> bool:
    return value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict"))


BaseModel = Annotated[Any, Rule("None or an estimator with fit and predict", _learns, no_text)]


class _Learnt(NamedTuple):
    """A member, the columns it sees, the rows it left out, and what it says of them."""

    member: Any
    columns: np.ndarray | None
    out: np.ndarray
    said: np.ndarray


class Bag(KeepsGroups):
    """One model, learnt over and over from rows that are drawn, and asked together.

    Parameters
    ----------
    estimator
        The model, of margin or of scikit-learn. One that takes no tables gets them through ``TableEncoder``; one that
        takes weights learns each drawn row once with the number of its draws for a weight, any other learns it as often
        as it was drawn. Each of its parameters called ``random_state`` is set, to another number in each member.
    n_estimators
        Members.
    max_samples
        Draws for each member: a count, or a share of the rows; None for as many as there are rows.
    max_features
        Columns that each member sees, drawn for it among those that vary: a count, a share, ``"sqrt"``, ``"log2"``;
        None for all.
    bootstrap
        Whether rows are drawn with replacement; without, fewer draws than rows make members differ (pasting).
    bootstrap_features
        Whether columns are drawn with replacement.
    oob_score
        Whether the error out of bag is followed; only where members leave out rows.
    warm_start
        Whether ``fit`` keeps the members that are there and adds those that are lacking to ``n_estimators``.
    n_jobs
        Members that learn at once, in threads; None for as many as there are cores, which they share. Results do not
        depend on it.
    random_state
        Decides which rows and columns are drawn.

    Attributes
    ----------
    members_
        The fitted members.
    member_columns_
        For each member the places of the columns it sees, if these are drawn.
    oob_error_
        The error out of bag after each member: of each row only the members are asked that did not draw it.
    """

    representation = AsGiven(surveyed=True)
    estimator: Any
    n_estimators: Any
    max_samples: Any
    max_features: Any
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool
    n_jobs: Any
    random_state: Any
    members_: list[Any]
    member_columns_: np.ndarray

    # ---- What the two kinds say.

    def _inner(self) -> Any:
        raise TypeError(f"{type(self).__name__} must say what is in a bag that nobody named.")

    def _member(
        self, model: Any, X: Encoded, y: np.ndarray, weight: np.ndarray | None, groups: np.ndarray | None
    ) -> Any:
        raise TypeError(f"{type(self).__name__} must say how a member learns.")

    def _say(self, member: Any, X: Encoded) -> np.ndarray:
        """What a member adds to the sum: a row for each case."""
        raise TypeError(f"{type(self).__name__} must say what a member says.")

    def _losses(self, sums: np.ndarray, counts: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What sums of so many answers lose on each row."""
        raise TypeError(f"{type(self).__name__} must say what it loses.")

    def _strata(self, y: np.ndarray, ends: np.ndarray) -> list[Stratum]:
        """What members draw from."""
        total = int(ends[-1]) if len(ends) else len(y)
        return [Stratum(np.arange(len(y)), ends, self._n_draws(total))]

    # ---- Learning.

    def fit(
        self,
        X: TableLike,
        y: Any = None,
        sample_weight: WeightsLike | None = None,
        groups: LabelsLike | None = None,
    ) -> Self:
        """Learn from rows X with targets y; whole-number weights stand for repeated rows, which can be drawn.

        With ``warm_start`` members that are there stay, and the rows must be those that they were drawn from. Members
        that cut folds of their own keep the rows of one of the ``groups`` on one side of each.
        """
        if not (self.warm_start and self.__sklearn_is_fitted__()):
            return super().fit(X, y, sample_weight, groups)
        params.check(self)
        more = int(self.n_estimators) - len(self.members_)
        if more < 0:
            raise ParameterError(
                f"{type(self).__name__}(n_estimators={self.n_estimators}, warm_start=True): n_estimators must be at "
                f"least the {len(self.members_)} members that are there (warm_start=False learns anew)."
            )
        return self.grow(more, X, y, sample_weight, groups)

    def grow(
        self,
        n: int,
        X: TableLike,
        y: LabelsLike,
        sample_weight: WeightsLike | None = None,
        groups: LabelsLike | None = None,
    ) -> Self:
        """Add n members, from the rows of the fit.

        Members, and all that is known out of bag, are those of a bag that was learnt at once.
        """
        who = f"{type(self).__name__}.grow"
        if not is_whole(n) or n < 0:
            raise ParameterError(f"{who}(n={n!r}): n must be a whole number of at least 0.")
        before = self._fitted("grow")._mark
        with further_or_not_at_all(self):
            params.check(self)
            data, targets, rows = self._read_rows(X, y, sample_weight, who, self._columns)
            if groups is not None:
                rows = replace(rows, groups=rows.of(group_codes(groups, rows.n_given, who)))
            if self._marked(data, targets, rows) != before:
                raise InputError(
                    f"{who}: rows, targets, weights and what is drawn of them must be as they were at the fit, or "
                    "nothing could be said out of bag (fit with warm_start=False learns anew)."
                )
            self._add(data, targets, rows, int(n))
        return self

    def _begin(self, X: Encoded, y: np.ndarray, rows: TrainingRows, width: int) -> None:
        """A bag without members, and without votes of ``width`` numbers."""
        self._seed = seed_for(self.random_state, "bagging", bits=63)
        self._mark = self._marked(X, y, rows)
        self.members_ = []
        if self.oob_score and self._drawing(X, y, rows).leaves_rows_out:
            self.oob_error_ = np.empty(0)
            self._oob_votes, self._oob_counts = np.zeros((len(y), width)), np.zeros(len(y), dtype=np.int32)

    def _add(self, X: Encoded, y: np.ndarray, rows: TrainingRows, n: int) -> None:
        """So many further members, and what they say of rows that they did not draw."""
        self._refuse_pairwise()
        drawing = self._drawing(X, y, rows)
        model = on_tables(self._inner()) if isinstance(X, Table) else self._inner()
        weight = None if rows.weight is None or len(whole_repeats(rows.weight)) else rows.weight
        learn = partial(self._learn_one, model, drawing, X, y, weight, rows.groups, "oob_error_" in self.__dict__)
        first = len(self.members_)
        found, tally = [], _Tally(self, y, rows.weights())
        try:
            for learnt in one_by_one([partial(learn, t) for t in range(first, first + n)], self.n_jobs, X):
                found.append((learnt.member, learnt.columns))
                tally.count(learnt.out, learnt.said)
        except InputError:
            clone(model).fit(X, y)  # refuses the same cell, and names its row as it was given
            raise
        self.members_ = [*self.members_, *(member for member, _ in found)]
        drawn = [columns for _, columns in found if columns is not None]
        if drawn:
            before = self.__dict__.get("member_columns_", np.empty((0, len(drawn[0])), dtype=np.int64))
            self.member_columns_ = np.vstack([before, *drawn])
        tally.keep()

    def _learn_one(
        self,
        model: Any,
        drawing: Drawing,
        X: Encoded,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None,
        asked: bool,
        number: int,
    ) -> _Learnt:
        times, columns = drawing.rows(number), drawing.columns(number)
        seen = of_columns(X, columns)
        named = None if columns is None or isinstance(X, Table) else columns.tolist()
        who = f"member {number}, {type(last_step(model)).__name__},"
        with naming(type(self).__name__, who, "estimator"), columns_from(named):
            seeded = _with_seed(model, drawing.seed_of(number))
            chosen, counts = _as_learnt(seeded, times, weight)
            together = None if groups is None else groups[chosen]
            member = self._member(seeded, seen[chosen], y[chosen], counts, together)
            out = np.flatnonzero(times == 0) if asked else np.empty(0, dtype=np.intp)
            return _Learnt(member, columns, out, self._say(member, seen[out]))

    def _drawing(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> Drawing:
        ends = np.empty(0, dtype=np.int64) if rows.weight is None else whole_repeats(rows.weight)
        strata, all_columns = self._strata(y, ends), self.max_features is None and not self.bootstrap_features
        there = np.empty(0, dtype=np.int64) if all_columns else _varying(self, X)
        columns = there, features_of(self.max_features, len(there)), bool(self.bootstrap_features)
        return Drawing(self._seed, len(y), strata, bool(self.bootstrap), *columns)

    def _n_draws(self, total: int) -> int:
        """How many rows each member draws."""
        if self.max_samples is None:
            return total
        if isinstance(self.max_samples, numbers.Integral):
            found = int(self.max_samples)
        else:
            found = max(1, round(float(self.max_samples) * total))
        return found if self.bootstrap else min(found, total)

    def _marked(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> str:
        """What tells rows and settings of drawing from others."""
        drawn_by = self.max_samples, self.max_features, bool(self.bootstrap), bool(self.bootstrap_features)
        digest = hashlib.blake2b(repr((drawn_by, getattr(self, "balanced", False), X.shape)).encode(), digest_size=16)
        parts = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [] if isinstance(X, Table) else [X]
        digest.update(X.digest().encode() if isinstance(X, Table) else b"")
        for part in (*parts, y, rows.weights()):
            digest.update(memoryview(np.ascontiguousarray(part)).cast("B"))
        return digest.hexdigest()

    def _refuse_pairwise(self) -> None:
        if hasattr(self._inner(), "__sklearn_tags__") and get_tags(self._inner()).input_tags.pairwise:
            raise ParameterError(
                f"{type(self).__name__}(estimator={self._inner()!r}): members learn from some of the rows, of which a "
                "kernel matrix has no columns."
            )

    # ---- Answers.

    def _asked(self, X: Encoded) -> Iterator[tuple[Any, Encoded]]:
        """Each member with the rows as it sees them."""
        drawn = self.__dict__.get("member_columns_")
        for number, member in enumerate(self.members_):
            yield member, of_columns(X, None if drawn is None else drawn[number])

    def _summed(self, X: Encoded, width: int) -> np.ndarray:
        """The sum of what all members say of each row."""
        found = np.zeros((X.shape[0], width))
        for member, seen in self._asked(X):
            found += self._say(member, seen)
        return found

    def _models(self) -> list[Any]:
        """The fitted models inside."""
        return []

    def _out_of_bag(self, what: str) -> tuple[np.ndarray, np.ndarray]:
        """Sums of what members said of rows they did not draw, and of how many."""
        if "_oob_votes" not in self._fitted(what).__dict__:
            raise ParameterError(
                f"{type(self).__name__}.{what}: nothing is known out of bag (fit with oob_score=True, and "
                "bootstrap=True or a max_samples that leaves out rows)."
            )
        return self._oob_votes, self._oob_counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = get_tags(self._inner()).input_tags.positive_only
        return tags


class _Tally:
    """Adds up what members say out of bag, in their order, and what the sum loses after each; nothing if not asked."""

    def __init__(self, bag: Bag, y: np.ndarray, weight: np.ndarray) -> None:
        self.bag, self.y, self.weight = bag, y, weight
        self.asked = "oob_error_" in bag.__dict__
        if self.asked:
            self.sums, self.counts = bag._oob_votes.copy(), bag._oob_counts.copy()
            self.losses = np.zeros(len(y))
            self._lose(np.flatnonzero(self.counts))
            self.errors = bag.oob_error_.tolist()

    def count(self, out: np.ndarray, said: np.ndarray) -> None:
        """What one more member says of the rows that it left out."""
        if self.asked:
            self.sums[out] += said
            self.counts[out] += 1
            self._lose(out)
            asked = self.counts > 0
            total = float(self.weight[asked].sum())
            self.errors.append(float(self.weight[asked] @ self.losses[asked]) / total if total else math.nan)

    def _lose(self, rows: np.ndarray) -> None:
        self.losses[rows] = self.bag._losses(self.sums[rows], self.counts[rows], self.y[rows])

    def keep(self) -> None:
        if self.asked:
            self.bag._oob_votes, self.bag._oob_counts = self.sums, self.counts
            self.bag.oob_error_ = np.array(self.errors)


def _varying(bag: Bag, X: Encoded) -> np.ndarray:
    """The places of the columns that can be drawn: those that say something, or all where none does."""
    varies = np.ones(bag._columns.n, dtype=bool)
    if isinstance(X, Table):
        numeric = np.array([column.is_numeric for column in X.schema], dtype=bool)
        varies[~numeric] = [len(column.levels) > 1 for column in X.schema if not column.is_numeric]
        varies[numeric] = bag._ranges[1] > bag._ranges[0]
    elif isinstance(X, np.ndarray):
        varies = bag._ranges[1] > bag._ranges[0]
    else:
        varies = (X.max(axis=0) != X.min(axis=0)).toarray().ravel()
    return np.flatnonzero(varies if varies.any() else ~varies)


def _with_seed(model: Any, seed: int) -> Any:
    """A copy in which everything that draws has this seed."""
    fresh = clone(model)
    named = fresh.get_params(deep=True) if hasattr(fresh, "get_params") else {}
    settings = {name: seed for name in named if name == "random_state" or name.endswith("__random_state")}
    return fresh.set_params(**settings) if settings else fresh


def _as_learnt(model: Any, times: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows that a member learns from, with weights if it takes them, else as often as they were drawn."""
    chosen = np.flatnonzero(times)
    counts = times[chosen].astype(np.float64)
    if weight is None and (counts == 1).all():
        return chosen, None
    if weight is not None:
        return chosen, counts * weight[chosen]
    if weight_arguments(model, counts) is None:
        return np.repeat(chosen, times[chosen]), None
    return chosen, counts
