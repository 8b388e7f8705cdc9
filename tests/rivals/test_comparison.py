"""margin's comparisons beside SciPy's and scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from margin.evaluation import correct, delong, friedman, mcnemar, permutation_test, sign_test, wilcoxon
from margin.evaluation.comparing.many_datasets import range_above, range_quantile


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 60))
def test_signed_ranks_without_ties_are_those_of_scipy(seed, n):
    values = np.random.default_rng(seed).normal(0.2, 1, n)
    expected = stats.wilcoxon(values, method="exact")
    found = wilcoxon(values)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_many_signed_ranks_with_zeros_are_those_of_pratt_in_scipy():
    values = np.random.default_rng(0).integers(-4, 6, 200).astype(float)
    for zeros, theirs in (("split", "pratt"), ("drop", "wilcox")):
        expected = stats.wilcoxon(values, zero_method=theirs, method="asymptotic", correction=False)
        assert wilcoxon(values, zeros=zeros).p == pytest.approx(expected.pvalue)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 7), st.integers(2, 15))
def test_friedmans_chi_squared_is_that_of_scipy(seed, k, n):
    table = np.random.default_rng(seed).integers(0, 6, size=(n, k)).astype(float)
    found = friedman(table)
    if found.statistic:
        expected = stats.friedmanchisquare(*table.T)
        assert (found.statistic, found.p_chi2) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20])
def test_the_studentized_range_is_that_of_scipy(k):
    for q in (0.5, 2.0, 3.5):
        assert range_above(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-7)
    assert range_quantile(0.95, k) == pytest.approx(stats.studentized_range.ppf(0.95, k, np.inf), abs=1e-5)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemars_exact_test_and_the_sign_test_are_scipys_binomial_test(first, second):
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second).p == pytest.approx(expected)
    if first + second:
        assert sign_test([1] * first + [-1] * second).p == pytest.approx(expected)


def test_corrections_are_those_of_scipy():
    p = np.random.default_rng(0).random(12) ** 2
    for ours, theirs in (("benjamini_hochberg", "bh"), ("benjamini_yekutieli", "by")):
        np.testing.assert_allclose(correct(p, ours), stats.false_discovery_control(p, method=theirs))


def test_the_permutation_test_is_that_of_scipy():
    values = np.random.default_rng(1).normal(0.4, 1, 10)
    expected = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert permutation_test(values).p == pytest.approx(expected.pvalue)


def test_the_areas_that_delong_compares_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    truth = random.integers(2, size=300)
    first, second = np.round(truth + random.normal(size=300), 1), random.normal(size=300)
    expected = roc_auc_score(truth, first) - roc_auc_score(truth, second)
    assert delong(first, second, truth).effect.value == pytest.approx(expected)
