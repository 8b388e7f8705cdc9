"""Shapley values of boosted trees against their definition: all sets of columns, one after another."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor


def _known(trees, start, at, row, known):
    """What a tree says where only some columns are known."""
    k = start + at
    if trees.is_leaf[k]:
        return float(trees.threshold[k])
    first, column = int(trees.first[k]), int(trees.column[k])
    if column in known:
        x = row[column]
        missing = np.isnan(x)
        branch = int(trees.missing[k]) if missing else int(x > trees.threshold[k])
        if trees.is_subset[k] and not missing:
            branch = int(x not in trees.levels(k))
        return _known(trees, start, first + branch, row, known)
    low, high = trees.cover[start + first], trees.cover[start + first + 1]
    share = low / (low + high)
    return share * _known(trees, start, first, row, known) + (1 - share) * _known(trees, start, first + 1, row, known)


def _definition(trees, row, k):
    d, n = trees.n_columns, len(trees.base)
    roots = trees.start[:-1][k::n].tolist()

    def worth(known):
        return sum(_known(trees, int(start), 0, row, known) for start in roots)

    found = np.zeros(d)
    for j in range(d):
        for size in range(d):
            for others in combinations([i for i in range(d) if i != j], size):
                weight = factorial(size) * factorial(d - size - 1) / factorial(d)
                found[j] += weight * (worth({*others, j}) - worth(set(others)))
    return found, worth(set()) + trees.base[k]


def _rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).round(1)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + np.nan_to_num(X[:, 2]) + rng.normal(size=200) * 0.1


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_values_are_those_of_the_definition(n_classes):
    X, y = _rows()
    settings = {"n_estimators": 3, "max_leaf_nodes": 6, "min_samples_leaf": 5}
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
        model = GradientBoostingClassifier(**settings).fit(X, y)
    else:
        model = GradientBoostingRegressor(**settings).fit(X, y)
    found = model.shap_values(X[:6])
    found = found[:, :, None] if found.ndim == 2 else found
    for i in range(6):
        for k in range(found.shape[2]):
            values, base = _definition(model.trees_, X[i], k)
            np.testing.assert_allclose(found[i, :, k], values, atol=1e-12)
            assert np.atleast_1d(model.shap_base())[k] == pytest.approx(base, abs=1e-12)


def test_values_stand_in_the_order_of_the_table_and_add_up():
    X, y = _rows()
    words = np.where(y > 0.5, "up", np.where(y < -0.5, "down", "level"))
    table = {"word": words.tolist(), "a": X[:, 0].tolist(), "b": X[:, 3].tolist()}
    model = GradientBoostingRegressor(n_estimators=20, min_samples_leaf=5).fit(table, y)
    found = model.shap_values(table)
    np.testing.assert_allclose(found.sum(axis=1) + model.shap_base(), model.predict(table), atol=1e-12)
    assert np.abs(found).mean(axis=0).argmax() == 0
    assert max(model.importances("split"), key=model.importances().get) == "word"
