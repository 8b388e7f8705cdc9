"""Folders on the command line from the comparison to the page, and sheets of pictures."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

from margin import FeatureClassifier, ImageClassifier, KNeighborsClassifier, Pixels
from margin.data import Images
from margin.deep import find_learning_rate
from margin.errors import InputError, ParameterError
from margin.plots import plot_batch, plot_mistakes, plot_rate_finder, plot_training
from tests.deep.pictures.test_image_classifier import HOW, pictures
from tests.deep.pictures.test_picture_commands import folder, margin  # noqa: F401  (a fixture)


@pytest.fixture(autouse=True)
def _no_figure_stays():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def test_the_best_model_of_pictures_is_kept_and_written_about(folder, tmp_path):  # noqa: F811
    kept, page = tmp_path / "best.margin", tmp_path / "page.html"
    done = margin(
        "compare", folder, "--folds", 2, "--image-size", 12, "--models", "majority,pixels + svm,pixels + knn",
        "--save", kept, "--out", page,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Model:  pixels + " in done.output
    text = page.read_text()
    assert "40 pictures of 2 classes" in text
    assert "got most wrong" in text
    assert "<svg" in text
    assert text.count("<h4>") == 3
    asked = json.loads(margin("predict", kept, folder, "--json").output)
    assert len(asked["answer"]) == 40
    refused = margin("compare", folder, "--save", tmp_path / "nowhere" / "x.margin")
    assert "does not exist" in str(refused.exception) + refused.output


def test_one_model_of_pictures_is_evaluated(folder):  # noqa: F811
    done = margin("evaluate", folder, "--model", "pixels + svm", "-p", "2-fold", "--image-size", 12, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["scores"]["accuracy"]["value"] > 0.4
    network = ["evaluate", folder, "--model", "lenet5", "-p", "2-fold", "--image-size", 28]
    done = margin(*network, "--set", "epochs=1", "--set", "n_jobs=1", "--metrics", "accuracy")
    assert done.exit_code == 0, done.output
    for strange, words in (
        (["--model", "svm"], "for pictures there are majority"),
        (["--model", "lenet5", "--target", "x"], "--target: with pictures there are"),
        (["--model", "pixels + svm", "--set", "C=1"], "has none"),
    ):
        done = margin("evaluate", folder, *strange)
        assert words in str(done.exception) + done.output


def test_mistakes_stand_on_a_sheet_the_surest_first():
    X, y = pictures(40)
    model = FeatureClassifier(Pixels(2), KNeighborsClassifier(15)).fit(X, y)
    asked, truth = pictures(40, 4)
    images = Images.from_array(asked, truth)
    shares, said = model.predict_proba(images), model.predict(images)
    wrong = np.flatnonzero(said != truth)
    assert len(wrong) > 1
    grid = plot_mistakes(images, model, n=40)
    shown = [ax for ax in grid.ravel() if ax.images]
    assert len(shown) == len(wrong)
    surest = wrong[np.argsort(-shares.max(axis=1)[wrong], kind="stable")]
    assert np.allclose(shown[0].images[0].get_array(), asked[surest[0]] / 255)
    assert shown[0].get_title() == f"{said[surest[0]]} {shares.max(axis=1)[surest[0]]:.2f}\nis {truth[surest[0]]}"
    right = Images.from_array(asked, said)
    assert "none of 40 answers is wrong" in plot_mistakes(right, model)[0, 0].texts[0].get_text()
    with pytest.raises(InputError, match="have no labels"):
        plot_mistakes(Images.from_array(asked), model)
    with pytest.raises(ParameterError, match="n must be"):
        plot_mistakes(right, model, n=0)


def test_a_batch_is_shown_as_it_is_and_changed():
    X, y = pictures(20)
    plain = plot_batch(X, y, n=4)
    first = plain[0, 0].images[0].get_array()
    assert any(np.allclose(first, each / 255) for each in X)
    changed = plot_batch(X, y, n=4, augmentation={"rotate": 30.0})[0, 0].images[0].get_array()
    assert not np.allclose(changed, first)
    assert changed.min() >= 0
    assert changed.max() <= 1
    with pytest.raises(InputError, match="there are no pictures"):
        plot_batch(X[:0])


def test_a_rate_for_pictures_is_found_and_learns():
    X, y = pictures(120)
    model = ImageClassifier(**HOW)
    before = model.get_params()
    curve = find_learning_rate(model, X, y, n_batches=60)
    assert model.get_params() == before
    assert not model.__sklearn_is_fitted__()
    assert len(curve.rates) <= 60
    assert 1e-5 < curve.suggestion < 1
    assert f"try rate={curve.suggestion:.2g}" in str(curve)
    assert np.array_equal(find_learning_rate(model, X, y, n_batches=60).losses, curve.losses)
    found = ImageClassifier(**{**HOW, "rate": curve.suggestion, "epochs": 10}).fit(X, y)
    assert found.score(*pictures(100, 2)) > 0.8
    assert plot_rate_finder(curve).get_xscale() == "log"
    assert plot_training(found).get_xlabel() == "epoch"


def test_numbers_half_as_wide_learn_too_and_devices_that_are_not_there_are_refused():
    X, y = pictures(60)
    wide = ImageClassifier(**HOW).fit(X, y)
    narrow = ImageClassifier(precision="bfloat16", **HOW).fit(X, y)
    assert not np.array_equal(narrow._tensors["classifier.weight"], wide._tensors["classifier.weight"])
    assert np.isfinite(narrow.predict_proba(X)).all()
    assert narrow._tensors["classifier.weight"].dtype == np.float32
    chosen = ImageClassifier(precision="auto", device="auto", **HOW).fit(X, y)
    assert any(np.array_equal(chosen._tensors["classifier.weight"], each._tensors["classifier.weight"])
               for each in (wide, narrow))  # fmt: skip
    for strange in ("cuda:77", "meta", "nowhere"):
        with pytest.raises(ParameterError, match=r"device must be one that torch has here"):
            ImageClassifier(device=strange, **HOW).fit(X, y)
