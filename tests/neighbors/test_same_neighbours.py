"""Whatever index a model searches with, its neighbours are the same: the same rows, and distances of the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from margin import KNeighborsClassifier
from margin.errors import InputError, ParameterError
from margin.neighbors.distances import COMPARING_NUMBERS, MIXED, power_of, traits_of
from margin.neighbors.indexes.choose import FEW_ROWS
from margin.neighbors.indexes.sparse import SPARSE_METRICS

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def widest_step(a, b):
    """A metric of the user's."""
    return float(np.abs(a - b).max() + np.abs(a - b).sum())


TREES = ("auto", "kd_tree", "ball_tree", "brute")
NO_KD_TREE = ("auto", "ball_tree", "brute")
# Powers for metrics that have one.
POWERS = {"minkowski": (0.5, 3.0)}


def algorithms(metric, p):
    """Those that serve a metric, by what the core states of it."""
    traits = traits_of(metric, p)
    served = {"auto": True, "kd_tree": traits.of_differences, "ball_tree": traits.is_metric, "brute": True}
    return tuple(name for name, serves in served.items() if serves)


# Each metric that the core names, for any number of columns, with its power and the algorithms that serve it.
SERVED = {
    f"{metric}, p = {p:g}": (metric, p, algorithms(metric, p))
    for metric in COMPARING_NUMBERS
    if traits_of(metric, 2.0).n_columns is None
    for p in POWERS.get(metric, (2.0,))
} | {"a function": (widest_step, 2.0, NO_KD_TREE)}
WEIGHED = [name for name, (metric, p, _) in SERVED.items() if power_of(metric, p) is not None]
SPARSE = [name for name, (metric, _, _) in SERVED.items() if metric in SPARSE_METRICS]
CELLS = ("whole numbers", "floats", "float32")


def table(rng, n, d, cells):
    if cells == "whole numbers":
        return rng.integers(0, 3, (n, d)).astype(float)  # many ties
    X = rng.normal(size=(n, d))
    X[rng.integers(0, n, n // 3)] = X[rng.integers(0, n, n // 3)]
    return X.astype(np.float32) if cells == "float32" else X


def neighbours(X, y, queries, k, radius, **parameters):
    """All that can be asked of a model about its neighbours."""
    model = KNeighborsClassifier(k, **parameters).fit(X, y)
    found, within = [*model.kneighbors(queries)], [*model.radius_neighbors(queries, radius)]
    if len(X) < FEW_ROWS:  # enough work for a quick test
        found += model.kneighbors()
        within += model.radius_neighbors(radius=radius)
    for of_queries in within:
        found += [np.array([len(part) for part in of_queries]), np.concatenate([*of_queries, []])]
    return found


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a, b)


def radius_of(X, y, queries, k, **parameters):
    """A radius that just reaches some rows: the distance of a neighbour."""
    return float(np.median(KNeighborsClassifier(k, **parameters).fit(X, y).kneighbors(queries)[0]))


@pytest.mark.parametrize("name", SERVED)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 40) | st.just(FEW_ROWS + 20),
    d=st.integers(1, 12),
    k=st.integers(1, 6) | st.just(10_000),
    cells=st.sampled_from(CELLS),
    scale=st.sampled_from([None, "standard", "range"]),
    weighed=st.booleans(),
)
@settings(max_examples=6, deadline=None)
def test_every_algorithm_and_number_of_threads_finds_the_same_neighbours(name, seed, n, d, k, cells, scale, weighed):
    metric, p, algorithms = SERVED[name]
    if callable(metric):
        n = min(n, 40)  # a function is slow
    rng = np.random.default_rng(seed)
    X, y, queries = table(rng, n, d, cells), rng.integers(0, 3, n), table(rng, 5, d, cells)
    k = min(k, n)
    weights = rng.integers(0, 4, d) + (np.arange(d) == 0) if weighed and name in WEIGHED else None
    how = {"metric": metric, "p": p, "scale": scale, "feature_weights": weights}
    radius = radius_of(X, y, queries, k, algorithm="brute", **how)
    expected = neighbours(X, y, queries, k, radius, algorithm="brute", n_jobs=1, **how)
    for algorithm in algorithms:
        for n_jobs in (1, 2):
            assert_same(neighbours(X, y, queries, k, radius, algorithm=algorithm, n_jobs=n_jobs, **how), expected)
    # float32 rows have just the neighbours that the same numbers as float64 have.
    if cells == "float32" and scale is None:
        assert_same(
            neighbours(X.astype(np.float64), y, queries.astype(np.float64), k, radius, algorithm="brute", **how),
            expected,
        )


