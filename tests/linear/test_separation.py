"""margin.linear.logistic.separation: small cases by hand, the programme against what fits do, warnings at fit."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import LogisticRegression
from margin.errors import InputError, SeparationWarning
from margin.linear import separation


def test_points_on_two_sides_of_a_threshold_are_completely_separated():
    found = separation([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert (found.kind, found.columns, found.alone) == ("complete", (0,), True)


def test_equal_points_of_both_classes_on_the_threshold_make_it_quasi_complete():
    found = separation([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert (found.kind, found.columns) == ("quasi-complete", (0,))


def test_mixed_points_are_not_separated():
    assert separation([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]) is None


def test_without_an_intercept_the_plane_must_pass_the_origin():
    X = [[1.0], [2.0], [3.0], [4.0]]
    assert separation(X, [0, 0, 1, 1], intercept=False) is None
    assert separation([[-2.0], [-1.0], [3.0]], [0, 0, 1], intercept=False).kind == "complete"


def test_two_columns_may_separate_together_only():
    X = np.array([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5], [0.5, 0.0], [1.5, 1.0], [2.5, 2.0]])
    found = separation(X, [0, 0, 0, 1, 1, 1])
    assert (found.kind, set(found.columns), found.alone) == ("complete", {0, 1}, False)
    leads = X @ found.direction[0]
    assert leads[:3].max() < leads[3:].min()


def test_one_of_three_classes_apart_from_the_others_is_quasi_complete():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [10.5], [11.5], [10.2], [11.2]])
    assert separation(X, [0, 0, 1, 1, 2, 2, 2, 1]).kind == "quasi-complete"
    assert separation([[0.0], [5.0], [9.0]], [0, 1, 2]).kind == "complete"


def test_one_class_and_unusable_cells():
    assert separation([[1.0], [2.0]], [1, 1]) is None
    with pytest.raises(InputError, match="finite"):
        separation([[np.nan]], [1])
    with pytest.raises(InputError, match="2 labels for 1 rows"):
        separation([[1.0]], [1, 2])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 14))
def test_separated_exactly_if_the_fit_without_penalty_is_warned_of(seed, n):
    rng = np.random.default_rng(seed)
    X = np.round(2 * rng.normal(size=(n, 2)))
    y = np.arange(n) % 2
    varies = np.ptp(X, axis=0) > 0
    found = separation(X[:, varies], y) if varies.any() else None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert any(issubclass(w.category, SeparationWarning) for w in said) == (found is not None)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()


def separated_table():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame({"age": rng.normal(40, 9, 60), "mark": 10.0 * y + rng.random(60), "size": rng.normal(size=60)})
    return table, y


def test_the_warning_names_the_column_and_says_what_to_do():
    X, y = separated_table()
    with pytest.warns(SeparationWarning, match=r"column 'mark' separates the classes;.*C=1") as said:
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert said[0].filename == __file__
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.coef_).all()


def test_a_rare_category_of_one_class_is_quasi_complete_and_named():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 3))
    X[:, 2] = 0.0
    X[np.flatnonzero(y == 1)[:3], 2] = 1.0
    with pytest.warns(SeparationWarning, match="'x2' separates the classes, up to rows on the boundary"):
        LogisticRegression(C=np.inf).fit(X, y)
    with pytest.warns(SeparationWarning, match="'x2'"):
        LogisticRegression(C=np.inf).fit(sp.csr_array(X), y)


def test_with_a_penalty_or_overlap_nothing_is_said():
    X, y = separated_table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression().fit(X, y)
        LogisticRegression(C=np.inf).fit(X[["age", "size"]], y)
