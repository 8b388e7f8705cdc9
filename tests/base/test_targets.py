"""Targets: quantities, and several columns of them or of labels."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from margin.base import Numeric, Regressor
from margin.base.targets.multi_output import encode_outputs, output_columns, side_by_side
from margin.base.targets.numbers import encode_targets
from margin.errors import InputError, LabelError, ParameterError
from margin.params import Positive


class MeanOf(Regressor):
    """The weighted mean, whatever X says."""

    representation = Numeric()

    def __init__(self, *, factor: Positive = 1.0) -> None:
        self.factor = factor

    def _fit(self, X, y, rows):
        self.mean_ = np.average(y, weights=rows.weights()) * self.factor

    def _values(self, X):
        return np.full(len(X), self.mean_)


def test_a_regressor_is_its_fit_and_its_values():
    model = MeanOf().fit([[1.0], [2.0], [4.0]], [1, 2, 9], sample_weight=[1, 3, 0])
    assert model.predict([[5.0], [6.0]]).tolist() == [1.75, 1.75]
    assert model.score([[1.0], [2.0]], [1.0, 2.5]) == pytest.approx(0.0)
    with pytest.raises(LabelError, match="3 × 2"):
        MeanOf().fit([[1.0], [2.0], [4.0]], np.ones((3, 2)))


def test_a_failed_fit_leaves_a_regressor_as_it_was():
    model = MeanOf().fit([[1.0], [2.0]], [1, 2])
    for given in (([[1.0], [np.inf]], [1, 2]), ([[1.0], [2.0]], [1, np.nan])):
        with pytest.raises((InputError, LabelError)):
            model.fit(*given)
    with pytest.raises(ParameterError, match="factor must be"):
        model.set_params(factor=-1).fit([[1.0], [2.0]], [3, 4])
    assert model.predict([[0.0]]).tolist() == [1.5]


@pytest.mark.parametrize("kind", [Regressor, type("Half", (Regressor,), {"_fit": lambda self, X, y, rows: None})])
def test_a_regressor_that_leaves_something_out_is_told_what(kind):
    with pytest.raises(TypeError, match=r"def _fit|def _values"):
        kind().fit([[1.0], [2.0]], [1, 2]).predict([[1.0]])


@pytest.mark.parametrize(
    "given",
    [
        [1, 2.5, True],
        [Decimal(1), Fraction(5, 2), 1],
        np.array([1, 2.5, 1], dtype=">f4"),
        np.array([1, 2.5, 1], dtype=np.longdouble),
        pd.Series([1, 2.5, 1], dtype="Float64"),
        pl.Series([1.0, 2.5, 1.0]),
        pa.chunked_array([[1.0, 2.5], [1.0]]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_numbers_of_every_make_are_the_same(given):
    found = encode_targets(given, 3, "fit")
    assert found.dtype == np.float64
    assert found.tolist() == [1.0, 2.5, 1.0]


@pytest.mark.parametrize(
    "make",
    [np.asarray, sp.csr_array, pd.DataFrame, pl.DataFrame, lambda y: pa.table({"a": y[:, 0], "b": y[:, 1]}), list],
    ids=["array", "CSR", "pandas", "polars", "arrow", "list of rows"],
)
def test_several_columns_of_every_make_are_the_same(make):
    y = np.array([[1.0, 0.0], [2.0, 5.5], [0.0, 7.0]])
    assert np.array_equal(encode_targets(make(y), 3, "fit"), y)


@pytest.mark.parametrize(
    "given", [[1, 2], [[1], [2]], np.ones((2, 1)), pd.Series([1, 2]), None, "word", 3.0, []], ids=str
)
def test_one_column_is_one_target(given):
    assert output_columns(given, "fit") is None


def test_missing_numbers_of_several_columns_name_their_column():
    with pytest.raises(LabelError, match=r"^fit, column 1 of y: .*1 are missing.*rows 2"):
        encode_targets(pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, None]}), 3, "fit")


def test_labels_of_several_columns_have_codes_of_their_own():
    classes, codes = encode_outputs([["b", "a", "b"], [7, 7, 3]], 3, "fit")
    assert [found.tolist() for found in classes] == [["a", "b"], [3, 7]]
    assert codes.tolist() == [[1, 1], [0, 1], [1, 0]]


def test_columns_of_one_kind_stay_it():
    assert side_by_side([np.array(["a"]), np.array(["long"])]).dtype == "<U4"
    assert side_by_side([np.array([1], dtype=np.int8), np.array([300])]).tolist() == [[1, 300]]
