"""A forest is margin's single trees from the rows and columns that it draws, in every bit."""

import numpy as np
import pytest

from margin.base.representations.mixed import MixedData
from margin.data.schema import Column, Schema
from margin.ensemble.forest.growing import ForestRows, ForestVotes
from margin.ensemble.forest.trees import joined
from margin.tree.grow import FREE
from tests.ensemble.single_trees import as_nested, draws_of, nested_tree, single_tree

SEED, N_TREES = 123456789, 6


def numbers(n, d, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return np.round(X * levels) if levels else X


def mixed(n, seed=0):
    """Numbers, a nominal and an ordinal column, all with missing cells."""
    rng = np.random.default_rng(seed)
    cells = numbers(n, 3, seed, levels=4)
    cells[rng.random(cells.shape) < 0.1] = np.nan
    codes = [rng.integers(-1, 5, n).astype(np.int32), rng.integers(-1, 70, n).astype(np.int32)]
    schema = Schema(
        [
            *(Column(f"x{j}", "numeric") for j in range(3)),
            Column("size", "ordinal", tuple("abcde")),
            Column("word", "nominal", tuple(f"w{k:02d}" for k in range(70))),
        ]
    )
    return MixedData(cells, codes, schema=schema)


def labels(X, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    score = np.nan_to_num(X.numeric[:, 0]) + rng.normal(size=len(X))
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])).astype(np.int32)


def forest(X, y, settings, *, n_classes=0, weight=None, n_draws=None, monotone=FREE, n_threads=2, criterion="gini"):
    n = len(y)
    weight = np.ones(n) if weight is None else weight
    classes, drawn = (n_classes,) if n_classes else (), bool(settings.get("random_splits"))
    rows = ForestRows(X, y, weight, np.empty(0, np.int64), classes, None, n_threads, random_splits=drawn)
    votes = ForestVotes.none_yet(n, max(n_classes, 1), np.ones(n))
    grown = rows.grow(
        criterion,
        settings,
        seed=SEED,
        trees=range(N_TREES),
        n_draws=n if n_draws is None else n_draws,
        votes=votes,
        monotone=monotone,
    )
    return grown, votes


def assert_same(X, y, settings, *, n_classes=0, weight=None, n_draws=None, monotone=FREE, criterion="gini"):
    found, _ = forest(
        X, y, settings, n_classes=n_classes, weight=weight, n_draws=n_draws, monotone=monotone, criterion=criterion
    )
    for t in range(N_TREES):
        column_seed, times = draws_of(SEED, t, len(y), len(y) if n_draws is None else n_draws)
        as_weighed = times if weight is None else times * weight
        if n_draws == 0:
            as_weighed = np.ones(len(y)) if weight is None else weight
        expected = single_tree(
            X, y, as_weighed, column_seed, criterion, settings, n_classes=n_classes, monotone=monotone
        )
        assert as_nested(found.trees, t) == nested_tree(expected)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_trees_of_classes(n_classes, criterion):
    X = MixedData(numbers(300, 8, n_classes))
    assert_same(X, labels(X, n_classes), {"max_features": 2}, n_classes=n_classes, criterion=criterion)


@pytest.mark.parametrize("levels", [2, 30])
def test_trees_of_numbers_that_repeat(levels):
    X = MixedData(numbers(400, 6, 1, levels))
    assert_same(X, labels(X, 2), {"max_features": 2, "min_leaf_weight": 3.0}, n_classes=2)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_trees_of_mixed_columns_with_missing_cells(n_classes):
    X = mixed(350)
    assert_same(X, labels(X, n_classes), {"max_features": 2}, n_classes=n_classes)


def test_trees_of_weighted_rows():
    X = MixedData(numbers(300, 5))
    weight = np.random.default_rng(1).random(300) + 0.1
    assert_same(X, labels(X, 2), {"max_features": 2}, n_classes=2, weight=weight)
    assert_same(X, labels(X, 3), {"max_features": 2}, n_classes=3, weight=weight)


def test_trees_of_values():
    X = mixed(350, 3)
    rng = np.random.default_rng(0)
    y = np.nan_to_num(X.numeric[:, 0]) ** 2 + rng.normal(size=350)
    settings = {"max_features": 2, "min_leaf_weight": 5.0}
    assert_same(X, y, settings, criterion="squared_error")
    assert_same(X, y, settings, criterion="squared_error", weight=rng.random(350) + 0.5)


