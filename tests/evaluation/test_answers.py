"""margin.evaluation.predictions.answers: labels of every type counted as they lie, codes only when somebody asks."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.data.labels import codes_of, distinct, numbered
from margin.errors import LabelError
from margin.evaluation import Answers, metric
from margin.parallel import threads

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f4", "f8", ">i4", ">f8"]


def by_definition(truth, said, weight, classes):
    table = np.zeros((len(classes), len(classes) + 1))
    for t, s, w in zip(truth, said, np.ones(len(truth)) if weight is None else weight):
        table[classes.index(t), classes.index(s)] += w
    return table


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=40),
    st.sampled_from(TYPES),
    st.sampled_from(TYPES),
    st.booleans(),
)
def test_counts_are_those_of_the_definition_for_labels_of_any_two_types(cases, type_, other_type, weighted):
    truth, said, weight = (np.array(column) for column in zip(*cases))
    weight = weight + (weight.sum() == 0) if weighted else None
    if "?" in (type_, other_type):
        type_ = other_type = "?"  # True beside 2 is refused
    truth, said = truth.astype(type_), said.astype(other_type)
    answers = Answers.of(truth, said, sample_weight=weight)
    classes = sorted({*truth.tolist(), *said.tolist()})
    assert answers.classes.tolist() == classes
    assert len(answers) == len(truth)
    assert np.array_equal(answers.counts, by_definition(truth.tolist(), said.tolist(), weight, classes))
    assert answers.classes[answers.truth].tolist() == truth.tolist()
    assert answers.classes[answers.predicted].tolist() == said.tolist()


def test_codes_made_late_count_the_same_as_labels_counted_at_once():
    random = np.random.default_rng(0)
    truth, said, weight = random.integers(5, size=200), random.integers(4, size=200), random.random(200)
    answers = Answers.of(truth, said, sample_weight=weight)
    coded = Answers(answers.classes, answers.truth, answers.predicted, None, weight)
    assert np.allclose(answers.counts, coded.counts, rtol=1e-14)
    for same in (dataclasses.replace(answers, weight=None), pickle.loads(pickle.dumps(answers))):
        assert len(same) == 200
        assert np.array_equal(same.truth, truth)
        assert same.counts.sum() == pytest.approx(200 if same.weight is None else weight.sum())
    some = answers.take(np.array([3, 3, 7]))
    assert some.truth.tolist() == truth[[3, 3, 7]].tolist()


def test_classes_that_were_only_listed_and_a_case_of_weight_nought_have_a_place():
    answers = Answers.of([1, 5], [1, 1], classes=[9, 1, 5], sample_weight=[2.0, 0.0])
    assert answers.classes.tolist() == [1, 5, 9]
    assert answers.counts.tolist() == [[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("far", [70_000, 10**6, 2**40, -(2**62)])
def test_labels_far_apart_are_counted_too(far):
    truth, said = np.array([0, far, far, 0]), np.array([0, far, 0, 0])
    answers = Answers.of(truth, said)
    assert answers.classes.tolist() == sorted([0, far])
    assert metric("accuracy")(truth, said) == 0.75


def test_labels_keep_their_type_and_kinds_are_not_mixed():
    assert Answers.of(np.array([2, 1], dtype=np.int8), [1, 2]).classes.dtype == np.int8
    assert Answers.of([True, False], [1, 0]).classes.dtype == bool
    assert Answers.of([1.0, 2.5], [1.0, 1.0]).classes.tolist() == [1.0, 2.5]
    with pytest.raises(LabelError, match="one kind"):
        Answers.of([0, 1], ["0", "1"])
    with pytest.raises(LabelError, match="1 of 3 labels are missing"):
        Answers.of([1.0, np.nan, np.inf], [1.0, 1.0, 1.0])


def test_counts_have_the_same_bits_for_any_number_of_threads_and_any_layout():
    random = np.random.default_rng(1)
    truth, said, weight = random.integers(3, size=400_000), random.integers(3, size=400_000), random.random(400_000)
    said[123_457] = 77  # a label that a glance at the labels does not see
    tables = []
    for count in (1, 2, 5):
        with threads(count):
            tables.append(Answers.of(truth, said, sample_weight=weight).counts.tobytes())
    assert len(set(tables)) == 1
    plain = Answers.of(truth, said).counts
    assert np.array_equal(plain[:, 3], np.bincount(truth[said == 77], minlength=4))
    every_second = np.repeat(truth, 2)[::2], np.repeat(said, 2)[::2]
    assert np.array_equal(Answers.of(*every_second).counts, plain)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-3, 3), max_size=30), st.sampled_from(["i1", "i8", "f8", "O", "U"]))
def test_labels_are_numbered_in_order_of_appearance(values, type_):
    labels = np.array(values, dtype=np.int64).astype(type_)
    assert distinct(labels).tolist() == sorted(set(labels.tolist()))
    order = list(dict.fromkeys(labels.tolist()))
    assert numbered(labels).tolist() == [order.index(label) for label in labels.tolist()]


def test_codes_of_labels_outside_the_classes_are_minus_one():
    labels = np.array([5, -100, 7, 300, 6], dtype=np.int16)
    assert codes_of(labels, np.array([7, 5], dtype=np.int16)).tolist() == [1, -1, 0, -1, -1]
    assert codes_of(labels.astype(np.float64), np.array([5.0, 300.0])).tolist() == [0, -1, -1, 1, -1]
    assert codes_of(np.array([2**64 - 1, 0], dtype=np.uint64), np.array([2**64 - 1], dtype=np.uint64)).tolist() == [
        0,
        -1,
    ]
