"""margin.evaluation.sealed: split off first, opened once, every opening on record."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from margin.data import Table
from margin.errors import InputError, SealBrokenError
from margin.evaluation import SealedTest

X, Y = load_iris(return_X_y=True)


@pytest.fixture
def sealed():
    return SealedTest(X, Y, share=0.2, seed=3)


def fitted(sealed):
    return GaussianNB().fit(*sealed.train)


@pytest.mark.golden("H3")
def test_it_opens_once_and_a_second_opening_is_refused(sealed):
    assert not sealed.opened
    result = sealed.open(fitted(sealed))
    assert sealed.opened
    assert result.scores["accuracy"].interval.method == "exact"
    assert result.warnings == ()
    assert "opened once" in result.summary()
    with pytest.raises(SealBrokenError, match="already opened"):
        sealed.open(fitted(sealed))
    assert len(sealed.openings) == 1


def test_opening_again_on_purpose_is_written_down_and_told(sealed):
    sealed.open(fitted(sealed), name="bayes")
    result = sealed.open(LogisticRegression(max_iter=500).fit(*sealed.train), again=True)
    assert [opening.model for opening in sealed.openings] == ["bayes", "LogisticRegression"]
    assert "opened 2 times" in result.warnings[0]
    assert "opened 2 times" in result.summary()
    assert "for LogisticRegression" in repr(sealed)


def test_the_parts_are_stratified_and_scores_are_those_of_the_sealed_rows(sealed):
    X_train, y_train = sealed.train
    assert np.bincount(y_train).tolist() == [40, 40, 40]
    test = np.setdiff1d(np.arange(150), sealed.train_rows)
    np.testing.assert_array_equal(X_train, X[sealed.train_rows])
    model = fitted(sealed)
    result = sealed.open(model, metrics=["accuracy"])
    assert result.rows.tolist() == test.tolist()
    assert result.scores["accuracy"].value == model.score(X[test], Y[test])


def test_a_model_that_is_not_fitted_does_not_break_the_seal(sealed):
    with pytest.raises(NotFittedError):
        sealed.open(GaussianNB())
    assert not sealed.opened


def test_the_digest_names_rows_cells_and_labels():
    digest = SealedTest(X, Y).digest
    assert len(digest) == 12
    assert SealedTest(X.copy(), Y.copy()).digest == digest
    assert SealedTest(X, Y, seed=1).digest != digest
    assert SealedTest(X + 1e-9, Y).digest != digest
    assert SealedTest(X, Y + 1).digest != digest


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist, lambda cells: Table.from_columns({"a": cells[:, 0]})],
    ids=["pandas", "sparse", "list", "table"],
)
def test_any_kind_of_input_can_be_sealed(make):
    sealed = SealedTest(make(X), Y)
    again = SealedTest(make(X), Y)
    other = X.copy()
    other[np.setdiff1d(np.arange(150), sealed.train_rows)[0]] += 1
    assert sealed.digest == again.digest != SealedTest(make(other), Y).digest
    assert len(sealed.train[1]) == sealed.n_train == 120


def test_unequal_lengths_are_refused():
    with pytest.raises(InputError, match="150 rows, but y has 3"):
        SealedTest(X, Y[:3])
