"""scikit-learn's naive Bayes models under their own names: views of :class:`NaiveBayes` with its conventions.

Each fixes the distribution of the numeric columns and gives the attributes that scikit-learn gives. What margin does
beyond it stays: tables with words, missing cells (left out of the product), ``merge``, ``sample``.
"""

from __future__ import annotations

import warnings
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np

from margin.bayes.categories import CategoricalNumbers
from margin.bayes.distributions import Bernoulli, Complement, Gaussian
from margin.bayes.family import Distribution
from margin.bayes.naive import NaiveBayes
from margin.bayes.shares import log_of
from margin.errors import MarginWarning, ParameterError
from margin.params import Count, Flag, NonNegative, Priors, Rule, rule_of

__all__ = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]

#: The smallest ``alpha`` where it is not to be forced, as in scikit-learn.
LEAST_ALPHA = 1e-10


def _one_or_each(rule: Any, words: str) -> Rule:
    """A rule for one value, or a list of them with one for each feature."""
    single = rule_of(rule)

    def accepts(value: Any) -> bool:
        if single.accepts(value):
            return True
        listed = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1)
        return listed and len(value) > 0 and all(single.accepts(item) for item in value)

    return Rule(words, accepts, single.parse)


Alpha = Annotated[Any, _one_or_each(NonNegative, "a number of at least 0, or one for each feature")]
Categories = Annotated[Any, _one_or_each(Count | None, "None, a whole number of at least 1, or one for each feature")]
Threshold = Annotated[
    Any, Rule("None or a finite number", lambda v: v is None or (isinstance(v, Real) and isfinite(v)), float)
]


class GaussianNB(NaiveBayes):
    """Gaussian naive Bayes as in scikit-learn: variances divided by n, and a little of the largest added to all.

    Equal to scikit-learn's ``GaussianNB``, but that after ``partial_fit`` the variances are those of all rows and not
    those of the last batch. Columns of words are counted with one virtual case for every level.

    Parameters
    ----------
    priors
        Probabilities of the classes, in the order of ``classes_``; None takes their shares in the training rows.
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
        normal = self._leading()
        return normal.mean * normal.unit

    @property
    def var_(self) -> np.ndarray:
        normal = self._leading()
        return normal.variance * normal.unit**2

    @property
    def epsilon_(self) -> float:
        return self._leading().epsilon

    @property
    def class_prior_(self) -> np.ndarray:
        return self._fitted("class_prior_").priors_


class DiscreteNB(NaiveBayes):
    """What scikit-learn's models of counts share."""

    class_weight = None
    _priors_parameter = "class_prior"

    def __init__(
        self,
        *,
        alpha: Alpha = 1.0,
        force_alpha: Flag = True,
        fit_prior: Flag = True,
        class_prior: Priors = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _learn_priors(self, totals: np.ndarray) -> np.ndarray:
        if self.class_prior is None and not self.fit_prior:
            return np.full(len(totals), 1 / len(totals))
        return super()._learn_priors(totals)

    def _one_for_each(self, parameter: str) -> np.ndarray:
        given = np.asarray(getattr(self, parameter), dtype=np.float64)
        if given.ndim and len(given) != self.n_features_in_:
            raise ParameterError(
                f"{type(self).__name__}({parameter}=…): one number for each feature is needed "
                f"({self.n_features_in_}), but there are {len(given)}."
            )
        return given

    def _alpha(self, positions: np.ndarray) -> Any:
        alpha = self._one_for_each("alpha")
        if not self.force_alpha and alpha.min() < LEAST_ALPHA:
            warnings.warn(
                f"{type(self).__name__}: alpha is too small and taken as {LEAST_ALPHA:g}; "
                "force_alpha=True leaves it as it is.",
                MarginWarning,
                stacklevel=2,
            )
            alpha = np.maximum(alpha, LEAST_ALPHA)
        return alpha[positions] if alpha.ndim else float(alpha)

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        return distribution(self._alpha(positions))

    @property
    def class_log_prior_(self) -> np.ndarray:
        return log_of(self._fitted("class_log_prior_").priors_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class CategoricalNB(DiscreteNB):
    """Naive Bayes over categories that are numbered from 0, as in scikit-learn.

    All numbers from 0 to the largest of a column are its categories. A category that was not there at fit counts as
    missing, where scikit-learn fails. Numbers that are negative, broken or above a million are told apart as they are.

    Parameters
    ----------
    alpha
        Virtual cases for every category.
    force_alpha
        Whether an ``alpha`` below 1e-10 is taken as it is.
    fit_prior
        Whether classes have their shares in the training rows as priors; else all the same.
    class_prior
        Given probabilities of the classes.
    min_categories
        The least number of categories of every column, or of each.

    Attributes
    ----------
    category_count_, feature_log_prob_
        For each column, the weight and the log-share of each category (columns) in each class (rows).
    n_categories_
        The number of categories of each column.
    class_count_, class_log_prior_
        Weight and log-probability of each class.

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
        return CategoricalNumbers(self._alpha(positions), numbered=True, least=least)

    def _of_columns(self, table: str) -> list[np.ndarray]:
        found: dict[int, np.ndarray] = {}
        for block in self._fitted(table)._blocks:
            counted = block.distribution
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
    force_alpha
        Whether an ``alpha`` below 1e-10 is taken as it is.
    binarize
        A cell above this is present; None is for cells that are 0 and 1 already.
    fit_prior
        Whether classes have their shares in the training rows as priors; else all the same.
    class_prior
        Given probabilities of the classes.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Weight and log-share of the rows in which a column (columns) is present, in each class (rows).
    class_count_, class_log_prior_
        Weight and log-probability of each class.

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
        return self._leading().found.sums

    @property
    def feature_log_prob_(self) -> np.ndarray:
        return self._leading().present.T


class MultinomialNB(DiscreteNB):
    """Naive Bayes over counts, as in scikit-learn. Columns of words are read as text.

    Parameters
    ----------
    alpha
        Virtual occurrences of every feature; one number, or one for each feature.
    force_alpha
        Whether an ``alpha`` below 1e-10 is taken as it is.
    fit_prior
        Whether classes have their shares in the training rows as priors; else all the same.
    class_prior
        Given probabilities of the classes.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Count and log-share of each column (columns) in each class (rows).
    class_count_, class_log_prior_
        Weight and log-probability of each class.

    Examples
    --------
    >>> X = np.array([[2, 0, 1], [3, 1, 0], [0, 2, 4]])
    >>> MultinomialNB().fit(X, ["a", "a", "b"]).predict([[1, 0, 0], [0, 0, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    distributions = "multinomial"

    @property
    def feature_count_(self) -> np.ndarray:
        return self._leading().found.sums

    @property
    def feature_log_prob_(self) -> np.ndarray:
        return self._leading().table.T


class ComplementNB(MultinomialNB):
    """Naive Bayes over counts, each class told by what the others have, as in scikit-learn.

    Priors count only if there is a single class. Columns of words are read as text.

    Parameters
    ----------
    alpha
        Virtual occurrences of every feature; one number, or one for each feature.
    force_alpha
        Whether an ``alpha`` below 1e-10 is taken as it is.
    fit_prior
        Whether classes have their shares in the training rows as priors; else all the same.
    class_prior
        Given probabilities of the classes.
    norm
        Whether the weights of a class are divided by their sum.

    Attributes
    ----------
    feature_count_, feature_log_prob_
        Count and weight of each column (columns) in each class (rows).
    feature_all_
        Count of each column in all classes together.
    class_count_, class_log_prior_
        Weight and log-probability of each class.

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
