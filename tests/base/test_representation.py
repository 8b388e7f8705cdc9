"""margin.base.representations.representation: what a model sees of a table, an array and a sparse matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin import Table
from margin.base import Classifier, Mixed, Numeric
from margin.errors import InputError


class Mirror(Classifier):
    """Keeps what it is shown."""

    def __init__(self, form):
        self.form = form

    @property
    def representation(self):
        return self.form

    def _fit(self, X, y, rows):
        self.shown_ = X

    def seen(self, X):
        return self._encoded(X, "seen")


def mirror(form, X, monkeypatch):
    monkeypatch.setattr("margin.params.check", lambda estimator: None)
    return Mirror(form).fit(X, np.arange(X.shape[0]) % 2)


def test_mixed_columns_come_apart_into_numbers_and_codes(monkeypatch):
    table = Table.from_columns({"word": ["b", "a", None], "number": [1.0, None, 3.0]})
    shown = mirror(Mixed(), table, monkeypatch).shown_
    np.testing.assert_array_equal(shown.numeric, [[1.0], [np.nan], [3.0]])
    assert [column.tolist() for column in shown.codes] == [[1, 0, -1]]


def test_an_ordinal_column_becomes_its_rank_and_a_missing_rank_the_mean(monkeypatch):
    table = Table.from_columns({"size": ["small", "large", "middle", None], "n": [1.0, 2.0, 3.0, 4.0]})
    table = table.with_kind("size", "ordinal", ["small", "middle", "large"])
    assert mirror(Numeric(), table, monkeypatch).shown_[:, 0].tolist() == [0.0, 2.0, 1.0, 1.0]


def test_scales_are_those_of_the_training_rows(monkeypatch):
    X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, np.nan]])
    standard = mirror(Numeric(scale="standard"), X[:, :1], monkeypatch)
    np.testing.assert_allclose(standard.seen(np.array([[2.0], [4.0]]))[:, 0], [0, 2 / np.std([0, 2, 4])])
    ranged = mirror(Numeric(scale="range"), X[:, :1], monkeypatch)
    assert ranged.seen(np.array([[1.0], [8.0]]))[:, 0].tolist() == [0.25, 2.0]


def test_sparse_rows_reach_a_model_that_takes_them_with_missing_cells_filled(monkeypatch):
    X = sp.csr_array(np.array([[0.0, 2.0], [4.0, np.nan], [0.0, 0.0]]))
    model = mirror(Numeric(sparse=True), X, monkeypatch)
    assert sp.issparse(model.shown_)
    np.testing.assert_allclose(model.shown_.toarray(), [[0, 2], [4, 1], [0, 0]])
    assert np.isnan(X.data).sum() == 1, "what was given is left as it was"


def test_sparse_rows_are_scaled_and_never_shifted(monkeypatch):
    dense = np.array([[0.0, 2.0], [4.0, 6.0], [0.0, 0.0], [0.0, 4.0]])
    shown = mirror(Numeric(sparse=True, scale="standard"), sp.csr_array(dense), monkeypatch).shown_
    np.testing.assert_allclose(shown.toarray(), dense / dense.std(axis=0))
    assert shown.nnz == np.count_nonzero(dense)


def test_an_unusable_cell_of_a_sparse_matrix_is_named(monkeypatch):
    X = sp.csr_array(np.array([[0.0, 2.0], [np.inf, 0.0]]))
    with pytest.raises(InputError, match="column 'x0', row 1"):
        mirror(Numeric(sparse=True), X, monkeypatch)


def test_wide_places_of_stored_cells_are_narrowed_once_and_what_was_given_stays(monkeypatch):
    X = sp.csr_array(np.array([[0.0, 2.0], [4.0, 1.0], [0.0, 0.0]]))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    shown = mirror(Numeric(sparse=True), X, monkeypatch).shown_
    assert shown.indices.dtype == shown.indptr.dtype == np.int32
    assert X.indices.dtype == X.indptr.dtype == np.int64
    np.testing.assert_array_equal(shown.toarray(), X.toarray())


def test_a_place_beyond_32_bits_is_not_taken_for_what_is_left_of_it(monkeypatch):
    X = sp.csr_array(np.array([[0.0, 2.0], [4.0, 1.0], [0.0, 0.0]]))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X.indices[2] += 2**32
    with pytest.raises(InputError, match="damaged"):
        mirror(Numeric(sparse=True), X, monkeypatch)


def test_more_columns_than_the_core_can_count_are_refused(monkeypatch):
    wide = sp.csr_array((np.ones(1), np.zeros(1, np.int64), np.array([0, 1])), shape=(1, 2**31))
    with pytest.raises(InputError, match="at most 2,147,483,647 columns, not 2,147,483,648"):
        mirror(Numeric(sparse=True), wide, monkeypatch)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(np.int8, np.int32), (np.uint16, np.int32), (np.int64, np.int64), (np.float32, np.float32), (bool, np.float64)],
)
def test_a_matrix_stays_in_its_type_where_a_model_takes_it_as_given(given, kept, monkeypatch):
    X = np.array([[0, 1], [1, 0], [1, 1]]).astype(given)
    model = mirror(Mixed(as_given=True), X, monkeypatch)
    assert model.shown_.numeric.dtype == kept
    assert np.array_equal(model.shown_.numeric, X)
    assert mirror(Mixed(), X, monkeypatch).shown_.numeric.dtype == np.float64


def test_a_large_matrix_taken_as_given_is_not_copied(monkeypatch):
    X = np.arange(12.0).reshape(6, 2)
    assert mirror(Mixed(as_given=True), X, monkeypatch).shown_.numeric is X
    sparse = sp.csr_array(X)
    shown = mirror(Mixed(as_given=True), sparse, monkeypatch).shown_.numeric
    assert np.shares_memory(shown.data, sparse.data)
    assert np.shares_memory(shown.indices, sparse.indices)


def test_the_first_look_brings_the_moments_of_each_class(monkeypatch):
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0], [6.0, 7.0]])
    survey = mirror(Mixed(moments=True), X, monkeypatch).shown_.survey
    assert survey.missing.tolist() == [0, 1]
    assert survey.moments.mean.tolist() == [[2.0, 6.0], [4.0, 7.0]]
    assert survey.moments.m2.tolist() == [[2.0, 2.0], [8.0, 0.0]]


def test_free_text_keeps_the_words_it_comes_with(monkeypatch):
    table = Table.from_columns({"note": ["a b", "b c", None], "word": ["x", "y", "x"]})
    model = mirror(Mixed(text=frozenset(["note"])), table, monkeypatch)
    levels, codes = model.shown_.text["note"]
    assert [None if code < 0 else levels[code] for code in codes] == ["a b", "b c", None]
    assert len(model.shown_.codes) == 1
    assert model.schema_["note"].levels == (), "a model does not keep the texts"
    for new in (Table.from_columns({"note": ["never seen"], "word": ["y"]}), [["never seen", "y"]]):
        levels, codes = model.seen(new).text["note"]
        assert levels[codes[0]] == "never seen"
        assert model.seen(new).codes[0].tolist() == [1]


def test_a_column_of_kind_text_is_left_out_unless_a_model_reads_it(monkeypatch):
    table = Table.from_columns({"note": ["a b", "b c", "d"], "n": [1.0, 2.0, 3.0]}).with_kind("note", "text")
    assert mirror(Mixed(), table, monkeypatch).schema_.names == ("n",)
    model = mirror(Mixed(text=frozenset(["note"])), table, monkeypatch)
    assert list(model.shown_.text) == ["note"]
    assert list(model.seen(table[1:]).text["note"][1]) == [1, 2]
