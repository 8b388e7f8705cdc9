"""Comparisons over cases: the variance by its slow definition, p of few cases, and noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from margin import DecisionTreeClassifier, KNeighborsClassifier, MajorityClassifier, NearestCentroid, evaluate
from margin.data import catalog
from margin.errors import ParameterError
from margin.evaluation import StratifiedFolds, compare_scores, metric
from margin.evaluation.comparing.over_cases import CaseDifferences

MODELS = {
    "near": KNeighborsClassifier(5),
    "centre": NearestCentroid(),
    "tree": DecisionTreeClassifier(max_depth=3),
    "guess": MajorityClassifier(),
}


def found_on(X, y, metrics="accuracy", repeats=3, models=MODELS):
    folds = StratifiedFolds(5, repeats, 0)
    return {name: evaluate(model, X, y, folds, metrics=metrics) for name, model in models.items()}


@pytest.fixture(scope="module")
def credit():
    X, y = catalog.load("credit").target("risk")
    return found_on(X.take(np.arange(200)), y[:200], ("accuracy", "balanced_accuracy", "roc_auc"))


def test_the_answers_of_every_repeat_are_kept(credit):
    tree = credit["tree"]
    assert tree.repeated.shape == (3, 200)
    assert (tree.repeated[0] == tree.answers.predicted).all()
    right = (tree.repeated == tree.answers.truth).mean(axis=1)
    by_fold = tree.fold_scores["accuracy"].reshape(3, 5)
    assert right == pytest.approx(by_fold.mean(axis=1))


def test_the_deviation_is_that_of_the_cases_with_one_more_and_some_for_shared_training_rows(credit):
    first, second = credit["near"], credit["tree"]
    apart = (first.repeated == first.answers.truth) * 1.0 - (second.repeated == second.answers.truth)
    variance = np.mean([np.sum(run**2) for run in apart]) + 1
    by_hand = apart.mean() / math.sqrt(variance / 200**2 * (1 + 0.5 * 40 / 160))
    test = CaseDifferences(credit, metric("accuracy")).pair("near", "tree")
    assert test.effect.value == pytest.approx(apart.mean())
    assert test.statistic == pytest.approx(
        by_hand, rel=0.01
    )  # what a case adds is found by leaving it out, n - 1 for n


def test_a_yardstick_is_asked_about_in_one_direction_and_costs_the_others_less(credit):
    """By turning all cases 20,000 times here; p of what is asked falls, p of a yardstick that is ahead stays."""
    added = {n: ((each.repeated == each.answers.truth) / 200.0).mean(axis=0) for n, each in credit.items()}
    turns = 1 - 2 * np.random.default_rng(1).integers(2, size=(20_000, 200))
    moved = {name: turns @ each for name, each in added.items()}

    def apart(one, other):
        return (moved[one] - moved[other]) / np.sqrt(((added[one] - added[other]) ** 2).sum())

    names = sorted(set(credit) - {"tree"})
    two_sided = [np.abs(apart(one, other)) for one in names for other in names if one < other]
    asked = np.max([*two_sided, *(apart(name, "tree") for name in names)], axis=0)
    either = np.max([*two_sided, *(np.abs(apart(name, "tree")) for name in names)], axis=0)
    whole = compare_scores(credit, method="cases", correction="joint")
    found = compare_scores(credit, method="cases", correction="joint", yardsticks=["tree"])
    for old, new in zip(whole.pairs, found.pairs):
        z = abs(new.test.statistic)
        ahead = new.first if new.difference > 0 else new.second
        expected = np.mean((either if ahead == "tree" else asked) >= z)
        assert new.corrected == pytest.approx(max(expected, new.p), abs=0.02)
        assert new.corrected == old.corrected if ahead == "tree" else new.corrected <= old.corrected
    assert any(new.corrected < old.corrected for old, new in zip(whole.pairs, found.pairs))


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_joint_p_is_never_zero_nor_below_that_of_the_pair(credit, name):
    found = compare_scores(credit, name, method="cases", correction="joint")
    assert all(0 < pair.p <= pair.corrected <= 1 for pair in found.pairs)
    assert "largest difference" in found.method


def test_equal_models_do_not_differ_and_no_model_differs_from_itself(credit):
    found = compare_scores({"a": credit["tree"], "b": credit["tree"]}, method="cases", correction="joint")
    assert found.pairs[0].corrected == 1.0


def test_few_differing_cases_cannot_speak_loudly():
    """All of five rows fall to one model in every fold: the folds are certain, five cases are not."""
    X = np.arange(10.0)[:, None]
    y = np.array(["a", "b"] * 5)
    models = {"one": KNeighborsClassifier(1), "guess": MajorityClassifier()}
    for method, correction in (("auto", "holm"), ("cases", "joint")):
        found = compare_scores(found_on(X, y, models=models), method=method, correction=correction)
        assert found.pairs[0].p > 2.0**-10


def test_noise_of_few_rows_shows_no_model_behind():
    random, alarms = np.random.default_rng(0), 0
    for _ in range(25):
        X, y = random.normal(size=(32, 3)), random.integers(2, size=32)
        found = compare_scores(found_on(X, y), method="cases", correction="joint")
        alarms += any(pair.differs for pair in found.pairs)
    assert alarms <= 4  # 5 % of 25 are 1.25; more than 4 has a chance of 1 %


def test_the_joint_correction_finds_what_holm_over_folds_misses():
    X, y = catalog.load("credit").target("risk")
    found = found_on(X, y, models={"near": KNeighborsClassifier(15, metric="heom"), **MODELS}, repeats=1)
    new = compare_scores(found, method="cases", correction="joint")
    old = compare_scores(found)
    assert sum(pair.differs for pair in new.pairs) >= sum(pair.differs for pair in old.pairs)


def test_the_joint_correction_belongs_to_the_cases(credit):
    with pytest.raises(ParameterError, match="method must be 'cases'"):
        compare_scores(credit, correction="joint")