@pytest.mark.parametrize("name", SPARSE)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 40) | st.just(FEW_ROWS + 20),
    d=st.integers(1, 20),
    k=st.integers(1, 6),
    whole=st.booleans(),
    weighed=st.booleans(),
)
@settings(max_examples=8, deadline=None)
def test_sparse_rows_have_the_neighbours_of_the_same_rows_written_out(name, seed, n, d, k, whole, weighed):
    metric, p, _ = SERVED[name]
    rng = np.random.default_rng(seed)
    X, queries = (table(rng, m, d, "whole numbers" if whole else "floats") * (rng.random((m, d)) < 0.4) for m in (n, 5))
    y = rng.integers(0, 3, n)
    k = min(k, n)
    weights = rng.integers(0, 4, d) + (np.arange(d) == 0) if weighed and name in WEIGHED else None
    how = {"metric": metric, "p": p, "feature_weights": weights}
    dense = KNeighborsClassifier(k, **how).fit(X, y)
    sparse = KNeighborsClassifier(k, **how).fit(csr_array(X), y)
    assert sparse.index_.name == "sparse rows"
    (far, rows), radius = dense.kneighbors(queries), float(np.median(dense.kneighbors(queries)[0]))
    for model, asked in ((sparse, csr_array(queries)), (sparse, queries), (dense, csr_array(queries))):
        found, found_rows = model.kneighbors(asked)
        if metric == "cosine":  # rows of one direction are rounded differently
            assert found == pytest.approx(far, abs=1e-12)
            continue
        assert_same((found, found_rows), (far, rows))
        for one, other in zip(model.radius_neighbors(asked, radius), dense.radius_neighbors(queries, radius)):
            assert all(map(np.array_equal, one, other))
    if metric != "cosine":
        assert_same(sparse.kneighbors(), dense.kneighbors())


def share_of_size(a, b):
    size = np.abs(a) + np.abs(b)
    return (np.abs(a - b) / np.where(size > 0, size, 1)).sum(axis=-1)


def one_minus_cosine(a, b):
    """A row of zeros has a direction of its own."""
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    both_empty = ~a.any(axis=-1) & ~b.any(axis=-1)
    return np.where(lengths > 0, 1 - (a * b).sum(axis=-1) / np.where(lengths > 0, lengths, 1), 1.0 - both_empty)


def great_circle(a, b):
    half = np.sin((a - b) / 2) ** 2
    h = half[..., 0] + np.cos(a[..., 0]) * np.cos(b[..., 0]) * half[..., 1]
    return 2 * np.arcsin(np.sqrt(np.clip(h, 0, 1)))


# The formula of each metric, slow and plain. Mixed metrics divide differences by the range of the training rows.
FORMULAS = {
    "euclidean": lambda a, b, p: np.sqrt(((a - b) ** 2).sum(axis=-1)),
    "manhattan": lambda a, b, p: np.abs(a - b).sum(axis=-1),
    "chebyshev": lambda a, b, p: np.abs(a - b).max(axis=-1),
    "minkowski": lambda a, b, p: (np.abs(a - b) ** p).sum(axis=-1) ** (1 / p),
    "cosine": lambda a, b, p: one_minus_cosine(a, b),
    "canberra": lambda a, b, p: share_of_size(a, b),
    "hamming": lambda a, b, p: (a != b).mean(axis=-1),
    "haversine": lambda a, b, p: great_circle(a, b),
    "heom": lambda a, b, p: np.sqrt((((a - b) / np.ptp(a, axis=1)) ** 2).sum(axis=-1)),
    "gower": lambda a, b, p: (np.abs(a - b) / np.ptp(a, axis=1)).mean(axis=-1),
}


