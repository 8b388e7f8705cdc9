"""Leaves that answer by a straight line: against least squares in each leaf, and Shapley values over all subsets."""

import itertools
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import ExportError, ParameterError
from margin.persistence import load, save


def bent(n=400, seed=0):
    """A line of x1 on one side of x0, one of x2 on the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] > 0, 3 * X[:, 1], -2 * X[:, 2]) + rng.normal(size=n) / 10


def test_a_leaf_is_the_least_squares_line_of_its_rows():
    X = np.random.default_rng(1).uniform(0, 10, 300)
    y = np.where(X < 4, 2 * X, 30 - X) + np.sin(9 * X) / 10
    one = {"n_estimators": 1, "max_leaf_nodes": 2, "learning_rate": 1.0, "l2": 0.0}
    model = GradientBoostingRegressor(**one, linear_leaves=True).fit(X[:, None], y)
    leaf = model.apply(X[:, None])[:, 0]
    assert len(np.unique(leaf)) == 2
    for each in np.unique(leaf):
        here = leaf == each
        line = np.polyval(np.polyfit(X[here], y[here], 1), X[here])
        np.testing.assert_allclose(model.predict(X[here, None]), line, rtol=1e-4)
        mean = GradientBoostingRegressor(**one).fit(X[:, None], y).predict(X[here, None])
        assert np.abs(y[here] - line).mean() < np.abs(y[here] - mean).mean()


def test_a_line_is_not_prolonged_and_a_missing_cell_is_the_mean():
    X = np.arange(100.0)[:, None]
    model = GradientBoostingRegressor(
        n_estimators=1, max_leaf_nodes=2, learning_rate=1.0, l2=0.0, linear_leaves=True
    ).fit(X, np.where(X[:, 0] < 50, X[:, 0], 3 * X[:, 0]))
    assert model.predict([[-1e6], [0.0]]).tolist() == model.predict([[0.0], [0.0]]).tolist()
    assert model.predict([[1e6]])[0] == model.predict([[99.0]])[0]
    high = model.predict([[50.0], [99.0]]).mean()
    assert model.predict([[math.nan]])[0] == pytest.approx(high) or model.predict([[math.nan]])[0] == pytest.approx(
        24.5
    )


def test_lines_learn_slopes_with_fewer_trees():
    X, y = bent(3000)
    asked = {"n_estimators": 40, "max_leaf_nodes": 8, "random_state": 0}
    for growth in ("leaf", "depth", "symmetric"):
        plain = GradientBoostingRegressor(**asked, growth=growth).fit(X[:2000], y[:2000])
        lines = GradientBoostingRegressor(**asked, growth=growth, linear_leaves=True).fit(X[:2000], y[:2000])
        assert 1 - lines.score(X[2000:], y[2000:]) < 0.7 * (1 - plain.score(X[2000:], y[2000:]))


def all_subsets(trees, x):
    """Shapley values by their definition: a term is 0 where its column is not known."""
    d = len(x)

    def said(node, known):
        if trees.is_leaf[node]:
            terms = [(trees.term_columns[k], *trees.term_numbers[k]) for k in np.flatnonzero(trees.term_nodes == node)]
            slopes = sum(b * (np.clip(x[j], low, high) - c) for j, b, c, low, high in terms if j in known)
            return trees.threshold[node] + slopes
        j = int(trees.column[node])
        first = root + int(trees.first[node])
        if j in known:
            return said(first + int(x[j] > trees.threshold[node]), known)
        share = trees.cover[first] / (trees.cover[first] + trees.cover[first + 1])
        return share * said(first, known) + (1 - share) * said(first + 1, known)

    found = np.zeros(d)
    for root in trees.start[:-1].tolist():
        value = {s: said(root, set(s)) for n in range(d + 1) for s in itertools.combinations(range(d), n)}
        for j, (s, v) in itertools.product(range(d), value.items()):
            if j not in s:
                weight = math.factorial(len(s)) * math.factorial(d - len(s) - 1) / math.factorial(d)
                found[j] += weight * (value[tuple(sorted((*s, j)))] - v)
    return found


def test_shapley_values_are_those_of_all_subsets():
    X, y = bent(300, seed=3)
    model = GradientBoostingRegressor(n_estimators=4, max_leaf_nodes=6, linear_leaves=True).fit(X, y)
    assert model.trees_.is_linear
    for x, values in zip(X[:6], model.shap_values(X[:6]), strict=True):
        np.testing.assert_allclose(values, all_subsets(model.trees_, x), atol=1e-10)
    np.testing.assert_allclose(model.shap_values(X).sum(axis=1) + model.shap_base(), model.predict(X))


def test_every_way_to_an_answer_is_the_same(tmp_path):
    X, y = bent(600, seed=2)
    X[::9, 1] = np.nan
    labels = np.digitize(y, [-1, 1])
    model = GradientBoostingClassifier(n_estimators=15, linear_leaves=True, drop_rate=0.2, random_state=0)
    model.fit(X, labels)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(list(model.staged_predict_proba(X))[-1], proba, atol=1e-12)
    save(model, tmp_path / "lines.margin")
    assert np.array_equal(load(tmp_path / "lines.margin").predict_proba(X), proba)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), proba)
    assert np.array_equal(model.predict_proba(X[:1]), proba[:1])
    sparse = sp.csr_array(np.where(np.arange(X.size).reshape(X.shape) % 12 == 0, X, 0))
    np.testing.assert_allclose(model.predict_proba(sparse), model.predict_proba(sparse.toarray()), atol=1e-12)
    for n_jobs in (1, 3):
        again = GradientBoostingClassifier(**{**model.get_params(), "n_jobs": n_jobs}).fit(X, labels)
        assert np.array_equal(again.predict_proba(X), proba)


def test_the_unit_of_the_targets_is_that_of_the_slopes():
    X, y = bent()
    asked = {"n_estimators": 10, "linear_leaves": True}
    small = GradientBoostingRegressor(**asked).fit(X, y).predict(X)
    large = GradientBoostingRegressor(**asked).fit(X, y * 2.0**40).predict(X)
    np.testing.assert_allclose(large, small * 2.0**40, rtol=1e-9)


def test_what_slopes_cannot_be_is_refused():
    X, y = bent(100)
    for asked in ({"monotonic_cst": [1, 0, 0, 0]}, {"loss": "quantile"}, {"engine": "exact"}):
        with pytest.raises(ParameterError, match="linear_leaves"):
            GradientBoostingRegressor(linear_leaves=True, n_estimators=2, **asked).fit(X, y)
    nearly_empty = sp.csr_array(np.where(np.random.default_rng(0).random((100, 40)) < 0.03, 1.0, 0.0))
    with pytest.raises(ParameterError, match="must not be sparse"):
        GradientBoostingRegressor(linear_leaves=True, n_estimators=2).fit(nearly_empty, y)
    with pytest.raises(ExportError, match="linear leaves"):
        GradientBoostingRegressor(linear_leaves=True, n_estimators=2).fit(X, y).to_onnx()
