"""Sparse matrices of every format: read as what they hold, or refused before compiled code follows their indices."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from margin.errors import InputError
from tests.contract.estimators import answers, case, learnt, numbers, one_of_each_way_in


@one_of_each_way_in
def test_a_sparse_matrix_with_indices_beyond_it_is_refused(estimator):
    X, y = numbers()
    model = learnt(estimator)
    for form in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        damaged = form(X)
        damaged.indices = damaged.indices.copy()
        damaged.indices[3] = 5000
        with case(form.__name__):
            with pytest.raises(InputError, match="damaged"):
                clone(estimator).fit(damaged, y)
            with pytest.raises(InputError, match="damaged"):
                answers(model, damaged)


def damaged_coordinates(axis, place):
    def make(X):
        made = sp.coo_array(X)
        made.coords = tuple(places.copy() for places in made.coords)
        made.coords[axis][3] = place
        return made

    return make


def few_coordinates(X):
    made = sp.coo_array(X)
    made.coords = (made.coords[0][:5], made.coords[1])
    return made


def damaged_list(places):
    def make(X):
        made = sp.lil_array(X)
        made.rows[3] = places
        return made

    return make


def far_key(X):
    made = sp.dok_array(X)
    made._dict[(10**7, 2)] = 1.0
    return made


def few_offsets(X):
    made = sp.dia_array(X)
    made.offsets = made.offsets[:2]
    return made


# In SciPy's conversion most of these end the process, so they must not get there.
DAMAGED = {
    "a row beyond the matrix": (damaged_coordinates(0, 10**7), "row index 10000000 is not one of 0 to 59"),
    "a row below 0": (damaged_coordinates(0, -(10**7)), "row index -10000000"),
    "a column beyond the matrix": (damaged_coordinates(1, 4), "column index 4 is not one of 0 to 3"),
    "coordinates too few": (few_coordinates, "5 row indices for"),
    "a column beyond a list": (damaged_list([0, 1, 2, 9]), "column index 9"),
    "a list too short": (damaged_list([0, 1, 2]), "3 column indices for 4 cells in row 3"),
    "a key beyond the matrix": (far_key, "row index 10000000"),
    "offsets too few": (few_offsets, "2 offsets for diagonals"),
}


@one_of_each_way_in
def test_coordinates_lists_keys_and_diagonals_that_do_not_fit_are_refused(estimator):
    X, y = numbers()
    model = learnt(estimator)
    for kind, (damaged, message) in DAMAGED.items():
        with case(kind):
            with pytest.raises(InputError, match=rf"the sparse X is damaged \(.*{message}"):
                clone(estimator).fit(damaged(X), y)
            with pytest.raises(InputError, match="damaged"):
                answers(model, damaged(X))


@one_of_each_way_in
def test_sparse_matrices_of_every_format_are_read(estimator):
    X, y = numbers()
    X[X < 3] = 0.0
    expected = answers(clone(estimator).fit(sp.csr_array(X), y), sp.csr_array(X))
    for form in (sp.coo_array, sp.lil_array, sp.dok_array, sp.dia_array, sp.csc_matrix):
        assert np.array_equal(answers(clone(estimator).fit(form(X), y), form(X)), expected), form
