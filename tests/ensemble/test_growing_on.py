"""Forests that grow on: with warm_start, by grow, and after Ctrl-C."""

import signal
import threading
import time
import warnings

import numpy as np
import pytest

from margin import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from margin.errors import DataError, MarginWarning, ParameterError


def rows(n=200):
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)


def assert_same(a, b):
    np.testing.assert_array_equal(a.trees_.nodes, b.trees_.nodes)
    np.testing.assert_array_equal(a.trees_.shares, b.trees_.shares)
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, rtol=1e-12)
    if hasattr(a, "oob_error_"):
        np.testing.assert_allclose(a.oob_error_, b.oob_error_, rtol=1e-12)
        np.testing.assert_array_equal(a._oob_counts, b._oob_counts)


@pytest.mark.parametrize("model", [RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier])
def test_a_forest_grown_in_steps_is_the_forest_grown_at_once(model):
    X, y = rows()
    whole = model(n_estimators=30, random_state=3).fit(X, y)
    warm = model(n_estimators=10, random_state=3, warm_start=True).fit(X, y)
    assert_same(warm.set_params(n_estimators=30).fit(X, y), whole)
    assert_same(model(n_estimators=10, random_state=3).fit(X, y).grow(15, X, y).grow(5, X, y), whole)


def test_without_a_seed_it_goes_on_with_the_seed_it_had():
    X, y = rows()
    model = RandomForestClassifier(n_estimators=5).fit(X, y)
    first = model.trees_.nodes.copy()
    seed = int(model._seed[0])
    model.grow(5, X, y)
    assert int(model._seed[0]) == seed
    np.testing.assert_array_equal(model.trees_.nodes[: len(first)], first)
    assert model.n_estimators == 10


def test_auto_goes_on_from_the_curve_that_is_there():
    X, y = rows(300)
    auto = RandomForestClassifier(n_estimators="auto", random_state=0).fit(X, y)
    warm = RandomForestClassifier(n_estimators=25, random_state=0, warm_start=True).fit(X, y)
    assert_same(warm.set_params(n_estimators="auto").fit(X, y), auto)


def test_other_rows_columns_and_settings_are_refused_and_nothing_is_lost():
    X, y = rows()
    model = RandomForestClassifier(n_estimators=10, random_state=0, warm_start=True).fit(X, y)
    before = model.trees_
    with pytest.raises(ParameterError, match="must not be below the 10 trees"):
        model.set_params(n_estimators=5).fit(X, y)
    model.set_params(n_estimators=20)
    with pytest.raises(DataError, match="the rows must be the 200"):
        model.fit(X[:150], y[:150])
    with pytest.raises(DataError, match="columns and classes"):
        model.fit(X[:, :3], y)
    with pytest.raises(DataError, match="columns and classes"):
        model.fit(X, y + 1)
    with pytest.raises(ParameterError, match="oob_score"):
        model.set_params(oob_score=False).fit(X, y)
    assert model.trees_ is before
    with pytest.raises(ParameterError, match=r"grow\(n=0\)"):
        model.grow(0, X, y)


def interrupted(model, X, y, after):
    timer = threading.Timer(after, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        return model.fit(X, y)
    finally:
        timer.join()


def test_ctrl_c_keeps_the_trees_that_are_done_where_that_is_asked_for():
    X = np.random.default_rng(0).normal(size=(3000, 20))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    given = {"n_estimators": 5000, "random_state": 0}
    with pytest.raises(KeyboardInterrupt):
        interrupted(RandomForestClassifier(**given), X, y, 1.0)
    begin = time.perf_counter()
    with pytest.warns(MarginWarning, match="trees are kept"):
        model = interrupted(RandomForestClassifier(at_interrupt="keep", **given), X, y, 1.0)
    assert time.perf_counter() - begin < 30
    n = model.trees_.n_trees
    assert 0 < n < 5000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = RandomForestClassifier(n_estimators=n, random_state=0).fit(X, y)
    assert_same(model, whole)
    np.testing.assert_array_equal(model._oob_votes, whole._oob_votes)


@pytest.mark.parametrize("auto", [False, True])
def test_progress_tells_of_trees_and_their_error_and_changes_nothing(auto):
    X, y = np.random.default_rng(0).normal(size=(80, 3)), np.arange(80) % 2
    model = RandomForestClassifier(n_estimators="auto" if auto else 23, random_state=0)
    told: list = []
    watched = model.fit(X, y, progress=told.append).trees_.nodes
    assert [each.trees for each in told] == sorted({each.trees for each in told})
    assert told[-1].trees == model.trees_.n_trees
    assert [each.error for each in told] == [model.oob_error_[each.trees - 1] for each in told]
    assert np.array_equal(model.fit(X, y).trees_.nodes, watched)


def test_progress_is_a_line_on_standard_error(capsys):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    ExtraTreesClassifier(n_estimators=7).fit(X, y, progress=True)
    assert capsys.readouterr().err.rstrip().split("\r")[-1].startswith("ExtraTreesClassifier:    7 of at most 7 trees")
    with pytest.raises(ParameterError, match=r"fit\(progress='yes'\): progress must be True, False or a function"):
        ExtraTreesClassifier().fit(X, y, progress="yes")
