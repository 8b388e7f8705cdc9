"""Symmetric trees, constraints between columns, rows drawn by size, and leaves that are quantiles and bound."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import ParameterError


def _rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 4))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + rng.normal(size=n) * 0.2
    return X, y


def _columns_on_paths(trees):
    """The sets of columns that stand on one path, over all trees."""
    found = set()
    for start, end in zip(trees.start[:-1], trees.start[1:], strict=True):
        paths = {0: frozenset()}
        for k in range(end - start):
            at = int(start) + k
            if trees.is_leaf[at]:
                found.add(paths[k])
                continue
            for branch in (0, 1):
                paths[int(trees.first[at]) + branch] = paths[k] | {int(trees.column[at])}
    return found


def _best_shared_question(X, g, nodes, l2):
    """By trying all: the column and threshold that all nodes (masks of rows) gain most by together."""
    best = (0.0, None, None)
    for j in range(X.shape[1]):
        for t in np.unique(X[:, j])[:-1]:
            score = 0.0
            for node in nodes:
                sides = node & (X[:, j] <= t), node & (X[:, j] > t)
                if all(side.any() for side in sides):
                    score += sum(g[side].sum() ** 2 / (side.sum() + l2) for side in sides)
                elif node.any():
                    score += g[node].sum() ** 2 / (node.sum() + l2)
            if score > best[0] + 1e-9:
                best = score, j, t
    return best


def test_a_level_of_a_symmetric_tree_asks_what_gains_most_over_all_of_its_nodes():
    X, y = _rows(80)
    X = X.round(1)
    model = GradientBoostingRegressor(
        n_estimators=1, learning_rate=1.0, growth="symmetric", max_leaf_nodes=8, min_samples_leaf=1, l2=1.0
    ).fit(X, y)
    g, nodes = y.mean() - y, [np.ones(80, bool)]
    for _ in range(3):
        _, j, t = _best_shared_question(X, g, nodes, 1.0)
        nodes = [side for node in nodes for side in (node & (X[:, j] <= t), node & (X[:, j] > t))]
    slow = np.full(80, y.mean())
    for node in nodes:
        slow[node] -= g[node].sum() / (node.sum() + 1.0)
    np.testing.assert_allclose(model.predict(X), slow, atol=1e-9)


@pytest.mark.parametrize("n", [400, 20_000])
def test_symmetric_trees_learn_words_and_holes_and_do_not_depend_on_threads(n):
    rng = np.random.default_rng(1)
    X, _ = _rows(n)
    word = rng.choice(["a", "b", "c", "d", "e", "f"], n)
    X[rng.uniform(size=n) < 0.2, 1] = np.nan
    y = np.isin(word, ["a", "d"]) * 2.0 + (np.isnan(X[:, 1])) * 1.0 + X[:, 0]
    table = {"word": word.tolist(), "a": X[:, 0], "b": X[:, 1]}
    settings = {"n_estimators": 40, "growth": "symmetric", "max_leaf_nodes": 32, "learning_rate": 0.2}
    one, two = (GradientBoostingRegressor(n_jobs=jobs, **settings).fit(table, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.trees_.nodes, two.trees_.nodes)
    assert one.score(table, y) > 0.97
    trees = one.trees_
    for start, end in zip(trees.start[:-1], trees.start[1:], strict=True):
        assert (end - start) & (end - start + 1) == 0  # 2^k - 1 nodes: every path is as long as the others


def test_columns_meet_on_a_path_only_where_a_set_has_them():
    X, y = _rows()
    settings = {"n_estimators": 30, "learning_rate": 0.3}
    model = GradientBoostingRegressor(interaction_cst=[["x0", "x1"], [2]], **settings).fit(X, y)
    free = GradientBoostingRegressor(**settings).fit(X, y)
    allowed = [{0, 1}, {2}, {3}]
    assert all(any(path <= each for each in allowed) for path in _columns_on_paths(model.trees_))
    assert not all(any(path <= each for each in allowed) for path in _columns_on_paths(free.trees_))
    alone = GradientBoostingRegressor(interaction_cst="none", **settings).fit(X, y)
    assert max(map(len, _columns_on_paths(alone.trees_))) == 1
    symmetric = GradientBoostingRegressor(interaction_cst="pairwise", growth="symmetric", **settings).fit(X, y)
    assert max(map(len, _columns_on_paths(symmetric.trees_))) == 2
    with pytest.raises(ParameterError, match="'x9' is not one of the columns"):
        GradientBoostingRegressor(interaction_cst=[["x9"]]).fit(X, y)
    with pytest.raises(ParameterError, match="sets of columns"):
        GradientBoostingRegressor(interaction_cst="x0").fit(X, y)


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_quantiles_at_leaves_rise_where_they_must_and_are_in_the_unit_of_the_targets(loss):
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, size=(500, 2))
    y = 1000 * (X[:, 0] + np.sin(4 * X[:, 0]) / 2) + rng.normal(size=500) * 50
    settings = {"loss": loss, "alpha": 0.5, "n_estimators": 60, "learning_rate": 0.3}
    model = GradientBoostingRegressor(monotonic_cst=[1, 0], **settings).fit(X, y)
    line = np.column_stack([np.linspace(-2, 2, 201), np.zeros(201)])
    assert (np.diff(model.predict(line)) >= -1e-9).all()
    # Steps that were cut to the unit of signs could not get this far.
    assert np.median(np.abs(model.predict(X) - y)) < 350
    assert np.ptp(model.predict(line)) > 2000


@pytest.mark.parametrize("n", [2_000, 30_000])
def test_rows_drawn_by_size_keep_the_mean_of_what_is_learnt(n):
    X, y = _rows(n, 3)
    label = (y > 0).astype(int)
    settings = {"n_estimators": 40, "learning_rate": 0.2, "max_leaf_nodes": 8, "random_state": 0}
    known, new = slice(0, n // 2), slice(n // 2, None)

    def loss(**more):
        model = GradientBoostingClassifier(**settings, **more).fit(X[known], label[known])
        return float(-np.log(model.predict_proba(X[new])[np.arange(n // 2), label[new]]).mean())

    assert loss(subsample=0.3, sampling="size") < loss() + 0.03
    assert loss(subsample=0.3, sampling="size") != loss(subsample=0.3)


def test_what_does_not_go_together_is_refused():
    X, y = _rows(60)
    with pytest.raises(ParameterError, match="cannot bind columns"):
        GradientBoostingRegressor(growth="symmetric", monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(ParameterError, match="in one way or the other"):
        GradientBoostingRegressor(sampling="size", top_rate=0.2, subsample=0.3).fit(X, y)