def test_trees_with_monotone_columns():
    X = MixedData(numbers(300, 3))
    monotone = np.array([1, -1, 0], dtype=np.int8)
    assert_same(X, labels(X, 2), {"max_features": 2}, n_classes=2, monotone=monotone)
    assert_same(X, X.numeric[:, 0] + X.numeric[:, 2] ** 2, {}, criterion="squared_error", monotone=monotone)


def test_trees_without_draws_and_with_fewer():
    X = MixedData(numbers(200, 5))
    assert_same(X, labels(X, 2), {"max_features": 2, "max_depth": 3}, n_classes=2, n_draws=0)
    assert_same(X, labels(X, 2), {"max_features": 2}, n_classes=2, n_draws=50)


def test_votes_out_of_bag_are_those_of_the_trees_that_did_not_draw_a_row():
    X = mixed(250, 5)
    y = labels(X, 3)
    grown, votes = forest(X, y, {"max_features": 2}, n_classes=3)
    walker = grown.trees.walker
    leaves = walker.leaves(X.numeric, X.codes, 1)
    expected, n_votes, errors = np.zeros((250, 3)), np.zeros(250, dtype=int), []
    for t in range(N_TREES):
        out = draws_of(SEED, t, 250, 250)[1] == 0
        expected[out] += grown.trees.answers(leaves[out, t] + grown.trees.start[t])
        n_votes += out
        asked = n_votes > 0
        errors.append((expected[asked].argmax(axis=1) != y[asked]).mean())
    np.testing.assert_array_equal(votes.sums, expected)
    np.testing.assert_array_equal(votes.counts[:, 0], n_votes)
    np.testing.assert_allclose(grown.error, errors, rtol=1e-12)


def test_the_forest_is_the_same_for_any_number_of_threads():
    X = mixed(400, 2)
    y = labels(X, 3)
    weight = np.random.default_rng(0).random(400) + 0.1
    one, votes = forest(X, y, {"max_features": 2}, n_classes=3, weight=weight, n_threads=1)
    for n_threads in (2, 5):
        other, more = forest(X, y, {"max_features": 2}, n_classes=3, weight=weight, n_threads=n_threads)
        for name in ("nodes", "start", "words", "shares"):
            np.testing.assert_array_equal(getattr(one.trees, name), getattr(other.trees, name))
        np.testing.assert_array_equal(votes.sums, more.sums)
        np.testing.assert_array_equal(one.error, other.error)
        np.testing.assert_array_equal(one.decrease, other.decrease)


def test_trees_grown_in_parts_are_those_grown_at_once():
    X = mixed(300, 7)
    y = labels(X, 3)
    whole, votes = forest(X, y, {"max_features": 2}, n_classes=3)
    rows = ForestRows(X, y, np.ones(300), np.empty(0, np.int64), (3,), None, 2)
    in_parts = ForestVotes.none_yet(300, 3, np.ones(300))
    parts = [
        rows.grow("gini", {"max_features": 2}, seed=SEED, trees=range(a, b), n_draws=300, votes=in_parts)
        for a, b in ((0, 2), (2, 3), (3, N_TREES))
    ]
    together = joined([part.trees for part in parts])
    for name in ("nodes", "start", "words", "shares"):
        np.testing.assert_array_equal(getattr(whole.trees, name), getattr(together, name))
    np.testing.assert_array_equal(votes.sums, in_parts.sums)
    np.testing.assert_allclose(np.concatenate([part.error for part in parts]), whole.error, rtol=1e-12)


def test_importances_are_what_the_splits_of_the_single_trees_gained():
    X = mixed(300, 4)
    y = labels(X, 2)
    grown, _ = forest(X, y, {"max_features": 2}, n_classes=2)
    for t in range(N_TREES):
        column_seed, times = draws_of(SEED, t, 300, 300)
        tree = single_tree(X, y, times, column_seed, "gini", {"max_features": 2}, n_classes=2)
        np.testing.assert_allclose(grown.decrease[t], tree.importances(5, normalize=False), rtol=1e-9, atol=1e-12)
