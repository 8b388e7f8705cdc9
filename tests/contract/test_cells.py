"""What cells, shapes and memory layouts get: cases 1, 3 to 6, 16 to 18 of the robustness list."""

import contextlib
import functools
import tempfile
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor

from margin.errors import ConstantColumnWarning, InputError, MarginError
from margin.linear.linear_classifier import LinearClassifier
from tests.contract.estimators import (
    answers,
    case,
    comes_near,
    counts_cells,
    draws_rows,
    every_classifier,
    every_estimator,
    every_measuring_classifier,
    every_measuring_model,
    every_model,
    every_regressor,
    frame,
    in_turn,
    is_estimator,
    is_measuring_classifier,
    is_measuring_model,
    is_model_without_a_unit,
    learnt,
    numbers,
    one_of_each_way_in,
)


@contextlib.contextmanager
def answered_or_refused(words):
    """Either all goes well, or the refusal says these words."""
    try:
        yield
    except MarginError as refusal:
        if words not in str(refusal):
            raise


@one_of_each_way_in
def test_an_infinite_cell_is_refused_with_row_and_column(estimator):
    X, y = numbers()
    model = learnt(estimator)
    for bad in (np.inf, -np.inf):
        X[7, 2] = bad
        with case(bad):
            with pytest.raises(InputError, match=r"column 'x2', row 7.*infinity"):
                clone(estimator).fit(X, y)
            with pytest.raises(InputError, match=r"column 'x2', row 7"):
                answers(model, X)


@one_of_each_way_in
def test_an_infinite_cell_of_a_named_column_is_refused_by_name(estimator):
    X, y = frame()
    X.loc[3, "age"] = np.inf
    with pytest.raises(InputError, match="column 'age', row 3"):
        clone(estimator).fit(X, y)


@every_estimator
def test_huge_cells_are_answered_or_refused_never_nonsense(estimator):
    X, y = numbers()
    X[7, 2] = 1e300
    with answered_or_refused("column 'x2', row 7"):
        assert np.isfinite(answers(clone(estimator).fit(X, y), X)).all()


def sparse_numbers():
    X, y = numbers()
    return sp.csr_array(X), y


TINY = [(unit, form) for unit in (2.0**-660, 2.0**-70) for form in (np.asarray, sp.csr_array)]


@in_turn(is_measuring_classifier, "tiny", TINY)
def test_tiny_numbers_are_learnt_or_named_never_lost_without_a_word(estimator, tiny):
    X, y = numbers()
    for unit, form in tiny:
        hits = np.mean(learnt(estimator, numbers if form is np.asarray else sparse_numbers).predict(form(X)) == y)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            said = clone(estimator).fit(form(X * unit), y).predict(form(X * unit))
        named = [each for each in warned if "'x0', 'x1', 'x2', 'x3' hold only numbers below" in str(each.message)]
        assert np.mean(said == y) >= hits - 0.1 or named, (unit, form)


@every_measuring_classifier
def test_one_tiny_column_beside_others_is_named_by_those_that_cannot_hear_it(estimator, recwarn):
    X, y = frame()
    X["charge"] = np.where(y == 1, 3.2e-19, 1.6e-19) * (1 + np.arange(len(y)) % 3)
    clone(estimator).fit(X, y)
    named = [str(each.message) for each in recwarn if "column 'charge' holds only numbers below" in str(each.message)]
    assert len(set(named)) <= 1
    if isinstance(estimator, LinearClassifier):
        in_one_unit = estimator.scale is not None or getattr(estimator, "kernel", "linear") != "linear"
        assert len(set(named)) == (0 if in_one_unit else 1)


@every_estimator
def test_missing_cells_are_taken_at_fit_and_predict(estimator):
    X, y = numbers()
    X[::5, 1] = np.nan
    X[3] = np.nan
    assert np.isfinite(answers(clone(estimator).fit(X, y), X)).all()


@one_of_each_way_in
def test_missing_infinite_and_huge_cells_together_name_the_first_that_cannot_be(estimator):
    X, y = numbers()
    X[0, 0], X[1, 1], X[2, 2] = np.nan, np.inf, np.nan
    with pytest.raises(InputError, match="column 'x1', row 1"):
        clone(estimator).fit(X, y)


