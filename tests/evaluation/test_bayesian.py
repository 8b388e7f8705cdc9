"""margin.evaluation.comparing.bayesian: against SciPy's distributions, a slow definition, and properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from margin.errors import InputError, ParameterError
from margin.evaluation import HoldOut, bayesian_comparison, bayesian_signed_rank, compare_scores, evaluate
from margin.evaluation.comparing.bayesian import posterior_of

X, Y = load_iris(return_X_y=True)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 30), st.floats(0, 1), st.floats(0, 0.5))
def test_the_posterior_is_the_student_t_of_corani_and_benavoli(seed, n, ratio, rope):
    values = np.random.default_rng(seed).normal(0.1, 0.3, n)
    found = bayesian_comparison(values, test_to_train=ratio, rope=rope)
    scale = math.sqrt((1 / n + ratio) * values.var(ddof=1))
    t = stats.t(n - 1, loc=values.mean(), scale=scale)
    assert found.second_better == pytest.approx(t.cdf(-rope), abs=1e-9)
    assert found.first_better == pytest.approx(t.sf(rope), abs=1e-9)
    assert found.first_better + found.equivalent + found.second_better == pytest.approx(1)
    assert (found.interval.low, found.interval.high) == pytest.approx(t.interval(0.95))


def test_evaluations_are_compared_by_folds_or_by_cases():
    folds = [evaluate(model, X, Y) for model in (GaussianNB(), DummyClassifier())]
    found = bayesian_comparison(*folds)
    assert found.decision() == "first"
    assert bayesian_comparison(*folds, metric="log_loss").decision() == "first", "less loss is better"
    assert found.degrees == 9
    cases = [evaluate(model, X, Y, HoldOut(0.5)) for model in (GaussianNB(), DummyClassifier())]
    assert bayesian_comparison(*cases).decision() == "first"
    assert bayesian_comparison(*cases, metric="log_loss").first_better > 0.95
    same = bayesian_comparison(cases[0], cases[0])
    assert same.decision() == "equivalent"
    with pytest.raises(ParameterError, match="rope=…"):
        bayesian_comparison(*cases, metric="f1")
    assert compare_scores({"a": cases[0], "b": cases[1]}, "f1", rope=0.01).pairs[0].posterior.first_better > 0.99


def test_what_is_certain_is_decided():
    assert posterior_of(0.02, 0.0, 9, rope=0.01).first_better == 1.0
    assert posterior_of(0.01, 0.0, 9, rope=0.01).equivalent == 1.0
    assert posterior_of(-0.02, 0.0, 9, rope=0.01).second_better == 1.0
    assert posterior_of(0.0, 1.0, 9, rope=0.0).decision() is None


def test_the_signed_rank_posterior_agrees_with_the_definition():
    values = np.array([0.05, -0.01, 0.03, 0.0, 0.08, 0.02, -0.02])
    z = np.append(0.0, values)
    random, wins = np.random.default_rng(0), np.zeros(3)
    for _ in range(2000):
        weights = random.dirichlet(np.append(0.5, np.ones(len(values))))
        share = np.zeros(3)
        for i, a in enumerate(z):
            for j, b in enumerate(z):
                share[0 if a + b > 0.02 else 2 if a + b < -0.02 else 1] += weights[i] * weights[j]
        wins[share.argmax()] += 1
    found = bayesian_signed_rank(values, rope=0.01)
    np.testing.assert_allclose([found.first_better, found.equivalent, found.second_better], wins / 2000, atol=0.04)
    assert found == bayesian_signed_rank(values, rope=0.01)


def test_small_differences_everywhere_are_equivalent():
    assert bayesian_signed_rank(np.full(10, 0.001)).decision() == "equivalent"
    assert bayesian_signed_rank(np.full(10, 0.5), np.full(10, 0.6)).decision() == "second"


def test_wrong_arguments_are_refused():
    with pytest.raises(ParameterError, match="rope must be"):
        bayesian_comparison([0.1, 0.2], test_to_train=0.1, rope=-1)
    with pytest.raises(ParameterError, match="1/9 for ten folds"):
        bayesian_comparison([0.1, 0.2])
    with pytest.raises(InputError, match="at least 2"):
        bayesian_comparison([0.1], test_to_train=0.1)
    with pytest.raises(ParameterError, match="above 0"):
        bayesian_signed_rank([0.1], prior_strength=0)
