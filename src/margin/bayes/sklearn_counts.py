"""What scikit-learn's naive Bayes models of counts have in common: their parameters, and what they say of them."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Annotated, Any

import numpy as np

from margin.bayes.distributions.distribution import Distribution
from margin.bayes.distributions.smoothing import log_of
from margin.bayes.naive import NaiveBayes
from margin.errors import MarginWarning, ParameterError, warn
from margin.params import Count, Flag, NonNegative, Priors, Rule, rule_of

__all__ = ["Alpha", "Categories", "DiscreteNB", "Threshold", "of_numbers"]

#: The smallest ``alpha`` where it is not to be forced, as in scikit-learn.
LEAST_ALPHA = 1e-10


def _one_or_each(rule: Any, words: str, alone: Any = None) -> Rule:
    """A rule for one value (``alone``, if more will do there), or a list of them with one for each feature."""
    single, each = rule_of(rule if alone is None else alone), rule_of(rule)

    def accepts(value: Any) -> bool:
        if single.accepts(value):
            return True
        listed = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1)
        return listed and len(value) > 0 and all(each.accepts(item) for item in value)

    return Rule(words, accepts, single.parse)


Alpha = Annotated[Any, _one_or_each(NonNegative, "a number of at least 0, or one for each feature")]
Categories = Annotated[
    Any, _one_or_each(Count, "None, a whole number of at least 1, or one for each feature", alone=Count | None)
]
Threshold = Annotated[
    Any, Rule("None or a finite number", lambda v: v is None or (isinstance(v, Real) and isfinite(v)), float)
]


def of_numbers(model: NaiveBayes, attribute: str) -> Any:
    """The distribution of the numeric columns, or of a text if there are none."""
    blocks = model._fitted(attribute)._blocks
    found = [block for place in ("numeric", "text") for block in blocks if block.place == place]
    if not found:
        raise AttributeError(f"{type(model).__name__}.{attribute}: there are no columns of numbers or text to tell of.")
    return found[0].distribution


class DiscreteNB(NaiveBayes):
    """What scikit-learn's models of counts share.

    Parameters
    ----------
    force_alpha
        Whether an ``alpha`` below 1e-10 is taken as it is.
    fit_prior
        Whether classes have their shares in the training rows as priors; else all the same.
    class_prior
        Given probabilities of the classes.

    Attributes
    ----------
    class_count_, class_log_prior_
        Weight and log-probability of each class.
    """

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

    def _settle(self) -> None:
        if not self.force_alpha and np.min(self.alpha) < LEAST_ALPHA:
            warn(
                f"{type(self).__name__}: alpha is too small and taken as {LEAST_ALPHA:g}; "
                "force_alpha=True leaves it as it is.",
                MarginWarning,
            )
        super()._settle()

    def _alpha(self, positions: np.ndarray) -> Any:
        alpha = self._one_for_each("alpha")
        if not self.force_alpha:
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
