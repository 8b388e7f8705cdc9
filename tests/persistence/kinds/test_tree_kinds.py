"""Trees in files: they come back whole, and one that does not fit its model is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor

from margin import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor
from margin.data import catalog
from margin.errors import PersistenceError
from margin.persistence import from_bytes, to_bytes
from margin.tree import Discretizer
from tests.contract.estimators import frame, numbers, settings
from tests.persistence.changing import array_of, changed, put, taken_apart, value_of
from tests.persistence.round_trip import differences, same_answers, saved_and_loaded, without_a_place

FAMILY = (ID3, C45, DecisionTreeClassifier, DecisionTreeRegressor, Discretizer)
OTHER_WAYS = [
    DecisionTreeClassifier(class_weight="balanced"),
    DecisionTreeClassifier(costs=[[0, 1, 5], [1, 0, 1], [2, 1, 0]]),
    DecisionTreeClassifier(max_features="sqrt", random_state=1, ccp_alpha=0.01),
    DecisionTreeRegressor(monotonic_cst=[1, 0, 0, -1], max_depth=3),
    DecisionTreeRegressor(criterion="absolute_error", prune="reduced_error", random_state=0),
    DecisionTreeRegressor(max_bins=16, max_leaf_nodes=9),
    C45(binary_splits=True, prune=False, max_depth=2),
    ID3(missing="fractional", numeric="equal_width", max_depth=2),
]
FIRST = [next(e for e in settings() if isinstance(e, cls)) for cls in FAMILY]
family = pytest.mark.parametrize("estimator", FIRST, ids=repr)


def asked_of(X: Any) -> list[Any]:
    """Rows to ask about: those given, a single one, and some with missing cells."""
    odd = X.copy()
    if isinstance(X, np.ndarray):
        odd[::2, 0] = odd[1::3, -1] = np.nan
    else:
        odd["age"], odd["job"] = np.nan, np.array([None] * len(X), dtype=object)
    return [X, X[:1], odd]


def check(model: Any, tmp_path: Any, asked: list[Any]) -> None:
    assert without_a_place(model) == []
    content = to_bytes(model)
    for found in (saved_and_loaded(model, tmp_path), saved_and_loaded(model, tmp_path, mmap=True)):
        assert differences(model, found) == []
        assert all(same_answers(model, found, X) for X in asked)
        assert to_bytes(found) == content


@pytest.mark.parametrize("estimator", OTHER_WAYS, ids=repr)
def test_a_tree_grown_in_any_way_comes_back(estimator, tmp_path):
    X, y = numbers(80)
    check(clone(estimator).fit(X, y), tmp_path, asked_of(X))


@family
def test_a_tree_of_two_named_classes_comes_back(estimator, tmp_path):
    X, y = numbers()
    X, y = X[y < 2], y[y < 2]
    named = y if is_regressor(estimator) else np.array(["ill", "well"])[y]
    check(clone(estimator).fit(X, named), tmp_path, asked_of(X))


@family
def test_a_tree_of_weighted_rows_comes_back(estimator, tmp_path):
    X, y = frame()
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    check(clone(estimator).fit(X, y, sample_weight=weight), tmp_path, asked_of(X))


@family
@pytest.mark.parametrize("as_given", [csr_array, lambda X: X.astype(np.float32), lambda X: X.round().astype(int)])
def test_a_tree_of_rows_of_another_type_comes_back(estimator, as_given, tmp_path):
    X, y = numbers()
    model = clone(estimator).fit(as_given(X), y)
    check(model, tmp_path, [*asked_of(X), as_given(X)])


def test_a_tree_pruned_on_other_rows_comes_back_with_its_steps(tmp_path):
    X, y = numbers(90)
    model = DecisionTreeClassifier().fit(X[:60], y[:60]).prune_on(X[60:], y[60:])
    check(model, tmp_path, asked_of(X))
    assert str(saved_and_loaded(model, tmp_path).pruning_trace_) == str(model.pruning_trace_)


def test_a_loaded_tree_can_be_read_explained_and_pruned(tmp_path):
    X, y = catalog.load("weather_numeric").target("play")
    model = C45().fit(X, y)
    found = saved_and_loaded(model, tmp_path)
    assert found.text() == model.text()
    assert str(found.rules()) == str(model.rules())
    assert str(found.path(X[:1])) == str(model.path(X[:1]))
    assert np.array_equal(found.feature_importances_, model.feature_importances_)
    assert np.array_equal(found.decision_path(X).toarray(), model.decision_path(X).toarray())
    tree = DecisionTreeClassifier().fit(X, y)
    again = saved_and_loaded(tree, tmp_path)
    assert differences(again.prune_on(X[:7], y[:7]), tree.prune_on(X[:7], y[:7])) == []


def test_nothing_derived_is_written():
    X, y = numbers()
    model = DecisionTreeClassifier().fit(X, y)
    before = to_bytes(model)
    model.decision_path(X)
    assert {"walker", "depths", "parent"} <= vars(model.tree_).keys()
    assert to_bytes(model) == before


def test_a_discretizer_of_very_many_columns_takes_two_arrays():
    model = Discretizer(max_intervals=2).fit(np.random.default_rng(0).normal(size=(5, 3000)))
    _, arrays = taken_apart(to_bytes(model))
    assert len(arrays) == 3  # cells, starts and ranges
    assert differences(model, from_bytes(to_bytes(model))) == []


# ---- What does not fit.


def grown() -> DecisionTreeClassifier:
    """Thresholds, subsets and surrogates."""
    X, y = frame(60)
    X["colour"] = np.array(list("abcdefgh"))[np.arange(60) % 8]
    return DecisionTreeClassifier(missing="surrogate").fit(X, y)


def spoilt(model: Any, **arrays: Any) -> bytes:
    """The file of a tree with arrays changed, each by a function, digests repaired."""
    return changed(to_bytes(model), *(array_of("tree", name, change) for name, change in arrays.items()))


def test_the_tree_of_these_tests_asks_in_every_way():
    tree = grown().tree_
    assert {1, 2} <= set(tree.ask.tolist())
    assert len(tree.surrogate_column) > 0
    assert len(tree.surrogate_detail) > 0
    assert from_bytes(spoilt(grown(), column=lambda a: a)).tree_.n_nodes == tree.n_nodes


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"column": put(0, 6)}, "asks about a column that there is not"),
        ({"column": put(0, -1)}, "asks about no column"),
        ({"column": put(-1, 0)}, "asks about no column"),
        ({"column": put(-1, 2**31 - 1)}, "asks about no column"),
        ({"surrogate_column": put(0, 6)}, "asks about a column that there is not"),
        ({"surrogate_column": put(0, -1)}, "stand in for others"),
        ({"surrogate_low": put(0, 2)}, "stand in for others"),
        ({"surrogate_detail": put(-1, 99.0)}, "level that there is not"),
        ({"surrogate_detail": put(-1, 0.5)}, "stand in for others"),
        ({"detail": put(-1, 99.0)}, "level that there is not"),
        ({"detail": put(-1, 2.0**40)}, "do not ascend"),
        ({"detail": put(0, np.nan)}, "do not ascend"),
        ({"child": put(0, 0)}, "no branch of a node before it"),
        ({"child": put(0, 2**31 - 1)}, "no branch of a node before it"),
        ({"child": lambda a: a[::-1]}, "no branch of a node before it|not in preorder"),
        ({"child_start": put(1, 2**62)}, "lists do not begin"),
        ({"child_start": put([1, 2], [2**62 + 9, -(2**62) - 9])}, "lists do not begin"),
        ({"detail_start": put(0, 1)}, "lists do not begin"),
        ({"surrogate_start": put(-1, 0)}, "lists do not begin"),
        ({"ask": put(0, 5)}, "other branches"),
        ({"ask": put(0, 3)}, "other branches than a column has levels|asks for a level"),
        ({"missing": put(0, 2)}, "other branches"),
        ({"threshold": put(0, np.nan)}, "no cell is NaN"),
        ({"value": put((0, 0), np.inf)}, "finite"),
        ({"value": put((0, 0), -1.0)}, "weight below 0"),
        ({"value": lambda a: a[:, :1]}, "other classes"),
        ({"value": lambda a: a[:-1]}, "where n"),
        ({"weight": put(0, -1.0)}, "at least 0"),
        ({"ask": lambda a: a[:0]}, "n|nodes"),
    ],
)
def test_a_tree_that_does_not_fit_is_refused(changes, told):
    with pytest.raises(PersistenceError, match=told):
        from_bytes(spoilt(grown(), **changes))


def test_nodes_out_of_their_order_are_refused():
    X, y = numbers()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    tree = model.tree_
    assert tree.child.tolist() == [1, 4, 2, 3, 5, 6]
    # The same tree, level by level: sound, but not in preorder.
    order = np.array([0, 1, 4, 2, 3, 5, 6])
    per_node = ("ask", "column", "threshold", "missing", "value", "cases", "weight", "impurity", "gain")
    changes: dict[str, Any] = {name: (lambda a: a[order]) for name in per_node}
    changes |= {"child": lambda a: [1, 2, 3, 4, 5, 6], "child_start": lambda a: [0, 2, 4, 6, 6, 6, 6, 6]}
    with pytest.raises(PersistenceError, match="not in preorder"):
        from_bytes(spoilt(model, **changes))


def test_a_question_for_levels_fits_the_levels():
    X, y = catalog.load("weather_nominal").target("play")
    model = ID3().fit(X, y)
    assert model.tree_.ask[0] == 3
    two_levels = 3
    with pytest.raises(PersistenceError, match="other branches than a column has levels"):
        from_bytes(spoilt(model, column=put(0, two_levels)))
    numbers_only = ID3().fit(*numbers())
    assert numbers_only.tree_.ask[0] == 4
    with pytest.raises(PersistenceError, match="other branches"):
        from_bytes(spoilt(numbers_only, ask=put(0, 3)))


def test_a_regression_has_one_value_for_a_node():
    model = DecisionTreeRegressor(max_depth=2).fit(*numbers())
    with pytest.raises(PersistenceError, match="other values for a node than outputs"):
        from_bytes(spoilt(model, value=lambda a: np.repeat(a, 2, axis=1)))


def test_a_pruning_path_holds_the_step_it_chose():
    model = DecisionTreeClassifier(prune="cost_complexity", n_folds=3).fit(*numbers())
    other = value_of("alpha-choice", "chosen", len(model.pruning_path_.alphas))
    with pytest.raises(PersistenceError, match="none of those there are"):
        from_bytes(changed(to_bytes(model), other))


def test_there_are_cuts_for_every_column():
    model = Discretizer(max_intervals=3).fit(*numbers())
    with pytest.raises(PersistenceError, match="do not ascend"):
        from_bytes(changed(to_bytes(model), array_of("discretizer", ("cuts", "cells"), lambda a: a[::-1])))
