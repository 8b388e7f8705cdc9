"""margin.neighbors.curse: worked by hand, data of known dimension, edges, advice."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from margin import Table, curse, edge_length
from margin.errors import InputError, ParameterError
from margin.neighbors.intrinsic_dimension import Dimension, maximum_likelihood, two_nearest


def cube(n, d, seed=0):
    return np.random.default_rng(seed).random((n, d))


def turned(X, width, seed=9):
    """The same rows in a space of more columns, turned at random: no distance changes."""
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0]
    return X @ axes[: X.shape[1]]


def sphere(n, d, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d + 1))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def roll(n, seed=0):
    angle, height = np.random.default_rng(seed).random((2, n)) * [[9.0], [20.0]] + [[4.0], [0.0]]
    return np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])


# Worked by hand


@pytest.mark.golden("B8")
def test_five_of_five_thousand_points_need_a_thousandth_of_a_line_and_half_of_ten_columns():
    assert edge_length(5 / 5000, 1) == 0.001
    assert edge_length(5 / 5000, 2) == pytest.approx(0.0316, abs=1e-4)
    assert edge_length(5 / 5000, 10) == pytest.approx(0.5012, abs=1e-4)
    found = curse(np.linspace(0, 1, 5000).reshape(-1, 1), n_neighbors=5)
    assert (found.fraction, found.edge) == (0.001, 0.001)


def test_the_edge_of_a_given_fraction():
    assert curse(cube(50, 3), fraction=0.125).edge == pytest.approx(0.5)
    assert curse(cube(50, 3), fraction=1).edge == 1
    assert curse(cube(3, 3), n_neighbors=5).fraction == 1


def test_three_points_by_hand():
    """At 0, 1 and 3: distances 1, 2, 3; nearest 1, 1, 2; farthest 3, 2, 3."""
    found = curse([[0.0], [1.0], [3.0]])
    assert found.nearest_to_mean == pytest.approx(1 / 2)
    assert found.contrast == pytest.approx(1.0)  # the median of 2, 1 and 1/2
    assert found.variation == pytest.approx(np.std([1, 2, 3]) / 2)
    # Maximum likelihood from two neighbours: log(3/1), log(2/1), log(3/2), and one is lost to the bias.
    assert found.dimension.estimate == pytest.approx(2 / np.log(9))
    assert found.two_nn.estimate == pytest.approx(2 / np.log(9))


def test_distances_are_those_between_all_rows_where_all_are_sampled():
    X = cube(80, 4)
    found = curse(X, metric="manhattan")
    distance = pdist(X, "cityblock")
    matrix = squareform(distance) + np.diag(np.full(80, np.inf))
    nearest = matrix.min(axis=1)
    farthest = np.where(np.isinf(matrix), 0, matrix).max(axis=1)
    assert found.variation == pytest.approx(distance.std() / distance.mean())
    assert found.nearest_to_mean == pytest.approx(np.median(nearest) / distance.mean())
    assert found.contrast == pytest.approx(np.median(farthest / nearest - 1))


# Known dimensions


@pytest.mark.parametrize(
    ("X", "expected", "within"),
    [
        (cube(3000, 1), 1, 0.08),
        (cube(3000, 2), 2, 0.12),
        (turned(cube(3000, 2), 30), 2, 0.12),
        (turned(cube(3000, 4), 12), 4, 0.35),
        (sphere(3000, 2), 2, 0.1),
        (turned(sphere(3000, 5), 20), 5, 0.4),
        (roll(3000), 2, 0.15),
    ],
    ids=["line", "square", "square in 30 columns", "4 in 12", "sphere", "5-sphere in 20", "roll"],
)
def test_the_dimension_of_known_shapes_is_found(X, expected, within):
    found = curse(X)
    assert found.dimension.estimate == pytest.approx(expected, abs=within)
    assert found.two_nn.estimate == pytest.approx(expected, abs=3 * found.two_nn.standard_error + within)
    assert 0 < found.dimension.standard_error < 0.06 * expected
    assert found.two_nn.standard_error > found.dimension.standard_error


def test_the_standard_error_is_that_of_many_draws():
    estimates = [curse(sphere(400, 3, seed)).dimension for seed in range(40)]
    spread = np.std([found.estimate for found in estimates])
    stated = np.mean([found.standard_error for found in estimates])
    assert 0.7 < stated / spread < 1.5


def test_the_same_rows_given_twice_have_the_same_geometry():
    X = sphere(400, 3)
    once, twice = curse(X), curse(np.repeat(X, 2, axis=0), n_neighbors=10)
    assert twice.duplicates == 400
    assert (twice.dimension, twice.contrast, twice.edge) == (once.dimension, once.contrast, once.edge)


def test_the_seed_decides_and_nothing_else():
    X = cube(3000, 3)
    assert curse(X, sample=200) == curse(X, sample=200, random_state=0, n_jobs=1)
    assert curse(X, sample=200, random_state=1).dimension != curse(X, sample=200).dimension


def test_more_columns_bring_neighbours_and_strangers_together():
    found = [curse(cube(500, d)) for d in (2, 10, 50, 200)]
    assert [f.edge for f in found] == sorted(f.edge for f in found)
    assert [f.nearest_to_mean for f in found] == sorted(f.nearest_to_mean for f in found)
    assert [f.contrast for f in found] == sorted((f.contrast for f in found), reverse=True)


# Forms of rows


def test_sparse_rows_say_what_dense_rows_say():
    X = cube(300, 8) * (cube(300, 8, 1) < 0.5)
    X[5] = X[6]
    dense, sparse = curse(X), curse(sp.csr_array(X))
    assert sparse.duplicates == dense.duplicates >= 1
    for name in ("edge", "contrast", "variation", "nearest_to_mean", "dominance"):
        assert getattr(sparse, name) == pytest.approx(getattr(dense, name)), name
    assert sparse.dimension == pytest.approx(dense.dimension)
    assert (sparse.dominant, sparse.advice) == (dense.dominant, dense.advice)


def test_a_table_counts_its_columns_features_and_missing_cells():
    rng = np.random.default_rng(0)
    table = Table.from_columns(
        {"age": [None, *rng.normal(40, 9, 99)], "job": [None, *rng.choice(["cook", "clerk", "smith"], 99)]}
    )
    found = curse(table)
    assert (found.rows, found.columns, found.features, found.missing) == (100, 2, 4, 0.01)
    assert "100 × 2 (as 4 features)" in str(found)
    assert "missing cells" in str(found)


def test_rows_of_any_magnitude_are_measured():
    X = cube(200, 3)
    for unit in (2.0**-900, 2.0**400):
        found = curse(X * unit)
        assert found.dimension == pytest.approx(curse(X).dimension)
        assert found.contrast == pytest.approx(curse(X).contrast)
        assert found.variation == pytest.approx(curse(X).variation)


# Edges


def test_a_single_row_has_no_neighbours():
    found = curse([[1.0, 2.0]])
    assert found.advice == "A single row has no neighbours."
    assert np.isnan([found.contrast, found.nearest_to_mean, *found.dimension]).all()
    assert "dimension " not in str(found)


def test_equal_rows_tell_nothing():
    found = curse(np.ones((50, 3)))
    assert (found.duplicates, found.dominant) == (49, "")
    assert found.advice.startswith("All rows are equal")


def test_two_rows_and_rows_all_equally_far_have_no_finite_dimension():
    assert np.isnan(curse([[0.0], [1.0]]).dimension.estimate)
    found = curse(np.eye(30))
    assert found.dimension.estimate == found.two_nn.estimate == np.inf
    assert found.contrast == pytest.approx(0.0)
    assert found.edge_intrinsic == 1
    assert "hardly nearer than strangers" in found.advice


def test_one_sampled_row_is_better_than_none():
    found = curse(cube(100, 2), sample=1)
    assert found.contrast > 0
    assert np.isnan(found.dimension.standard_error)


@pytest.mark.parametrize(
    "wrong",
    [{"n_neighbors": 0}, {"fraction": 0.0}, {"fraction": 1.5}, {"sample": 0}, {"metric": "euclid"}, {"scale": "unit"}],
    ids=str,
)
def test_what_cannot_be_is_refused_by_name(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=rf"^curse\({name}=.*{name} must be"):
        curse(cube(20, 2), **wrong)


def test_edges_without_a_cube_are_refused():
    with pytest.raises(ParameterError, match="fraction must be"):
        edge_length(0, 3)
    with pytest.raises(ParameterError, match="dimensions must be"):
        edge_length(0.5, 0)
    with pytest.raises(InputError, match="column 'x1', row 3"):
        curse([[0.0, 0.0]] * 3 + [[1.0, np.inf]])


# Advice


def test_the_advice_follows_what_was_measured():
    near = cube(500, 2)
    assert "Nothing to mend" in curse(near).advice
    assert "x1' makes up 100%" in curse(near * [1, 1000]).advice
    assert "scale='standard'" in curse(near * [1, 1000]).advice
    assert "Nothing to mend" in curse(near * [1, 1000], scale="standard").advice
    assert "not very near" in curse(cube(500, 20)).advice
    assert "hardly nearer than strangers" in curse(cube(500, 100)).advice
    assert "30 features make use of about 2 dimensions" in curse(turned(near, 30)).advice
    assert "only 10 different rows" in curse(np.repeat(cube(10, 3), 4, axis=0)).advice


def test_it_reads_well():
    text = str(curse(cube(500, 2)))
    assert text.splitlines()[0] == "Curse of dimensionality"
    assert "500 × 2" in text
    assert "0.1 of each column's range for 1.00% of the rows" in text


def test_dimensions_read_well():
    assert str(Dimension(2.016, 0.021)) == "2.02 ± 0.02"
    assert str(Dimension(14.81, 0.5)) == "14.8 ± 0.5"
    assert str(Dimension(np.inf, np.nan)) == "inf"
    assert str(Dimension(np.nan, np.nan)) == "unknown"


def test_distances_of_zero_say_nothing_about_the_dimension():
    distance = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 4.0], [1.0, 3.0, 9.0]])
    assert maximum_likelihood(distance) == maximum_likelihood(distance[1:])
    assert two_nearest(distance) == two_nearest(distance[1:])
