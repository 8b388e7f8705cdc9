"""margin.neighbors.indexes.mixed: worked by hand, then the definition in Python, then properties."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.base import MixedData
from margin.data.schema import Column, Schema
from margin.neighbors.indexes.mixed import MixedRows

METRICS = ("heom", "gower")
NAN = math.nan


def table(numbers, codes=(), kinds=None):
    """Mixed data from rows of numbers and columns of codes; ``kinds`` are those of the columns of codes."""
    numbers = np.array(numbers, dtype=np.float64)
    kinds = kinds or ["nominal"] * len(codes)
    schema = Schema(
        [Column(f"x{i}", "numeric") for i in range(numbers.shape[1])]
        + [Column(f"c{i}", kind, tuple(range(100))) for i, kind in enumerate(kinds)]
    )
    return MixedData(numbers, tuple(np.array(column, dtype=np.int32) for column in codes), schema)


def shifted_like(cell, other, lo, hi):
    """|cell - other| as a share of the range, and 0 or 1 where the range is 0."""
    if lo == hi:
        return float(cell != other)
    return abs(cell - other) / (hi - lo)


class Definition:
    """The distances of the docstring, cell by cell."""

    def __init__(self, data, metric, weights=None):
        self.metric = metric
        kinds = ["numeric"] * data.numeric.shape[1] if data.schema is None else [column.kind for column in data.schema]
        weights = [1.0] * len(kinds) if weights is None else weights
        self.kinds = sorted(zip(kinds, weights, self._homes(kinds)), key=lambda c: self._rank(c[0]))
        self.rows = self._cells(data)
        self.ranges = []
        for at in range(len(self.kinds)):
            cells = [row[at] for row in self.rows if row[at] is not None]
            self.ranges.append((min(cells), max(cells)) if cells else (0, 0))

    @staticmethod
    def _rank(kind):
        return ("numeric", "ordinal", "nominal").index(kind)

    @staticmethod
    def _homes(kinds):
        """Where each column stands: in the matrix or among the codes."""
        seen = {True: 0, False: 0}
        for kind in kinds:
            yield seen[kind == "numeric"]
            seen[kind == "numeric"] += 1

    def _cells(self, data):
        rows = []
        for i in range(len(data)):
            row = []
            for kind, _, home in self.kinds:
                cell = float(data.numeric[i, home]) if kind == "numeric" else int(data.codes[home][i])
                row.append(None if (math.isnan(cell) if kind == "numeric" else cell < 0) else cell)
            rows.append(row)
        return rows

    def compared(self, a, b):
        sums = {name: {True: 0.0, False: 0.0} for name in ("terms", "present", "missing")}
        for (kind, weight, _), one, other, (lo, hi) in zip(self.kinds, a, b, self.ranges):
            if weight == 0:
                continue
            is_number = kind != "nominal"
            if one is None or other is None:
                sums["missing"][is_number] += weight
                continue
            t = shifted_like(one, other, lo, hi) if is_number else float(one != other)
            sums["terms"][is_number] += weight * (t * t if self.metric == "heom" else t)
            sums["present"][is_number] += weight
        terms, present, missing = (both[True] + both[False] for both in sums.values())
        if self.metric == "heom":
            return terms + missing
        return terms / present if present > 0 else 1.0

    def ranked(self, query):
        """(distance, place) of all rows, nearest first."""
        found = sorted((self.compared(query, row), place) for place, row in enumerate(self.rows))
        return [(math.sqrt(d) if self.metric == "heom" else d, place) for d, place in found]

    def all_ranked(self, queries):
        return [self.ranked(query) for query in self._cells(queries)]


def check_against_definition(data, queries, metric, weights, k, radius, n_threads=1):
    expected = Definition(data, metric, weights).all_ranked(queries)
    index = MixedRows.build(data, metric, None if weights is None else np.array(weights), n_threads)
    distance, place = index.nearest(queries, k, n_threads)
    assert place.tolist() == [[place for _, place in ranked[:k]] for ranked in expected]
    assert distance.tolist() == [[d for d, _ in ranked[:k]] for ranked in expected]
    start, distance, place = index.within(queries, radius, n_threads)
    inside = [[(d, place) for d, place in ranked if d <= radius] for ranked in expected]
    assert np.diff(start).tolist() == [len(ranked) for ranked in inside]
    assert list(zip(distance.tolist(), place.tolist())) == [pair for ranked in inside for pair in ranked]


# By hand


def test_heom_by_hand():
    #                 size, weight; colour
    rows = table([[0, 1], [10, 3], [5, NAN]], [[0, 1, 0]])
    query = table([[10, 1], [NAN, 2]], [[1, -1]])
    distance, place = MixedRows.build(rows, "heom").nearest(query, 3, 1)
    # First query: to row 0 size 1, colour 1; to row 1 weight 1; to row 2 size 0.5, weight missing, colour 1.
    assert place[0].tolist() == [1, 0, 2]
    assert distance[0].tolist() == [1.0, math.sqrt(2), math.sqrt(2.25)]
    # Second query: size and colour missing everywhere; weight half its range, or missing.
    assert place[1].tolist() == [0, 1, 2]
    assert distance[1].tolist() == [1.5, 1.5, math.sqrt(3)]


def test_gower_by_hand():
    rows = table([[0, 1], [10, 3], [5, NAN]], [[0, 1, 0]])
    query = table([[10, 1]], [[1]])
    distance, place = MixedRows.build(rows, "gower", np.array([2.0, 1.0, 1.0])).nearest(query, 3, 1)
    # Row 0: (2 + 0 + 1) / 4; row 1: (0 + 1 + 0) / 4; row 2: (2 * 0.5 + 1) / 3, as its weight is missing.
    assert place.tolist() == [[1, 2, 0]]
    assert distance.tolist() == [[0.25, 2 / 3, 0.75]]


def test_without_a_common_column_gower_is_1():
    rows = table([[1.0], [NAN]], [[-1, 0]])
    distance, place = MixedRows.build(rows, "gower").nearest(table([[NAN]], [[0]]), 2, 1)
    assert (distance.tolist(), place.tolist()) == ([[0.0, 1.0]], [[1, 0]])


def test_ordinal_columns_count_by_rank():
    rows = table(np.empty((3, 0)), [[0, 2, 4]], ["ordinal"])
    distance, place = MixedRows.build(rows, "heom").nearest(table(np.empty((1, 0)), [[1]], ["ordinal"]), 3, 1)
    assert (distance.tolist(), place.tolist()) == ([[0.25, 0.25, 0.75]], [[0, 1, 2]])


def test_a_number_outside_of_the_range_differs_by_more_than_1():
    distance, _ = MixedRows.build(table([[0.0], [2.0]]), "heom").nearest(table([[8.0]]), 2, 1)
    assert distance.tolist() == [[3.0, 4.0]]


def test_in_a_column_with_a_single_number_others_differ_by_1():
    rows = table([[7.0, 0.0], [7.0, 1.0]])
    distance, _ = MixedRows.build(rows, "heom").nearest(table([[1e300, 0.0], [7.0, 0.0]]), 1, 1)
    assert distance.tolist() == [[1.0], [0.0]]


def test_a_plain_matrix_is_all_numbers():
    index = MixedRows.build(MixedData(np.array([[0.0, NAN], [4.0, 1.0]])), "heom")
    distance, place = index.nearest(MixedData(np.array([[1.0, 1.0]])), 1, 1)
    assert (distance.tolist(), place.tolist()) == ([[0.75]], [[1]])


def test_columns_of_weight_0_do_not_count():
    rows = table([[0, 0], [1, 1]], [[0, 1]])
    query = table([[0, 1e300]], [[1]])
    for metric in METRICS:
        index = MixedRows.build(rows, metric, np.array([1.0, 0.0, 0.0]))
        assert index.nearest(query, 2, 1)[0].tolist() == [[0.0, 1.0]]
    assert MixedRows.build(rows, "heom", np.zeros(3)).nearest(query, 2, 1)[0].tolist() == [[0.0, 0.0]]
    assert MixedRows.build(rows, "gower", np.zeros(3)).nearest(query, 2, 1)[0].tolist() == [[1.0, 1.0]]


# The definition


def cells(rng, shape, kind):
    """Numbers of many kinds: few different ones, spread evenly, with far outliers."""
    if kind == "few":
        return rng.integers(0, 4, shape).astype(float)
    if kind == "even":
        return rng.random(shape)
    return np.exp(rng.normal(0, 4, shape))


@given(
    seed=st.integers(0, 100_000),
    n=st.integers(1, 150),
    n_numeric=st.integers(0, 4),
    n_nominal=st.integers(0, 4),
    n_ordinal=st.integers(0, 2),
    kind=st.sampled_from(["few", "even", "far"]),
    missing=st.sampled_from([0.0, 0.1, 0.6]),
    metric=st.sampled_from(METRICS),
    weighted=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_neighbours_are_those_of_the_definition(
    seed, n, n_numeric, n_nominal, n_ordinal, kind, missing, metric, weighted
):
    rng = np.random.default_rng(seed)
    kinds = ["nominal"] * n_nominal + ["ordinal"] * n_ordinal
    rng.shuffle(kinds)

    def draw(m):
        numbers = cells(rng, (m, n_numeric), kind)
        numbers[rng.random(numbers.shape) < missing] = NAN
        codes = [np.where(rng.random(m) < missing, -1, rng.integers(0, rng.integers(1, 9), m)) for _ in kinds]
        return table(numbers, codes, kinds)

    data, queries = draw(n), draw(4)
    weights = rng.choice([0.0, 0.5, 1.0, 3.7], n_numeric + len(kinds)).tolist() if weighted else None
    check_against_definition(data, queries, metric, weights, int(rng.integers(1, n + 1)), float(rng.random() * 1.5))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_categories", [2, 1000])
def test_many_rows_with_masses_of_ties(metric, n_categories):
    rng = np.random.default_rng(0)
    data = table(np.empty((3000, 0)), rng.integers(-1, n_categories, (6, 3000)))
    queries = table(np.empty((5, 0)), rng.integers(-1, n_categories, (6, 5)))
    for k in (1, 40, 3000):
        check_against_definition(data, queries, metric, None, k, 0.4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["few", "even", "far"])
def test_many_rows_of_numbers(metric, kind):
    rng = np.random.default_rng(1)
    data, queries = table(cells(rng, (3000, 3), kind)), table(cells(rng, (5, 3), kind))
    for k in (1, 40, 3000):
        check_against_definition(data, queries, metric, None, k, 0.01)


@pytest.mark.parametrize("metric", METRICS)
def test_many_columns(metric):
    rng = np.random.default_rng(2)
    data = table(rng.random((80, 150)), rng.integers(-1, 3, (300, 80)))
    queries = table(rng.random((3, 150)), rng.integers(-1, 3, (300, 3)))
    check_against_definition(data, queries, metric, None, 5, 0.4)
    check_against_definition(data, queries, metric, (rng.integers(0, 9, 450) / 4).tolist(), 5, 0.4)


# Properties


@pytest.mark.parametrize("metric", METRICS)
def test_the_answer_is_the_same_for_any_number_of_threads(metric):
    rng = np.random.default_rng(3)

    def draw(n):
        numbers = rng.normal(size=(n, 3))
        numbers[rng.random((n, 3)) < 0.1] = NAN
        return table(numbers, rng.integers(-1, 4, (3, n)))

    data, queries = draw(20_000), draw(300)
    one, three = (MixedRows.build(data, metric, None, threads) for threads in (1, 3))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one.arrays, three.arrays))
    for threads in (2, 3):
        assert all(np.array_equal(a, b) for a, b in zip(one.nearest(queries, 7, 1), three.nearest(queries, 7, threads)))
        found = zip(one.within(queries, 0.3, 1), three.within(queries, 0.3, threads))
        assert all(np.array_equal(a, b) for a, b in found)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 8e307])
def test_extreme_numbers_give_ordinary_distances(metric, unit):
    rows, queries = np.array([[-2.0], [0.0], [1.0], [2.0]]), np.array([[2.0], [-1.0]])
    expected = MixedRows.build(table(rows), metric).nearest(table(queries), 4, 1)
    found = MixedRows.build(table(rows * unit), metric).nearest(table(queries * unit), 4, 1)
    assert np.array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-3)  # 1e-320 is 2024 times the least number there is


@pytest.mark.parametrize("metric", METRICS)
def test_absurd_queries_are_infinitely_far_but_never_nan(metric):
    rows = table([[0.0, 0.0], [5e-324, 1e308], [NAN, -1e308]], [[0, 1, -1]])
    distance, place = MixedRows.build(rows, metric).nearest(
        table([[1.7e308, -1.7e308], [-1e300, NAN]], [[0, -1]]), 3, 1
    )
    assert not np.isnan(distance).any()
    assert np.isinf(distance).any()
    assert np.sort(place, axis=1).tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e308])
def test_extreme_weights_give_ordinary_distances(metric, unit):
    rng = np.random.default_rng(4)
    data = table(rng.random((50, 2)), rng.integers(-1, 3, (2, 50)))
    expected = MixedRows.build(data, metric).nearest(data, 5, 1)
    found = MixedRows.build(data, metric, np.full(4, unit)).nearest(data, 5, 1)
    assert np.array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[0], expected[0] * (math.sqrt(unit) if metric == "heom" else 1), rtol=1e-12)


def test_no_queries_have_no_neighbours():
    index = MixedRows.build(table([[1.0]], [[0]]), "heom")
    nothing = table(np.empty((0, 1)), [[]])
    assert [part.shape for part in index.nearest(nothing, 1, 1)] == [(0, 1), (0, 1)]
    assert [part.tolist() for part in index.within(nothing, 1.0, 1)] == [[0], [], []]


def test_the_rows_come_back_place_by_place():
    rng = np.random.default_rng(5)
    numbers = rng.random((100, 2)) * [1, 1e250]
    numbers[3, 0] = NAN
    data = table(numbers, rng.integers(-1, 3, (3, 100)), ["nominal", "ordinal", "nominal"])
    rows = MixedRows.build(data, "heom").rows()
    assert np.array_equal(rows.numeric, data.numeric, equal_nan=True)
    assert np.array_equal(rows.codes, data.codes)
    unweighted = MixedRows.build(data, "heom", np.array([1.0, 0, 1, 1, 0])).rows()
    assert np.isnan(unweighted.numeric[:, 1]).all()
    assert (unweighted.codes[2] == -1).all()
