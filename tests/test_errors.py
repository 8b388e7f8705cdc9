"""margin.errors: a warning points at the line of the user's that led to it."""

import warnings

import numpy as np
import pytest

import margin
from margin.errors import closest, listing


def test_a_warning_points_at_the_line_outside_margin():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        margin.Perceptron(max_iter=2).fit(X, y)
        margin.NaiveBayes().fit(np.ones((4, 1)), y)
    assert len(caught) == 2
    assert {warning.filename for warning in caught} == {__file__}


def test_a_near_word_is_offered_and_a_long_list_counted():
    assert closest("ginni", ["entropy", "gini"]) == " (did you mean 'gini'?)"
    assert closest("xyz", ["entropy", "gini"]) == ""
    assert listing(range(7)) == "0, 1, 2, 3, 4, … (7 in all)"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("naive", "naive-bayes"),  # its beginning
        ("bayes", "naive-bayes"),  # its end
        ("KNN", "knn"),
        ("lgoistic", "logistic"),  # two letters swapped
        ("majorty", "majority"),
        ("tre", "tree"),
    ],
)
def test_a_hint_finds_beginnings_ends_and_slips_of_the_keyboard(typed, meant):
    known = ["majority", "naive-bayes", "logistic", "knn", "knn-heom", "tree", "lda", "qda"]
    assert closest(typed, known) == f" (did you mean {meant!r}?)"


def test_a_hint_is_not_made_of_nothing():
    assert closest("", ["knn"]) == closest("forest", ["knn", "tree"]) == closest("x", []) == ""
