"""Free text as hashed words: worked by hand, then a slow definition, then in models."""

import itertools
import zlib
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from margin import LogisticRegression, MajorityClassifier, NaiveBayes
from margin.base.representations.hashed_text import BITS, FEWEST, LENGTH, HashedText
from margin.bayes import CalibratedClassifier
from margin.data.written.words import words_of
from margin.explain import explain
from margin.linear import LinearSGD, Perceptron
from margin.persistence import from_bytes, to_bytes
from margin.svm import LinearSVC
from margin.tree import DecisionTreeClassifier


def mixed(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B % 2**32
    h ^= h >> 13
    h = h * 0xC2B2AE35 % 2**32
    return h ^ h >> 16


def buckets_of(text):
    """Words and pairs by the definition, as the bucket of each."""
    hashes = [zlib.crc32(word.encode()) for word in words_of(text)]
    pairs = [(a * 0x9E3779B1 + b) % 2**32 for a, b in itertools.pairwise(hashes)]
    return [mixed(h) >> (32 - BITS) for h in hashes + pairs]


def slow_rows(training, texts):
    filled = Counter(bucket for text in training for bucket in set(buckets_of(text)))
    kept = sorted(bucket for bucket, n in filled.items() if n >= FEWEST)
    rows = []
    for text in texts:
        times = Counter(buckets_of(text))
        row = np.array([np.log(1 + times[b]) * np.log(len(training) / filled[b]) for b in kept])
        norm = np.linalg.norm(row)
        rows.append(LENGTH * row / norm if norm else row)
    return np.array(rows)


def texts(n, seed=0):
    rng = np.random.default_rng(seed)
    words = np.array(["free", "win", "lunch", "now", "Ärger", "see", "you", "prize", "call", "home", "日本", "x_1"])
    return [" ".join(rng.choice(words, rng.integers(0, 9))) + "!" * (i % 3) for i in range(n)]


def test_rows_are_those_of_the_definition():
    training, new = texts(60), [*texts(20, 1), "words that nobody knew", ""]
    learnt = HashedText.learn("note", training, np.arange(60), None)
    codes = np.arange(len(new))
    np.testing.assert_allclose(learnt.encode(new, codes).toarray(), slow_rows(training, new), rtol=1e-12)
    assert learnt.encode(new, np.array([-1, 3])).toarray()[0].tolist() == [0] * len(learnt.buckets)


def test_weights_of_whole_numbers_are_repeated_rows():
    training = texts(30)
    weight = np.arange(30) % 3 + 1.0
    weighed = HashedText.learn("note", training, np.arange(30), weight)
    repeated = HashedText.learn("note", training, np.repeat(np.arange(30), weight.astype(int)), None)
    assert weighed.grams == repeated.grams
    np.testing.assert_allclose(weighed.weights, repeated.weights)


def test_columns_are_called_by_their_words():
    learnt = HashedText.learn("note", ["win a prize", "win a car", "lose"], np.array([0, 0, 1, 1, 2]), None)
    assert sorted(learnt.grams) == ["a", "win", "win a"]
    assert "'win a' in note" in learnt.names


def test_where_no_word_comes_thrice_all_are_kept():
    assert len(HashedText.learn("note", ["one two", "three"], np.array([0, 1]), None).buckets) == 4


@pytest.fixture(scope="module")
def messages():
    """Half of the messages have a word or a pair that tells, among others that do not."""
    rng = np.random.default_rng(3)
    common = np.array(["the", "a", "of", "to", "and", "is", "it", "on", "for", "with", "as", "at"])
    y = np.arange(240) % 2
    made = []
    for label in y:
        words = rng.choice(common, 9).tolist()
        words[4:6] = (
            rng.permutation(["not", "good"] if rng.random() < 0.5 else ["very", "bad"]) if label else ["so", "so"]
        )
        made.append(" ".join(words))
    return pd.DataFrame({"message": made, "age": rng.normal(size=240)}), np.where(y, "spam", "ham")


MODELS = [LogisticRegression(), LinearSVC(), Perceptron(random_state=0), LinearSGD(random_state=0), NaiveBayes(),
          CalibratedClassifier(LinearSVC())]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_that_read_text_learn_from_it_and_come_back_from_files(model, messages):
    X, y = messages
    model.fit(X[:160], y[:160])
    assert model.score(X[160:], y[160:]) > 0.95
    again = from_bytes(to_bytes(model))
    assert (again.predict(X) == model.predict(X)).all()
    few = X[160:163].assign(message=["so so", None, X["message"][162]])  # what a column is was settled at fit
    assert again.predict(few)[0] == "ham"
    assert again.predict(few)[2] == model.predict(X[162:163])[0]


def test_the_majority_can_be_beaten_where_text_is_all_there_is(messages):
    X, y = messages
    model = MajorityClassifier().fit(X[["message"]], y)
    assert from_bytes(to_bytes(model)).predict(X[["message"]]).shape == y.shape


def test_words_are_reasons(messages):
    X, y = messages
    model = LogisticRegression().fit(*messages)
    words = explain(model, X[y == "spam"][:1]).text()
    assert "in message" in words
    assert len(model.coef_names_) == model.coef_.shape[1]


def test_models_that_cannot_read_text_leave_it_out_and_say_so(messages):
    with pytest.warns(UserWarning, match=r"column 'message' \(sentences.*left out"):
        model = DecisionTreeClassifier().fit(*messages)
    assert model.schema_.names == ("age",)
    assert CalibratedClassifier(DecisionTreeClassifier()).fit(*messages).predict(messages[0]).shape == (240,)
