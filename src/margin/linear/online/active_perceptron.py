"""A perceptron that asks for few labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

import margin._core as _core
from margin import params
from margin.base.inputs.arrays import check_one_row
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import SQUARABLE, TrainingRows
from margin.base.rollback import further_or_not_at_all, whole_or_not_at_all
from margin.data.frames.dataframes import is_frame
from margin.data.table import Table
from margin.errors import ConvergenceWarning, ParameterError, warn
from margin.linear.online.row_order import arrays_of, padded
from margin.linear.online.streaming import StreamingClassifier
from margin.linear.presolve import known_ends, reduced
from margin.params import Count, Flag
from margin.typing import Encoded, TableLike

__all__ = ["ActivePerceptron"]

# The error is measured on so many rows at most, each time when the labels have grown by this share.
CURVE_ROWS, CURVE_STEP = 10_000, 1.25
ENDLESS = 2**63 - 1


class ActivePerceptron(StreamingClassifier):
    r"""Half-spaces through the origin, learnt from a stream of rows with labels asked for only near the boundary.

    Rows are scaled to length 1. A label is asked for where :math:`|v \cdot x| \le s`; a mistake
    :math:`y\,(v \cdot x) < 0` reflects the weights, :math:`v \leftarrow v - 2 (v \cdot x)\, x`, which keeps their
    length; ``patience`` right answers in a row halve :math:`s`, which starts at :math:`1/\sqrt{d}`. For rows spread
    evenly over the sphere and labels that a half-space explains, this needs about :math:`d \log(1/\epsilon)` labels for
    the error :math:`\epsilon`, where the passive perceptron needs :math:`d/\epsilon^2`. A row costs :math:`O(d)`.

    It is made for such streams. Labels with noise keep it reflecting, and few rows leave it with few labels: for those,
    :class:`margin.LogisticRegression` learns more from the same rows. More than two classes have one half-space each,
    against the rest, and one label answers all that ask for it.

    Parameters
    ----------
    patience
        Right answers in a row, among the labels asked for, that halve the distance within which one is asked. A small
        number trusts the boundary too soon, and then never asks where it is wrong.
    max_labels
        So many labels are asked for at most; None for any number.
    fit_intercept
        Whether half-spaces may be off the origin: a constant 1 then comes after each row before it is scaled to
        length 1, and columns are best of that order of magnitude (``scale="standard"``). Without it, half-spaces go
        through the origin, and the length of a row does not matter at all.
    max_iter
        How often ``fit`` goes through the rows; a label that is known is not counted again.
    scale
        ``"standard"`` or ``"range"`` puts columns on one scale first.

    Attributes
    ----------
    coef_, intercept_
        The weights v and their part along the constant, one row for two classes, else one per class.
    threshold_
        The distance s from each boundary within which labels are asked for.
    labels_used_
        Labels asked for.
    queried_
        The rows whose labels they were. Rows that come in parts are counted on, without those of weight 0.
    rows_seen_
        Rows that came in parts, so far.
    error_curve_
        Labels used and share of wrong answers, one row for each time it was measured: whenever the labels have grown by
        a quarter, and at the end, on up to 10,000 rows spread evenly over those of the call. Labels that were never
        asked for serve this record only. ``partial_fit`` measures once a call.

    Notes
    -----
    A weight of 0 leaves a row out; other weights count alike, because a row that stands behind itself teaches nothing
    new and is passed over. A row of zeros says nothing, and no label is asked for it. A row at a right angle to v
    cannot be learnt from: its reflection changes nothing.

    References
    ----------
    Dasgupta, Kalai, Monteleoni (2005), "Analysis of perceptron-based active learning".

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5000, 10))
    >>> y = X @ np.arange(10) > 0
    >>> model = ActivePerceptron().fit(X, y)
    >>> model.labels_used_ < 600 and model.score(X, y) > 0.99
    True

    As a stream, with a label looked up only when it is wanted:

    >>> model = ActivePerceptron().update(X[0], y[0], classes=[False, True])
    >>> for x, answer in zip(X[1:], y[1:]):
    ...     if model.query(x):
    ...         model = model.update(x, answer)
    >>> model.labels_used_ < 600
    True
    """

    queried_: np.ndarray
    # Rows are scaled to length 1, so that cells may be larger than other linear models can take.
    _largest_cell = SQUARABLE

    def __init__(
        self,
        *,
        patience: Count = 16,
        max_labels: Count | None = None,
        fit_intercept: Flag = True,
        max_iter: Count = 1,
        scale: Scale | None = None,
    ) -> None:
        self.patience = patience
        self.max_labels = max_labels
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.scale = scale

    def query(self, x: Any) -> bool:
        """Whether the label of one row is wanted; before anything is learnt, it is."""
        if not self.__sklearn_is_fitted__():
            params.check(self)
            return True
        row = self._encoded(_rows_of_one(x), "query")
        row = row if isinstance(row, np.ndarray) else row.toarray()
        check_one_row(row, "ActivePerceptron.query")
        if self.max_labels is not None and self.labels_used_ >= self.max_labels:
            return False
        row = row[0].astype(np.float64)
        largest = max(float(np.abs(row).max(initial=0.0)), float(self.fit_intercept))
        if largest == 0:
            return False
        row, constant = row / largest, float(self.fit_intercept) / largest
        products = (self.coef_ @ row + self.intercept_ * constant) / np.hypot(np.linalg.norm(row), constant)
        return bool((np.abs(products) <= self.threshold_).any())

    def update(self, x: Any, label: object, classes: Any = None) -> Self:
        """Learn from the label of one row, asked for or not; ``classes`` names all labels at the first call."""
        who, row = "ActivePerceptron.update", _rows_of_one(x)
        params.check(self)
        if self.__sklearn_is_fitted__():
            with further_or_not_at_all(self):
                X, y, _ = self._further_rows(row, [label], classes, None, who)
                self._take_in(X, y, volunteered=True)
            return self
        if classes is None:
            raise ParameterError(f"{who}(classes=None): classes must name all labels to come at the first call.")
        with whole_or_not_at_all(self):
            X, y, _ = self._first_rows(row, [label], classes, None, who)
            self._begin(X.shape[1])
            self._take_in(X, y, volunteered=True)
        return self

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        intercept = bool(self.fit_intercept)
        part = reduced(X, np.zeros_like(y), 1, known_ends(self._encoder, X), intercept, True)  # all classes stay
        self._begin(len(part.columns))
        stream, curve = _Stream(self, part.X, y), []
        for _ in range(self.max_iter):
            stream.rewind()
            while not stream.ended:
                stream.follow(max(stream.labels + 1, int(stream.labels * CURVE_STEP)))
                self.coef_, self.intercept_ = part.whole(stream.v[:, : len(part.columns)], stream.constant)
                curve.append((stream.labels, self._error(X, y)))
        self._settle(stream)
        self.coef_, self.intercept_ = part.whole(self.coef_, self.intercept_)
        self._settle_one_class()
        self.error_curve_ = np.array(curve)
        self.queried_ = rows.as_given(np.flatnonzero(stream.asked))
        self.n_iter_ = self.max_iter
        self._warn_if_nothing_was_learnt(y)

    def _warn_if_nothing_was_learnt(self, y: np.ndarray) -> None:
        """Rows that all lie to one side of the origin are all far from a first boundary, and no label is asked for."""
        error, frequent = self.error_curve_[-1, 1], np.bincount(y).max() / len(y)
        if error > 0 and error > 1 - frequent - 1e-9:
            warn(
                f"ActivePerceptron.fit: after {self.labels_used_} labels for {len(y)} rows the answers are no better "
                f"than the most frequent class (error {error:.3g}). Rows must lie around the origin to come near the "
                "boundary (try scale='standard', more passes (max_iter) or a larger patience).",
                ConvergenceWarning,
            )

    def _begin(self, n_columns: int) -> None:
        n_scores = self._n_scores()
        self.coef_, self.intercept_ = np.zeros((n_scores, n_columns)), np.zeros(n_scores)
        self.threshold_, self._streak = np.full(n_scores, np.inf), np.zeros(n_scores, np.int64)
        self.labels_used_, self.rows_seen_ = 0, 0
        self.queried_, self.error_curve_ = np.zeros(0, np.int64), np.zeros((0, 2))

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        self._take_in(X, y)

    def _take_in(self, X: Encoded, y: np.ndarray, volunteered: bool = False) -> None:
        """One way through further rows."""
        stream = _Stream(self, X, y, volunteered)
        stream.follow(ENDLESS)
        self.queried_ = np.append(self.queried_, np.flatnonzero(stream.asked) + self.rows_seen_)
        self._settle(stream)
        self.rows_seen_ += len(y)
        self._settle_one_class()
        self.error_curve_ = np.vstack([self.error_curve_, [stream.labels, self._error(X, y)]])

    def _settle(self, stream: _Stream) -> None:
        self.coef_ = stream.v[:, : stream.width].copy()
        self.intercept_, self.threshold_ = stream.constant.copy(), stream.threshold.copy()
        self._streak, self.labels_used_ = stream.streak.copy(), stream.labels

    def _settle_one_class(self) -> None:
        if len(self.classes_) == 1:  # there is no other side
            self.coef_, self.intercept_ = np.zeros_like(self.coef_), np.zeros_like(self.intercept_)

    def _error(self, X: Encoded, y: np.ndarray) -> float:
        """The share of wrong answers among rows spread evenly."""
        every = -(-len(y) // CURVE_ROWS)
        return float((self._answer_encoded(X[::every], "winners", "fit") != y[::every]).mean())


class _Stream:
    """Rows on their way past a model whose state it changes in copies of its own."""

    def __init__(self, model: ActivePerceptron, X: TableLike, y: np.ndarray, volunteered: bool = False) -> None:
        n_scores, d = model.coef_.shape
        self.width, self.rows = d, arrays_of(X if d else np.zeros((len(y), 1)))  # the core wants a column to read
        self.y, self.model, self.volunteered = y, model, volunteered
        self.v = np.zeros((n_scores, padded(max(d, 1))))
        self.v[:, :d] = model.coef_
        self.constant, self.threshold = np.array(model.intercept_, dtype=np.float64), model.threshold_.copy()
        self.streak, self.labels = model._streak.copy(), model.labels_used_
        self.asked = np.zeros(len(y), np.uint8)
        self.patience = min(model.patience, ENDLESS)
        self.most_labels = ENDLESS if model.max_labels is None else min(model.max_labels, ENDLESS)
        self.visits = _without_repeats(X)
        self.rewind()

    def rewind(self) -> None:
        """To the first row."""
        self.at = 0

    @property
    def ended(self) -> bool:
        return self.at >= (len(self.y) if self.visits is None else len(self.visits))

    def follow(self, enough: int) -> None:
        """On until so many labels are known, or to the end."""
        model = self.model
        width = self.width + bool(model.fit_intercept)
        stream: Callable[..., tuple[int, int]] = _core.linear.active_stream  # dense or sparse: see over_rows
        self.at, self.labels = stream(
            *self.rows, self.y, self.visits, self.asked, bool(model.fit_intercept), self.volunteered, self.patience,
            1 / max(width, 1) ** 0.5, self.most_labels, self.at, enough,
            self.v, self.constant, self.threshold, self.streak, self.labels,
        )  # fmt: skip


def _without_repeats(X: Encoded) -> np.ndarray | None:
    """The rows that differ from the one before them, as places; None if all do."""
    if X.shape[0] < 2:
        return None
    if isinstance(X, np.ndarray):
        same = np.ones(len(X) - 1, dtype=bool)
        for column in X.T:
            same &= column[1:] == column[:-1]
            if not same.any():
                return None
    else:
        same = (X[1:] != X[:-1]).sum(axis=1) == 0
    return np.flatnonzero(np.r_[True, ~same]).astype(np.uint32) if same.any() else None


def _rows_of_one(x: Any) -> Any:
    """A single row given alone, as a table of one row."""
    if hasattr(x, "tocsr") or is_frame(x) or isinstance(x, Table):
        return x
    if np.ndim(x) == 1:
        return [x] if not isinstance(x, np.ndarray) else x[None]
    return x
