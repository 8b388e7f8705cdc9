"""Stumps and shallow trees on ranked columns, against every cut tried in turn."""

from __future__ import annotations

import numpy as np
import pytest

import margin._core as _core
from margin.base.representations.mixed import MixedData
from margin.boosting.tree_sum import TreeSum
from tests.boosting.slow_stumps import best_score, score_of


def table_of(numbers, codes=None, n_levels=(), nominal=()):
    codes = np.empty((len(numbers), 0), np.int32) if codes is None else codes
    return _core.boosting.rank(
        np.ascontiguousarray(numbers, float), codes, np.array(n_levels, np.int64), np.array(nominal, np.uint8), 0, 1
    )


def some_rows(seed, n, n_classes, n_values=9):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, n_values, size=(n, 3)).astype(float) / 4
    numbers[rng.random((n, 3)) < 0.15] = np.nan
    codes = rng.integers(-1, 5, size=(n, 2)).astype(np.int32)
    y = rng.integers(0, n_classes, size=n).astype(np.int32)
    weight = rng.random(n) + 0.05
    return numbers, codes, y, weight / weight.sum(), rng


def in_one_hot(y, weight, n_classes):
    return weight[:, None] * np.eye(n_classes)[y]


@pytest.mark.parametrize("criterion", ["error", "gini", "exponential"])
@pytest.mark.parametrize("seed", range(8))
def test_the_stump_of_two_classes_is_the_best_of_all_cuts_and_subsets(criterion, seed):
    numbers, codes, y, weight, _ = some_rows(seed, 60, 2)
    table = table_of(numbers, codes, (5, 5), (1, 0))
    rounds = _core.boosting.ClassRounds(table, y, weight, 2)
    rounds.grow(criterion, 1, 1)
    ordinal = np.where(codes[:, 1] < 0, np.nan, codes[:, 1])
    columns, statistics = [*numbers.T, codes[:, 0], ordinal], in_one_hot(y, weight, 2)
    best = best_score(columns, [False, False, False, True, False], statistics, criterion)
    assert score_of(rounds.leaf, statistics, criterion) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("criterion", ["error", "gini", "exponential"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("holes", [False, True])
def test_columns_of_many_numbers_are_read_in_their_order_and_give_the_same_stump(criterion, n_classes, holes):
    rng = np.random.default_rng(5)
    numbers = rng.integers(-4500, 4500, size=(2800, 1)) / 1000.0  # more than 2048 different ones
    if holes:
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    y = rng.integers(0, n_classes, 2800).astype(np.int32)
    y[(numbers[:, 0] > 0.3) & (rng.random(2800) < 0.3)] = 0
    weight = rng.random(2800) ** 8
    weight /= weight.sum()
    rounds = _core.boosting.ClassRounds(table_of(numbers), y, weight, n_classes)
    rounds.grow(criterion, 1, 1)
    statistics = in_one_hot(y, weight, n_classes)
    best = best_score(numbers.T, [False], statistics, criterion)
    assert score_of(rounds.leaf, statistics, criterion) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_stump_of_numbers_explains_most_squares(seed):
    numbers, codes, _, weight, rng = some_rows(seed, 50, 2)
    z = rng.normal(size=50)
    found = _core.boosting.grow_values(table_of(numbers, codes, (5, 5), (1, 1)), weight, z, 1, 1)
    statistics = np.column_stack([weight, weight * z])
    best = best_score([*numbers.T, *codes.T], [False] * 3 + [True] * 2, statistics, "least squares")
    assert score_of(found["leaf"], statistics, "least squares") == pytest.approx(best, rel=1e-9)
    for leaf in (0, 1):
        assert found["sums"][leaf] == pytest.approx(statistics[found["leaf"] == leaf].sum(0), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("holes", [False, True])
def test_columns_of_many_numbers_give_the_same_stump_of_numbers(holes):
    rng = np.random.default_rng(6)
    numbers = rng.integers(-4500, 4500, size=(2800, 1)) / 1000.0
    if holes:
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    z = rng.normal(size=2800) + (numbers[:, 0] > 1.2)
    weight = rng.random(2800) ** 4 + 1e-6
    found = _core.boosting.grow_values(table_of(numbers), weight, z, 1, 1)
    statistics = np.column_stack([weight, weight * z])
    best = best_score(numbers.T, [False], statistics, "least squares")
    assert score_of(found["leaf"], statistics, "least squares") == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_deeper_tree_on_columns_of_many_numbers_splits_as_stumps_of_its_rows_would(n_classes):
    rng = np.random.default_rng(8)
    numbers = rng.integers(-4500, 4500, size=(2800, 1)) / 1000.0
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    y = rng.integers(0, n_classes, 2800).astype(np.int32)
    weight = np.full(2800, 1 / 2800)
    rounds = _core.boosting.ClassRounds(table_of(numbers), y, weight, n_classes)
    rounds.grow("error", 1, 1)
    upper = rounds.leaf.copy()
    rounds.grow("error", 2, 1)
    statistics = in_one_hot(y, weight, n_classes)
    for side in (0, 1):
        rows = upper == side
        best = best_score(numbers[rows].T, [False], statistics[rows], "error")
        assert score_of(rounds.leaf[rows], statistics[rows], "error") == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("criterion", ["gained", "either_way"])
@pytest.mark.parametrize("n_values", [9, 5000])
def test_the_stump_of_labels_gains_most(criterion, n_values):
    rng = np.random.default_rng(9)
    n = 60 if n_values == 9 else 3000
    numbers = np.round(rng.normal(size=(n, 2)) * n_values / 9)
    shares = rng.normal(size=(n, 3)) / (6 * n)
    shares[:, 1] += 0.1 * (numbers[:, 0] > 3) / n
    found = _core.boosting.grow_labels(table_of(numbers), shares, criterion, 1, 1)
    side = (lambda s: np.maximum(s, 0).sum()) if criterion == "gained" else (lambda s: np.abs(s).sum())
    best = max(
        side(shares[column <= low].sum(0)) + side(shares[column > low].sum(0))
        for column in numbers.T
        for low in np.unique(column)[:-1]
    )
    assert side(found["sums"][0]) + side(found["sums"][1]) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_trees_walked_by_new_rows_end_in_the_leaves_of_training(depth):
    numbers, codes, y, weight, _ = some_rows(3, 300, 3)
    rounds = _core.boosting.ClassRounds(table_of(numbers, codes, (5, 5), (1, 0)), y, weight, 3)
    tree = rounds.grow("gini", depth, 1)
    leaves = TreeSum.of([tree], [np.arange(len(tree["sums"]))[:, None]], 5)
    X = MixedData(numbers, tuple(np.ascontiguousarray(codes.T)))
    assert leaves.sums(X).ravel().tolist() == rounds.leaf.tolist()
    sums = np.array([in_one_hot(y, weight, 3)[rounds.leaf == one].sum(0) for one in range(len(tree["sums"]))])
    assert tree["sums"] / 2**52 == pytest.approx(sums, abs=1e-12)


def test_a_deeper_tree_splits_every_node_as_a_stump_of_its_rows_would():
    numbers, codes, y, weight, _ = some_rows(11, 200, 2)
    rounds = _core.boosting.ClassRounds(table_of(numbers, codes, (5, 5), (1, 1)), y, weight, 2)
    rounds.grow("gini", 1, 1)
    upper = rounds.leaf.copy()
    rounds.grow("gini", 2, 1)
    statistics, columns = in_one_hot(y, weight, 2), [*numbers.T, *codes.T]
    for side in (0, 1):
        rows = upper == side
        best = best_score([c[rows] for c in columns], [False] * 3 + [True] * 2, statistics[rows], "gini")
        assert score_of(rounds.leaf[rows], statistics[rows], "gini") == pytest.approx(best, rel=1e-12)


def test_exclusive_or_is_found_by_two_levels():
    numbers = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 0], np.int32)
    rounds = _core.boosting.ClassRounds(table_of(numbers), y, np.full(4, 0.25), 2)
    sums = rounds.grow("gini", 2, 1)["sums"]
    assert ((sums > 0).sum(1) == 1).all()


def test_a_stump_that_helps_nothing_is_one_leaf():
    y = np.array([0, 1, 0, 1], np.int32)
    rounds = _core.boosting.ClassRounds(table_of([[0.0], [0.0], [1.0], [1.0]]), y, np.full(4, 0.25), 2)
    assert rounds.grow("error", 1, 1)["sums"].shape == (1, 2)


def test_threads_change_no_bit():
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(9000, 8))
    y = (numbers[:, 0] + rng.normal(size=9000) > 0).astype(np.int32)
    given = []
    for n_threads in (1, 2, 3):
        rounds = _core.boosting.ClassRounds(table_of(numbers), y, np.full(9000, 1 / 9000), 2)
        tree = rounds.grow("gini", 3, n_threads)
        factor = np.linspace(0.5, 2, 2 * len(tree["sums"])).reshape(-1, 2)
        standing = rounds.advance(factor, np.ones((len(factor), 1)), 1.0, n_threads)
        given.append((tree["nodes"].tobytes(), rounds.weight.tobytes(), standing[2].tobytes()))
    assert given[0] == given[1] == given[2]
