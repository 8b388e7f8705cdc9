"""Exported generative models: a share by hand, classes that are ruled out, cells beyond all densities."""

from __future__ import annotations

import numpy as np
import pytest

from margin import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    JointBayes,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from margin.data import catalog
from margin.errors import ExportError
from margin.export import bayes, onnx_inputs, run_onnx, to_onnx
from tests.contract.estimators import frame, numbers
from tests.export.test_neighbors import small_whole_numbers

pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def test_the_weather_by_hand():
    X, y = catalog.load("weather_nominal").target("play")
    model = NaiveBayes(alpha=0.0).fit(X, y)
    day = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "TRUE"}
    feeds = {name: np.array([[word]], dtype=object) for name, word in day.items()}
    if onnx_inputs(model, X)["windy"].dtype != object:
        feeds["windy"] = np.array([[1.0]])
    yes, no = 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9 * 9 / 14, 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5 * 5 / 14
    found = run_onnx(to_onnx(model), feeds)
    assert found["label"].tolist() == ["no"]
    assert np.allclose(found["probabilities"], [[no / (yes + no), yes / (yes + no)]], rtol=1e-12)


def test_a_class_may_be_ruled_out_and_all_of_them_too():
    X, y = small_whole_numbers()
    asked, _ = small_whole_numbers(300, most=6, seed=1)
    few = np.where(X > 2, X, 0.0)
    to_onnx(NaiveBayes(alpha=0.0, distributions="categorical").fit(X, y), check=asked)
    to_onnx(CategoricalNB(alpha=0.0).fit(X, y), check=X)
    to_onnx(MultinomialNB(alpha=0.0).fit(few, y), check=asked)
    to_onnx(ComplementNB(alpha=0.0).fit(few, y), check=asked)
    to_onnx(BernoulliNB(alpha=0.0).fit(few, y), check=asked)
    to_onnx(JointBayes(alpha=0.0).fit(X[:, :3], y), check=asked[:, :3])


def test_missing_cells_say_nothing():
    X, y = small_whole_numbers()
    gone = np.where(np.random.default_rng(3).random(X.shape) < 0.3, np.nan, X)
    for name in ("gaussian", "categorical", "bernoulli", "multinomial", "complement", "poisson", "kernel", "mdl"):
        to_onnx(NaiveBayes(distributions=name).fit(gone, y), check=np.vstack([X, gone]))
    to_onnx(JointBayes().fit(X[:, :4], y), check=gone[:, :4])


def test_numbers_are_in_the_interval_below_a_cut_if_they_are_the_cut():
    X, y = numbers(150, 5)
    model = NaiveBayes(distributions="mdl").fit(X + 4 * y[:, None], y)
    cuts = model.distributions_["x0"].cuts
    assert min(map(len, cuts)) > 0
    on_cuts = np.column_stack([np.resize(column, 20) for column in cuts])
    to_onnx(model, check=np.vstack([X, on_cuts, np.nextafter(on_cuts, np.inf), on_cuts * 1e6]))


def test_numbers_far_from_all_classes_leave_the_priors():
    X, y = numbers(150, 5)
    far = np.vstack([X, X * 1e140])
    to_onnx(NaiveBayes().fit(X, y), check=far)
    to_onnx(QuadraticDiscriminantAnalysis().fit(X, y), check=far)
    to_onnx(GaussianNB().fit(X * 1e100, y), check=X * 1e100)


def test_priors_of_nothing():
    X, y = numbers(150, 5)
    to_onnx(NaiveBayes(priors=(0.0, 0.5, 0.5)).fit(X, y), check=X)


def test_scores_in_the_millions_keep_their_last_digits():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 30)) * 1e-3 + y[:, None]
    model = NaiveBayes().fit(X, y)
    asked = rng.normal(size=(50, 30)) * 3
    assert np.abs(model.joint_log_likelihood(asked)).max() > 1e6
    found = run_onnx(to_onnx(model), {"X": asked})["probabilities"]
    said = model.predict_proba(asked)
    assert np.all(np.abs(found - said) <= 1e-14 * said.max(axis=1, keepdims=True))


def test_kernels_on_too_many_cells_are_refused(monkeypatch):
    X, y = frame(100)
    model = NaiveBayes(distributions={"numeric": "kernel"}).fit(X, y)
    to_onnx(model, check=X)
    monkeypatch.setattr(bayes, "MOST_BUMPS", 20)
    with pytest.raises(ExportError, match=r"kernel densities stand on .* more than the 20"):
        to_onnx(model)
