"""Several targets at once: an indicator matrix, or any labels in every column."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from margin import KNeighborsClassifier, RadiusNeighborsClassifier
from margin.data import Table
from margin.errors import InputTypeError, LabelError
from margin.explain import explain
from margin.persistence import load, save

X = np.random.default_rng(0).normal(size=(40, 2))
INDICATOR = np.column_stack([X[:, 0] > 0, X[:, 1] > 0.3, X.sum(axis=1) > 1]).astype(int)
WORDS = {"side": np.where(X[:, 0] > 0, "right", "left").tolist(), "count": (X[:, 1] > 0).astype(int).tolist()}
MODELS = [
    KNeighborsClassifier(3, weights="distance"),
    RadiusNeighborsClassifier(0.8, weights="distance"),
]


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request):
    return request.param


def test_each_column_is_answered_as_if_it_were_alone(model):
    found = model.fit(X, INDICATOR)
    together, shares = found.predict(X + 0.05), found.predict_proba(X + 0.05)
    assert found.outputs_2d_
    assert [classes.tolist() for classes in found.classes_] == [[0, 1]] * 3
    for j in range(3):
        alone = model.fit(X, INDICATOR[:, j])
        assert not alone.outputs_2d_
        assert np.array_equal(together[:, j], alone.predict(X + 0.05))
        np.testing.assert_allclose(shares[j], alone.predict_proba(X + 0.05), rtol=1e-12)
    assert together.dtype == INDICATOR.dtype


@pytest.mark.parametrize(
    "make", [sp.csr_array, sp.csc_matrix, pd.DataFrame, np.ndarray.tolist, pa.table], ids=lambda m: m.__name__
)
def test_an_indicator_matrix_of_any_make_is_read(model, make):
    expected = model.fit(X, INDICATOR).predict(X)
    given = {str(j): INDICATOR[:, j] for j in range(3)} if make is pa.table else INDICATOR
    assert np.array_equal(model.fit(X, make(given)).predict(X), expected)


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, Table.from_columns, lambda columns: list(map(list, zip(*columns.values())))],
    ids=["pandas", "polars", "arrow", "margin", "lists"],
)
def test_columns_of_different_types_keep_them(model, make):
    found = model.fit(X, make(WORDS))
    assert [classes.tolist() for classes in found.classes_] == [["left", "right"], [0, 1]]
    assert found.predict(X).tolist() == [list(row) for row in zip(*WORDS.values())]


def test_logarithms_and_both_at_once_are_lists_too(model):
    found = model.fit(X, INDICATOR)
    answers, shares = found.predict_with_proba(X)
    assert np.array_equal(answers, found.predict(X))
    with np.errstate(divide="ignore"):
        assert all(np.array_equal(a, np.log(b)) for a, b in zip(found.predict_log_proba(X), shares))


def test_answers_do_not_depend_on_the_order_of_the_rows(model):
    rng = np.random.default_rng(1)
    cells, labels = rng.integers(0, 3, (40, 2)).astype(float), rng.integers(0, 3, (40, 2))
    order = rng.permutation(40)
    one = model.fit(cells, labels).predict_proba(cells)
    other = model.fit(cells[order], labels[order]).predict_proba(cells)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other))


def test_no_rows_give_no_answers(model):
    found = model.fit(X, INDICATOR)
    assert found.predict(X[:0]).shape == (0, 3)
    assert [shares.shape for shares in found.predict_proba(X[:0])] == [(0, 2)] * 3


def test_a_missing_label_is_refused_with_its_column_and_row(model):
    labels = np.array(INDICATOR, dtype=object)
    labels[7, 1] = None
    with pytest.raises(LabelError, match=r"column 1 of y: .*1 are missing.*rows 7"):
        model.fit(X, labels)
    with pytest.raises(LabelError, match="39 labels for 40 rows"):
        model.fit(X, INDICATOR[1:])


def test_one_column_is_read_as_one_target_with_a_warning(model):
    with pytest.warns(UserWarning, match="column-vector y"):
        found = model.fit(X, INDICATOR[:, :1])
    assert found.predict(X).shape == (40,)


def test_voters_show_all_their_labels():
    _, rows, labels, _ = KNeighborsClassifier(2).fit(X, INDICATOR).voters(X[:1])
    assert np.array_equal(labels, INDICATOR[rows])


def test_a_model_of_several_targets_is_saved_and_explained_by_a_refusal(model, tmp_path):
    found = model.fit(X, INDICATOR)
    save(found, tmp_path / "model.margin")
    assert np.array_equal(load(tmp_path / "model.margin").predict(X), found.predict(X))
    with pytest.raises(InputTypeError, match="several targets"):
        explain(found, X[:1])
