"""Choosing k: every k as if each row had been left out and the model fitted anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import KNeighborsClassifier, KNeighborsRegressor, choose_k
from margin.data import Table
from margin.errors import InputError, LabelError, ParameterError
from margin.neighbors import KChoice
from margin.neighbors import losses_by_k as turns

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

KERNEL = [lambda d: 1 - d / (1 + d.max(axis=1, keepdims=True))]  # weighs by what else there is
VOTES = ["uniform", "distance", "inverse_square", *KERNEL]


def left_out_by_fits(make, X, y, k, weight=None):
    """The answer for each row of a model fitted to the others."""
    found = []
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        model = make(k).fit(X[others], y[others], None if weight is None else weight[others])
        found.append(model.predict(X[[row]])[0])
    return np.array(found)


def some_rows(seed, n=16):
    rng = np.random.default_rng(seed)
    return rng, rng.integers(0, 3, (n, 2)).astype(float), rng.integers(0, 3, n)  # whole numbers: many ties


@given(
    seed=st.integers(0, 10_000), weights=st.sampled_from(VOTES), weighting=st.sampled_from(["none", "counts", "any"])
)
@settings(max_examples=12, deadline=None)
def test_every_k_is_as_right_as_leaving_each_row_out(seed, weights, weighting):
    rng, X, y = some_rows(seed)
    weight = {"none": None, "counts": rng.integers(1, 4, 16).astype(float), "any": rng.random(16)}[weighting]
    choice = choose_k(X, y, 9, weights=weights, sample_weight=weight)
    case_weight = np.ones(16) if weight is None else weight
    for k in (1, 2, 3, 5, 9):
        answers = left_out_by_fits(lambda k: KNeighborsClassifier(k, weights=weights), X, y, k, weight)
        assert choice.right[k - 1] == pytest.approx(case_weight[answers == y].sum(), rel=1e-12)
        assert choice.error[k - 1] == pytest.approx((case_weight[answers != y]).sum() / case_weight.sum())


@given(
    seed=st.integers(0, 10_000), weights=st.sampled_from(VOTES), weighting=st.sampled_from(["none", "counts", "any"])
)
@settings(max_examples=12, deadline=None)
def test_squared_errors_are_those_of_leaving_each_row_out(seed, weights, weighting):
    rng, X, y = some_rows(seed)
    y = y + 1e6
    weight = {"none": None, "counts": rng.integers(1, 4, 16).astype(float), "any": rng.random(16)}[weighting]
    choice = choose_k(X, y, 9, weights=weights, sample_weight=weight, loss="squared_error")
    assert choice.right is None
    for k in (1, 2, 4, 9):
        answers = left_out_by_fits(lambda k: KNeighborsRegressor(k, weights=weights), X, y, k, weight)
        expected = np.average((answers - y) ** 2, weights=weight)
        assert choice.error[k - 1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "settings",
    [{"metric": "cosine"}, {"p": 1, "algorithm": "kd_tree"}, {"algorithm": "ball_tree"}, {"metric": "heom"}],
    ids=str,
)
def test_every_index_is_asked(settings):
    _, X, y = some_rows(3)
    X = X + 1
    choice = choose_k(X, y, 4, **settings)
    if settings == {"metric": "heom"}:  # its ranges, too, are learnt from all rows
        assert np.ptp(X[1:], axis=0).tolist() == np.ptp(X, axis=0).tolist() == [2, 2]
    for k in (1, 2, 4):
        answers = left_out_by_fits(lambda k: KNeighborsClassifier(k, **settings), X, y, k)
        assert choice.right[k - 1] == (answers == y).sum()


@pytest.mark.parametrize("weights", VOTES, ids=["uniform", "distance", "inverse_square", "kernel"])
def test_validation_rows_are_answered_by_all_training_rows(weights):
    rng, X, y = some_rows(5, 40)
    new, truth = rng.integers(0, 3, (25, 2)) + 0.25, rng.integers(0, 4, 25)  # 3 is no class of the training rows
    choice = choose_k(X, y, 100, weights=weights, validation=(new, truth))
    assert (len(choice.k), choice.n_cases, choice.how) == (40, 25, "validation")
    for k in (1, 2, 7, 40):
        answers = KNeighborsClassifier(k, weights=weights).fit(X, y).predict(new)
        assert choice.right[k - 1] == (answers == truth).sum()
    values = choose_k(X, y, 100, weights=weights, validation=(new, truth), loss="squared_error")
    expected = KNeighborsRegressor(7, weights=weights).fit(X, y).predict(new)
    assert values.error[6] == pytest.approx(((expected - truth) ** 2).mean())


def test_rows_are_taken_in_blocks_without_a_difference(monkeypatch):
    _, X, y = some_rows(7, 50)
    whole = choose_k(X, y, 10, weights="distance"), choose_k(X, y, 10, loss="squared_error")
    monkeypatch.setattr(turns, "NEIGHBORS_AT_ONCE", 70)
    parts = choose_k(X, y, 10, weights="distance"), choose_k(X, y, 10, loss="squared_error")
    for one, other in zip(whole, parts):
        np.testing.assert_allclose(one.error, other.error, rtol=1e-13)
        np.testing.assert_allclose(one.standard_error, other.standard_error, rtol=1e-12)


def test_standard_errors_are_binomial_or_those_of_a_mean():
    rng, X, y = some_rows(2, 60)
    choice = choose_k(X, y, 5)
    np.testing.assert_allclose(choice.standard_error, np.sqrt(choice.error * (1 - choice.error) / 60))
    target = rng.normal(size=60)
    squares = (left_out_by_fits(KNeighborsRegressor, X, target, 3) - target) ** 2
    found = choose_k(X, target, 5, loss="squared_error")
    assert found.standard_error[2] == pytest.approx(squares.std() / np.sqrt(60))


def test_targets_of_any_size_have_errors():
    _, X, y = some_rows(2, 20)
    small = choose_k(X, y, 5, loss="squared_error")
    large = choose_k(X, y * 2.0**490, 5, loss="squared_error")
    np.testing.assert_allclose(large.error / 2.0**980, small.error)
    np.testing.assert_allclose(large.standard_error / 2.0**980, small.standard_error)
    assert choose_k(X, np.ones(20), 3, loss="squared_error").error.tolist() == [0.0] * 3


def test_the_scale_is_learnt_from_all_rows():
    rng, _, y = some_rows(4, 30)
    X = rng.normal(size=(30, 2)) * [1, 1000]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert choose_k(X, y, 9, scale="standard").right.tolist() == choose_k(scaled, y, 9).right.tolist()


def found(error, standard_error=0.1):
    error = np.array(error)
    chance = np.full(len(error), standard_error)
    return KChoice(np.arange(1, len(error) + 1), error, chance, None, 100, "validation")


def test_of_equal_errors_the_smoothest_model_is_best():
    assert found([0.3, 0.1, 0.2, 0.1, 0.2]).best == 4


def test_the_largest_k_within_one_standard_error_of_the_smallest_is_named():
    assert found([0.5, 0.2, 0.25, 0.31, 0.29, 0.4], 0.1).within_one_standard_error == 5
    assert found([0.5, 0.2, 0.25, 0.31, 0.29, 0.4], 0.0).within_one_standard_error == 2


def test_the_knee_is_the_smallest_error_before_it_rises_again():
    assert found([1.0, 0.4, 0.2, 0.15, 0.12, 0.11, 0.10, 0.3]).knee == 7
    assert found([1.0, 0.2, 0.9, 0.19, 0.18, 0.17, 0.9]).knee == 6  # a bump on the way down is passed over
    assert found([0.2, 0.1, 0.3]).knee == 2
    assert found([0.2, 0.1, 0.1, 0.3]).knee == 2
    for error in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]):
        assert found(error).knee is None
        assert "knee:" in str(found(error))
        assert "none, the error does not fall and rise again" in str(found(error))


def test_the_summary_names_all_three():
    text = str(found([1.0, 0.4, 0.2, 0.15, 0.12, 0.11, 0.10, 0.3]))
    assert "k = 1 … 8, validation, 100 cases" in text
    assert "smallest error:                      k = 7, mean squared error 0.1 ± 0.1" in text
    assert "knee:                                k = 7" in text


def test_a_table_goes_straight_in_and_words_are_answered():
    table = Table.from_columns({"size": [1.0, 2.0, 8.0, 9.0], "colour": ["red", "red", "blue", "blue"]})
    assert choose_k(table, ["a", "a", "b", "b"], 2).right.tolist() == [4.0, 4.0]  # of equal votes the nearer


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"k_max": 0}, ParameterError, r"choose_k\(k_max=0\)"),
        ({"loss": "squared"}, ParameterError, "squared_error"),
        ({"weights": "near"}, ParameterError, "weights must be"),
        ({"validation": [1, 2, 3]}, ParameterError, "must be a pair"),
        ({"validation": (np.ones((2, 2)), [0])}, LabelError, "1 labels for 2 rows"),
        ({"validation": (np.ones((2, 2)), ["0", "1"])}, LabelError, "one kind"),
        ({"validation": (np.ones((0, 2)), [])}, InputError, "at least one row"),
        ({"y": np.arange(16) / 2}, LabelError, "use a regressor"),
        ({"y": np.ones((16, 2))}, LabelError, "one target"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(given, error, message):
    _, X, y = some_rows(0)
    with pytest.raises(error, match=message):
        choose_k(**{"X": X, "y": y, **given})


def test_a_single_row_cannot_be_left_out():
    with pytest.raises(InputError, match="at least two rows"):
        choose_k([[1.0]], [0])


def test_what_the_scale_knows_of_the_row_left_out_is_measured_and_told():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3)) * [1.0, 10.0, 0.1]
    X[::7] *= 30  # rows that stretch the scale
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    choice = choose_k(X, y, 15, scale="standard")
    wrong = 0
    for row in range(40):
        others = np.delete(np.arange(40), row)
        model = KNeighborsClassifier(choice.best, scale="standard").fit(X[others], y[others])
        wrong += model.predict(X[row : row + 1])[0] != y[row]
    assert choice.rescaled_error == pytest.approx(wrong / 40)
    assert f"k = {choice.best} errs by {wrong / 40:.2%} in place of" in str(choice)
    plain = choose_k(X, y, 15)
    assert plain.rescaled_error is None
    assert "scale" not in str(plain)
    assert "scale" not in str(choose_k(X, y, 15, scale="standard", validation=(X, y)))


def test_of_quantities_too_the_scale_is_learnt_anew_to_tell_what_it_knows():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(25, 2)) * [1.0, 10.0]
    X[0] = 100.0
    y = X[:, 0] + rng.normal(size=25)
    choice = choose_k(X, y, 10, scale="range", loss="squared_error")
    losses = []
    for row in range(25):
        others = np.delete(np.arange(25), row)
        model = KNeighborsRegressor(choice.best, scale="range").fit(X[others], y[others])
        losses.append((model.predict(X[row : row + 1])[0] - y[row]) ** 2)
    assert choice.rescaled_error == pytest.approx(np.mean(losses))
