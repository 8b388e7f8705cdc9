"""Features of pictures and classifiers on them: files, pickles, and what is refused of them."""

import pickle

import numpy as np
import pytest

from margin import FeatureClassifier, FeatureExtractor, KNeighborsClassifier, LinearSVC, LogisticRegression, Pixels
from margin.data import Images
from margin.errors import InputError, PersistenceError
from margin.persistence import from_bytes
from margin.persistence.archive import to_bytes
from tests.deep.pictures.test_image_classifier import pictures


@pytest.fixture(scope="module")
def extractor() -> FeatureExtractor:
    return FeatureExtractor("lenet5", layer="features", image_size=28, n_jobs=1).fit(pictures(6)[0])


def test_features_come_back_from_files_and_pickles(extractor):
    X, _ = pictures(5, 3)
    chosen = FeatureExtractor("small", n_jobs=1).fit(*pictures(12))
    for fitted in (extractor, chosen, Pixels(4).fit(X)):
        for other in (from_bytes(to_bytes(fitted)), pickle.loads(pickle.dumps(fitted))):
            assert np.array_equal(other.transform(X), fitted.transform(X))
            assert other.get_params() == fitted.get_params()
        assert to_bytes(from_bytes(to_bytes(fitted))) == to_bytes(fitted)
    assert from_bytes(to_bytes(chosen)).layer_scores_ == chosen.layer_scores_


def test_files_of_other_networks_and_layers_are_refused(extractor):
    for name, value, words in (
        ("layer_", "nothing", "its network has no layer 'nothing'"),
        ("_plan", ("small", "published", 0), "the tensor"),
        ("_plan", ("lenet", "published", 0), "there is no such network"),
    ):
        other = pickle.loads(pickle.dumps(extractor))
        setattr(other, name, value)
        with pytest.raises(PersistenceError, match=words):
            from_bytes(to_bytes(other))


def test_a_classifier_on_features_is_the_pipeline_of_both_and_comes_back():
    X, y = pictures(40)
    asked = pictures(20, 2)[0]
    for model in (KNeighborsClassifier(3), LinearSVC(scale="standard"), LogisticRegression()):
        both = FeatureClassifier(Pixels(6), model).fit(Images.from_array(X, y))
        features = Pixels(6).fit(X)
        expected = type(model)(**model.get_params()).fit(features.transform(X), y).predict(features.transform(asked))
        assert np.array_equal(both.predict(asked), expected)
        assert hasattr(both, "predict_proba") == hasattr(model, "predict_proba")
        again = from_bytes(to_bytes(both))
        assert np.array_equal(again.predict(asked), expected)
        assert both.predict(asked[:0]).shape == (0,)


def test_weights_of_pictures_reach_the_classifier():
    X, y = pictures(40)
    weight = np.r_[np.ones(30), np.zeros(10)]
    part = FeatureClassifier(Pixels(6), LogisticRegression()).fit(X[:30], y[:30])
    whole = FeatureClassifier(Pixels(6), LogisticRegression()).fit(X, y, weight)
    assert np.array_equal(part.predict_proba(X), whole.predict_proba(X))


def test_pictures_without_labels_are_refused():
    with pytest.raises(InputError, match="there are no labels"):
        FeatureClassifier(Pixels(6), LogisticRegression()).fit(pictures(8)[0])
