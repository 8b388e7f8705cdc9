"""Condensing and editing: by hand, against their definitions row by row, and on rows that were not learnt from."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from margin import KNeighborsClassifier, condense, edit
from margin.data import catalog
from margin.errors import InputError, LabelError, ParameterError


def clouds(n: int, seed: int, overlap: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, 2)) * overlap + 2.5 * np.column_stack([y == 1, y == 2]), y


def condensed_by_definition(X: np.ndarray, y: np.ndarray) -> list[int]:
    """Hart's two bins: whatever the rows in STORE answer wrongly is moved there."""
    store: list[int] = []
    while True:
        moved = False
        for row in range(len(X)):
            if row in store:
                continue
            if not store or KNeighborsClassifier(1).fit(X[store], y[store]).predict(X[[row]])[0] != y[row]:
                store.append(row)
                moved = True
        if not moved:
            return sorted(store)


def edited_by_definition(X: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    others = (np.delete(np.arange(len(X)), row) for row in range(len(X)))
    said = [KNeighborsClassifier(k).fit(X[rest], y[rest]).predict(X[[row]])[0] for row, rest in enumerate(others)]
    return np.flatnonzero(np.array(said) == y)


def test_two_classes_on_a_line_keep_the_rows_at_the_border():
    X = np.arange(8.0)[:, None]
    y = np.array(["left"] * 4 + ["right"] * 4)
    found = condense(X, y)
    assert found.rows.tolist() == [0, 3, 4]  # 4 is wrong beside 0 alone; in the next pass so is 3, nearer to 4
    assert found.passes == (2, 3, 3)
    assert found.right == 1.0
    assert found.lost == ()


def test_a_row_among_another_class_is_edited_out():
    X = np.arange(9.0)[:, None]
    y = np.array(["a", "a", "b", "a", "a", "b", "b", "b", "b"])
    found = edit(X, y)
    assert 2 not in found.rows
    assert str(found).startswith("editing: ")


@pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")  # of the first few rows in the definition
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("levels", [None, 4])
def test_condensing_is_the_definition_row_by_row(seed, levels):
    X, y = clouds(60, seed)
    if levels:  # many equal distances
        X = np.round(X)
    assert condense(X, y).rows.tolist() == condensed_by_definition(X, y)


@pytest.mark.parametrize("k", [1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_editing_is_the_definition_row_by_row(k, seed):
    X, y = clouds(60, seed)
    assert_array_equal(edit(X, y, KNeighborsClassifier(k)).rows, edited_by_definition(X, y, k))


def test_editing_until_nothing_changes_leaves_rows_that_agree():
    X, y = clouds(200, 1, 1.6)
    found = edit(X, y, rounds=None)
    assert len(found.passes) > 2
    assert found.passes[-1] == found.passes[-2]
    assert_array_equal(edited_by_definition(X[found.rows], y[found.rows], 3), np.arange(len(found.rows)))
    assert edit(X, y, rounds=1).rows.size > found.rows.size


def test_rows_kept_answer_all_rows_and_new_ones_about_as_well_as_all():
    X, y = clouds(2000, 2)
    found = condense(X[:1000], y[:1000], validation=(X[1000:], y[1000:]))
    assert found.right == 1.0
    assert len(found.rows) < 500
    edited = edit(X[:1000], y[:1000], KNeighborsClassifier(5), validation=(X[1000:], y[1000:]))
    both = condense(*edited.take(X[:1000], y[:1000]), validation=(X[1000:], y[1000:]))
    assert len(both.rows) < 60
    assert both.accuracy > found.accuracy_of_all  # one neighbour of edited rows against one of all
    assert "accuracy on other rows" in str(both)
    assert_array_equal(
        both.model.predict(X[:5]),
        KNeighborsClassifier(1).fit(*both.take(*edited.take(X[:1000], y[:1000]))).predict(X[:5]),
    )


def test_a_random_order_is_given_by_its_seed():
    X, y = clouds(120, 3)
    assert_array_equal(condense(X, y, random_state=1).rows, condense(X, y, random_state=1).rows)
    assert condense(X, y, random_state=1).right == 1.0


def test_tables_with_words_and_missing_cells_are_chosen_from():
    X, y = catalog.load("weather_numeric").target("play")
    found = condense(X, y, KNeighborsClassifier(1, metric="heom"))
    kept, labels = found.take(X, y)
    assert len(labels) == len(found.rows) < found.n_rows
    assert_array_equal(found.model.predict(X), KNeighborsClassifier(1, metric="heom").fit(kept, labels).predict(X))


def test_given_distances_are_cut_on_both_sides():
    X, y = clouds(80, 5)
    D = cdist(X, X)
    given = KNeighborsClassifier(1, metric="precomputed")
    assert_array_equal(condense(D, y, given).rows, condense(X, y).rows)
    given = KNeighborsClassifier(3, metric="precomputed")
    found = edit(D, y, given, rounds=None)
    assert_array_equal(found.rows, edit(X, y, rounds=None).rows)
    assert found.model.predict(D[:4][:, found.rows]).shape == (4,)


def test_what_cannot_be_chosen_from_is_refused():
    X, y = clouds(20, 0)
    with pytest.raises(ParameterError, match="one neighbour"):
        condense(X, y, KNeighborsClassifier(3))
    with pytest.raises(ParameterError, match="rounds"):
        edit(X, y, rounds=0)
    with pytest.raises(ParameterError, match="must be a KNeighborsClassifier"):
        edit(X, y, "knn")
    with pytest.raises(LabelError, match="one label per row"):
        condense(X, np.column_stack([y, y]))
    with pytest.raises(InputError, match="none would be left"):
        edit([[0.0], [1.0]], ["a", "b"], KNeighborsClassifier(1))
    with pytest.raises(ParameterError, match="must be a pair"):
        condense(X, y, validation=X)
    with pytest.raises(InputError, match="the 20 rows"):
        condense(X, y).take(X[:3], y[:3])


def test_classes_that_vanish_are_named():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]])
    found = edit(X, ["a", "b", "a", "a", "c", "c", "c"])
    assert found.lost == ("b",)
    assert "no row is left of 'b'" in str(found)
