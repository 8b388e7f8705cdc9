"""Bounds for many classifiers on one sample: worked by hand, against counting, and drawn again and again."""

from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from margin.errors import InputError, ParameterError
from margin.evaluation import HoldOut, StratifiedFolds, evaluate, uniform_bound
from margin.evaluation.comparing.uniform_bound import _log_growth


def test_the_widths_are_those_of_the_formulas():
    assert uniform_bound(1000, models=10).width == pytest.approx(sqrt(log(400) / 2000))
    assert uniform_bound(500, models=1, confidence=0.9).width == pytest.approx(sqrt(log(20) / 1000))
    # Of 2n = 8 cases a class of dimension 1 divides at most 9 ways.
    assert uniform_bound(4, vc_dimension=1).width == pytest.approx(sqrt(8 / 4 * log(4 * 9 / 0.05)))


@pytest.mark.parametrize("n", [1, 3, 6])
def test_thresholds_on_a_line_divide_cases_in_as_many_ways_as_dimension_one_allows(n):
    ways = {tuple(x >= t for x in range(n)) for t in np.arange(-0.5, n + 0.5)}
    assert len(ways) == n + 1 == round(exp(_log_growth(n, 1)))
    both = len(set(product([False, True], repeat=n)))
    assert round(exp(_log_growth(n, n))) == round(exp(_log_growth(n, n + 5))) == both


def test_the_best_of_many_useless_classifiers_stays_within_the_bound_and_outside_of_one_for_itself():
    rng = np.random.default_rng(0)
    n, m, tries = 200, 50, 400
    seen = rng.binomial(n, 0.5, size=(tries, m)).min(axis=1) / n  # the share of mistakes of the best
    together, alone = uniform_bound(n, models=m), uniform_bound(n, models=1)
    assert np.mean([0.5 in together.of(error) for error in seen]) >= 0.95
    assert np.mean([0.5 in alone.of(error) for error in seen]) < 0.95


def test_the_best_threshold_stays_within_the_bound_of_its_class_though_it_learnt_from_the_cases():
    rng = np.random.default_rng(1)
    n, held = 300, []
    bound = uniform_bound(n, vc_dimension=1)
    for _ in range(200):
        x, y = np.sort(rng.random(n)), rng.random(n) < 0.5  # nothing to be learnt: every threshold errs by half
        left = np.concatenate([[0], np.cumsum(y)])
        right = (~y).sum() - np.concatenate([[0], np.cumsum(~y)])
        held.append(abs((left + right) / n - 0.5).max() <= bound.width)
        assert x.size == n
    assert np.mean(held) >= 0.95


def test_evaluations_on_one_test_part_are_bound_together():
    X, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    judged = {name: evaluate(model, X, y, HoldOut(0.5), metrics=["error"]) for name, model in models.items()}
    bound = uniform_bound(judged)
    n = len(judged["bayes"].rows)
    assert (bound.n_cases, bound.models, bound.width) == (n, 2, pytest.approx(sqrt(log(80) / (2 * n))))
    for name, result in judged.items():
        error = result.scores["error"].value
        assert bound.errors[name] == pytest.approx(error)
        assert bound.intervals[name].high == pytest.approx(error + bound.width)
        assert f"{name}: {error:.3f}, at most {error + bound.width:.3f}" in str(bound)
    folds = {name: evaluate(model, X, y, StratifiedFolds(3)) for name, model in models.items()}
    with pytest.raises(InputError, match="must be judged on one test part"):
        uniform_bound(folds)


def test_more_cases_and_fewer_classifiers_make_it_narrower():
    widths = [uniform_bound(n, models=5).width for n in (10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert uniform_bound(100, models=2).width < uniform_bound(100, models=20).width
    assert uniform_bound(10**6, vc_dimension=2).width < uniform_bound(10**6, vc_dimension=20).width
    assert uniform_bound(3, vc_dimension=50).of(0.2).high == 1.0


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        (0, {"models": 1}),
        (10, {"models": 0}),
        (10, {}),
        (10, {"models": 3, "vc_dimension": 2}),
        (10, {"vc_dimension": 0}),
        (10, {"models": 3, "confidence": 1.0}),
        (2.5, {"models": 3}),
    ],
)
def test_what_is_no_bound_is_refused(cases, told):
    with pytest.raises(ParameterError, match=r"^uniform_bound"):
        uniform_bound(cases, **told)
