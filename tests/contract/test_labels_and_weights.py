"""What labels and weights get: cases 2, 11, 12 and 19 of the robustness list."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_regressor

from margin.data import Table
from margin.ensemble.forest.forest_model import ForestModel
from margin.errors import InputError, LabelError, ParameterError
from margin.persistence import from_bytes, to_bytes
from margin.selection.search.search import Search
from tests.contract.estimators import (
    answers,
    case,
    counts_against_a_prior,
    draws_rows,
    every_classifier,
    every_model,
    every_regressor,
    in_turn,
    is_model,
    learnt,
    numbers,
    one_of_each_classifiers_way_in,
    one_of_each_models_way_in,
)


@one_of_each_models_way_in
def test_missing_labels_are_refused_with_their_count_and_first_rows(estimator):
    X, y = numbers()
    labels = y.astype(object)
    for missing in (np.nan, None, pd.NaT, pd.NA):
        labels[[4, 9]] = missing
        with case(missing), pytest.raises(LabelError, match=r"2 are missing.*rows 4, 9"):
            clone(estimator).fit(X, labels)


NAMES = [
    np.array([False, True]),
    np.array([-1, 1]),
    np.array([-7, 1000]),
    np.array(["yes", "no"]),
    np.array(["yes", "no"], dtype=object),
    np.array([b"yes", b"no"]),
    np.array([2**53, 2**53 + 1]),
    np.array([0, 255], dtype=np.uint8),
    np.array([1.0, 2.0]),
    np.array([2**63, 2**64 - 1], dtype=np.uint64),
    np.array([2**63, 2**63 + 1], dtype=np.uint64),
    np.array([-128, 127], dtype=np.int8),
    np.array([-(2**15), 2**15 - 1], dtype=np.int16),
    np.array([2**70, 2**70 + 1], dtype=object),
    np.array([1.0, 2.0], dtype=np.longdouble),
]


@one_of_each_classifiers_way_in
def test_labels_come_back_in_the_type_they_came_in(estimator):
    X, y = numbers()
    for names in NAMES:
        with case(f"{names.dtype} {names}"):
            labels = names[(y > 0).astype(int)]
            model = clone(estimator).fit(X, labels)
            found = model.predict(X)
            assert found.dtype == labels.dtype
            assert set(found.tolist()) <= set(names.tolist())
            assert model.classes_.tolist() == sorted(names.tolist())


def two_words():
    X, y = numbers()
    return X, np.array(["a", "b"])[(y > 0).astype(int)]


def three_words():
    X, y = numbers()
    return X, np.array(["a", "b", "c"])[y]


def weighed_numbers():
    return *numbers(), np.arange(60) % 3 + 1


def numbers_for_numbers():
    X, y = numbers()
    return X, y.astype(float)


def numbers_for_truths():
    X, y = numbers()
    return X, y > 0


@one_of_each_classifiers_way_in
def test_a_label_that_ends_in_nul_is_another_than_the_one_that_does_not(estimator):
    X, y = numbers()
    second = learnt(estimator, two_words).predict(X) == "b"
    for names in (("a", "a\0"), (b"a", b"a\0"), (np.str_("a"), "a\0b\0\0")):
        for make in (list, tuple, pd.Series, pl.Series):
            with case(f"{make.__name__} of {names}"):
                model = clone(estimator).fit(X, make([names[int(code > 0)] for code in y]))
                assert model.classes_.tolist() == list(names)
                assert model.predict(X).tolist() == [names[int(each)] for each in second]
                assert from_bytes(to_bytes(model)).classes_.tolist() == list(names)


@one_of_each_classifiers_way_in
def test_labels_of_every_make_are_read(estimator):
    X, words = three_words()
    expected = answers(learnt(estimator, three_words), X)
    for make in (list, pd.Series, pl.Series, pa.array, pd.Categorical):
        with case(make.__name__):
            model = clone(estimator).fit(X, make(words.tolist()))
            assert np.array_equal(answers(model, X), expected)
            assert list(model.classes_) == ["a", "b", "c"]


@one_of_each_classifiers_way_in
def test_labels_of_mixed_types_are_refused(estimator):
    X, _ = numbers(4)
    for mixed in ([1, "1"], [2, "two"], [1, None], ["a", None], [True, "a"]):
        with case(mixed), pytest.raises(LabelError):
            clone(estimator).fit(X, mixed * 2)
        with case(mixed), pytest.raises(LabelError):
            clone(estimator).fit(X, np.array(mixed * 2, dtype=object))


@one_of_each_classifiers_way_in
def test_large_whole_numbers_in_a_list_are_told_apart(estimator):
    X, _ = numbers(8)
    for labels in ([2**63, -1], [2**53, 2**53 + 1], [2**63, 2**63 + 1], [2**70, 2**70 + 1]):
        with case(labels):
            model = clone(estimator).fit(X, labels * 4)
            assert model.classes_.tolist() == sorted(labels)


@one_of_each_classifiers_way_in
def test_large_whole_numbers_beside_floats_are_refused(estimator):
    X, _ = numbers(8)
    with pytest.raises(LabelError, match=r"beyond 2\*\*53"):
        clone(estimator).fit(X, [2**53, 2**53 + 1, 1.0, 2.0] * 2)


NO_LABELS = {
    "masked": (np.ma.masked_array([0, 1] * 30, [0, 0, 1] * 20), r"20 are missing.*rows 2, 5"),
    "StringDType": (np.array(["a", None] * 30, dtype=np.dtypes.StringDType(na_object=None)), r"30 are missing"),
    "null": (pl.Series(["a", None] * 30), r"30 are missing"),
    "ragged": ([[1], [1, 2]] * 30, "different lengths"),
    "arrow table": (pa.table({"y": [0, 1] * 30}), "not a table"),
    "table": (Table.from_columns({"y": ["a", "b"] * 30}), "not a table"),
    "3-D": (np.zeros((60, 2, 1)), "60 × 2 × 1"),
    "dates": (pd.date_range("2020-01-01", periods=60), "Unknown label type"),
    "generator": ((label for label in range(60)), "one label per row"),
    "word": ("yes" * 20, "one label per row"),
    "sets and others": ([{1}, 2] * 30, "a set of labels in every row, but row 1 holds 2"),
}


@one_of_each_classifiers_way_in
def test_what_is_no_list_of_labels_is_refused(estimator):
    X, _ = numbers()
    for name, (labels, message) in NO_LABELS.items():
        with case(name), pytest.raises(LabelError, match=message):
            clone(estimator).fit(X, labels)


def refuses_several(estimator):
    """Whether a tree or a forest is told something that is about one target; forests have bins for several."""
    given = estimator.get_params()
    one_target = {"max_p", "costs", "monotonic_cst"} | (set() if isinstance(estimator, ForestModel) else {"max_bins"})
    return (
        any(given.get(name) is not None for name in one_target)
        or given.get("criterion") in ("error", "absolute_error")
        or given.get("class_weight") == "balanced_subsample"
        or given.get("prune") == "pessimistic"
        or (given.get("missing") == "fractional" and is_regressor(estimator))
    )


@every_model
def test_several_targets_are_learnt_or_refused_by_their_shape(estimator):
    X, y = numbers()
    both = np.column_stack([y, 2 - y])
    if isinstance(estimator, Search):  # which measures whether labels are there
        both = (both > 0).astype(int)
    if estimator.several_outputs:
        model = clone(estimator)
        if refuses_several(model):  # by a setting that is about one target
            with pytest.raises(ParameterError, match="where y has several columns"):
                model.fit(X, both)
            return
        assert model.fit(X, both).predict(X).shape == (60, 2)
    else:
        with pytest.raises(LabelError, match="60 × 2"):
            clone(estimator).fit(X, both)


@every_classifier
def test_sets_of_labels_are_learnt_or_refused_with_what_learns_them(estimator):
    X, y = numbers()
    sets = [{"low"} if label == 0 else {"high", "wide"} if label == 1 else set() for label in y]
    if estimator.several_outputs and not refuses_several(estimator):
        model = clone(estimator).fit(X, sets)
        assert model.labels_.tolist() == ["high", "low", "wide"]
        said = model.predict(X)
        if isinstance(estimator, Search):
            assert said.shape == (60, 3)
        else:
            assert all(isinstance(each, frozenset) and each <= {"high", "low", "wide"} for each in said)
    elif not estimator.several_outputs:
        name = type(estimator).__name__
        for given in (sets, np.column_stack([y > 0, y > 1])):
            with pytest.raises(LabelError, match=rf"use OneVsRest\({name}\(\)\)"):
                clone(estimator).fit(X, given)


@one_of_each_models_way_in
def test_a_wrong_number_of_labels_is_refused(estimator):
    X, y = numbers()
    with pytest.raises(LabelError, match=r"59 (labels|numbers) for 60 rows"):
        clone(estimator).fit(X, y[1:])


NO_WEIGHTS = {
    "zero": (np.zeros(60), "above 0"),
    "negative": (np.where(np.arange(60) == 5, -1.0, 1.0), "rows 5 hold -1.0"),
    "NaN": (np.where(np.arange(60) == 5, np.nan, 1.0), "rows 5 hold nan"),
    "length": (np.ones(59), "one weight per row"),
    "words": (["heavy"] * 60, "weights must be numbers"),
    "digits": (["2"] * 60, "weights must be numbers"),
    "spans": (np.ones(60, dtype="m8[s]"), "weights must be numbers"),
    "endless": ([10**400] * 60, "weights must be numbers"),
    "ragged": ([[1], [1, 2]] * 30, "weights must be numbers"),
    "masked": (np.ma.masked_array(np.ones(60), np.arange(60) == 5), "rows 5 hold nan"),
    "null": (pl.Series([1, None] * 30), "hold nan"),
    "2-D": (np.ones((60, 1)), "60 × 1"),
}


@one_of_each_models_way_in
def test_impossible_weights_are_refused(estimator):
    X, y = numbers()
    for name, (weight, message) in NO_WEIGHTS.items():
        with case(name), pytest.raises(InputError, match=message):
            clone(estimator).fit(X, y, sample_weight=weight)


@every_classifier
def test_a_class_of_weight_zero_stays_a_class_and_is_never_answered(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    assert 1 not in model.predict(X)
    assert not np.isnan(answers(model, X)).any()  # a score of minus infinity says never


@in_turn(is_model, "weights", [5e-324, 1e-300, 2.0**60, 1e300, 1.7e308])
def test_tiny_and_huge_weights_count_as_equal_weights_do(estimator, weights):
    X, y = numbers()
    expected = answers(learnt(estimator), X)
    for weight in weights:
        found = answers(clone(estimator).fit(X, y, sample_weight=np.full(60, weight)), X)
        assert np.isfinite(found).all()
        # So many repeated rows outweigh what stays as it is, and of so many other rows are drawn.
        if weight != 2.0**60 or not (counts_against_a_prior(estimator) or draws_rows(estimator)):
            assert np.allclose(found, expected)


@every_classifier
def test_weights_of_very_different_size_leave_probabilities(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y, sample_weight=np.where(np.arange(60) % 2, 1e308, 1e-308))
    found = answers(model, X)
    assert np.isfinite(found).all()
    if hasattr(model, "predict_proba"):
        assert np.allclose(found.sum(axis=1), 1)


@one_of_each_models_way_in
def test_weights_of_every_make_are_read(estimator):
    X, y, weight = weighed_numbers()
    expected = answers(learnt(estimator, weighed_numbers), X)
    for make in (list, pd.Series, pl.Series, pa.array):
        with case(make.__name__):
            assert np.array_equal(answers(clone(estimator).fit(X, y, make(weight.tolist())), X), expected)


@every_model
def test_whole_number_weights_are_repeated_rows(estimator):
    X, y = numbers()
    weight = np.random.default_rng(3).integers(0, 4, 60)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.allclose(answers(weighted, X), answers(repeated, X), equal_nan=True)  # no neighbours, no number


MAKES_OF_TARGETS = {
    "list": list,
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "nullable": lambda y: pd.Series(y, dtype="Int64"),
    "objects": lambda y: np.array(y, dtype=object),
}


@every_regressor
def test_targets_of_every_make_are_numbers(estimator):
    X, y = numbers()
    expected = learnt(estimator, numbers_for_numbers).predict(X)
    for name, make in MAKES_OF_TARGETS.items():
        with case(name):
            assert np.array_equal(clone(estimator).fit(X, make(y.tolist())).predict(X), expected)
    assert learnt(estimator, numbers_for_truths).predict(X).dtype == np.float64


NO_QUANTITIES = {
    "masked": (np.ma.masked_array(np.ones(60), [0, 0, 1] * 20), r"20 are missing.*rows 2, 5"),
    "infinite": (np.where(np.arange(60) == 7, np.inf, 1.0), "y holds inf in row 7"),
    "huge": (np.where(np.arange(60) == 7, -1e300, 1.0), r"y holds -1e\+300 in row 7 .*rescale"),
    "endless": ([10**400] * 60, "y holds inf in row 0"),
    "digits": (["1.5"] * 60, "a regressor needs numbers"),
    "word": (np.array([1.5] * 59 + ["many"], dtype=object), "row 59 holds 'many'"),
    "complex": (np.ones(60) * 1j, "Unknown target type"),
    "dates": (pd.date_range("2020-01-01", periods=60), "holds Timestamp|Unknown target type"),
    "ragged": ([[1], [1, 2]] * 30, "different lengths"),
    "table": (Table.from_columns({"y": [1.0, 2.0] * 30}), "not a table"),
    "nothing": (None, "requires y to be passed"),
}


@every_regressor
def test_what_is_no_quantity_is_refused(estimator):
    X, _ = numbers()
    for name, (targets, message) in NO_QUANTITIES.items():
        with case(name), pytest.raises(LabelError, match=message):
            clone(estimator).fit(X, targets)
