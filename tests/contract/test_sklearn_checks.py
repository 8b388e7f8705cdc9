"""All of scikit-learn's own checks of estimators, none expected to fail."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import margin
from margin.errors import MarginWarning
from tests.contract.estimators import estimator_classes, settings

CHECKS = [
    pytest.param(estimator, check, id=f"{estimator!r}-{getattr(check, 'func', check).__name__}-{i}")
    for estimator in settings()
    for i, (_, check) in enumerate(estimator_checks_generator(estimator, legacy=True))
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_passes_the_checks_of_scikit_learn(estimator, check, monkeypatch):
    monkeypatch.setattr("sklearn.utils.estimator_checks.SCIPY_ARRAY_API", True, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        check(clone(estimator))


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda c: c.__name__)
def test_every_estimator_is_a_public_name_of_margin(cls):
    assert getattr(margin, cls.__name__) is cls


def test_the_search_finds_estimators():
    assert {"KNeighborsClassifier", "MajorityClassifier", "NaiveBayes", "RoteClassifier"} <= {
        cls.__name__ for cls in estimator_classes()
    }
