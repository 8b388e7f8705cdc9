"""All of scikit-learn's own checks of estimators, none expected to fail."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import margin
from margin.errors import MarginWarning
from tests.contract.estimators import estimator_classes, settings


def suits(estimator, check) -> bool:
    """scikit-learn checks class weights on negative numbers, whatever an estimator says it can take."""
    about_weights = getattr(check, "func", check).__name__ == "check_class_weight_classifiers"
    return not (about_weights and get_tags(estimator).input_tags.positive_only)


CHECKS = [
    pytest.param(estimator, check, id=f"{estimator!r}-{getattr(check, 'func', check).__name__}-{i}")
    for estimator in settings()
    for i, (_, check) in enumerate(estimator_checks_generator(estimator, legacy=True))
    if suits(estimator, check)
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_passes_the_checks_of_scikit_learn(estimator, check):
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
