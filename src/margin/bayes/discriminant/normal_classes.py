"""What discriminants share: priors, probabilities out of scores, drawing new cases, and when models may be added up."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import margin._core as _core
from margin.base import Numeric
from margin.base.inputs.arrays import check_one_row
from margin.base.planes import distance_from_planes
from margin.base.representations.representation import SQUARABLE
from margin.bayes.discriminant.scatter import Scatter, measure_scatter
from margin.bayes.distributions.distribution import threads_for
from margin.bayes.generative import GenerativeClassifier, priors_of
from margin.data.table import Table
from margin.errors import InputError, ParameterError, PersistenceError
from margin.params import Seed
from margin.typing import Encoded, TableLike

__all__ = ["LinearScores", "NormalClasses", "ScatteredClasses", "factor_of", "in_panels", "inverse_root", "log_of"]

# Columns stand in groups of twelve for the core's products (core/products.hpp).
PANEL = 12


class NormalClasses(GenerativeClassifier):
    """A model in which the cases of each class are normally distributed over one numeric matrix.

    A subclass writes ``_count`` and ``_settle``, and ``_spread(k)`` for drawing. ``_settle`` leaves ``_unit`` (of the
    columns), ``means_`` and ``priors_``.
    """

    representation = Numeric(keep_float32=True)
    #: With more than two classes, scores of a row are to be compared with each other, not with those of other rows.
    decisions_are_densities = True
    priors: Any
    means_: np.ndarray
    _unit: np.ndarray

    def _learn_priors(self, weight: np.ndarray) -> np.ndarray:
        """Given priors, or the shares of the classes."""
        priors = priors_of(self.priors, weight, type(self).__name__)
        if not priors[weight > 0].any():
            raise ParameterError(
                f"{type(self).__name__}(priors={self.priors!r}): some class with training rows needs a prior above 0."
            )
        return priors

    def _cells(self, X: np.ndarray) -> np.ndarray:
        """Rows in the units of the columns; nearly always they are left alone."""
        if self._plain:
            return X
        with np.errstate(over="ignore"):
            return np.clip(X / self._unit, -SQUARABLE, SQUARABLE)

    def _set_unit(self, unit: np.ndarray) -> None:
        self._unit = unit
        self._plain = bool((unit == 1).all())

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The discriminant functions (columns as in ``classes_``); with two classes second minus first."""
        return self._decisions(self._encoded(X, "decision_function"))

    def _decisions(self, X: np.ndarray) -> np.ndarray:
        scores = self._scores(X)
        if scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def sample(self, n: int, random_state: Seed = None) -> tuple[Any, np.ndarray]:
        """Draw ``n`` new cases and their classes: the class first, by its prior, then the numbers of that class.

        Numbers come as a table if the model was fitted on a table, else as an array.
        """
        who = f"{type(self).__name__}.sample"
        self._fitted("sample")
        schema = self._columns.schema
        other = [column.name for column in schema or () if not column.is_numeric]
        if other:
            raise InputError(
                f"{who}: only numbers can be drawn, but column {other[0]!r} is not numeric (NaiveBayes draws both)."
            )
        classes, random = self._draw_classes(n, random_state)
        X = random.standard_normal((n, self.means_.shape[1]))
        for k in np.unique(classes):
            rows = classes == k
            X[rows] = self.means_[k] + X[rows] @ self._spread(k).T
        if schema is not None:
            return Table.from_columns({name: X[:, i] for i, name in enumerate(schema.names)}), self.classes_[classes]
        return X, self.classes_[classes]

    def _spread(self, k: int) -> np.ndarray:
        """A matrix that turns independent numbers of variance 1 into deviations of class k."""
        raise TypeError(f"{type(self).__name__} must say how a class spreads: def _spread(self, k).")

    def _refuse_merge(self, other: Self, who: str) -> None:
        if self._encoder.filled or other._encoder.filled:
            raise InputError(
                f"{who}: missing numbers were filled with the mean of each part, which is not the mean of the whole, "
                "so the sum would not be exact (fill them before fit, or use NaiveBayes, which leaves them out)."
            )
        for mine in self._columns.schema or ():
            theirs = other._columns.schema
            if mine.kind == "ordinal" and theirs is not None and theirs[mine.name].levels != mine.levels:
                raise InputError(
                    f"{who}: column {mine.name!r} has other ranks in each part, because some levels are in one only."
                )


