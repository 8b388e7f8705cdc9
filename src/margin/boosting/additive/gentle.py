"""GentleBoost: Newton's steps on the exponential loss, bounded by 1."""

from __future__ import annotations

import numpy as np

from margin.base.softmax import log_softmax, softmax
from margin.boosting.additive.additive_classifier import AdditiveClassifier, AutoBins, Shrinkage
from margin.boosting.additive.losses import sides
from margin.boosting.additive.steps import Part, Step
from margin.params import Count, Flag, Jobs, NonNegative, Seed, Share

__all__ = ["GentleBoostClassifier"]


class GentleBoostClassifier(AdditiveClassifier):
    r"""Adds shallow trees fitted to the labels by least squares, rows weighing :math:`e^{-yF}`.

    Each round adds :math:`f = E_w[y \mid x]`, y being 1 or -1: a Newton step on the exponential loss
    :math:`E[e^{-yF}]`, never longer than 1, where AdaBoost steps by half the log odds of a leaf and can step far.
    :math:`P(y = 1 \mid x) = 1/(1 + e^{-2F})`. Like AdaBoost it goes after rows on the wrong side without limit, wrong
    labels among them: LogitBoost does so less.

    Many classes are told apart each against the rest, all of them in every round; probabilities are those of the
    classes, divided by their sum.

    References
    ----------
    Friedman, Hastie, Tibshirani (2000), "Additive logistic regression", algorithm 4.

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = GentleBoostClassifier(n_estimators=20).fit(X, y)
    >>> bool(model.score(X, y) > 0.98)
    True
    >>> print(model.rounds_[0].rules[0])
    petallength <= 2.45: +1, else -1
    """

    def __init__(
        self,
        *,
        n_estimators: Count = 100,
        learning_rate: Shrinkage = 1.0,
        max_depth: Count = 1,
        max_bins: AutoBins | None = "auto",
        n_iter_no_change: Count | None = None,
        validation_fraction: Share = 0.1,
        tol: NonNegative = 0.0,
        warm_start: Flag = False,
        n_jobs: Jobs = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _step(self, part: Part, n_threads: int) -> Step:
        target = sides(part.y, part.sums.shape[1])
        margins = np.ascontiguousarray((target * part.sums).T)
        # Only proportions matter to a tree: the heaviest row of each score weighs 1, so that none overflows.
        least = margins.min(axis=1, keepdims=True)
        share = np.exp(least - margins)
        with np.errstate(over="ignore", invalid="ignore"):
            heaviest = np.exp(-least)
            losses = np.where(np.isfinite(heaviest), heaviest * share, np.inf).mean(axis=0)
        wrong = self._from_sums(part.sums).argmax(axis=1) != part.y
        loss, error = np.average(losses, weights=part.weight), np.average(wrong, weights=part.weight)
        return Step(part.weight * share, np.ascontiguousarray(target.T), float(loss), float(error))

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(self._odds(scores))

    def _log_proba(self, scores: np.ndarray) -> np.ndarray:
        return log_softmax(self._odds(scores))

    def _odds(self, scores: np.ndarray) -> np.ndarray:
        """Scores whose softmax are the probabilities; of many classes log 1/(1 + exp(-2F)) each."""
        return scores if scores.shape[1] <= 2 else -np.logaddexp(0.0, -2.0 * scores)
