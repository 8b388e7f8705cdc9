"""Scores that are sums over the columns: each column's part of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from margin.base import Classifier
from margin.base.representations.mixed import MixedData
from margin.base.representations.numeric import NumericEncoder
from margin.bayes import NaiveBayes
from margin.bayes.distributions.categorical import Categorical
from margin.bayes.distributions.gaussian import Gaussian
from margin.bayes.distributions.kernel_density import KernelDensity
from margin.explain.rows.pool import Pool
from margin.linear.linear_classifier import LinearClassifier
from margin.svm.linear_machine.linear_svr import LinearSVR
from margin.svm.pegasos.classifier import PegasosClassifier

__all__ = ["Parts", "parts_of"]

#: Parts are worth their memory up to so many numbers.
MOST_NUMBERS = 50_000_000


@dataclass(frozen=True)
class Parts:
    """The scores of rows, and what some columns add to them.

    ``shares`` are the probabilities (or scores for each class) that follow from scores.
    """

    total: np.ndarray
    of: Callable[[np.ndarray], np.ndarray]
    shares: Callable[[np.ndarray], np.ndarray]


@singledispatch
def parts_of(model: Any, X: Any, pool: Pool) -> Parts | None:
    """The parts of a model's scores of some rows; None where they are no such sums."""
    return None


def _places(model: Any, pool: Pool) -> list[np.ndarray] | None:
    """Which columns of the matrix each column of the table became; None where that is more than its own."""
    encoder, columns = model._encoder, model._columns
    if not isinstance(encoder, NumericEncoder) or encoder.texts or columns.dates or columns.text:
        return None
    if columns.schema is None:
        return [np.array([j]) for j in range(columns.n)] if len(pool.names) == columns.n else None
    places, first = {name: np.array([j]) for j, name in enumerate(encoder.numbered)}, len(encoder.numbered)
    for column in encoder.one_hot:
        places[column.name] = np.arange(first, first + len(column.levels))
        first += len(column.levels)
    return [places[name] for name in pool.names] if set(pool.names) == set(places) else None


def _plain_way(model: Any, *methods: str) -> bool:
    """Whether a model answers as its family does: nothing of its own stands in between."""
    return all(getattr(type(model), name, None) in _KNOWN for name in methods)


_KNOWN = {LinearClassifier.predict, Classifier.predict, Classifier._answers}


@parts_of.register
def _(model: LinearClassifier, X: Any, pool: Pool) -> Parts | None:
    if isinstance(model, PegasosClassifier) and model._expansion is not None:
        return None
    if not _plain_way(model, "predict") or getattr(model, "voters_", None) is not None or len(model.classes_) < 2:
        return None
    coef, intercept = model._layer("importance")
    found = _linear(model, X, pool, np.atleast_2d(coef), np.ravel(intercept))
    return found if found is not None and _agrees(model, X, found.total) else None


@parts_of.register
def _(model: LinearSVR, X: Any, pool: Pool) -> Parts | None:
    coef, intercept = model._layer("importance")
    return _linear(model, X, pool, np.atleast_2d(coef), np.ravel(intercept))


def _linear(model: Any, X: Any, pool: Pool, coef: np.ndarray, intercept: np.ndarray) -> Parts | None:
    places, matrix = _places(model, pool), model._encoded(X, "importance")
    if places is None or not isinstance(matrix, np.ndarray) or len(matrix) * len(coef) > MOST_NUMBERS:
        return None
    matrix = matrix.astype(np.float64, copy=False)

    def part(columns: np.ndarray) -> np.ndarray:
        at = np.concatenate([places[j] for j in columns.tolist()])
        return np.asarray(matrix[:, at] @ coef[:, at].T)

    def shares(scores: np.ndarray) -> np.ndarray:
        if not hasattr(model, "predict_proba"):
            return np.column_stack([-scores, scores]) if scores.shape[1] == 1 else scores
        return np.asarray(model._made_of(scores[:, 0] if scores.shape[1] == 1 else scores, model._link()))

    return Parts(matrix @ coef.T + intercept, part, shares)


def _agrees(model: Any, X: Any, total: np.ndarray) -> bool:
    """Whether the sums are what the model itself says."""
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return scores.size == total.size and np.allclose(scores.reshape(total.shape), total, rtol=1e-6, atol=1e-8)


@parts_of.register
def _(model: NaiveBayes, X: Any, pool: Pool) -> Parts | None:
    """A missing cell is left out of the product: what it takes away is the part of its column."""
    usual = all(isinstance(block.distribution, (Gaussian, Categorical, KernelDensity)) for block in model._blocks)
    if not usual or not _plain_way(model, "_answers") or len(model.classes_) < 2 or model._columns.dates:
        return None
    rows = model._encoded(X, "importance")
    if not isinstance(rows, MixedData) or rows.text or not isinstance(rows.numeric, np.ndarray):
        return None
    total = np.array(model._scores(rows), dtype=np.float64)
    names = [column.name for column in model._columns.described()]
    if not np.isfinite(total).all() or list(pool.names) != names:
        return None
    coded = [column.name for column in model._columns.described() if not column.is_numeric]
    numeric = [name for name in names if name not in coded]

    def part(columns: np.ndarray) -> np.ndarray:
        numbers, codes = rows.numeric.astype(np.float64), list(rows.codes)
        for name in (names[j] for j in columns.tolist()):
            if name in coded:
                codes[coded.index(name)] = np.full(len(rows), -1, dtype=np.int32)
            else:
                numbers[:, numeric.index(name)] = np.nan
        return np.asarray(total - model._scores(MixedData(numbers, tuple(codes), rows.schema)))

    return Parts(total, part, lambda scores: np.asarray(model._proba(scores)))
