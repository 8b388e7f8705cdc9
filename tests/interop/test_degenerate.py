"""The smallest things there are: one class, two classes, one column, columns of one value, labels of all types."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import margin
from margin.interop.converting import MODELS
from tests.interop.cases import CASES, assert_same_answers

LABELS = {
    "words": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "whole numbers": np.array([-5, 70]),
    "booleans": np.array([False, True]),
}
#: One model of each kind, the first of the cases; regressors have no labels.
FIRST = list({type(case).__name__: case for case in CASES[::-1]}.values())
CLASSIFIERS = [model for model in FIRST if not type(model).__name__.endswith("Regressor")]


def learnt(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y)


def rows(n=40, width=3):
    X = np.random.default_rng(1).integers(0, 6, size=(n, width)).astype(float) + np.linspace(0, 0.9, n)[:, None]
    return X, (X[:, 0] > 3).astype(int)


def taken(model, X, y):
    """Both models, and the rows as the model wants them."""
    X = np.floor(X) if "CategoricalNB" in repr(model) else X
    theirs = learnt(model, X, y)
    return theirs, margin.from_sklearn(theirs), X


def test_every_classifier_is_here():
    assert {type(model).__name__ for model in FIRST} == set(MODELS)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_labels_come_back_in_the_type_they_came_in(model, labels):
    X, y = rows()
    theirs, ours, X = taken(model, X, LABELS[labels][y])
    assert ours.predict(X).dtype == theirs.classes_.dtype
    assert ours.classes_.tolist() == LABELS[labels].tolist()
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("model", FIRST, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("shape", ["one column", "constant columns"])
def test_one_column_and_columns_of_one_value(model, shape):
    X, y = rows(width=1 if shape == "one column" else 3)
    if shape == "constant columns":
        X[:, 1:] = [0.0, 2.0]
        if type(model).__name__ == "QuadraticDiscriminantAnalysis":
            model = clone(model).set_params(reg_param=0.1)
    theirs, ours, X = taken(model, X, y)
    if type(model).__name__ == "NearestCentroid":
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    else:
        assert_same_answers(theirs, ours, X, 1e-9)


@pytest.mark.parametrize("model", FIRST, ids=lambda model: type(model).__name__)
def test_one_class_where_scikit_learn_takes_it(model):
    X, y = rows()
    try:
        theirs = learnt(model, X, np.full(len(y), 3))
        answers, shares = theirs.predict(X), theirs.predict_proba(X) if hasattr(theirs, "predict_proba") else None
    except (ValueError, IndexError):
        pytest.skip("scikit-learn wants two classes")
    if type(model).__name__ == "OneVsRestClassifier":
        with pytest.raises(margin.errors.ConversionError, match="_ConstantPredictor"):
            margin.from_sklearn(theirs)
        return
    ours = margin.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.predict(X), answers)
    if shares is not None:
        np.testing.assert_array_equal(ours.predict_proba(X), shares)


@pytest.mark.parametrize("model", FIRST, ids=lambda model: type(model).__name__)
def test_names_of_columns_become_the_schema_and_rows_are_matched_by_name(model):
    X, y = rows()
    X = np.floor(X) if "CategoricalNB" in repr(model) else X
    frame = pd.DataFrame(X, columns=["height", "width", "depth"])
    theirs = learnt(model, frame, y)
    ours = margin.from_sklearn(theirs)
    assert ours.feature_names_in_.tolist() == ["height", "width", "depth"]
    if model in CLASSIFIERS:
        np.testing.assert_array_equal(ours.predict(frame), theirs.predict(frame))
    else:
        np.testing.assert_allclose(ours.predict(frame), theirs.predict(frame), rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(frame[["depth", "height", "width"]]), ours.predict(frame))
    with pytest.raises(margin.errors.InputError, match="'heigth' was not there at fit"):
        ours.predict(frame.rename(columns={"height": "heigth"}))
