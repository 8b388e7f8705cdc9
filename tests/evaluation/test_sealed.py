"""margin.evaluation.cross_validation.sealed: split off first, opened once, every opening on record."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from margin.data import Table
from margin.errors import InputError, ParameterError, SealBrokenError
from margin.evaluation import GroupHoldOut, SealedTest, TimeOrdered

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


def test_groups_can_be_sealed_whole():
    X, y = load_iris(return_X_y=True)
    plant = np.arange(150) // 3
    sealed = SealedTest(X, y, protocol=GroupHoldOut(plant, 0.2))
    held = np.setdiff1d(np.arange(150), sealed.train_rows)
    assert not set(plant[sealed.train_rows].tolist()) & set(plant[held].tolist())
    assert "by group" in repr(sealed)
    assert "hold-out 20 % by group" in sealed.open(GaussianNB().fit(*sealed.train)).summary()


def test_the_last_stretch_of_time_can_be_sealed_and_the_column_is_no_input():
    import polars

    X, y = load_iris(return_X_y=True)
    day = np.random.default_rng(0).permutation(150)
    frame = polars.DataFrame({"day": day, "length": X[:, 0], "width": X[:, 1]})
    sealed = SealedTest(frame, y, protocol=TimeOrdered("day", folds=4))
    inputs, _ = sealed.train
    assert inputs.columns == ["length", "width"]
    assert (sealed.n_train, sealed.n_test) == (120, 30)
    assert day[sealed.train_rows].max() == 119
    with pytest.raises(ParameterError, match="one split, not 10"):
        SealedTest(X, y, protocol="10-fold")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda sealed: pickle.loads(pickle.dumps(sealed))])
def test_a_copy_is_no_way_round_the_seal(duplicate):
    sealed = SealedTest(*load_iris(return_X_y=True))
    before = duplicate(sealed)
    sealed.open(GaussianNB().fit(*sealed.train))
    after = duplicate(sealed)
    for each in (before, after):
        assert each.digest == sealed.digest
        with pytest.raises(SealBrokenError):
            each.open(GaussianNB().fit(*each.train))


def test_a_record_that_was_pickled_travels_with_it():
    sealed = SealedTest(*load_iris(return_X_y=True))
    sealed.open(GaussianNB().fit(*sealed.train))
    packed = pickle.dumps(sealed)
    del sealed
    again = pickle.loads(packed)
    assert len(again.openings) == 1
    assert "opened" in repr(again)


def test_the_evaluation_carries_the_record_of_openings():
    sealed = SealedTest(*load_iris(return_X_y=True))
    model = GaussianNB().fit(*sealed.train)
    assert sealed.open(model).protocol.openings == tuple(sealed.openings)
    again = sealed.open(model, again=True)
    assert len(again.protocol.openings) == 2
    assert again.protocol.digest == sealed.digest
    assert "2 times" in again.warnings[0]


def test_a_test_part_split_off_anew_is_known_by_its_digest():
    first, second = SealedTest(X, Y, 0.2, seed=3), SealedTest(X.copy(), Y.copy(), 0.2, seed=3)
    other = SealedTest(X, Y, 0.2, seed=4)
    assert first.digest == second.digest != other.digest
    first.open(fitted(first))
    assert second.opened
    with pytest.raises(SealBrokenError, match="already opened \\(GaussianNB\\)"):
        second.open(LogisticRegression(max_iter=500).fit(*second.train))
    result = second.open(LogisticRegression(max_iter=500).fit(*second.train), again=True)
    assert "opened 2 times" in result.warnings[0]
    assert not other.opened
    del first, second
    assert SealedTest(X, Y, 0.2, seed=3).opened  # nor is deleting it a way round


def test_an_analysis_run_again_from_the_start_looks_at_nothing_new():
    results = []
    for _ in range(2):
        anew = SealedTest(X, Y, 0.2, seed=3)
        results.append(anew.open(fitted(anew)))
        with pytest.raises(SealBrokenError):
            anew.open(fitted(anew))
    assert results[0].scores == results[1].scores
    assert results[1].warnings == ()
    assert len(anew.openings) == 1
