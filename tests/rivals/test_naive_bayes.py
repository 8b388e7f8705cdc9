"""scikit-learn's five naive Bayes models and ours on real data, to nine digits.

After ``partial_fit`` scikit-learn's GaussianNB has added to its variances what the last batch asked for; it is compared
without that.
"""

import csv
import gzip

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as rival
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.feature_extraction.text import CountVectorizer

import margin.bayes as ours
from margin import MultinomialNB, NaiveBayes, Table, read
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings(
    "ignore::margin.errors.ConstantColumnWarning", "ignore::margin.errors.DataWarning"
)

COUNTS = ["BernoulliNB", "MultinomialNB", "ComplementNB"]


def numeric(name):
    loaders = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
    if name in loaders:
        return loaders[name](return_X_y=True)
    table = read(shared_data(f"{name}.arff.gz"))
    X, y = table.target(table.names[-1])
    return np.column_stack([X[column] for column in X.names]), y


def nominal(name):
    """Codes from 0, with a category of their own for missing cells."""
    table = read(shared_data(f"{name}.arff.gz"))
    X, y = table.target("Class" if "Class" in table.names else table.names[-1])
    return np.column_stack([X.cells(column) + 1 for column in X.names]).astype(np.int64), y


def messages():
    path = shared_data("SMSSpamCollection.tsv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row[1] for row in rows], np.array([row[0] for row in rows])


@pytest.fixture(scope="module")
def message_counts():
    texts, y = messages()
    return CountVectorizer(token_pattern=r"\w+").fit_transform(texts).astype(float), y


def assert_equal(mine, theirs, X):
    expected = theirs.predict_joint_log_proba(X)
    np.testing.assert_allclose(mine.joint_log_likelihood(X), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mine.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def assert_equal_in_every_way(name, X, y, settings):
    weight = np.random.default_rng(0).random(len(y)) + 0.1
    priors = np.random.default_rng(1).dirichlet(np.ones(len(np.unique(y))))
    given = {"priors" if name == "GaussianNB" else "class_prior": priors}
    for more, weights in [({}, None), ({}, weight), (given, None)]:
        pair = [getattr(module, name)(**settings, **more).fit(X, y, weights) for module in (ours, rival)]
        assert_equal(*pair, X)


def assert_equal_in_batches(name, X, y, settings):
    pair = [getattr(module, name)(**settings) for module in (ours, rival)]
    half = np.random.default_rng(2).random(len(y)) < 0.5
    for model in pair:
        for rows in (half, ~half):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y))
    assert_equal(*pair, X)


@pytest.mark.parametrize("data", ["iris", "wine", "digits", "spambase"])
def test_gaussian(data):
    X, y = numeric(data)
    assert_equal_in_every_way("GaussianNB", X, y, {})
    if data in ("iris", "wine"):
        assert_equal_in_batches("GaussianNB", X, y, {"var_smoothing": 0.0})


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("data", ["iris", "wine", "digits", "spambase"])
def test_counts(name, data):
    X, y = numeric(data)
    assert_equal_in_every_way(name, X, y, {"alpha": 0.5})
    assert_equal_in_batches(name, X, y, {})


def test_bernoulli_with_another_threshold():
    X, y = numeric("digits")
    assert_equal_in_every_way("BernoulliNB", X, y, {"binarize": 7.5, "fit_prior": False})


def test_normed_complement():
    X, y = numeric("digits")
    assert_equal_in_every_way("ComplementNB", X, y, {"norm": True})


def test_an_alpha_for_each_feature():
    X, y = numeric("digits")
    assert_equal_in_every_way("MultinomialNB", X, y, {"alpha": np.linspace(0.1, 2, X.shape[1])})


@pytest.mark.parametrize("data", ["mushroom", "nursery", "car", "vote"])
def test_categorical(data):
    X, y = nominal(data)
    assert_equal_in_every_way("CategoricalNB", X, y, {"alpha": 0.7})
    assert_equal_in_every_way("CategoricalNB", X, y, {"min_categories": 15})
    assert_equal_in_batches("CategoricalNB", X, y, {"min_categories": 15})


@pytest.mark.parametrize("name", COUNTS)
def test_text_as_sparse_counts(name, message_counts):
    X, y = message_counts
    assert sp.issparse(X)
    assert_equal_in_every_way(name, X, y, {"alpha": 0.5})
    assert_equal_in_batches(name, X, y, {})


def test_messages_read_as_text_are_the_counts_of_their_words(message_counts):
    counts, y = message_counts
    texts, _ = messages()
    table = Table.from_columns({"message": texts})
    model = NaiveBayes(distributions="multinomial").fit(table, y)
    expected = rival.MultinomialNB().fit(counts, y)
    np.testing.assert_allclose(model.joint_log_likelihood(table), expected.predict_joint_log_proba(counts), rtol=1e-9)


def test_one_message_in_fifty_is_taken_for_the_wrong_kind():
    texts, y = messages()
    table = Table.from_columns({"message": texts})
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = MultinomialNB().fit(table.take(train), y[train])
    assert (model.predict(table.take(test)) == y[test]).mean() > 0.98


def test_news_about_corn_are_found_among_news():
    train, test = (read(shared_data(f"ReutersCorn-{part}.arff.gz")) for part in ("train", "test"))
    name = next(column.name for column in train.schema if column.name != "class-att")
    model = NaiveBayes(distributions={name: "complement"}).fit(*train.target("class-att"))
    X, y = test.target("class-att")
    assert (model.predict(X) == y).mean() > 0.95
