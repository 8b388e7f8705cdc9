"""Data and a classifier whose best setting is known beforehand."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification

__all__ = ["Curve", "blobs", "rigged"]


class Curve(ClassifierMixin, BaseEstimator):
    """A classifier that is right on a share of the rows, which depends on its setting alone: best at ``top``."""

    fits = 0

    def __init__(self, p=1.0, q=1.0, top=8.0, fail_at=None):
        self.p, self.q, self.top, self.fail_at = p, q, top, fail_at

    def fit(self, X, y):
        Curve.fits += 1
        if self.fail_at is not None and self.p == self.fail_at:
            raise RuntimeError("no such thing")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        X = np.asarray(X)
        far = abs(np.log2(self.p / self.top)) + 2 * abs(np.log2(self.q / 4.0))
        # X holds the label and a place from 0 to 1; the farther from the top, the more are answered wrongly.
        wrong = X[:, 1] < min(0.04 * far, 0.9)
        return np.where(wrong, 1 - X[:, 0], X[:, 0]).astype(int)


def rigged(n=200):
    y = np.arange(n) % 2
    return np.column_stack([y, np.random.default_rng(0).permutation(n) / n]), y


def blobs(n=150, seed=0):
    return make_classification(n, 5, n_informative=3, n_redundant=0, n_classes=3, flip_y=0.15, random_state=seed)
