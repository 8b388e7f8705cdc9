"""scikit-learn's names: their attributes, and what they take beyond scikit-learn."""

import numpy as np
import pytest
import sklearn.naive_bayes as rival

import margin.bayes as ours
from margin import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, Table
from margin.errors import MarginError, MarginWarning, ParameterError
from margin.explain import explain

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

ATTRIBUTES = {
    "GaussianNB": ["theta_", "var_", "epsilon_", "class_prior_", "class_count_"],
    "CategoricalNB": ["category_count_", "feature_log_prob_", "n_categories_", "class_log_prior_", "class_count_"],
    "BernoulliNB": ["feature_count_", "feature_log_prob_", "class_log_prior_", "class_count_"],
    "MultinomialNB": ["feature_count_", "feature_log_prob_", "class_log_prior_", "class_count_"],
    "ComplementNB": ["feature_count_", "feature_all_", "feature_log_prob_", "class_log_prior_", "class_count_"],
}


def small(seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, (40, 3)), rng.integers(0, 3, 40)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_and_parameters_are_those_of_scikit_learn(name):
    X, y = small()
    mine, theirs = getattr(ours, name)().fit(X, y), getattr(rival, name)().fit(X, y)
    assert mine.get_params() == theirs.get_params()
    for attribute in ATTRIBUTES[name]:
        found, expected = getattr(mine, attribute), getattr(theirs, attribute)
        assert type(found) is type(expected) or isinstance(expected, float)
        for a, b in zip(found, expected) if isinstance(expected, list) else [(found, expected)]:
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_unfitted_view_has_no_learnt_attribute(name):
    assert not any(hasattr(getattr(ours, name)(), attribute) for attribute in ATTRIBUTES[name])


def test_a_category_that_was_not_there_counts_as_missing():
    X, y = small()
    model = CategoricalNB().fit(X, y)
    only_two = CategoricalNB().fit(X[:, 1:], y)
    for unseen in ([99, 1, 2], [np.nan, 1, 2], [-3, 1, 2], [0.5, 1, 2]):
        np.testing.assert_allclose(model.predict_proba([unseen]), only_two.predict_proba([[1, 2]]))


def test_too_small_an_alpha_is_raised_with_a_warning_where_it_is_not_forced():
    X, y = small()
    with pytest.warns(MarginWarning, match="alpha is too small") as told:
        model = MultinomialNB(alpha=0, force_alpha=False).fit(X, y)
    assert len(told) == 1
    np.testing.assert_allclose(model.feature_log_prob_, MultinomialNB(alpha=1e-10).fit(X, y).feature_log_prob_)


@pytest.mark.parametrize("model", [MultinomialNB(alpha=[1, 2]), CategoricalNB(min_categories=[5, 5])], ids=repr)
def test_one_number_for_each_feature_is_counted(model):
    with pytest.raises(ParameterError, match=r"one number for each feature is needed \(3\), but there are 2"):
        model.fit(*small())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MultinomialNB(alpha=[1, -1, 1]), "alpha must be a number of at least 0, or one for each"),
        (CategoricalNB(alpha=[1, 1, 1]), "alpha must be a number of at least 0"),
        (CategoricalNB(min_categories=0), "min_categories must be"),
        (CategoricalNB(min_categories=[None, 3, 3]), "min_categories must be"),
        (BernoulliNB(binarize="a"), "binarize must be None or a finite number"),
        (GaussianNB(priors=[0.5, 0.2]), "priors must be"),
        (MultinomialNB(class_prior=[0.5, 0.5]), r"class_prior=.*one prior per class .* 3 classes"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_bad_parameters_are_refused(model, words):
    with pytest.raises(ParameterError, match=words):
        model.fit(*small())


def test_more_categories_than_fit_into_memory_are_refused_before_they_are_made():
    with pytest.raises(MarginError, match=r"CategoricalNB\(min_categories=1000000000000\): .* GiB"):
        CategoricalNB(min_categories=10**12).fit(*small())


@pytest.mark.parametrize("model", [GaussianNB(), BernoulliNB()], ids=repr)
def test_a_table_of_words_alone_has_no_moments_or_counts_of_numbers(model):
    model.fit(Table.from_columns({"word": ["a", "b", "c"]}), [0, 1, 1])
    name = "theta_" if isinstance(model, GaussianNB) else "feature_count_"
    with pytest.raises(AttributeError, match=f"{name}: there are no columns of numbers"):
        getattr(model, name)


def test_complement_weights_have_no_priors_and_the_explanation_says_none():
    X, y = small()
    model = ComplementNB(class_prior=[0.8, 0.1, 0.1]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), ComplementNB().fit(X, y).predict_proba(X))
    why = explain(model, X[:1])
    assert why.model == "ComplementNB"
    assert "shares of the classes" not in [reason.what for reason in why.reasons]
    odds = sorted(why.probabilities.values())
    assert np.exp(sum(reason.strength for reason in why.reasons)) == pytest.approx(odds[-1] / odds[-2])


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_tables_with_words_and_missing_cells_go_straight_in(name):
    table = Table.from_columns({"n": [1.0, 2.0, None, 4.0, 1.0, 7.0], "word": ["a", "b", "a", None, "c", "c"]})
    y = ["x", "y", "x", "y", "y", "y"]
    model = getattr(ours, name)().fit(table, y)
    assert np.isfinite(model.predict_proba(table)).all()
    reasons = explain(model, table.take([0])).reasons
    assert any("word" in reason.what for reason in reasons)


def test_explanations_of_very_many_columns_take_the_weak_ones_together():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (50, 400)), rng.integers(0, 2, 50)
    model = BernoulliNB().fit(X, y)
    why = explain(model, X[:1])
    assert len(why.reasons) < 110
    odds = sorted(why.probabilities.values())
    assert sum(reason.strength for reason in why.reasons) == pytest.approx(np.log(odds[1] / odds[0]))