@one_of_each_way_in
def test_nothing_to_learn_from_is_refused(estimator):
    for shape in ((0, 4), (60, 0), (0, 0)):
        with case(shape), pytest.raises(MarginError):
            clone(estimator).fit(np.empty(shape), np.arange(shape[0]) % 2)


@every_estimator
def test_no_rows_to_answer_give_no_answers(estimator):
    X, _ = numbers()
    model = learnt(estimator)
    assert answers(model, X[:0]).shape[0] == 0
    if hasattr(model, "predict"):
        assert model.predict(X[:0]).shape == (0,)
    if hasattr(model, "predict_proba"):
        assert model.predict_proba(X[:0]).shape == (0, 3)
    assert answers(learnt(estimator, frame), frame()[0].iloc[:0]).shape[0] == 0


@every_classifier
def test_one_row_one_class_and_two_rows_are_learnt(estimator):
    X, _ = numbers()
    for rows, labels in [(1, ["a"]), (4, ["a"] * 4), (2, ["a", "b"])]:
        model = clone(estimator).fit(X[:rows], labels)
        assert set(model.predict(X)) <= set(labels)
        if hasattr(model, "predict_proba"):
            assert np.allclose(model.predict_proba(X).sum(axis=1), 1)


@every_measuring_model
def test_constant_and_empty_columns_are_warned_of_and_change_nothing(estimator):
    X, y = numbers()
    padded = np.column_stack([X, np.full(len(X), 3.0), np.full(len(X), np.nan)])
    if is_regressor(estimator) and "gamma" in estimator.get_params():
        estimator = clone(estimator).set_params(gamma=0.1)  # "scale" counts all columns, as scikit-learn's does
    with pytest.warns(ConstantColumnWarning, match="'x4', 'x5'"):
        model = clone(estimator).fit(padded, y)
    said, expected = model.predict(padded), learnt(estimator).predict(X)
    # Spreads of columns may differ in their last digits where others stand beside them.
    if is_regressor(estimator) and (comes_near(estimator) or getattr(estimator, "scale", None)):
        np.testing.assert_allclose(said, expected, atol=1e-6)
    else:
        assert np.array_equal(said, expected)


@every_model
def test_constant_columns_beside_others_are_warned_of(estimator):
    X, y = numbers()
    with pytest.warns(ConstantColumnWarning, match="'x4', 'x5'"):
        clone(estimator).fit(np.column_stack([X, np.full(len(X), 3.0), np.full(len(X), np.nan)]), y)


@every_regressor
def test_one_row_and_one_target_are_learnt(estimator):
    X, _ = numbers()
    for rows in (1, 4):
        assert clone(estimator).fit(X[:rows], [2.5] * rows).predict(X[:rows]).tolist() == [2.5] * rows


@every_regressor
def test_only_constant_columns_leave_the_mean_of_the_targets(estimator):
    X, y = np.ones((6, 3)), np.array([1.0, 1.0, 1.0, 1.0, 2.5, 2.5])
    with pytest.warns(ConstantColumnWarning, match="nothing about the target"):
        model = clone(estimator).fit(X, y)
    tube = getattr(model, "epsilon", None) if hasattr(model, "C") else None  # networks call something else so
    if tube is not None and not getattr(model, "loss", "").startswith("squared"):  # most rows lie within it
        assert np.allclose(np.abs(model.predict(X) - 1.0), tube)
        return
    median = getattr(model, "criterion", "") == "absolute_error"  # what is nearest to all targets then
    assert np.allclose(model.predict(X), 1.0 if median else 1.5, atol=0.3 if draws_rows(estimator) else 1e-8)


@every_measuring_classifier
def test_only_constant_columns_leave_the_shares_of_the_classes(estimator):
    y = np.array([0] * 4 + [1] * 2)
    X = np.ones((6, 3))
    with pytest.warns(ConstantColumnWarning):
        model = clone(estimator).fit(X, y)
    if hasattr(model, "predict_proba"):
        assert np.allclose(model.predict_proba(X), [4 / 6, 2 / 6], atol=0.2 if draws_rows(estimator) else 1e-8)
    assert set(model.predict(X)) == {0}


