"""OneVsOne: votes and coupled probabilities beside their definitions, and what is degenerate."""

import numpy as np
import pytest

from margin import SVC, LinearSVC, LogisticRegression, NaiveBayes, OneVsOne
from margin.base.meta.coupling import couple
from margin.data import catalog
from margin.errors import InputError, ParameterError
from margin.explain import explain

RNG = np.random.default_rng(1)
X = RNG.normal(size=(120, 4))
Y = np.array(["a", "b", "c", "d"])[np.argmax(X + 0.7 * RNG.normal(size=X.shape), axis=1)]
PAIRS = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]


def pair_models(inner):
    for a, b in PAIRS:
        rows = (a == Y) | (b == Y)
        yield type(inner)(**inner.get_params()).fit(X[rows], (Y[rows] == a).astype(int))


def test_votes_agree_with_the_definition():
    model = OneVsOne(LinearSVC()).fit(X, Y)
    votes, clear = np.zeros((120, 4)), np.zeros((120, 4))
    for (a, b), member in zip(PAIRS, pair_models(LinearSVC())):
        found = member.decision_function(X)
        first, second = "abcd".index(a), "abcd".index(b)
        votes[:, first] += found > 0
        votes[:, second] += found <= 0
        clear[:, first] += found
        clear[:, second] -= found
    scores = votes + clear / (3 * (np.abs(clear) + 1))
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


def test_probabilities_are_coupled():
    model = OneVsOne(LogisticRegression()).fit(X, Y)
    said = np.column_stack([member.predict_proba(X)[:, 1] for member in pair_models(LogisticRegression())])
    np.testing.assert_allclose(model.predict_proba(X), couple(said), atol=1e-9)
    by_shares = OneVsOne(LogisticRegression(), decide="probabilities").fit(X, Y)
    assert np.array_equal(by_shares.predict(X), by_shares.classes_[by_shares.predict_proba(X).argmax(axis=1)])


def test_two_classes_are_one_classifier():
    rows = (Y == "a") | (Y == "b")
    model, alone = (each.fit(X[rows], Y[rows]) for each in (OneVsOne(LogisticRegression()), LogisticRegression()))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-7)
    assert np.array_equal(model.predict(X), alone.predict(X))


@pytest.mark.parametrize("inner", [NaiveBayes(), LinearSVC()], ids=repr)
@pytest.mark.parametrize("left", [("a", "b", "d"), ("b", "d"), ("c",)], ids=str)
def test_classes_without_rows_are_in_no_pair_and_never_answered(inner, left):
    weight = np.isin(Y, left).astype(float)
    model = OneVsOne(inner).fit(X, Y, sample_weight=weight)
    kept = OneVsOne(inner).fit(X[weight > 0], Y[weight > 0])
    assert set(model.predict(X)) <= set(left)
    assert model.predict(X).tolist() == kept.predict(X).tolist()
    if hasattr(model, "predict_proba"):
        there = np.isin(model.classes_, left)
        np.testing.assert_allclose(model.predict_proba(X)[:, there], kept.predict_proba(X), atol=1e-12)
        assert (model.predict_proba(X)[:, ~there] == 0).all()


def test_a_cell_that_cannot_be_is_named_by_the_row_it_was_given_in():
    huge = X.copy()
    huge[77, 2] = 1e200
    with pytest.raises(InputError, match="row 77"):
        OneVsOne(LogisticRegression()).fit(huge, Y)


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="must have predict_proba"):
        OneVsOne(LinearSVC(), decide="probabilities").fit(X, Y)
    with pytest.raises(ParameterError, match="OneVsRest takes one"):
        OneVsOne(SVC(kernel="precomputed")).fit(X @ X.T, Y)


def test_says_what_each_pair_said():
    table, y = catalog.load("iris").target("class")
    why = explain(OneVsOne(NaiveBayes()).fit(table, y), table.take([70]))
    assert why.reasons[0].what == "Iris-setosa or Iris-versicolor"
    assert why.reasons[0].strength == 0  # neither of its classes is answered
