"""Exported linear models, machines, and models around models: every link and kernel, ties, abstentions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from margin import (
    SVC,
    CalibratedClassifier,
    DecisionTreeClassifier,
    GridSearch,
    LinearDiscriminantAnalysis,
    LinearSGD,
    LogisticRegression,
    NaiveBayes,
    PegasosClassifier,
    Perceptron,
    Reject,
    ThresholdClassifier,
)
from margin.export import onnx_inputs, run_onnx, to_onnx
from margin.export.checking import in_double
from tests.contract.estimators import frame, numbers

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def test_a_plane_by_hand():
    model = LogisticRegression().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]], [0, 0, 1, 1])
    model.coef_, model.intercept_ = np.array([[1.0, -2.0]]), np.array([0.5])
    found = run_onnx(to_onnx(model), {"X": np.array([[1.0, 0.75], [0.0, 3.0], [2.0, 0.0]])})
    assert found["label"].tolist() == [0, 0, 1]  # the first lies on the plane, and the first class wins there
    assert np.allclose(found["probabilities"][:, 1], 1 / (1 + np.exp(-np.array([0.0, -5.5, 2.5]))), rtol=1e-15)


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber", "hinge"])
def test_a_class_that_had_no_rows_is_never_answered(loss):
    X, y = numbers()
    model = LinearSGD(loss=loss).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert set(run_onnx(to_onnx(model, check=X), {"X": X})["label"]) <= {0, 1}


@pytest.mark.parametrize("multiclass", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_kernels(kernel, multiclass):
    X, y = numbers(150, 5)
    to_onnx(SVC(kernel=kernel, multiclass=multiclass, coef0=1.0, scale="standard").fit(X, y), check=X)
    if multiclass == "one_vs_one" and kernel != "sigmoid":
        settings = {"coef0": 1.0, "degree": 2, "max_iter": 5} if kernel == "poly" else {}
        to_onnx(PegasosClassifier(kernel=kernel, scale="standard", **settings).fit(X, y), check=X)


@pytest.mark.parametrize(
    "settings",
    [{"decision_function_shape": "ovo"}, {"break_ties": True}, {"probability": "sigmoid"}, {"probability": "isotonic"}],
    ids=repr,
)
def test_decisions_of_pairs(settings):
    X, y = numbers(150, 5)
    to_onnx(SVC(scale="standard", **settings).fit(X, y), check=X)
    X, y = frame(100)
    to_onnx(SVC(scale="standard", **settings).fit(X, y), check=X)


def test_many_support_vectors_are_summed_in_double():
    X, y = load_digits(return_X_y=True)
    model = SVC(kernel="rbf", gamma=0.0005).fit(X[:1200], y[:1200])
    found = run_onnx(to_onnx(model, check=X[1200:]), {"X": X[1200:]})
    assert found["label"].tolist() == model.predict(X[1200:]).tolist()
    exactly = in_double(model).decision_function(X[1200:])
    assert np.allclose(found["scores"], exactly, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("model", [LogisticRegression(), Perceptron(variant="voted"), SVC(), NaiveBayes(), Reject()])
def test_one_class_and_one_column(model):
    X, y = numbers()
    to_onnx(model.fit(X, np.zeros(len(y), dtype=int)), check=X)
    to_onnx(model.fit(X[:, :1], y), check=X[:, :1])
    words, of_words = frame()
    to_onnx(model.fit(words[["job"]], of_words), check=words[["job"]])


@pytest.mark.parametrize("threshold", [0.5, 0.9, 0.99])
def test_abstentions_have_an_output_of_their_own(threshold):
    X, y = frame(100)
    model = Reject(NaiveBayes(), threshold=threshold).fit(X, y)
    found = run_onnx(to_onnx(model, check=X), onnx_inputs(model, X))
    said = model.predict(X)
    assert found["abstained"].dtype == bool
    assert found["abstained"].tolist() == [label is None for label in said]
    assert [label for label, none in zip(found["label"], found["abstained"]) if not none] == [
        label for label in said if label is not None
    ]


@pytest.mark.parametrize(
    "model",
    [
        Reject(LinearDiscriminantAnalysis(), confidence="margin", threshold=2.0),
        Reject(LogisticRegression(), cost=0.2),
        Reject(SVC(scale="standard"), threshold=0.5),
        Reject(GridSearch(cv=2), threshold=0.8),
        CalibratedClassifier(SVC(scale="standard")),
        CalibratedClassifier(DecisionTreeClassifier(missing="fractional")),
        CalibratedClassifier(LinearDiscriminantAnalysis()),
        CalibratedClassifier(LogisticRegression(scale="standard"), method="isotonic"),
        CalibratedClassifier(NaiveBayes(), method="temperature"),
        ThresholdClassifier(LogisticRegression(), threshold=0.15),
        ThresholdClassifier(LinearDiscriminantAnalysis(), threshold=0.7),
    ],
    ids=repr,
)
def test_models_around_models(model):
    X, y = numbers(150, 5)
    to_onnx(model.fit(X, y), check=X)
    X, y = frame(100)
    to_onnx(model.fit(X, y), check=X)
