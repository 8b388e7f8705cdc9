"""margin.linear.online.active_perceptron: by hand, against the algorithm as published, streams, robustness."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import ActivePerceptron
from margin.errors import ConvergenceWarning, InputError, LabelError, MarginError, ParameterError
from margin.persistence import load, save

# Short random streams often end before anything is learnt, which is warned of.
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")


def published(X, sign, patience, most=10**9):
    """Dasgupta, Kalai and Monteleoni's algorithm, with one weight vector; rows asked for, weights, threshold."""
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    v, s, streak, asked = sign[0] * X[0], 1 / np.sqrt(X.shape[1]), 0, [0]
    for i, (x, y) in enumerate(zip(X[1:], sign[1:]), 1):
        if abs(v @ x) > s or len(asked) >= most:
            continue
        asked.append(i)
        if y * (v @ x) < 0:
            v, streak = v - 2 * (v @ x) * x, 0
        else:
            streak += 1
            if streak == patience:
                s, streak = s / 2, 0
    return asked, v, s


def problem(seed, n=400, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) > 0


def origin(**given):
    return ActivePerceptron(fit_intercept=False, **given)


# by hand


def test_the_first_label_sets_the_direction():
    model = origin().update([3.0, 4.0], "no", classes=["no", "yes"])
    assert model.coef_[0] == pytest.approx([-0.6, -0.8])
    assert model.threshold_ == pytest.approx([1 / np.sqrt(2)])
    assert model.labels_used_ == 1


def test_a_mistake_reflects_the_weights():
    model = origin().update([1.0, 0.0], 1, classes=[0, 1])
    model.update([6.0, 8.0], 0)  # v.x = .6, wrong: v - 1.2 (.6, .8)
    assert model.coef_[0] == pytest.approx([0.28, -0.96])
    assert np.linalg.norm(model.coef_) == pytest.approx(1)
    assert model.predict([[6.0, 8.0]]).tolist() == [0]


def test_labels_are_wanted_near_the_boundary_only():
    model = origin().update([1.0, 0.0], 1, classes=[0, 1])
    assert model.query([0.1, 5.0])
    assert model.query([[0.1, 5.0]])
    assert not model.query([5.0, 0.1])
    assert not model.query([-5.0, 0.1])
    assert not model.query([0.0, 0.0])


def test_patience_in_right_answers_halves_the_distance():
    model = origin(patience=2).update([1.0, 0.0], 1, classes=[0, 1])
    s = model.threshold_[0]
    model.update([0.1, 1.0], 1)
    assert model.threshold_[0] == s
    model.update([0.2, 1.0], 1)
    assert model.threshold_[0] == s / 2
    model.update([0.1, 1.0], 1)
    model.update([-0.1, 1.0], 1)  # a mistake: the count begins anew
    model.update([0.1, 1.0], 1)
    assert model.threshold_[0] == s / 2


def test_right_answers_far_from_the_boundary_do_not_count():
    model = origin(patience=1).update([1.0, 0.0], 1, classes=[0, 1])
    s = model.threshold_[0]
    model.update([1.0, 0.1], 1)
    assert model.threshold_[0] == s
    assert model.labels_used_ == 2


def test_an_intercept_is_a_constant_after_each_row():
    model = ActivePerceptron().update([1.0], 1, classes=[0, 1])
    assert (model.coef_[0, 0], model.intercept_[0]) == pytest.approx((np.sqrt(0.5), np.sqrt(0.5)))
    assert ActivePerceptron().fit([[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1]).score([[0.0], [1.0]], [0, 1]) == 1


# the algorithm as published


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 20), st.sampled_from([None, 30]))
def test_agrees_with_the_algorithm_as_published(seed, d, patience, most):
    X, y = problem(seed, 300, d)
    y[0] = True
    y[-1] = False
    asked, v, s = published(X, np.where(y, 1, -1), patience, most or 10**9)
    model = origin(patience=patience, max_labels=most).fit(X, y)
    assert model.queried_.tolist() == asked
    assert model.labels_used_ == len(asked)
    np.testing.assert_allclose(model.coef_[0], v, rtol=1e-6, atol=1e-9)
    assert model.threshold_[0] == pytest.approx(s)


def test_an_intercept_is_the_same_as_a_column_of_ones():
    X, y = problem(3)
    ones = np.column_stack([X, np.ones(len(X))])
    asked, v, _ = published(ones, np.where(y, 1, -1), 16)
    model = ActivePerceptron().fit(X, y)
    assert model.queried_.tolist() == asked
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], v, rtol=1e-6, atol=1e-9)


def test_several_classes_are_half_spaces_each_and_share_their_labels():
    X, _ = problem(4, 500)
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    model = origin().fit(X, y)
    asked = set()
    for k, label in enumerate("abc"):
        rows, v, s = published(X, np.where(y == label, 1, -1), 16)
        asked.update(rows)
        np.testing.assert_allclose(model.coef_[k], v, rtol=1e-6, atol=1e-9)
        assert model.threshold_[k] == pytest.approx(s)
    assert model.queried_.tolist() == sorted(asked)
    assert model.decision_function(X).shape == (500, 3)


# streams


def test_a_stream_of_single_rows_is_the_same_as_an_array():
    X, y = problem(5, 600)
    whole = origin().fit(X, y)
    model = origin()
    for x, label in zip(X, y):
        if model.query(x):
            model.update(x, label, classes=None if hasattr(model, "classes_") else [False, True])
    assert model.labels_used_ == whole.labels_used_
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.threshold_, whole.threshold_)