@pytest.mark.parametrize("n", [60, FEW_ROWS + 20])
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("metric", [*COMPARING_NUMBERS, *MIXED])
def test_every_metric_that_the_core_names_gives_the_distances_of_its_formula_in_every_index(metric, cells, n):
    rng = np.random.default_rng(n)
    d = 2 if metric == "haversine" else 5
    X, queries, y = table(rng, n, d, cells), table(rng, 9, d, cells), rng.integers(0, 3, n)
    for p in POWERS.get(metric, (2.0,)):
        served = ("auto",) if metric in MIXED else algorithms(metric, p)
        rows = [(algorithm, X) for algorithm in served] + [("auto", csr_array(X))] * (metric in SPARSE_METRICS)
        every = FORMULAS[metric](X.astype(float)[None], queries.astype(float)[:, None], p)
        expected = np.sort(every, axis=1)[:, :7]
        radius = float(np.median(expected)) * (1 + 1e-9)
        for algorithm, given_rows in rows:
            model = KNeighborsClassifier(7, metric=metric, p=p, algorithm=algorithm).fit(given_rows, y)
            distance, row = model.kneighbors(queries)
            # The arc sine of the formula loses half of the digits of small angles.
            np.testing.assert_allclose(distance, expected, rtol=1e-9, atol=1e-7 if metric == "haversine" else 1e-12)
            np.testing.assert_allclose(distance, np.take_along_axis(every, row, axis=1), rtol=1e-9, atol=1e-7)
            within = model.radius_neighbors(queries, radius, return_distance=False)
            assert [sorted(found) for found in within] == [np.flatnonzero(far <= radius).tolist() for far in every]


@pytest.mark.parametrize("algorithm", TREES)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30), k=st.integers(1, 40))
@settings(max_examples=8, deadline=None)
def test_without_X_the_neighbours_are_those_among_the_other_rows(algorithm, seed, n, k):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (n, 2)).astype(float), rng.integers(0, 3, n)
    model = KNeighborsClassifier(k, metric="manhattan", algorithm=algorithm).fit(X, y)
    distance, rows = model.kneighbors()
    within = model.radius_neighbors(radius=2.0, return_distance=False)
    for i in range(n):
        far = np.abs(X - X[i]).sum(axis=1)
        ranked = [j for _, _, j in sorted((far[j], -y[j], j) for j in range(n) if j != i)]
        assert rows[i].tolist() == ranked[:k]
        assert distance[i].tolist() == far[ranked[:k]].tolist()
        assert within[i].tolist() == [j for j in ranked if far[j] <= 2.0]


@pytest.mark.parametrize("metric", ["hamming", "canberra", lambda a, b: float((a != b).sum())])
def test_distances_that_do_not_grow_with_the_cells_are_those_of_rows_of_any_magnitude(metric):
    X = np.array([[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    ordinary = KNeighborsClassifier(3, metric=metric).fit(X, [0, 1, 0]).kneighbors([[1.0, 0.0]])
    tiny = KNeighborsClassifier(3, metric=metric).fit(X * 2.0**-900, [0, 1, 0]).kneighbors([[2.0**-900, 0.0]])
    assert_same(tiny, ordinary)


@pytest.mark.parametrize("rows", [np.array, csr_array])
@pytest.mark.parametrize("magnitude", [1e150, 1e-200])
@pytest.mark.parametrize("weights", [None, [1e300, 1e300]])
def test_the_cosine_does_not_see_the_lengths_of_rows(rows, magnitude, weights):
    X = rows([[1.0, 1.0], [magnitude, magnitude], [-magnitude, magnitude]])
    model = KNeighborsClassifier(3, metric="cosine", feature_weights=weights).fit(X, [0, 1, 0])
    distance, row = model.kneighbors(rows([[0.0, magnitude], [1.0, 0.0]]))
    near, far = 1 - np.sqrt(0.5), 1 + np.sqrt(0.5)
    assert distance == pytest.approx(np.array([[near, near, near], [near, near, far]]))
    assert row[1, 2] == 2


def test_column_weights_that_no_power_can_hold_are_refused():
    with pytest.raises(ParameterError, match=r"cells times 1e\+10 to the power of 100 are too large"):
        KNeighborsClassifier(metric="minkowski", p=0.01, feature_weights=[1e10, 1.0]).fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("rows", [np.array, csr_array])
def test_new_cells_that_column_weights_make_infinite_are_refused_by_row(rows, algorithm):
    model = KNeighborsClassifier(1, p=0.5, algorithm=algorithm, feature_weights=[1e140, 1.0]).fit(
        rows(np.eye(2)), [0, 1]
    )
    assert model.predict(rows([[1.0, 0.0]])) == [0]
    with pytest.raises(InputError, match=r"row 1 of X is too far from the training rows to say how far"):
        model.predict(rows([[1.0, 0.0], [1e149, 1.0]]))


def test_the_graph_of_a_single_row_has_that_row():
    assert KNeighborsClassifier().fit([[1.0]], ["a"]).kneighbors_graph().shape == (1, 1)
