"""scikit-learn's naive Bayes models under their own names: views of :class:`NaiveBayes` with its conventions.

Each fixes the distribution of the numeric columns and gives the attributes that scikit-learn gives. What margin does
beyond it stays: tables with words, missing cells (left out of the product), ``merge``, ``sample``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_memory
from margin.bayes.distributions.categorical import CategoricalNumbers
from margin.bayes.distributions.distribution import Distribution
from margin.bayes.distributions.standard import Bernoulli, Complement, Gaussian
from margin.bayes.naive import NaiveBayes
from margin.bayes.sklearn_counts import Alpha, Categories, DiscreteNB, Threshold, of_numbers
from margin.params import Flag, NonNegative, Priors

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]


class GaussianNB(NaiveBayes):
    """Gaussian naive Bayes as in scikit-learn: variances divided by n, and a little of the largest added to all.

    Equal to scikit-learn's ``GaussianNB``, but that after ``partial_fit`` the variances are those of all rows and not
    those of the last batch. Columns of words are counted with one virtual case for every level.

    Parameters
    ----------
    var_smoothing
        Share of the largest variance of all columns that is added to each variance.

    Attributes
    ----------
    theta_, var_
        Mean and variance of each numeric column (columns) in each class (rows).
    epsilon_
        What was added to the variances.
    class_count_, class_prior_
        Weight and probability of each class.

    Examples
    --------
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> GaussianNB().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    alpha = 1.0
    distributions = None
    class_weight = None

    def __init__(self, *, priors: Priors = None, var_smoothing: NonNegative = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        if distribution is Gaussian:
            return Gaussian(smoothing=float(self.var_smoothing))
        return distribution()

    @property
    def theta_(self) -> np.ndarray:
        normal = of_numbers(self, "theta_")
        return normal.mean * normal.unit

    @property
    def var_(self) -> np.ndarray:
        normal = of_numbers(self, "var_")
        return normal.variance * normal.unit**2

    @property
    def epsilon_(self) -> float:
        return of_numbers(self, "epsilon_").epsilon

    @property
    def class_prior_(self) -> np.ndarray:
        return self._fitted("class_prior_").priors_


class CategoricalNB(DiscreteNB):
    """Naive Bayes over categories that are numbered from 0, as in scikit-learn.

    All numbers from 0 to the largest of a column are its categories. A category that was not there at fit counts as
    missing, where scikit-learn fails. Numbers that are negative, broken or above a million are told apart as they are.

    Parameters
    ----------
    alpha
        Virtual cases for every category.
    min_categories
        The least number of categories of every column, or of each.

    Attributes
    ----------
    category_count_, feature_log_prob_
        For each column, the weight and the log-share of each category (columns) in each class (rows).
    n_categories_
        The number of categories of each column.

    Examples
    --------
    >>> X = np.array([[0, 2], [0, 1], [1, 0], [1, 2]])
    >>> CategoricalNB().fit(X, ["a", "a", "b", "b"]).predict([[1, 0], [0, 9]])
    array(['b', 'a'], dtype='<U1')
    """

    distributions = "categorical"

    def __init__(
        self,
        *,
        alpha: NonNegative = 1.0,
        force_alpha: Flag = True,
        fit_prior: Flag = True,
        class_prior: Priors = None,
        min_categories: Categories = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        if distribution is not CategoricalNumbers:
            return super()._made(distribution, positions)
        least = None
        if self.min_categories is not None:
            given = self._one_for_each("min_categories")
            least = np.broadcast_to(given, (self.n_features_in_,))[positions]
            who = f"CategoricalNB(min_categories={self.min_categories})"
            check_memory(4 * int(least.sum()), len(self.classes_), who, "the counts and shares of so many categories")
        return CategoricalNumbers(self._alpha(positions), numbered=True, least=least)

    def _of_columns(self, table: str) -> list[np.ndarray]:
        found: dict[int, np.ndarray] = {}
        for block in self._fitted(table)._blocks:
            counted: Any = block.distribution
            for i, start, end in zip(block.positions, counted.first, counted.first[1:]):
                found[int(i)] = getattr(counted, table)[start:end].T
        return [found[i] for i in range(len(found))]

    @property
    def category_count_(self) -> list[np.ndarray]:
        return self._of_columns("level_counts")

    @property
    def feature_log_prob_(self) -> list[np.ndarray]:
        return self._of_columns("log_share")

    @property
    def n_categories_(self) -> np.ndarray:
        return np.array([table.shape[1] for table in self._of_columns("log_share")])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class BernoulliNB(DiscreteNB):
    """Naive Bayes over cells that are there or not, as in scikit-learn. Columns of words are counted level by level.

    Parameters
    ----------
    alpha
        Virtual cases for presence and for absence; one number, or one for each feature.
    binarize
        A cell above this is present; None is for cells that are 0 and 1 already.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Weight and log-share of the rows in which a column (columns) is present, in each class (rows).

    Examples
    --------
    >>> X = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> BernoulliNB().fit(X, ["a", "a", "b", "b"]).predict([[1, 0, 0], [0, 1, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    distributions = MappingProxyType({"numeric": "bernoulli"})

    def __init__(
        self,
        *,
        alpha: Alpha = 1.0,
        force_alpha: Flag = True,
        binarize: Threshold = 0.0,
        fit_prior: Flag = True,
        class_prior: Priors = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        if distribution is Bernoulli:
            return Bernoulli(self._alpha(positions), 0.0 if self.binarize is None else float(self.binarize))
        return super()._made(distribution, positions)

    @property
    def feature_count_(self) -> np.ndarray:
        return of_numbers(self, "feature_count_").found.sums

    @property
    def feature_log_prob_(self) -> np.ndarray:
        return of_numbers(self, "feature_log_prob_").present.T


class MultinomialNB(DiscreteNB):
    """Naive Bayes over counts, as in scikit-learn. Columns of words are read as text.

    Parameters
    ----------
    alpha
        Virtual occurrences of every feature; one number, or one for each feature.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Count and log-share of each column (columns) in each class (rows).

    Examples
    --------
    >>> X = np.array([[2, 0, 1], [3, 1, 0], [0, 2, 4]])
    >>> MultinomialNB().fit(X, ["a", "a", "b"]).predict([[1, 0, 0], [0, 0, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    distributions = "multinomial"

    @property
    def feature_count_(self) -> np.ndarray:
        return of_numbers(self, "feature_count_").found.sums

    @property
    def feature_log_prob_(self) -> np.ndarray:
        return of_numbers(self, "feature_log_prob_").table.T


class ComplementNB(MultinomialNB):
    """Naive Bayes over counts, each class told by what the others have, as in scikit-learn.

    Priors count only if there is a single class. Columns of words are read as text.

    Parameters
    ----------
    norm
        Whether the weights of a class are divided by their sum.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Count and weight of each column (columns) in each class (rows).
    feature_all_
        Count of each column in all classes together.

    Examples
    --------
    >>> X = np.array([[2, 0, 1], [3, 1, 0], [0, 2, 4]])
    >>> ComplementNB().fit(X, ["a", "a", "b"]).predict([[1, 0, 0], [0, 0, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    distributions = "complement"

    def __init__(
        self,
        *,
        alpha: Alpha = 1.0,
        force_alpha: Flag = True,
        fit_prior: Flag = True,
        class_prior: Priors = None,
        norm: Flag = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    @property
    def uses_priors(self) -> bool:  # type: ignore[override]
        return len(self.classes_) == 1

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        return Complement(self._alpha(positions), bool(self.norm))

    @property
    def feature_all_(self) -> np.ndarray:
        return self.feature_count_.sum(axis=0)
