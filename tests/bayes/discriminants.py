"""Discriminants of every setting, and data they can learn."""

import numpy as np
import pytest

from margin import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LinearDiscriminantAnalysis(shrinkage=0.4),
    LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.3, 0.5]),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    DiagonalLinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage="auto", unbiased=True),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def data(n=90, d=4, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2 * y[:, None] + 100
    return X, y, rng.random(n) + 0.1 if weighted else None