def test_rows_in_parts_are_the_same_as_all_at_once():
    X, y = problem(6, 600)
    whole = origin().fit(X, y)
    model = origin()
    for rows in (slice(0, 7), slice(7, 200), slice(200, 600)):
        model.partial_fit(X[rows], y[rows], classes=[False, True])
    assert model.queried_.tolist() == whole.queried_.tolist()
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.error_curve_[:, 0].tolist()[-1] == whole.labels_used_
    assert len(model.error_curve_) == 3


def test_fit_goes_on_with_partial_fit():
    X, y = problem(8, 600)
    model = ActivePerceptron().fit(X[:300], y[:300])
    expected = ActivePerceptron().partial_fit(X[:300], y[:300]).partial_fit(X[300:], y[300:])
    assert np.array_equal(model.partial_fit(X[300:], y[300:]).coef_, expected.coef_)


def test_a_second_way_through_the_rows_reuses_labels():
    X, y = problem(9, 200)
    once, twice = (origin(max_iter=n, patience=64).fit(X, y) for n in (1, 2))
    assert set(once.queried_) <= set(twice.queried_)
    assert twice.labels_used_ == len(twice.queried_) <= 200
    assert twice.n_iter_ == 2


def test_no_more_labels_than_allowed_are_asked_for():
    X, y = problem(10)
    model = origin(max_labels=25).fit(X, y)
    assert model.labels_used_ == 25
    assert not any(model.query(x) for x in X[:50])


def test_labels_that_were_not_asked_for_change_nothing():
    X, y = problem(11)
    model = origin().fit(X, y)
    other = y.copy()
    unasked = np.setdiff1d(np.arange(len(y)), model.queried_)
    other[unasked] = ~other[unasked]
    assert np.array_equal(origin().fit(X, other).coef_, model.coef_)


def test_the_error_curve_is_measured_on_all_rows_and_ends_at_the_end():
    X, y = problem(12)
    model = origin().fit(X, y)
    assert model.error_curve_[-1].tolist() == [model.labels_used_, pytest.approx(1 - model.score(X, y))]
    assert model.error_curve_[0, 0] == 1


# robustness


def test_the_length_of_rows_through_the_origin_changes_nothing():
    X, y = problem(13)
    model = origin().fit(X, y)
    powers = 2.0 ** np.random.default_rng(0).integers(-300, 300, len(X))
    assert np.array_equal(origin().fit(X * powers[:, None], y).coef_, model.coef_)


def test_sparse_and_float32_rows_are_asked_for_alike():
    X, y = problem(14)
    X[np.abs(X) < 0.6] = 0
    X = X.astype(np.float32)
    expected = ActivePerceptron().fit(X.astype(float), y)
    for rows in (X, sp.csr_array(X), sp.csr_array(X.astype(float))):
        model = ActivePerceptron().fit(rows, y)
        assert np.array_equal(model.coef_, expected.coef_)
        assert model.query(rows[:1]) == expected.query(X[:1].astype(float))


def test_rows_that_stand_behind_themselves_are_passed_over():
    X, y = problem(15)
    model = origin().fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert np.array_equal(model.coef_, origin().fit(X, y).coef_)
    assert (model.queried_ % 3 == 0).all()


def test_rows_of_weight_zero_are_left_out_and_rows_keep_their_numbers():
    X, y = problem(16)
    weight = (np.arange(len(X)) % 3 != 0).astype(float)
    model = origin().fit(X, y, weight)
    assert (model.queried_ % 3 != 0).all()
    assert np.array_equal(model.coef_, origin().fit(X[weight > 0], y[weight > 0]).coef_)


def test_a_table_is_taken_as_it_is():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=200), "job": rng.choice(["cook", "clerk"], 200)})
    y = np.where(table["job"] == "cook", "c", "k")
    model = ActivePerceptron(scale="standard").fit(table, y)
    assert model.score(table, y) > 0.9
    assert isinstance(model.query(table.iloc[[0]]), bool)


def test_rows_of_zeros_ask_for_nothing_and_are_answered():
    model = origin().fit([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [0, 1, 1, 0, 1])
    assert 0 not in model.queried_
    assert model.predict([[0.0, 0.0]]).tolist() == [0]


def test_a_saved_stream_goes_on(tmp_path):
    X, y = problem(17)
    model = origin().partial_fit(X[:200], y[:200])
    kept = load(save(model, tmp_path / "stream.margin"))
    assert np.array_equal(kept.partial_fit(X[200:], y[200:]).coef_, model.partial_fit(X[200:], y[200:]).coef_)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ParameterError, match="classes must name all labels"):
        ActivePerceptron().update([1.0], 1)
    with pytest.raises(ParameterError, match="patience must be"):
        ActivePerceptron(patience=0).query([1.0])
    model = ActivePerceptron().update([1.0, 2.0], 1, classes=[0, 1])
    with pytest.raises(LabelError, match="label 2"):
        model.update([1.0, 2.0], 2)
    with pytest.raises(InputError, match="one row"):
        model.query([[1.0, 2.0], [1.0, 3.0]])
    with pytest.raises(MarginError):
        model.query([1.0, 2.0, 3.0])
    assert model.labels_used_ == 1


def test_rows_on_one_side_of_the_origin_teach_nothing_and_are_warned_of():
    X = np.random.default_rng(0).uniform(10, 11, (60, 3))
    y = X[:, 0] > np.median(X[:, 0])
    with pytest.warns(ConvergenceWarning, match="scale='standard'"):
        ActivePerceptron().fit(X, y)