class ScatteredClasses(NormalClasses):
    """Normal classes whose columns vary together: learnt from class means and the scatter around them."""

    def _sums_needed(self) -> tuple[bool, bool]:
        """Whether one scatter will do for all classes, and whether fourth powers are needed."""
        raise TypeError(f"{type(self).__name__} must say which sums it needs: def _sums_needed(self).")

    def _count(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Scatter:
        pooled, fourth = self._sums_needed()
        who = f"{type(self).__name__}.fit"
        return measure_scatter(X, y, weight, len(self.classes_), pooled=pooled, fourth=fourth, who=who)

    def _refuse_merge(self, other: Self, who: str) -> None:
        for part in (self, other):
            if (part._statistics.pooled, part._statistics.fourth is not None) != self._sums_needed():
                raise InputError(
                    f"{who}: parameters were changed after fit, and the sums that were kept do "
                    "not hold what they need now; fit again."
                )
        super()._refuse_merge(other, who)


class LinearScores(NormalClasses):
    """Normal classes of one shape: scores are linear, base_k + (x - center) · coef_k."""

    def _set_linear(self, center: np.ndarray, coef: np.ndarray, base: np.ndarray) -> None:
        self._center = center[None, :].copy()
        self._coef = coef
        self._panels = in_panels(coef)
        self._base = base

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self._base)))
        _core.discriminant.linear_scores(self._cells(X), self._center, self._panels, self._base, scores, threads_for(X))
        return scores

    def column_pulls(self, X: TableLike, first: int, second: int) -> list[tuple[str, float]]:
        """For the one row X: each matrix column's name, and what it adds to the log-odds of class ``first`` against
        ``second``: how far from the middle between their means its value lies, times its weight."""
        cells = self._cells(self._encoded(X, "column_pulls"))
        check_one_row(cells, f"{type(self).__name__}.column_pulls")
        middle = (self.means_[first] + self.means_[second]) / 2 / self._unit
        pulls = (self._coef[first] - self._coef[second]) * (cells[0] - middle)
        return list(zip(self._encoder.names_out(), pulls.tolist()))

    def distance(self, X: TableLike) -> np.ndarray:
        """How far each row lies from the nearest plane between the class answered and another, in the matrix columns.

        With two classes distances are above 0 on the side of the second.
        """
        scores = self._scores(self._encoded(X, "distance"))
        coef = self._coef / self._unit
        if len(self.classes_) == 2:
            scores, coef = scores[:, 1] - scores[:, 0], coef[1:] - coef[:1]
        return distance_from_planes(scores, coef)

    def predict(self, X: Encoded) -> np.ndarray:
        """The most probable class of each row, in the type the labels came in; ties go to the first class."""
        if self._fitted("predict")._plain and self._is_plain_matrix(X):
            winners = self._winners(X)  # the core looks at the cells while it scores them
            if winners is not None:
                return self.classes_.take(winners)
        winners = self._winners(self._cells(self._encoded(X, "predict")))
        if winners is None:  # encoded cells are neither missing nor too large, unless what encodes them was changed
            raise PersistenceError(
                f"{type(self).__name__}.predict: the fill or the unit of a column is no number or too large: the file "
                "of the model was changed (margin.persistence.verify tells where)."
            )
        return self.classes_.take(winners)

    def _winners(self, cells: np.ndarray) -> np.ndarray | None:
        """The winning class of each row; None where a cell is missing or too large."""
        largest = self._encoder.largest
        return _core.discriminant.linear_winners(
            cells, self._center, self._panels, self._base, largest, threads_for(cells)
        )


def in_panels(coef: np.ndarray) -> np.ndarray:
    """Rows of coefficients in groups of twelve, each turned on its side and filled up with zeros."""
    n, d = coef.shape
    n_panels = max(1, -(-n // PANEL))
    wide = np.zeros((n_panels * PANEL, d))
    wide[:n] = coef
    return np.ascontiguousarray(wide.reshape(n_panels, PANEL, d).transpose(0, 2, 1)).reshape(n_panels * d, PANEL)


def log_of(priors: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Logarithms of the priors; a class without rows is never answered."""
    with np.errstate(divide="ignore"):
        return np.where(weight > 0, np.log(priors), -np.inf)


def inverse_root(matrix: np.ndarray, least: float) -> np.ndarray | None:
    """Upper triangular W with W A W' = I, or None where A may have an eigenvalue not above ``least``.

    Several times quicker than an eigendecomposition, which is left to those who get None. The least eigenvalue is at
    least 1 / (sum of squares of W).
    """
    try:
        root = np.linalg.cholesky(matrix[::-1, ::-1])[::-1, ::-1]  # upper, root root' = A
        turn = np.triu(np.linalg.inv(root))
    except np.linalg.LinAlgError:
        return None
    return turn if (turn**2).sum() * least < 1 else None


def factor_of(covariance: np.ndarray) -> np.ndarray:
    """A with A A' = covariance; directions without variance stay without."""
    deviation = np.sqrt(np.diagonal(covariance))
    scale = np.where(deviation > 0, deviation, 1.0)
    variance, axes = np.linalg.eigh(covariance / scale[:, None] / scale)
    return scale[:, None] * axes * np.sqrt(np.maximum(variance, 0.0))
