"""margin.bayes.rule: worked by hand, then the definition in exact fractions, then properties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.bayes import bayes_rule
from margin.errors import ParameterError

whole_numbers = st.integers(0, 1000)


def test_a_stiff_neck_hardly_means_meningitis():
    assert bayes_rule(0.5, 1 / 50_000, evidence=1 / 20) == pytest.approx(0.0002)


def test_several_hypotheses_share_out_the_whole():
    found = bayes_rule([0.9, 0.1, 0.4], [0.5, 0.25, 0.25])
    assert found == pytest.approx([0.45 / 0.575, 0.025 / 0.575, 0.1 / 0.575])


def test_names_come_back_with_their_posteriors():
    found = bayes_rule({"rain": 0.8, "dry": 0.3}, {"dry": 0.9, "rain": 0.1})
    assert found == {"rain": pytest.approx(0.08 / 0.35), "dry": pytest.approx(0.27 / 0.35)}


def test_likelihoods_that_would_vanish_in_a_product_are_still_told_apart():
    assert bayes_rule([2e-308, 1e-308], [1e-9, 1 - 1e-9]) == pytest.approx([2e-9, 1], rel=1e-6)
    assert bayes_rule(1e-200, 1e-200, evidence=1e-200) == pytest.approx(1e-200)


def test_an_impossible_hypothesis_stays_impossible_whatever_is_seen():
    assert bayes_rule([1.0, 0.2], [0.0, 1.0]).tolist() == [0.0, 1.0]


def test_figures_rounded_on_paper_give_no_more_than_certainty():
    assert bayes_rule(1.0, 1 / 3, evidence=0.33333333) == 1.0


@given(st.lists(st.tuples(whole_numbers, whole_numbers), min_size=1, max_size=6))
def test_agrees_with_the_definition_in_exact_fractions(pairs):
    total = sum(before for _, before in pairs)
    priors = [Fraction(before, total or 1) for _, before in pairs]
    likelihoods = [Fraction(likely, 1000) for likely, _ in pairs]
    evidence = sum(map(Fraction.__mul__, likelihoods, priors))
    if not evidence:
        with pytest.raises(ParameterError):
            bayes_rule(likelihoods, priors)
        return
    exact = [float(likely * before / evidence) for likely, before in zip(likelihoods, priors)]
    assert bayes_rule(likelihoods, priors) == pytest.approx(exact, rel=1e-12)
    for likely, before, posterior in zip(likelihoods, priors, exact):
        assert bayes_rule(likely, before, evidence) == pytest.approx(posterior, rel=1e-12)


@given(st.lists(st.tuples(st.floats(1e-3, 1), st.floats(1e-3, 1), st.floats(1e-3, 1)), min_size=2, max_size=5))
def test_two_pieces_of_evidence_may_come_in_any_order(triples):
    prior, one, other = np.array(triples).T
    prior = prior / prior.sum()
    np.testing.assert_allclose(
        bayes_rule(other, bayes_rule(one, prior)), bayes_rule(one, bayes_rule(other, prior)), rtol=1e-9
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 0.5, 0.9), r"bayes_rule\(likelihood=1.2\): likelihood must be a probability, from 0 to 1"),
        ((0.5, -0.1, 0.9), r"bayes_rule\(prior=-0.1\): prior must be a probability"),
        ((0.5, 0.5, float("nan")), r"bayes_rule\(evidence=nan\): evidence must be a probability"),
        (("likely", 0.5, 0.9), r"bayes_rule\(likelihood='likely'\): likelihood must be a probability"),
        ((None, 0.5, 0.9), r"bayes_rule\(likelihood=None\)"),
        ((True, 0.5, 0.9), r"bayes_rule\(likelihood=True\)"),
        ((0.5, 0.5), r"bayes_rule\(evidence=None\): .* needed for a single hypothesis"),
        ((0.5, 0.5, 0), r"bayes_rule\(evidence=0\): evidence must be above 0"),
        ((0.5, 0.5, 0.1), r"bayes_rule\(evidence=0.1\): evidence must be at least likelihood × prior = 0.25"),
        ((0.5, 0.9, 0.9), r"bayes_rule\(evidence=0.9\): evidence can be at most 0.55"),
        (([0.5, 0.5], [0.5, 0.4]), r"bayes_rule\(prior=\[0.5, 0.4\]\): priors .* must add up to 1, not 0.9"),
        (([0.5, 0.5, 0.1], [0.5, 0.5]), "there are 3 and 2"),
        (([0.5, 0.5], 0.5), "there are 2 and 1"),
        (([0.5, [0.5, 0.1]], [0.5, 0.5]), r"bayes_rule\(likelihood=\[0.5, 0.1\]\)"),
        (([0.0, 0.0], [0.5, 0.5]), "impossible under every hypothesis"),
        (([0.5, 0.1], [0.5, 0.5], 0.5), r"evidence=0.5\): evidence must be the sum of likelihood × prior .*, 0.3"),
        (([], []), r"bayes_rule\(likelihood=\[\]\)"),
        (([[0.5]], [[1.0]]), r"bayes_rule\(likelihood=\[0.5\]\): likelihood must be a probability"),
        (({"a": 0.5}, {"b": 1.0}), "'a', 'b' has only one"),
        (({"a": 0.5}, [1.0]), r"bayes_rule\(prior=\[1.0\]\): likelihood and prior must both be mappings"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_name(arguments, message):
    with pytest.raises(ParameterError, match=message):
        bayes_rule(*arguments)