def whole_numbers():
    X, y = numbers()
    return np.floor(X * 4), y


@one_of_each_way_in
def test_number_types_are_read_as_what_they_hold(estimator, quiet):
    X, y = numbers()
    for dtype in ("float16", "float32", "longdouble", ">f8", "bool"):
        given = (X > 2).astype(dtype) if dtype == "bool" else np.abs(X * 4).astype(dtype)
        same = given.astype(np.float64)
        found, expected = answers(clone(estimator).fit(given, y), given), answers(clone(estimator).fit(same, y), same)
        near = 1e-5 if dtype == "float32" else 0.0
        with case(dtype):
            np.testing.assert_allclose(found, expected, rtol=near, atol=near)
    whole, _ = whole_numbers()  # which the others hold as they are
    expected = answers(learnt(estimator, whole_numbers), whole)
    for dtype in (">i4", "int8", "uint64"):
        given = whole.astype(dtype)
        with case(dtype):
            np.testing.assert_array_equal(answers(clone(estimator).fit(given, y), given), expected)


@one_of_each_way_in
def test_complex_numbers_are_refused(estimator):
    X, y = numbers()
    with pytest.raises(InputError, match="Complex data not supported"):
        clone(estimator).fit(X + 1j, y)


def layouts(X: np.ndarray):
    read_only = X.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    with tempfile.NamedTemporaryFile() as file:
        mapped = np.memmap(file, dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    wide = np.zeros((2 * len(X), X.shape[1]))
    wide[::2] = X
    return {
        "read-only": read_only,
        "Fortran order": np.asfortranarray(X),
        "negative strides": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "unaligned": unaligned,
        "memory-mapped": mapped,
        "every second row": wide[::2],
        "list": X.tolist(),
    }


@in_turn(is_estimator, "names", list(layouts(numbers()[0])))
def test_memory_layout_changes_no_bit(estimator, names):
    X, y = numbers()
    expected = answers(learnt(estimator), X)
    for name in names:
        given = layouts(X)[name]
        found = answers(clone(estimator).fit(given, y), given)
        assert np.array_equal(found, expected), name


def sparse_forms(X: np.ndarray):
    csr = sp.csr_matrix(X)
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = csr.copy()
    for row in range(X.shape[0]):
        part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[part], unsorted.data[part] = unsorted.indices[part][::-1], unsorted.data[part][::-1]
    unsorted.has_sorted_indices = False
    coo = sp.coo_matrix(X)
    twice = sp.coo_matrix((np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), X.shape)
    zeros = sp.csr_matrix(
        (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(0, X.size + 1, X.shape[1])), X.shape
    )
    return [csr, wide, unsorted, twice, zeros, csr.tocsc(), coo, sp.csr_array(X)]


def mostly_zeros():
    X, y = numbers()
    X[np.random.default_rng(1).random(X.shape) < 0.6] = 0
    return X, y


@in_turn(is_estimator, "forms", sparse_forms(mostly_zeros()[0]))
def test_sparse_rows_equal_dense_rows(estimator, forms, quiet):
    X, y = mostly_zeros()
    expected = answers(learnt(estimator, mostly_zeros), X)
    linear = isinstance(estimator, LinearClassifier)
    for given in forms:
        before = given.copy()
        found = answers(clone(estimator).fit(given, y), given)
        if comes_near(estimator):
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
        elif linear and estimator.scale is not None:  # zeros stay zeros, and so columns stay where they are
            assert found.shape == expected.shape
        elif linear or (is_classifier(estimator) and counts_cells(estimator)):  # zeros are not written out: other sums
            np.testing.assert_allclose(found, expected, rtol=1e-9 if linear else 1e-12, atol=1e-12 if linear else 0)
        else:
            assert np.array_equal(found, expected)
        assert (before != given).nnz == 0


@every_estimator
def test_one_model_answers_sparse_and_dense_rows_alike(estimator, quiet):
    X, y = mostly_zeros()
    for model in (learnt(estimator, mostly_zeros), clone(estimator).fit(sp.csr_matrix(X), y)):
        np.testing.assert_allclose(answers(model, sp.csr_matrix(X)), answers(model, X), rtol=1e-9, atol=1e-9)


@functools.cache
def rows_with_names_of_their_own(n):
    names = pd.Categorical(np.arange(n).astype(str))
    return pd.DataFrame({"id": names, "x": np.arange(n) % 7.0}), np.arange(n) % 2


@one_of_each_way_in
def test_a_column_of_very_many_categories_is_answered_or_refused_before_memory_is_taken(estimator):
    n = 2_000 if hasattr(estimator, "kernel") else 80_000  # machines have a kernel value for each two rows
    words, y = rows_with_names_of_their_own(n)
    # What takes the memory is there before the first step, and each of several models takes its own.
    once = {"max_iter", "n_estimators"} & estimator.get_params(deep=False).keys()
    estimator = clone(estimator).set_params(**dict.fromkeys(once, 1))
    with answered_or_refused(f"column 'id' of {n:,} categories"):
        model = clone(estimator).fit(words, y)
        assert len(answers(model, words.iloc[:5])) == 5


@in_turn(is_model_without_a_unit, "units", [2.0**-1000, 2.0**-700, 2.0**-400, 2.0**400])
def test_the_unit_of_all_columns_changes_no_answer(estimator, units):
    X, y = numbers()
    expected = answers(learnt(estimator), X + 0.125)
    for unit in units:
        with answered_or_refused("rescale the column"):
            found = answers(clone(estimator).fit(X * unit, y), (X + 0.125) * unit)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@in_turn(is_model_without_a_unit, "units", [2.0**-100, 2.0**-40, 2.0**60, 2.0**100])
def test_the_unit_of_float32_columns_changes_no_answer(estimator, units):
    X, y = numbers()
    near, X = (X + 0.125).astype(np.float32), X.astype(np.float32)
    expected = answers(clone(estimator).fit(X, y), near)
    for unit in map(np.float32, units):
        model = clone(estimator).fit(X * unit, y)
        np.testing.assert_allclose(answers(model, near * unit), expected, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(answers(model, (near * unit).astype(float)), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore::margin.errors.DataWarning")  # columns of 2**-100 are too small for some
@in_turn(is_classifier, "scales", [(dtype, unit) for unit in (1.0, 2.0**-100) for dtype in ("float32", "float64")])
def test_a_case_far_from_all_others_is_answered_or_refused_by_row(estimator, scales):
    X, y = numbers()
    for dtype, unit in scales:
        model = clone(estimator).fit((X * unit).astype(dtype), y)
        for value in (1e149, 1e30, 1e-320, -0.0):
            given = np.full((2, 4), value)
            with answered_or_refused("row 0"):
                scores = answers(model, given)
                assert np.isfinite(scores).all()
                chosen = np.searchsorted(model.classes_, model.predict(given))  # of equal ones any may be chosen
                assert np.array_equal(scores[[0, 1], chosen], scores.max(axis=1))


@in_turn(is_measuring_model, "constants", [0.1, 1 / 3, 1e-200, 123456.7])
def test_a_constant_column_says_nothing_whatever_its_value(estimator, constants, quiet):
    X, y = numbers(70)
    if "gamma" in estimator.get_params():  # "scale" counts columns, as scikit-learn's does
        estimator = clone(estimator).set_params(gamma=0.1)
    weight = np.random.default_rng(5).random(70)
    expected = answers(clone(estimator).fit(X, y, weight), X)
    for constant in constants:
        padded = np.column_stack([X, np.full(70, constant)])
        model = clone(estimator).fit(padded, y, weight)
        np.testing.assert_allclose(answers(model, padded), expected, rtol=1e-9)
        # Far away, for anyone who takes the rounding of the mean for a deviation.
        padded[:, -1] = np.nextafter(constant, 1e9)
        found = answers(model, padded)
        if "unmatched" not in model.get_params():
            np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-3)


@every_model
def test_a_parameter_changed_after_fit_is_checked_when_it_is_used(estimator):
    X, _ = numbers()
    expected = learnt(estimator).predict(X)
    for name in estimator.get_params():
        model = learnt(estimator).set_params(**{name: object()})
        with answered_or_refused(f"{name} must be"):
            assert np.array_equal(model.predict(X), expected)
