"""margin's stacking beside mlxtend's: the same columns for the final model, and so the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from margin import StackingClassifier

classifiers = pytest.importorskip("mlxtend.classifier")

MEMBERS = [GaussianNB(), KNeighborsClassifier(7)]


def half(load) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scaled rows to learn from, their classes, and the rows to ask about."""
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[::2], y[::2], X[1::2]


@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_same_folds_give_the_probabilities_of_mlxtend(load, passthrough):
    X, y, unseen = half(load)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    final = LogisticRegression(tol=1e-10, max_iter=10_000)
    theirs = classifiers.StackingCVClassifier(
        MEMBERS,
        final,
        use_probas=True,
        drop_proba_col="first" if len(set(y)) == 2 else None,  # one column says all of two classes
        cv=folds,
        shuffle=False,
        use_features_in_secondary=passthrough,
    ).fit(X, y)
    named = [(type(each).__name__, each) for each in MEMBERS]
    ours = StackingClassifier(named, final, cv=folds, passthrough=passthrough).fit(X, y)
    assert np.allclose(ours.predict_proba(unseen), theirs.predict_proba(unseen), atol=1e-6)
    assert np.array_equal(ours.predict(unseen), theirs.predict(unseen))


def test_answers_of_members_can_be_labels_as_mlxtend_takes_them_by_default():
    X, y, unseen = half(load_breast_cancer)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    theirs = classifiers.StackingCVClassifier(MEMBERS, LogisticRegression(), cv=folds, shuffle=False).fit(X, y)
    named = [(type(each).__name__, each) for each in MEMBERS]
    ours = StackingClassifier(named, LogisticRegression(), cv=folds, stack_method="predict").fit(X, y)
    assert np.mean(ours.predict(unseen) == theirs.predict(unseen)) > 0.99
