"""Free text in a table against scikit-learn's tf-idf: other weights, no hash, so scores are alike, not equal."""

import csv
import gzip

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from margin import LogisticRegression, NaiveBayes
from margin.svm import LinearSVC


@pytest.fixture(scope="module")
def messages():
    from tests.shared_data import shared_data

    with gzip.open(shared_data("SMSSpamCollection.tsv.gz"), "rt", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    y = np.array([label for label, _ in rows])
    test = np.arange(len(y)) % 3 == 0
    return pd.DataFrame({"message": [text for _, text in rows]}), y, test


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LogisticRegression(), sklearn.linear_model.LogisticRegression()),
        (LinearSVC(), sklearn.svm.LinearSVC()),
        (NaiveBayes(), sklearn.svm.LinearSVC()),
    ],
    ids=["logistic", "svm", "bayes"],
)
def test_messages_are_told_apart_no_worse(ours, theirs, messages):
    X, y, test = messages
    rival = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=3), theirs)
    rival.fit(X["message"][~test], y[~test])
    least = rival.score(X["message"][test], y[test]) - 0.005
    assert ours.fit(X[~test], y[~test]).score(X[test], y[test]) >= least
