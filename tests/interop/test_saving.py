"""margin.from_sklearn: what was taken over is saved and pickled like everything of margin's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from margin.errors import PersistenceError
from margin.interop import from_sklearn
from margin.persistence import load, save
from tests.interop.cases import CASES, NAMES, fitted, rows_for
from tests.persistence.round_trip import without_a_place


def answers(model, X):
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    return model.predict(X)


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_a_model_that_was_taken_over_is_saved_and_answers_as_before(place, tmp_path):
    X, _ = rows_for(CASES[place], "iris")
    model = from_sklearn(fitted(place, "iris"))
    if callable(model.get_params().get("kernel")):
        with pytest.raises(PersistenceError, match="files hold no code"):
            save(model, tmp_path / "model.margin")
        return
    assert without_a_place(model) == []
    found = load(save(model, tmp_path / "model.margin"))
    np.testing.assert_array_equal(answers(found, X), answers(model, X))
    np.testing.assert_array_equal(answers(pickle.loads(pickle.dumps(model)), X), answers(model, X))
    assert save(found, tmp_path / "again.margin").read_bytes() == (tmp_path / "model.margin").read_bytes()
