"""margin.data.labels and answers: labels of every type come back as they came, and bad ones are refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.data.labels import codes_of, distinct, label_array, refuse_missing, union
from margin.errors import InputError, LabelError
from margin.evaluation import Answers


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True],
        [-3, 7, -3],
        [2**53, 2**53 + 1, 2**53],
        [2**70, 1, 2**70],
        ["b", "a", "b"],
        [b"b", b"a", b"b"],
        [0.5, 1.5, 0.5],
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([0, 2**62, -(2**62)]),
        np.array(["x", "yy"], dtype="U2"),
    ],
)
def test_codes_lead_back_to_the_labels(labels):
    array = label_array(labels, "test")
    classes = distinct(array)
    assert classes.tolist() == sorted(set(np.asarray(labels, dtype=object).tolist()))
    assert classes[codes_of(array, classes)].tolist() == array.tolist()
    assert classes.dtype == array.dtype


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-200, 200), min_size=1, max_size=50), st.lists(st.integers(-200, 200), max_size=50))
def test_codes_agree_with_numpy_and_unknown_labels_get_minus_one(known, asked):
    classes = distinct(np.array(known))
    assert classes.tolist() == np.unique(known).tolist()
    asked = np.array(asked, dtype=np.int64)
    expected = [classes.tolist().index(label) if label in known else -1 for label in asked.tolist()]
    assert codes_of(asked, classes).tolist() == expected


def test_frames_of_any_make_give_the_same_labels():
    for series in (pd.Series(["u", "v"]), pl.Series(["u", "v"]), pd.Series(["u", "v"], dtype="category")):
        assert label_array(series, "test").tolist() == ["u", "v"]
    assert label_array(pd.Series([1, 2], dtype="Int64"), "test").tolist() == [1, 2]


@pytest.mark.parametrize("labels", [[1, "1"], [True, 1], ["a", b"a"], [1.5, "x"]])
def test_labels_of_two_kinds_are_refused(labels):
    with pytest.raises(LabelError, match="one kind"):
        label_array(labels, "test")


@pytest.mark.parametrize("labels", [[[0, 1], [1, 0]], np.zeros((2, 3)), "yes", 5, np.array([1j])])
def test_what_is_not_one_label_per_row_is_refused(labels):
    with pytest.raises(LabelError):
        distinct(label_array(labels, "test"))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_labels_are_refused_with_their_rows(missing):
    labels = label_array(["a", missing, "b", missing], "test")
    with pytest.raises(LabelError, match=r"2 of 4 labels are missing, first in rows 1, 3"):
        refuse_missing(labels, "test")


def test_the_union_keeps_the_type_of_the_first():
    assert union(np.array([1, 3]), np.array([2, 3]), "test").tolist() == [1, 2, 3]
    assert union(np.array([False, True]), np.array([0, 1]), "test").dtype == bool
    with pytest.raises(LabelError, match=r"numbers.*strings"):
        union(np.array([1, 3]), np.array(["1"]), "test")


def test_a_class_the_model_never_saw_has_probability_zero():
    answers = Answers.of(["a", "b", "c"], probabilities=[[0.2, 0.8]] * 3, classes=["a", "c"])
    assert answers.probabilities.tolist() == [[0.2, 0.0, 0.8]] * 3


@pytest.mark.parametrize(
    ("probabilities", "fault"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], "first row 0"),
        ([[0.5, 0.5], [np.nan, 1.0]], "first row 1"),
        ([[-0.5, 1.5], [0.5, 0.5]], "between 0 and 1"),
        ([[1.0], [1.0]], "one column"),
        ([[0.5, 0.5]], "as many rows of probabilities"),
    ],
)
def test_impossible_probabilities_are_refused(probabilities, fault):
    with pytest.raises(InputError, match=fault):
        Answers.of(["a", "b"], probabilities=probabilities)


@pytest.mark.parametrize("weight", [[0, 0], [-1, 2], [np.nan, 1], [1], [np.inf, 1], ["x", "y"]])
def test_impossible_weights_are_refused(weight):
    with pytest.raises(InputError, match="sample_weight"):
        Answers.of(["a", "b"], ["a", "b"], sample_weight=weight)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32"])
def test_numbers_that_lie_far_apart_get_the_codes_of_a_dictionary(dtype):
    random = np.random.default_rng(0)
    most = np.iinfo(dtype).max
    classes = np.array([most, 3, most // 2, 0, most - 1], dtype=dtype)
    labels = np.concatenate([random.choice(classes, 50), np.array([1, most // 3], dtype=dtype)])
    known = classes.tolist()
    assert codes_of(labels, classes).tolist() == [known.index(x) if x in known else -1 for x in labels.tolist()]
    assert codes_of(labels[:0], classes).tolist() == []
