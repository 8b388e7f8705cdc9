"""What labels and weights get: cases 2, 11, 12 and 19 of the robustness list."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from margin.errors import InputError, LabelError
from tests.contract.estimators import every_classifier, numbers


@every_classifier
@pytest.mark.parametrize("missing", [np.nan, None, pd.NaT, pd.NA], ids=str)
def test_missing_labels_are_refused_with_their_count_and_first_rows(estimator, missing):
    X, y = numbers()
    labels = y.astype(object)
    labels[[4, 9]] = missing
    with pytest.raises(LabelError, match=r"2 are missing.*rows 4, 9"):
        clone(estimator).fit(X, labels)


@every_classifier
@pytest.mark.parametrize(
    "names",
    [
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
    ],
    ids=str,
)
def test_labels_come_back_in_the_type_they_came_in(estimator, names):
    X, y = numbers()
    labels = names[(y > 0).astype(int)]
    model = clone(estimator).fit(X, labels)
    found = model.predict(X)
    assert found.dtype == labels.dtype
    assert set(found.tolist()) <= set(names.tolist())
    assert model.classes_.tolist() == sorted(names.tolist())


@every_classifier
@pytest.mark.parametrize("make", [list, pd.Series, pl.Series, pa.array, pd.Categorical], ids=lambda m: m.__name__)
def test_labels_of_every_make_are_read(estimator, make):
    X, y = numbers()
    words = np.array(["a", "b", "c"])[y]
    model = clone(estimator).fit(X, make(words.tolist()))
    assert np.array_equal(model.predict_proba(X), clone(estimator).fit(X, words).predict_proba(X))
    assert list(model.classes_) == ["a", "b", "c"]


@every_classifier
@pytest.mark.parametrize("mixed", [[1, "1"], [2, "two"], [1, None], ["a", None], [True, "a"]], ids=str)
def test_labels_of_mixed_types_are_refused(estimator, mixed):
    X, _ = numbers(4)
    with pytest.raises(LabelError):
        clone(estimator).fit(X, mixed * 2)
    with pytest.raises(LabelError):
        clone(estimator).fit(X, np.array(mixed * 2, dtype=object))


@every_classifier
def test_a_wrong_number_of_labels_is_refused(estimator):
    X, y = numbers()
    with pytest.raises(LabelError, match="59 labels for 60 rows"):
        clone(estimator).fit(X, y[1:])


@every_classifier
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(60), "above 0"),
        (np.where(np.arange(60) == 5, -1.0, 1.0), "rows 5 hold -1.0"),
        (np.where(np.arange(60) == 5, np.nan, 1.0), "rows 5 hold nan"),
        (np.ones(59), "one weight per row"),
        (["heavy"] * 60, "weights must be numbers"),
    ],
    ids=["zero", "negative", "NaN", "length", "words"],
)
def test_impossible_weights_are_refused(estimator, weight, message):
    X, y = numbers()
    with pytest.raises(InputError, match=message):
        clone(estimator).fit(X, y, sample_weight=weight)


@every_classifier
def test_a_class_of_weight_zero_stays_a_class_and_is_never_answered(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    assert 1 not in model.predict(X)
    assert np.isfinite(model.predict_proba(X)).all()


@every_classifier
def test_tiny_weights_count_as_equal_weights_do(estimator):
    X, y = numbers()
    model = clone(estimator).fit(X, y, sample_weight=np.full(60, 1e-300))
    probabilities = model.predict_proba(X)
    assert np.isfinite(probabilities).all()
    assert np.allclose(probabilities, clone(estimator).fit(X, y).predict_proba(X))


@every_classifier
def test_whole_number_weights_are_repeated_rows(estimator):
    X, y = numbers()
    weight = np.random.default_rng(3).integers(0, 4, 60)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X))
