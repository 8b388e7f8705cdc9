"""Boosted trees of LightGBM and XGBoost, read from the files beside: the same answers to 1e-6."""

import json
from pathlib import Path

import numpy as np
import pytest

import margin
from margin import from_lightgbm, from_xgboost
from margin.errors import ConversionError

HERE = Path(__file__).parent / "boosters"
ANSWERS = json.loads((HERE / "answers.json").read_text())
TARGETS = ("numbers", "two", "three", "counts")


def _rows(name):
    return np.array(ANSWERS[name], dtype=float)


def _says(model, rows):
    return model.predict_proba(rows) if hasattr(model, "classes_") else model.predict(rows)


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_of_lightgbm_answers_as_lightgbm_does(target):
    name = f"lightgbm-{target}.txt"
    model = from_lightgbm(HERE / name)
    np.testing.assert_allclose(_says(model, _rows("rows")), ANSWERS[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_file_of_xgboost_answers_as_xgboost_does(target):
    name = f"xgboost-{target}.json"
    model = from_xgboost(HERE / name)
    np.testing.assert_allclose(_says(model, _rows("xgboost_rows")), ANSWERS[name], rtol=1e-6, atol=1e-6)


def test_what_is_read_can_be_saved_explained_and_named(tmp_path):
    rows = np.nan_to_num(_rows("rows"))
    model = from_lightgbm(HERE / "lightgbm-two.txt", classes=["no", "yes"])
    assert set(model.predict(rows)) <= {"no", "yes"}
    found = model.shap_values(rows).sum(axis=1) + model.shap_base()
    np.testing.assert_allclose(found, model.decision_function(rows), atol=1e-9)
    assert model.feature_importances_.sum() == pytest.approx(1)
    margin.persistence.save(model, tmp_path / "model.margin")
    again = margin.persistence.load(tmp_path / "model.margin")
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


def test_what_cannot_be_taken_is_refused_by_name(tmp_path):
    text = (HERE / "lightgbm-two.txt").read_text()
    for change, told in (
        (("objective=binary sigmoid:1", "objective=lambdarank"), "objective 'lambdarank' is not known"),
        (("objective=binary sigmoid:1", "objective=binary sigmoid:2"), "sigmoid other than 1"),
        (("is_linear=0", "is_linear=1"), "linear leaves"),
        (("leaf_value=", "leaf_worth="), "the file is damaged"),
        (("tree\n", "bush\n"), "no model of LightGBM"),
    ):
        (tmp_path / "changed.txt").write_text(text.replace(*change))
        with pytest.raises(ConversionError, match=told):
            from_lightgbm(tmp_path / "changed.txt")
    stored = (HERE / "xgboost-two.json").read_text()
    for change, told in (
        (('"gbtree"', '"gblinear"'), "'gblinear' cannot be taken"),
        (('"binary:logistic"', '"rank:ndcg"'), "objective 'rank:ndcg' is not known"),
        (('"learner"', '"pupil"'), "no model of XGBoost"),
    ):
        (tmp_path / "changed.json").write_text(stored.replace(*change))
        with pytest.raises(ConversionError, match=told):
            from_xgboost(tmp_path / "changed.json")
    with pytest.raises(ConversionError, match="2 different labels"):
        from_xgboost(HERE / "xgboost-two.json", classes=["a", "b", "c"])
    with pytest.raises(ConversionError, match="there is no file"):
        from_xgboost(tmp_path / "nothing.json")
