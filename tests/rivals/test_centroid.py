"""Nearest centroids against scikit-learn's on real data, and where they differ.

Probabilities: scikit-learn takes the exponential of the discriminant score, which counts both the priors and the
distances twice (priors 0.8 and 0.2 without any evidence give 0.94 and 0.06); margin takes that of half the score, as
the paper does. Columns of one value: scikit-learn lets them into the median that steadies the shrinking, margin not.
"""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.neighbors import NearestCentroid as Rival

from margin import NearestCentroid, read
from tests.shared_data import shared_data

SETS = [load_iris, load_wine, load_breast_cancer, load_digits]
SETTINGS = [
    {},
    {"metric": "manhattan"},
    {"priors": "empirical"},
    {"metric": "manhattan", "priors": "empirical"},
    {"shrink_threshold": 0.5},
    {"shrink_threshold": 2.0, "priors": "empirical", "metric": "manhattan"},
]


def load_varying(load):
    X, y = load(return_X_y=True)
    return X[:, np.ptp(X, axis=0) > 0], y


@pytest.mark.parametrize("load", SETS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_centroids_scores_and_answers_are_those_of_scikit_learn(load, settings):
    X, y = load_varying(load)
    train, test = slice(0, None, 2), slice(1, None, 2)
    if load is load_digits and "shrink_threshold" in settings:
        X = X[:, np.ptp(X[train], axis=0) > 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = NearestCentroid(**settings).fit(X[train], y[train])
        rival = Rival(**settings).fit(X[train], y[train])
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(rival, name), rtol=1e-7, atol=1e-9, err_msg=name)
    assert np.array_equal(ours.predict(X[test]), rival.predict(X[test]))
    if "metric" not in settings:
        np.testing.assert_allclose(ours.decision_function(X[test]), rival.decision_function(X[test]), rtol=1e-7)
        counted_twice = ours.predict_proba(X[test]) ** 2
        counted_twice /= counted_twice.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(counted_twice, rival.predict_proba(X[test]), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("settings", SETTINGS[:5], ids=str)
def test_twenty_six_letters_are_answered_as_by_scikit_learn(settings):
    X, y = read(shared_data("letter.csv.gz")).target("letter")
    matrix = np.column_stack([X.cells(name) for name in X.names])
    ours, rival = NearestCentroid(**settings).fit(X, y), Rival(**settings).fit(matrix, y)
    # Whole numbers are often exactly as near to two medians; scikit-learn adds up in float32 there.
    differ = ours.predict(X) != rival.predict(matrix)
    assert differ.mean() < (0.002 if settings.get("metric") == "manhattan" else 1e-9)


def test_halved_scores_are_the_more_honest_probabilities():
    """Log loss on the other half of each set: overconfident probabilities cost."""
    for load in SETS:
        X, y = load_varying(load)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, rival = NearestCentroid().fit(X[::2], y[::2]), Rival().fit(X[::2], y[::2])
        right = np.arange(len(y[1::2])), y[1::2]
        assert -ours.predict_log_proba(X[1::2])[right].mean() < -rival.predict_log_proba(X[1::2])[right].mean()
