"""Labels of a fixed width: hashed where there are many, and the same as looked up one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from margin.data import labels as module
from margin.data.labels import coded, codes_of, distinct, groups_of


@pytest.mark.parametrize("dtype", ["U3", "U12", "U11", "S8", "S5", "U100"])
@pytest.mark.parametrize("n_words", [1, 5, 300, 5000])
def test_words_of_a_fixed_width_are_told_apart_like_objects(dtype, n_words):
    rng = np.random.default_rng(n_words)
    words = np.array([f"{i:x}"[::-1] for i in range(n_words)]).astype(dtype)
    labels = words[rng.integers(0, len(words), 6000)]
    objects = labels.astype(object)
    assert_array_equal(distinct(labels), np.array(sorted(set(objects.tolist())), dtype=dtype))
    assert distinct(labels).dtype == labels.dtype
    classes = distinct(labels)
    assert_array_equal(codes_of(labels, classes), codes_of(objects, classes.astype(object)))
    for found, wanted in zip(coded(labels), (classes, codes_of(labels, classes))):
        assert_array_equal(found, wanted)
    assert_array_equal(classes[codes_of(labels[::-2], classes)], labels[::-2])  # memory that does not lie in one piece


def test_words_that_are_no_classes_and_the_empty_word_are_known():
    labels = np.array(["", "b", "a", "zz"] * 100)
    assert codes_of(labels, np.array(["a", "b"]))[:4].tolist() == [-1, 1, 0, -1]
    assert distinct(labels).tolist() == ["", "a", "b", "zz"]
    assert groups_of(labels)[0][:4].tolist() == [0, 1, 2, 3]


def test_words_with_one_hash_are_looked_up_one_by_one(monkeypatch):
    monkeypatch.setattr(module, "_HASH_BITS", 1)
    labels = np.array(["a", "b", "c", "d", "e"] * 100)
    assert module._hashed_words(labels) is None
    assert codes_of(labels, distinct(labels))[:5].tolist() == [0, 1, 2, 3, 4]
