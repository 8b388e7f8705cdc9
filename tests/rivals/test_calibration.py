"""Calibration against scikit-learn's, on the same splits, and where they differ.

scikit-learn finds Platt's curve by L-BFGS and the temperature by a bracketing search, both to about 1e-7; margin goes
on to the last digits. Of two classes scikit-learn takes the first one's probability for 1 - p, which costs small ones
their digits; so a temperature agrees to 1e-5. Where no row of a fold is answered wrongly, scikit-learn's temperature is
as low as its search happens to go, margin's is that of Laplace's rule; labels are therefore made noisy below. Weights
that are not whole numbers are first put on the scale at which they count as many cases as they are worth, which
scikit-learn leaves to the caller; the rows below have whole-number weights.
"""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from margin import CalibratedClassifier
from margin.base.meta import calibration_maps
from margin.evaluation import HoldOut

MODELS = [GaussianNB(), RidgeClassifier(alpha=1e4), DecisionTreeClassifier(min_samples_leaf=15, random_state=0)]
SETS = [load_iris, load_wine, load_breast_cancer]


def halves(load):
    """Half of the rows with their labels, and the others; one label in four is drawn by lot."""
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.25, rng.permutation(y), y)
    ((train, test),) = HoldOut(0.5).split(y)
    return X[train], y[train], X[test]


@pytest.fixture
def hard_ends(monkeypatch):
    """scikit-learn's isotonic curve ends in 0 and 1, margin's in half a case of those there."""
    monkeypatch.setattr(calibration_maps, "bounded", lambda at, share, score, weight: np.clip(share, 0.0, 1.0))


@pytest.mark.usefixtures("hard_ends")
@pytest.mark.parametrize("load", SETS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False], ids=["ensemble", "one"])
def test_probabilities_are_those_of_scikit_learn(load, model, method, ensemble):
    X, y, new = halves(load)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    splits = list(StratifiedKFold(4).split(X, y))
    rival = CalibratedClassifierCV(model, method=method, cv=splits, ensemble=ensemble).fit(X, y, sample_weight=weight)
    ours = CalibratedClassifier(model, method=method, cv=splits, ensemble=ensemble).fit(X, y, sample_weight=weight)
    atol = 1e-5 if method == "temperature" else 1e-6
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=atol)


def test_ten_classes_are_those_of_scikit_learn_too():
    X, y, new = halves(load_digits)
    rival = CalibratedClassifierCV(GaussianNB(), cv=StratifiedKFold(3)).fit(X, y)
    ours = CalibratedClassifier(GaussianNB(), cv=StratifiedKFold(3)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=1e-6)


@pytest.mark.usefixtures("hard_ends")
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_a_fitted_classifier_is_calibrated_as_a_frozen_one_is(method):
    X, y, new = halves(load_breast_cancer)
    fitted = GaussianNB().fit(X[:100], y[:100])
    rival = CalibratedClassifierCV(FrozenEstimator(fitted), method=method).fit(X[100:], y[100:])
    for ours in (
        CalibratedClassifier(fitted, method=method, cv="prefit"),
        CalibratedClassifier(FrozenEstimator(fitted), method=method),
    ):
        ours.fit(X[100:], y[100:])
        atol = 1e-5 if method == "temperature" else 1e-6
        np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=atol)


class WithLogOdds(GaussianNB):
    def decision_function(self, X):
        logs = self.predict_log_proba(X)
        return logs[:, 1] - logs[:, 0]


def test_log_odds_are_what_scikit_learn_makes_of_a_decision_function():
    X, y, new = halves(load_breast_cancer)
    splits = list(StratifiedKFold(4).split(X, y))
    rival = CalibratedClassifierCV(WithLogOdds(), cv=splits).fit(X, y)
    ours = CalibratedClassifier(GaussianNB(), cv=splits, scores="log_odds").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=1e-6)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits], ids=lambda f: f.__name__)
@pytest.mark.parametrize("ensemble", [True, False], ids=["ensemble", "one"])
def test_the_log_loss_of_new_rows_is_finite_where_scikit_learns_is_not(load, ensemble):
    X, y = load(return_X_y=True)
    ((train, test),) = HoldOut(0.5).split(y)
    settings = {"method": "isotonic", "ensemble": ensemble}
    ours = CalibratedClassifier(RidgeClassifier(), **settings).fit(X[train], y[train])
    rival = CalibratedClassifierCV(RidgeClassifier(), **settings).fit(X[train], y[train])
    at = np.arange(len(test)), y[test]
    assert rival.predict_proba(X[test])[at].min() == 0
    assert -np.log(ours.predict_proba(X[test])[at]).mean() < 0.35
