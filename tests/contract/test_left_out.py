"""Every model that knows what it would answer without a row: the same as fitting it without that row."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from margin.evaluation.left_out import answers_anew
from tests.contract.estimators import frame, numbers, settings

MODELS = [model for model in settings() if hasattr(model, "left_out_answers")]


def few_numbers():
    X, y = numbers(24)
    X[7], y[7] = X[3], y[3]  # a row that is there twice
    return X, y


def a_mixed_table():
    return frame(18)


@pytest.mark.parametrize("table", [few_numbers, a_mixed_table])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_answers_to_rows_left_out_are_those_of_new_fits(model, table):
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    for sample_weight in (None, weight):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = clone(model).left_out_answers(X, y, sample_weight=sample_weight)
            if found is None:
                continue
            labels, probabilities = answers_anew(model, X, y, sample_weight, np.arange(len(y)))
        assert found[0].tolist() == labels.tolist()
        if probabilities is not None:
            np.testing.assert_allclose(found[1], probabilities, rtol=1e-9, atol=1e-12)
