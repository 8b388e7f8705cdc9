"""Calibration against scikit-learn's, on the same splits, and where they differ.

scikit-learn finds Platt's curve by L-BFGS and the temperature by a bracketing search, both to about 1e-7; margin goes on
to the last digits. Weights that are not whole numbers are first put on the scale at which they count as many cases as
they are worth, which scikit-learn leaves to the caller; the rows below have whole-number weights.
"""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin import CalibratedClassifier
from margin.evaluation import HoldOut

MODELS = [
    GaussianNB(),
    LogisticRegression(C=1e-4, max_iter=20),
    LinearSVC(random_state=0, max_iter=200),
    DecisionTreeClassifier(min_samples_leaf=3, random_state=0),
]
SETS = [load_iris, load_wine, load_breast_cancer]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def halves(load):
    X, y = load(return_X_y=True)
    ((train, test),) = HoldOut(0.5).split(y)
    return X[train], y[train], X[test]


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
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=1e-6)


def test_ten_classes_are_those_of_scikit_learn_too():
    X, y, new = halves(load_digits)
    rival = CalibratedClassifierCV(GaussianNB(), cv=StratifiedKFold(3)).fit(X, y)
    ours = CalibratedClassifier(GaussianNB(), cv=StratifiedKFold(3)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=1e-6)


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
        np.testing.assert_allclose(ours.predict_proba(new), rival.predict_proba(new), atol=1e-6)


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
