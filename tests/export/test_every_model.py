"""Every classifier and regressor of margin, on real tables: exported and in agreement, or refused for a stated reason."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from margin.errors import ExportError, InputError
from margin.export import to_onnx
from tests.contract.estimators import counts_cells, frame, numbers, settings
from tests.export.asked import lost, real

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")

#: What cannot be said in ONNX, and why: these read columns of words as free text.
FREE_TEXT = "is free text; splitting texts into words"
REFUSED_ON_WORDS = {"ComplementNB()", "MultinomialNB()", "NaiveBayes(distributions='multinomial')"}

MODELS = [model for model in settings() if is_classifier(model) or is_regressor(model)]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)
every_classifier = pytest.mark.parametrize("model", [m for m in MODELS if is_classifier(m)], ids=repr)


def export_or_refuse(model, X):
    """The answers agree, or the refusal is one that is known."""
    words = any(not column.is_numeric for column in model.schema_)
    if repr(model) in REFUSED_ON_WORDS and words:
        with pytest.raises(ExportError, match=FREE_TEXT):
            to_onnx(model)
        return
    to_onnx(model, check=X)


@every_model
def test_numbers_with_missing_cells(model):
    X, y = numbers()
    asked = np.concatenate([X, np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)])
    to_onnx(clone(model).fit(X, y), check=asked)


@every_model
def test_a_mixed_frame_with_missing_and_unseen_cells(model):
    X, y = frame()
    model = clone(model).fit(X, y)
    asked = X.copy()
    asked.loc[3, "job"] = "pilot"
    asked.loc[5:9, "job"] = None
    asked.loc[12:15, "size"] = None
    asked["age"] = asked["age"].where(np.random.default_rng(1).random(len(X)) < 0.7)
    asked["member"] = asked["member"].astype(object)
    asked.loc[20:25, "member"] = None
    export_or_refuse(model, asked)


@pytest.mark.parametrize(
    "name", ["iris", "credit-g", "mushroom", "soybean", "vote", "glass", "diabetes", "penguins", "adult"]
)
@every_classifier
def test_real_tables(model, name):
    X, y = real(name, 300)
    half = np.arange(len(y) // 2)
    model = clone(model)
    try:
        model.fit(X.take(half), y[half])
    except InputError:
        assert counts_cells(model)
        return
    export_or_refuse(model, X)
    if not counts_cells(model):
        export_or_refuse(model, lost(X))
