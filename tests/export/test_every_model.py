"""Every classifier and regressor of margin: exported and in agreement, or refused for a stated reason."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from margin import ErrorCorrectingCodes, OneVsOne
from margin.errors import ExportError
from margin.export import to_onnx
from tests.contract.estimators import ALL, dealt, frame, in_turn, numbers, settings
from tests.export.asked import lost, real

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")

#: What cannot be said in ONNX, and why: these read columns of words as free text.
FREE_TEXT = "is free text; splitting texts into words"
REFUSED_ON_WORDS = {"ComplementNB()", "MultinomialNB()", "NaiveBayes(distributions='multinomial')"}

#: Probabilities that no graph of a fixed length gives.
STEPS = "found by steps"

#: Members of AdaBoost that do so are no longer trees whose leaves are added up.
REAL_VOTES = "members that vote with their probabilities, are not written"

MODELS = [model for model in settings() if is_classifier(model) or is_regressor(model)]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def votes_with_probabilities(model):
    return getattr(model, "algorithm", None) == "SAMME.R" and model.estimator is not None


def export_or_refuse(model, X):
    """The answers agree, or the refusal is one that is known."""
    if isinstance(model, ErrorCorrectingCodes) and hasattr(model, "predict_proba"):
        with pytest.raises(ExportError, match=STEPS):
            to_onnx(model)
        return
    if votes_with_probabilities(model):
        with pytest.raises(ExportError, match=REAL_VOTES):
            to_onnx(model)
        return
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
    export_or_refuse(clone(model).fit(X, y), asked)


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


def agree_on(model, name):
    """Half of a real table is learnt; all of it is asked about, with cells gone from every other row."""
    X, y = real(name, 240)
    if isinstance(model, OneVsOne) and not ALL:  # a graph for each pair of 19 classes takes minutes
        few = np.flatnonzero(np.isin(y, np.unique(y)[:5]))
        X, y = X.take(few), y[few]
    half = np.arange(len(y) // 2)
    model = clone(model).fit(X.take(half), y[half])
    export_or_refuse(model, lost(X, every=2))


@in_turn(is_classifier, "names", ["credit-g", "penguins"])
def test_real_tables_in_every_setting(estimator, names):
    for name in names:
        agree_on(estimator, name)


KINDS_OF_TABLES = ["iris", "mushroom", "soybean", "vote", "glass", "diabetes", "adult"]


@dealt([model for model in MODELS if is_classifier(model)], "names", KINDS_OF_TABLES, to_classes=2, others=0)
def test_real_tables_of_all_kinds(estimator, names):
    for name in names:
        agree_on(estimator, name)
