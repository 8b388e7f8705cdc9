"""One-vs-rest, one-vs-one, code words and chains beside scikit-learn's, with the same classifier inside, on real data.

Where they differ, and why:

- pairs: scikit-learn breaks equal votes by the sum of the members' ``decision_function``, margin by their probabilities
  where they have some. With members that have only scores the answers are the same.
- code words: scikit-learn takes the word at the least Euclidean distance from the scores, margin the one with the least
  loss. Random codes of scikit-learn may have columns with all classes on one side, or the same one twice.
- probabilities: scikit-learn's pairs and code words have none.
"""

import re
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as RivalLogistic
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain as RivalChain
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as RivalSVC

from margin import ClassifierChain, ErrorCorrectingCodes, LogisticRegression, OneVsOne, OneVsRest, read
from margin.evaluation import measure_multilabel
from tests.shared_data import shared_data

TARGETS = {"glass": "Type", "vowel": "Class"}


@cache
def several_classes(name):
    """Numbers of mean 0 and deviation 1, and labels: every other row to learn from, the rest to ask about."""
    X, y = read(shared_data(f"{name}.arff.gz")).target(TARGETS[name])
    numbers = np.column_stack([X.cells(column.name) for column in X.schema if column.is_numeric])
    return StandardScaler().fit_transform(numbers), np.asarray(y, dtype=str)


@cache
def several_labels(name, part):
    ending = "arff" if name == "flags" else "arff.gz"
    path = shared_data(f"multilabel/{name}-{part}.{ending}")
    labels = re.findall('label name="([^"]+)"', shared_data(f"multilabel/{name}.xml").read_text())
    table = read(path)
    y = np.column_stack([table.values(label) for label in labels]).astype(int)
    return table.drop(*labels), y, labels


def logistic():
    return RivalLogistic(max_iter=2000)


@pytest.mark.parametrize("name", TARGETS)
def test_one_vs_rest_is_the_same(name):
    X, y = several_classes(name)
    mine = OneVsRest(logistic()).fit(X[::2], y[::2])
    rival = OneVsRestClassifier(logistic()).fit(X[::2], y[::2])
    assert np.array_equal(mine.predict(X), rival.predict(X))
    np.testing.assert_allclose(mine.predict_proba(X), rival.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(mine.decision_function(X), rival.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("name", TARGETS)
def test_pairs_of_scores_answer_the_same(name):
    X, y = several_classes(name)
    mine = OneVsOne(RivalSVC(random_state=0, dual=False)).fit(X[::2], y[::2])
    rival = OneVsOneClassifier(RivalSVC(random_state=0, dual=False)).fit(X[::2], y[::2])
    assert np.array_equal(mine.predict(X), rival.predict(X))
    np.testing.assert_allclose(mine.decision_function(X), rival.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("name", TARGETS)
def test_pairs_of_probabilities_differ_only_where_votes_are_equal(name):
    X, y = several_classes(name)
    mine = OneVsOne(logistic()).fit(X[::2], y[::2])
    rival = OneVsOneClassifier(logistic()).fit(X[::2], y[::2])
    votes = np.round(rival.decision_function(X))
    clear = (np.sort(votes, axis=1)[:, -1] - np.sort(votes, axis=1)[:, -2]) > 0
    assert np.array_equal(mine.predict(X)[clear], rival.predict(X)[clear])
    assert clear.mean() > 0.9
    # What the pairs say together is at least as good as their votes.
    asked = slice(1, None, 2)
    by_shares = mine.classes_[mine.predict_proba(X[asked]).argmax(axis=1)]
    assert (by_shares == y[asked]).mean() > (mine.predict(X[asked]) == y[asked]).mean() - 0.02


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_code_words_are_mostly_decoded_alike(name):
    X, y = several_classes(name)
    rival = OutputCodeClassifier(RivalSVC(random_state=0, dual=False), code_size=4, random_state=0).fit(X[::2], y[::2])
    book = np.asarray(rival.code_book_)
    two_sided = (book == 1).any(axis=0) & (book == -1).any(axis=0)
    mine = ErrorCorrectingCodes(RivalSVC(random_state=0, dual=False), code=book[:, two_sided]).fit(X[::2], y[::2])
    asked = slice(1, None, 2)
    assert (mine.predict(X[asked]) == rival.predict(X[asked])).mean() > 0.7
    assert mine.score(X[asked], y[asked]) > rival.score(X[asked], y[asked]) - 0.05


@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_chains_are_the_same(name):
    X, y, _ = several_labels(name, "train")
    asked, _, _ = several_labels(name, "test")
    X, y, asked = np.asarray(X)[:200], y[:200], np.asarray(asked)
    scale = StandardScaler().fit(X)
    X, asked, order = scale.transform(X), scale.transform(asked), list(range(y.shape[1]))[::-1]
    mine = ClassifierChain(logistic(), order=order).fit(X, y)
    rival = RivalChain(logistic(), order=order).fit(X, y)
    assert np.array_equal(mine.predict(asked), rival.predict(asked))
    shares = np.column_stack([each[:, 1] for each in mine.predict_proba(asked)])
    np.testing.assert_allclose(shares, rival.predict_proba(asked), atol=1e-10)


def test_cross_fitted_chains_are_the_same():
    X, y, _ = several_labels("emotions", "train")
    X, y = StandardScaler().fit_transform(np.asarray(X)[:200]), y[:200]
    mine = ClassifierChain(logistic(), cv=KFold(3)).fit(X, y)
    rival = RivalChain(logistic(), cv=KFold(3)).fit(X, y)
    assert np.array_equal(mine.predict(X), rival.predict(X))


def test_label_by_label_is_the_same_as_one_vs_rest_of_labels():
    X, y, _ = several_labels("emotions", "train")
    X = StandardScaler().fit_transform(np.asarray(X))
    mine, rival = OneVsRest(logistic()).fit(X, y), OneVsRestClassifier(logistic()).fit(X, y)
    assert np.array_equal(mine.predict(X), rival.predict(X))
    shares = np.column_stack([each[:, 1] for each in mine.predict_proba(X)])
    np.testing.assert_allclose(shares, rival.predict_proba(X), atol=1e-12)


def test_a_mixed_table_of_flags_is_taken_as_it_is():
    """scikit-learn's chains refuse words; margin's take columns of both kinds, and beat guessing every label alone."""
    X, y, labels = several_labels("flags", "train")
    asked, truth, _ = several_labels("flags", "test")
    sets = [{label for label, there in zip(labels, row) if there} for row in y]
    model = ClassifierChain(LogisticRegression(scale="standard", C=0.1), n_chains=5, random_state=0).fit(X, sets)
    said = np.array([[label in each for label in labels] for each in model.predict(asked)])
    measured = measure_multilabel(truth, said.astype(int))
    majority = np.tile(y.mean(axis=0) > 0.5, (len(truth), 1))
    guessed = measure_multilabel(truth, majority.astype(int))
    assert measured["hamming_loss"].value < guessed["hamming_loss"].value
    assert measured["subset_accuracy"].value > guessed["subset_accuracy"].value
