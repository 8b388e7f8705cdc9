"""margin.linear.geometry.hard_margin: by hand, against a slow definition, properties, extreme data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize, nnls

from margin.errors import InputError, LabelError, ParameterError
from margin.linear import hard_margin
from margin.linear.geometry.hard_margin import largest_margin, widest_gap


def shortest_in_hull(points: np.ndarray) -> float:
    """The definition, as non-negative least squares: weights u >= 0 that bring (1, points' u) next to (1, 0)."""
    A = np.vstack([np.ones(len(points)), points.T])
    u = nnls(A, np.r_[1.0, np.zeros(points.shape[1])], maxiter=10_000)[0]
    return float(np.linalg.norm(u @ points) / u.sum())


def separable_by_a_linear_program(points: np.ndarray) -> bool:
    d = points.shape[1]
    return linprog(np.zeros(d), -points, -np.ones(len(points)), bounds=[(None, None)] * d).status == 0


def problem(seed: int, n: int, d: int, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    sign = np.where(X @ rng.normal(size=d) + noise * rng.normal(size=n) + 0.3 > 0, 1.0, -1.0)
    if (sign == sign[0]).all():
        sign[0] = -sign[0]
    return X, sign


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


# by hand


def test_two_points_keep_half_their_distance_from_the_plane_between_them():
    found = hard_margin([[1.0, 1.0], [4.0, 5.0]], ["a", "b"], through_origin=False)
    assert found.separable
    assert found.margin == pytest.approx(2.5, rel=1e-12)
    assert found.direction == pytest.approx([0.6, 0.8])
    assert found.intercept == pytest.approx(-(0.6 * 2.5 + 0.8 * 3.0))
    assert found.rows.tolist() == [0, 1]
    assert found.weights == pytest.approx([1, 1])


def test_two_opposite_points_have_the_margin_of_their_length():
    found = hard_margin([[3.0, 4.0], [-3.0, -4.0]], [1, 0], intercept=False)
    assert (found.margin, found.upper_bound, found.radius) == pytest.approx((5, 5, 5))
    assert found.direction == pytest.approx([0.6, 0.8])
    assert found.intercept == 0


def test_the_constant_counts_in_the_margin_through_the_origin():
    # rows (0, 1) and (2, 1), turned: (0, -1), (2, 1): the hull is nearest to 0 at (.5, -.5)
    found = hard_margin([[0.0], [2.0]], [0, 1])
    assert found.margin == pytest.approx(np.sqrt(0.5))
    assert found.direction == pytest.approx([np.sqrt(0.5)])
    assert found.intercept == pytest.approx(-np.sqrt(0.5))
    assert found.weights == pytest.approx([0.75, 0.25])
    assert found.radius == pytest.approx(np.sqrt(5))


def test_all_four_corners_of_a_square_are_on_the_margin():
    found = hard_margin([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1], through_origin=False)
    assert found.margin == pytest.approx(0.5)
    assert found.rows.tolist() == [0, 1, 2, 3]


def test_the_crossed_corners_of_a_square_cannot_be_separated_and_the_proof_is_their_middle():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    for through_origin in (True, False):
        found = hard_margin(X, y, through_origin=through_origin)
        assert not found.separable
        assert found.margin == found.upper_bound == 0
        sign = np.array([-1, -1, 1, 1])[found.rows, None]
        assert np.abs(found.weights @ (sign * with_constant(X)[found.rows])).max() < 1e-12
        assert "No plane" in str(found)


def test_iris_setosa_has_the_margin_of_the_support_vector_machine():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    found = hard_margin(X, y == 0, through_origin=False)
    assert round(found.margin, 6) == 0.817556
    assert not hard_margin(X, y == 1).separable


# the definition


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_non_negative_least_squares_and_a_linear_program(seed):
    n, d = 2 + seed % 30, 1 + seed % 7
    X, sign = problem(seed, n, d, noise=0.0 if seed % 2 else 0.5)
    for intercept in (True, False):
        points = sign[:, None] * (with_constant(X) if intercept else X)
        found = largest_margin(X, sign, intercept)
        assert found.separable == separable_by_a_linear_program(points)
        if found.separable:
            assert found.margin == pytest.approx(shortest_in_hull(points), rel=1e-6)
            normal = np.r_[found.direction, found.intercept] if intercept else found.direction
            assert np.linalg.norm(normal) == pytest.approx(1, rel=1e-12)
            assert (points @ normal).min() == pytest.approx(found.margin, rel=1e-9)
        assert found.weights.min() >= 0
        assert found.weights.sum() == pytest.approx(1)
        length = np.linalg.norm(found.weights @ points[found.rows])
        assert length == pytest.approx(found.upper_bound, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_gap_agrees_with_a_quadratic_program(seed):
    X, sign = problem(seed, 8 + seed, 2 + seed % 3)
    found = widest_gap(X, sign)
    rows = with_constant(X)
    start = np.r_[found.direction, found.intercept] * 1.7 / found.margin
    slow = minimize(
        lambda v: 0.5 * v[:-1] @ v[:-1],
        start,
        jac=lambda v: np.r_[v[:-1], 0.0],
        constraints={"type": "ineq", "fun": lambda v: sign * (rows @ v) - 1, "jac": lambda v: sign[:, None] * rows},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert found.margin == pytest.approx(1 / np.linalg.norm(slow.x[:-1]), rel=1e-5)
    assert (sign * (X @ found.direction + found.intercept)).min() == pytest.approx(found.margin, rel=1e-9)
    for side in (1, -1):
        assert found.weights[sign[found.rows] == side].sum() == pytest.approx(1)


# properties


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.sampled_from([0.0, 1.0]))
def test_the_two_bounds_meet_and_rows_on_the_margin_prove_it(seed, n, d, noise):
    X, sign = problem(seed, n, d, noise)
    found = largest_margin(X, sign, True)
    if found.separable:
        assert found.margin <= found.upper_bound * (1 + 1e-12)
        assert found.upper_bound - found.margin <= 1e-8 * found.margin
        alone = largest_margin(X[found.rows], sign[found.rows], True)
        assert alone.margin == pytest.approx(found.margin, rel=1e-8)
    else:
        assert found.upper_bound <= 1e-10


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(-300, 300))
def test_the_unit_of_the_rows_is_the_unit_of_the_margin(seed, exponent):
    X, sign = problem(seed, 20, 3)
    unit = 2.0**exponent
    for measure in (lambda Z: largest_margin(Z, sign, False), lambda Z: widest_gap(Z, sign)):
        plain, scaled = measure(X), measure(X * unit)
        assert scaled.separable == plain.separable
        assert scaled.margin == pytest.approx(plain.margin * unit, rel=1e-9)
        assert scaled.rows.tolist() == plain.rows.tolist()


def test_repeated_rows_change_nothing():
    X, sign = problem(3, 30, 4)
    once, often = largest_margin(X, sign, True), largest_margin(np.repeat(X, 5, axis=0), np.repeat(sign, 5), True)
    assert often.margin == pytest.approx(once.margin, rel=1e-9)


def test_more_columns_than_rows_are_always_separable_in_general_position():
    X, sign = problem(5, 20, 60)
    found = largest_margin(X, sign, False)
    assert found.separable
    assert found.margin == pytest.approx(shortest_in_hull(sign[:, None] * X), rel=1e-6)


def test_rows_far_from_the_origin_keep_their_gap():
    X, sign = problem(1, 40, 2)
    near, far = widest_gap(X, sign), widest_gap(X + 1e6, sign)
    assert far.margin == pytest.approx(near.margin, rel=1e-6)


def test_a_gap_too_narrow_to_be_seen_beside_the_constant_is_found():
    found = hard_margin([[1e-60], [2e-60], [5e-60]], [0, 0, 1])
    assert found.separable
    assert 0 < found.margin < 1e-59


def test_float32_and_sparse_rows_have_the_margin_of_the_same_numbers():
    X, sign = problem(8, 300, 5)
    X[np.abs(X) < 0.5] = 0
    X = X.astype(np.float32)
    sign = np.where(X @ np.arange(1.0, 6) > 0.1, 1.0, -1.0)
    expected = largest_margin(X.astype(float), sign, True)
    for rows in (X, sp.csr_array(X), sp.csr_array(X.astype(float))):
        assert largest_margin(rows, sign, True).margin == pytest.approx(expected.margin, rel=1e-9)
        assert widest_gap(rows, sign).margin == pytest.approx(widest_gap(X.astype(float), sign).margin, rel=1e-6)


def test_a_row_of_zeros_is_on_every_plane_through_the_origin():
    assert not hard_margin([[0.0, 0.0], [1.0, 2.0]], [0, 1], intercept=False).separable
    assert hard_margin([[0.0, 0.0], [1.0, 2.0]], [0, 1]).separable


def test_the_same_row_in_both_classes_cannot_be_separated():
    found = hard_margin([[1.0, 2.0], [1.0, 2.0], [5.0, 5.0]], [0, 1, 1])
    assert not found.separable
    assert found.rows.tolist() == [0, 1]
    assert found.weights == pytest.approx([0.5, 0.5])


def test_a_table_is_taken_as_it_is():
    table = pd.DataFrame({"age": [20.0, None, 60.0, 70.0], "job": ["cook", "cook", "clerk", "clerk"]})
    assert hard_margin(table, ["a", "a", "b", "b"]).separable


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(LabelError, match="two classes, but holds 3"):
        hard_margin([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(ParameterError, match="intercept must be True or False"):
        hard_margin([[0.0], [1.0]], [0, 1], intercept="yes")
    with pytest.raises(ParameterError, match="goes through the origin"):
        hard_margin([[0.0], [1.0]], [0, 1], intercept=False, through_origin=False)
    with pytest.raises(InputError, match="column 'x0', row 1"):
        hard_margin([[0.0], [np.inf]], [0, 1])
