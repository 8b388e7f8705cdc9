"""Nearest centroid: one typical row per class, and the class of the nearest one is the answer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from margin.base import Classifier, Numeric
from margin.base.representations.moments import column_moments, unit_for
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import SQUARABLE, TrainingRows
from margin.data.weights import cases_per_weight, count_repeats
from margin.errors import ParameterError
from margin.params import Positive, Priors
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["NearestCentroid"]

# Sparse rows of so few columns are written out block by block: they then give the very bits of dense rows.
NARROW = 1024
BLOCK_CELLS, WRITTEN_OUT = 2**15, 2**24
# Cumulated weights that differ by less than this share of the whole are the same.
SAME_WEIGHT = 1e-12
DISTANCES = {"euclidean": "sqeuclidean", "manhattan": "cityblock"}


class NearestCentroid(Classifier):
    r"""Keeps one centroid per class and answers with the class of the nearest.

    The centroid is the mean of the class, or its median in each column with ``metric="manhattan"``. Scores and
    probabilities measure in deviations within the classes, :math:`s_j^2 = \sum_i (x_{ij} - c_{y_i j})^2 / (n - K)`,

    .. math:: \delta_k(x) = 2 \log \pi_k - \sum_j \frac{(x_j - c_{kj})^2}{s_j^2}, \qquad
        P(k \mid x) = \frac{e^{\delta_k(x) / 2}}{\sum_l e^{\delta_l(x) / 2}}

    (for Manhattan distances the square of the sum of :math:`|x_j - c_{kj}| / s_j`). Answers follow the plain distance
    where all priors are equal and :math:`\delta_k` where they are not, as in scikit-learn: with equal priors and
    columns in different units, the most probable class need not be the nearest one. With ``scale`` it is: one
    deviation, the root of the mean of all :math:`s_j^2`, then serves all columns.

    Learning is one pass, :math:`O(n d)`, an answer is :math:`O(K d)`. It fails where a class is no single cloud.
    Where no column varies at all, the shares of the classes are the answer.

    Parameters
    ----------
    metric
        ``"euclidean"`` keeps means, ``"manhattan"`` medians.
    shrink_threshold
        Moves every centroid towards that of all rows, by so many standard errors in each column; columns in which all
        classes arrive there say nothing any more. None moves nothing. Needs columns that vary within the classes.
    priors
        ``"uniform"``, ``"empirical"`` (or None) for the shares of the classes, or one probability per class in the
        order of ``classes_``.
    scale
        ``"standard"`` brings numeric columns to deviation 1, ``"range"`` to 0 … 1; None compares numbers as they are.

    Attributes
    ----------
    centroids_
        The centroids, shrunken if that was asked for; columns as the model sees them.
    deviations_
        How far each centroid is from that of all rows, in standard errors, after shrinking.
    within_class_std_dev_
        Deviation of each column within the classes.
    class_prior_
        Probabilities of the classes.

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu (2002), "Diagnosis of multiple cancer types by shrunken centroids of gene
    expression".

    Examples
    --------
    >>> X = [[1.0, 1.0], [2.0, 1.0], [7.0, 8.0], [8.0, 8.5]]
    >>> model = NearestCentroid().fit(X, ["near", "near", "far", "far"])
    >>> model.centroids_
    array([[7.5 , 8.25],
           [1.5 , 1.  ]])
    >>> model.predict([[3.0, 2.0]])
    array(['near'], dtype='<U4')
    """

    def __init__(
        self,
        metric: Literal["euclidean", "manhattan"] = "euclidean",
        *,
        shrink_threshold: Positive | None = None,
        priors: Literal["uniform", "empirical"] | Priors = "uniform",
        scale: Scale | None = None,
    ) -> None:
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors
        self.scale = scale

    @property
    def representation(self) -> Numeric:
        # Scaling sparse rows would round differently from scaling dense ones, so they are written out for it.
        return Numeric(scale=self.scale, sparse=self.scale is None)

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        weight = rows.weights()
        cases = weight * cases_per_weight(weight.sum(), weight @ weight, count_repeats(weight))
        size = np.bincount(y, cases, len(self.classes_))
        if not isinstance(X, np.ndarray) and X.shape[1] <= NARROW and X.shape[0] * X.shape[1] <= WRITTEN_OUT:
            X = X.toarray()
        seen = _Dense(X, y, cases, size) if isinstance(X, np.ndarray) else _Sparse(X, y, cases, size)
        self._metric = self.metric
        centroids = seen.means() if self.metric == "euclidean" else seen.medians()
        center = size @ seen.means() / size.sum()
        varies = seen.varies()
        self._present = size > 0
        center = np.where(varies, center, seen.first())
        centroids = np.where(varies & self._present[:, None], centroids, center)
        self._learn_spread(np.where(varies, seen.squares(centroids), 0.0), seen.unit, size)
        self._shrink(center, centroids, size, varies)
        self._learn_priors(size / size.sum(), bool(varies.any()))
        self._unit = float(unit_for(seen.magnitude))

    def _learn_spread(self, squares: np.ndarray, unit: np.ndarray, size: np.ndarray) -> None:
        """The deviation of each column within the classes; 0 where as many classes as cases leave none to see."""
        degrees = size.sum() - len(size)
        deviation = np.sqrt(squares / degrees) if degrees > 1e-9 * size.sum() else np.zeros_like(squares)
        self.within_class_std_dev_ = within = deviation * unit
        if self.scale is not None:
            within = np.full_like(within, np.sqrt(np.mean(within[within > 0] ** 2)) if within.any() else 0.0)
        self._spread = np.where(within > 0, within, 1.0)

    def _shrink(self, center: np.ndarray, centroids: np.ndarray, size: np.ndarray, varies: np.ndarray) -> None:
        """Centroids moved towards the centre, by as many standard errors as the threshold says."""
        within = self.within_class_std_dev_
        typical = np.median(within[varies]) if varies.any() else 0.0  # columns of one value are as good as absent
        share = np.where(self._present, 1 / np.where(self._present, size, 1.0) - 1 / size.sum(), 0.0)
        error = np.sqrt(np.maximum(share, 0.0))[:, None] * (within + typical)
        away = centroids - center
        if self.shrink_threshold is not None:
            away = np.sign(away) * np.maximum(np.abs(away) - self.shrink_threshold * error, 0.0)
            centroids = center + away
        with np.errstate(divide="ignore", over="ignore"):
            self.deviations_ = np.divide(away, error, out=np.zeros_like(away), where=away != 0)
        self.centroids_ = centroids
        self._center = center

    def _learn_priors(self, shares: np.ndarray, any_varies: bool) -> None:
        given, n_classes = self.priors, len(shares)
        if isinstance(given, str) and given == "uniform" and any_varies:
            self.class_prior_ = self._present / self._present.sum()
        elif given is None or isinstance(given, str):
            self.class_prior_ = shares
        elif len(given) != n_classes:
            raise ParameterError(
                f"NearestCentroid(priors={given!r}): one prior per class is needed, and there are {n_classes} classes."
            )
        else:
            self.class_prior_ = np.array([float(share) for share in given])
            self.class_prior_ /= self.class_prior_.sum()
        asked = self.class_prior_[self._present]
        if not asked.any():
            raise ParameterError(
                f"NearestCentroid(priors={given!r}): some class with training rows needs a prior above 0."
            )
        self._equal_priors = bool(np.isclose(asked, 1 / len(asked)).all())

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of the nearest centroid of each row; with unequal priors, the most probable class."""
        encoded = self._encoded(X, "predict")
        return self._answers(encoded, np.empty(0) if self._equal_priors else self._scores(encoded))

    def _answers(self, X: Encoded, scores: np.ndarray) -> np.ndarray:
        if not self._equal_priors:
            return super()._answers(X, scores)
        distance = self._distances(X, None, self._unit)
        return self.classes_.take(np.where(self._present, distance, np.inf).argmin(axis=1))

    def centroid_distances(self, X: TableLike) -> np.ndarray:
        """The distances of each row from the centroids (columns as in ``classes_``), as the metric measures them."""
        found = self._distances(self._encoded(X, "centroid_distances"), None, self._unit)
        return (np.sqrt(found) if self._metric == "euclidean" else found) * self._unit

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The scores of the classes (columns as in ``classes_``); with two classes second minus first."""
        scores = 2 * self._scores(self._encoded(X, "decision_function"))
        if scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.neighbors.leave_one_out_centroid import centroids_left_out  # only here: it loads the evaluation

        return centroids_left_out(self, X, y, sample_weight)

    def _scores(self, X: Encoded) -> np.ndarray:
        distance = self._distances(X, self._center, self._spread)
        if self._metric == "manhattan":
            distance = np.minimum(distance, SQUARABLE) ** 2
        with np.errstate(divide="ignore"):
            return np.log(np.where(self._present, self.class_prior_, 0.0)) - distance / 2

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(self._log_proba(scores))

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        below_best = scores - scores.max(axis=1, keepdims=True)
        return below_best - np.log(np.exp(below_best).sum(axis=1, keepdims=True))

    def _distances(self, X: Encoded, center: np.ndarray | None, unit: Any) -> np.ndarray:
        """Squared Euclidean or Manhattan distances to all centroids, in the given units; the centre spares digits."""
        n, width = X.shape
        if not isinstance(X, np.ndarray) and width > NARROW:
            return _sparse_distances(X, self.centroids_, unit, self._metric)
        found = np.empty((n, len(self.classes_)))
        centroids = _measured(self.centroids_, center, unit)
        step = max(1, BLOCK_CELLS // max(1, width))
        for first in range(0, n, step):
            block = X[first : first + step]
            block = block if isinstance(block, np.ndarray) else block.toarray()
            found[first : first + step] = cdist(_measured(block, center, unit), centroids, DISTANCES[self._metric])
        return found


def _measured(cells: np.ndarray, center: np.ndarray | None, unit: Any) -> np.ndarray:
    """Cells from a centre on in some unit; what is too far away to be squared is as far away as can be."""
    if center is None and isinstance(unit, float) and unit == 1.0:
        return cells
    with np.errstate(over="ignore"):
        found = cells / unit if center is None else (cells - center) / unit
        return np.clip(found, -SQUARABLE, SQUARABLE, out=found)


def _sparse_distances(X: Encoded, centroids: np.ndarray, unit: Any, metric: str) -> np.ndarray:
    """The same without writing out zeros: what the empty row would have, changed by what the stored cells change."""
    unit = np.broadcast_to(unit, centroids.shape[1])
    cells = _measured(X.data, None, unit[X.indices])
    found = np.empty((X.shape[0], len(centroids)))
    power = np.square if metric == "euclidean" else np.abs
    changed = X.copy()
    for k, centroid in enumerate(_measured(centroids, None, unit)):
        at = centroid[X.indices]
        changed.data = power(cells - at) - power(at)
        found[:, k] = np.maximum(power(centroid).sum() + changed.sum(axis=1), 0.0)
    return found


class _Dense:
    """The sums that are needed over dense rows."""

    def __init__(self, X: np.ndarray, y: np.ndarray, cases: np.ndarray, size: np.ndarray) -> None:
        self.X, self.y, self.cases, self.size = X, y, cases, size
        self.moments = column_moments(np.ascontiguousarray(X), y, cases, len(size))
        self.unit = self.moments.unit
        self.magnitude = float(np.abs([self.moments.low, self.moments.high]).max(initial=0.0))

    def means(self) -> np.ndarray:
        return self.moments.mean * self.unit

    def varies(self) -> np.ndarray:
        return ~self.moments.constant

    def first(self) -> np.ndarray:
        return self.X[0]

    def medians(self) -> np.ndarray:
        found = np.zeros((len(self.size), self.X.shape[1]))
        for k in np.flatnonzero(self.size):
            rows = np.flatnonzero(self.y == k)
            cells = self.X[rows]
            if (self.cases[rows] == self.cases[rows[0]]).all():
                found[k] = np.median(np.ascontiguousarray(cells.T), axis=1)  # several times quicker than sorting
                continue
            order = cells.argsort(axis=0, kind="stable")
            until = self.cases[rows][order].cumsum(axis=0)
            found[k] = _middle(np.take_along_axis(cells, order, axis=0), until, self.size[k])
        return found

    def squares(self, centroids: np.ndarray) -> np.ndarray:
        """Squared deviations from the centroids of the classes, column by column, in the units of the columns."""
        off = (centroids / self.unit - self.moments.mean) - self.moments.rest
        return (self.moments.m2 + self.size[:, None] * off**2).sum(axis=0)


class _Sparse:
    """The same sums over CSR rows; cells that are not stored are zeros."""

    def __init__(self, X: Encoded, y: np.ndarray, cases: np.ndarray, size: np.ndarray) -> None:
        self.X, self.y, self.cases, self.size = X, y, cases, size
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.abs(X.data))
        self.unit = unit_for(largest)
        self.magnitude = float(largest.max())
        per_row = np.diff(X.indptr)
        # Each stored cell: the entry of a table of classes and columns that it adds to, and how much it counts.
        self.entry = np.repeat(y, per_row).astype(np.int64) * X.shape[1] + X.indices
        self.counts = np.repeat(cases, per_row)

    def _by_class(self, values: np.ndarray) -> np.ndarray:
        total = np.bincount(self.entry, values, len(self.size) * self.X.shape[1])
        return total.reshape(len(self.size), self.X.shape[1])

    def means(self) -> np.ndarray:
        return self._by_class(self.counts * self.X.data) / np.where(self.size > 0, self.size, 1.0)[:, None]

    def varies(self) -> np.ndarray:
        return (self.X.max(axis=0) - self.X.min(axis=0)).toarray().reshape(-1) != 0

    def first(self) -> np.ndarray:
        return self.X[[0]].toarray()[0]

    def medians(self) -> np.ndarray:
        """Stored cells sorted within each class and column, with one zero that counts for all that are not stored."""
        n_entries = len(self.size) * self.X.shape[1]
        zeros = np.repeat(self.size, self.X.shape[1]) - self._by_class(self.counts).reshape(-1)
        entry = np.concatenate([self.entry, np.arange(n_entries)])
        cells = np.concatenate([self.X.data, np.zeros(n_entries)])
        counts = np.concatenate([self.counts, np.maximum(zeros, 0.0)])
        order = np.lexsort((cells, entry))
        entry, cells, counts = entry[order], cells[order], counts[order]
        total = counts.cumsum()
        start = np.searchsorted(entry, np.arange(n_entries))
        until = total - (total[start] - counts[start])[entry]
        half = 0.5 * np.repeat(self.size, self.X.shape[1])
        below = np.bincount(entry[until < (half * (1 - SAME_WEIGHT))[entry]], minlength=n_entries)
        upto = np.bincount(entry[until <= (half * (1 + SAME_WEIGHT))[entry]], minlength=n_entries)
        last = np.bincount(entry, minlength=n_entries) - 1
        middle = cells[start + np.minimum(below, last)] / 2 + cells[start + np.minimum(upto, last)] / 2
        return middle.reshape(len(self.size), self.X.shape[1])

    def squares(self, centroids: np.ndarray) -> np.ndarray:
        at = (centroids / self.unit).reshape(-1)
        cells = self.X.data / self.unit[self.X.indices]
        stored = self._by_class(self.counts * (cells - at[self.entry]) ** 2)
        zeros = np.maximum(self.size[:, None] - self._by_class(self.counts), 0.0)
        return (stored + zeros * at.reshape(stored.shape) ** 2).sum(axis=0)


def _middle(cells: np.ndarray, until: np.ndarray, total: float) -> np.ndarray:
    """The weighted median of each sorted column: the mean of the cells just below and above half of the weight.

    >>> _middle(np.array([[1.0], [2.0], [9.0]]), np.array([[1.0], [2.0], [4.0]]), 4.0)
    array([5.5])
    """
    half, last = total / 2, len(cells) - 1
    below = np.minimum((until < half * (1 - SAME_WEIGHT)).sum(axis=0), last)
    upto = np.minimum((until <= half * (1 + SAME_WEIGHT)).sum(axis=0), last)
    at = np.arange(cells.shape[1])
    return cells[below, at] / 2 + cells[upto, at] / 2
