"""Naive Bayes over mixed tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import Classifier, Mixed, MixedData
from margin.base.inputs import check_one_row
from margin.base.representation import SQUARABLE
from margin.bayes.distributions import Categorical, Gaussian
from margin.data.schema import Column
from margin.data.weights import count_repeats
from margin.errors import ParameterError
from margin.params import NonNegative, Priors

__all__ = ["NaiveBayes"]


class NaiveBayes(Classifier):
    r"""Bayes' rule with columns taken as independent within each class.

    .. math:: P(k \mid x) \propto P(k) \prod_j P(x_j \mid k)

    Nominal columns are counted, numeric columns get a normal density, and missing cells are left out of the
    product, both at fit and at prediction. All of it is done in sums of logarithms. Learning is one pass over
    the table. It fails where columns depend on each other within a class (XOR), and its probabilities are then
    too sure of themselves.

    Parameters
    ----------
    alpha
        Virtual cases added to every level of a nominal column: 1 is Laplace's rule, 0 plain shares (a level
        that a class never had then rules that class out).
    priors
        Probabilities of the classes, in the order of ``classes_``; None takes their shares in the training rows.

    Attributes
    ----------
    priors_
        Probability of each class before any column is seen.
    distributions_
        What was learnt: a ``Gaussian`` over the numeric and a ``Categorical`` over the other columns.

    References
    ----------
    Duda, Hart (1973); John, Langley (1995).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> model = NaiveBayes(alpha=0).fit(X, y)
    >>> day = {"outlook": ["sunny"], "temperature": ["cool"], "humidity": ["high"], "windy": ["TRUE"]}
    >>> from margin.data import Table
    >>> model.predict(Table.from_columns(day))
    array(['no'], dtype=object)
    """

    representation = Mixed(largest=SQUARABLE)

    def __init__(self, *, alpha: NonNegative = 1.0, priors: Priors = None) -> None:
        self.alpha = alpha
        self.priors = priors

    def _fit(self, X: MixedData, y: np.ndarray, weight: np.ndarray) -> None:
        n_classes = len(self.classes_)
        self.priors_ = self._learn_priors(y, weight, n_classes)
        with np.errstate(divide="ignore"):
            self._log_priors = np.log(self.priors_)
        repeats = count_repeats(weight)
        n_levels = [len(column.levels) for column in X.schema or () if not column.is_numeric]
        self.distributions_: dict[str, Gaussian | Categorical] = {}
        if X.numeric.shape[1]:
            self.distributions_["numeric"] = Gaussian().learn(X.numeric, y, weight, n_classes, repeats)
        if n_levels:
            counted = Categorical(n_levels, float(self.alpha))
            self.distributions_["codes"] = counted.learn(_block(X, "codes"), y, weight, n_classes, repeats)

    def _learn_priors(self, y: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
        if self.priors is None:
            counts = np.bincount(y, weight, n_classes)
            return counts / counts.sum()
        priors = np.array([float(share) for share in self.priors])
        if len(priors) != n_classes:
            raise ParameterError(
                f"NaiveBayes(priors={self.priors!r}): one prior per class is needed, and there are {n_classes} classes."
            )
        return priors

    def joint_log_likelihood(self, X: Any) -> np.ndarray:
        """log P(k) + Σ log P(x_j | k): one row per case, one column per class."""
        return self._joint(self._encoded(X, "joint_log_likelihood"))[0]

    def column_terms(self, X: Any) -> list[tuple[str, Any, np.ndarray]]:
        """For the one row X: each column's name, its value, and log P(value | k) for every class k."""
        encoded = self._encoded(X, "column_terms")
        check_one_row(encoded, "NaiveBayes.column_terms")
        found = []
        for block, distribution in self.distributions_.items():
            numeric = block == "numeric"
            columns = [column for column in self.schema_ if column.is_numeric == numeric]
            cells = _block(encoded, block)[0]
            for column, cell, term in zip(columns, cells, distribution.terms(cells)):
                found.append((column.name, _value(column, cell), term))
        return found

    def _joint(self, X: MixedData) -> tuple[np.ndarray, bool]:
        """The scores, and whether any of them is minus infinity."""
        scores = np.empty((len(X), len(self._log_priors)))
        scores[:] = self._log_priors
        ruled_out = False
        for block, distribution in self.distributions_.items():
            ruled_out |= distribution.add(_block(X, block), scores)
        return scores, ruled_out

    def _scores(self, X: MixedData) -> np.ndarray:
        scores, ruled_out = self._joint(X)
        if ruled_out:
            # Every class ruled out (a new combination with alpha=0, a number beyond all densities): nothing is
            # known but the priors.
            scores[np.isneginf(scores.max(axis=1))] = self._log_priors
        return scores

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


def _block(X: MixedData, name: str) -> np.ndarray:
    return X.numeric if name == "numeric" else np.ascontiguousarray(np.stack(X.codes, axis=1))


def _value(column: Column, cell: Any) -> Any:
    """A cell as people write it."""
    if column.is_numeric:
        return "missing" if np.isnan(cell) else f"{cell:g}"
    return "missing or unseen" if cell < 0 else column.levels[cell]
