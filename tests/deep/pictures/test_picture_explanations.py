"""Pictures explained by a fitted classifier, and whether maps show what was learnt."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from margin import ImageClassifier  # noqa: E402
from margin.data import Images  # noqa: E402
from margin.deep.visualize import (  # noqa: E402
    activations,
    deconvnet,
    deep_dream,
    grad_cam,
    integrated_gradients,
    maximize,
    occlusion,
    randomisation_check,
    saliency,
    top_patches,
)
from margin.errors import MarginError  # noqa: E402
from margin.explain import explain  # noqa: E402


@pytest.fixture(scope="module")
def spots():
    """A bright spot in one of two halves, among noise."""
    random = np.random.default_rng(0)
    X, y = random.uniform(0, 0.3, (120, 16, 16, 1)).astype(np.float32), np.arange(120) % 2
    at = []
    for picture, side in zip(X, y, strict=True):
        row, column = random.integers(2, 10), random.integers(0, 4) + 8 * side
        picture[row : row + 4, column : column + 4] += 0.6
        at.append((row, column))
    return X, np.where(y, "right", "left"), np.array(at)


@pytest.fixture(scope="module")
def model(spots):
    return ImageClassifier(epochs=8, batch_size=16, n_jobs=1).fit(spots[0], spots[1])


def test_a_fitted_classifier_is_looked_into_as_its_network_is(model, spots):
    X = spots[0][:2]
    assert saliency(model, X, target="left", n_jobs=1).shape == (2, 16, 16)
    assert occlusion(model, X, n_jobs=1).shape == (2, 16, 16)
    assert integrated_gradients(model, X, n_jobs=1).gap.max() < 0.01
    assert grad_cam(model, X, n_jobs=1).shape == (2, 16, 16)
    assert deconvnet(model, X, "features.0", 0, n_jobs=1).shape == (2, 16, 16, 1)
    assert len(top_patches(model, X, "features.4", 0, n_jobs=1)) == 2
    assert activations(model, X[0], n_jobs=1).answer == model.predict(X[:1])[0]
    assert len(list(deep_dream(model, X[0], "features.0", steps=2, octaves=1, n_jobs=1))) == 2
    assert len(list(maximize(model, "right", steps=2, n_jobs=1))) == 2


def test_the_scale_is_the_one_that_the_classifier_learnt(model, spots):
    found = activations(model, spots[0][0], n_jobs=1)["classifier"].values
    shares = np.exp(found - found.max())
    np.testing.assert_allclose(shares / shares.sum(), model.predict_proba(spots[0][:1])[0], atol=1e-5)


def test_an_explanation_names_the_region_and_the_pictures_alike(model, spots):
    X, y, at = spots
    why = explain(model, X[:1], training=Images.from_array(X, labels=y))
    assert why.answer == y[0]
    assert why.map.shape == (16, 16)
    top, left, bottom, right = why.region
    row, column = at[0]
    assert top < row + 4
    assert bottom > row
    assert left < column + 4
    assert right > column
    assert 0 < why.share <= 1
    assert why.nearest[0] == 0  # itself
    assert "training picture 0" in str(why)
    alone = explain(model, X[:1])
    assert alone.nearest == ()
    assert alone.share == why.share


def test_what_is_no_picture_is_not_explained(model, spots):
    for given in (spots[0][:2], spots[0][:0], np.zeros((1, 8, 8))):
        with pytest.raises(MarginError):
            explain(model, given)
    with pytest.raises(MarginError, match="there are no pictures"):
        explain(model, spots[0][:1], training=spots[0][:0])


CHANGED = {
    "gradient": lambda net, x: saliency(net, x, target=0, n_jobs=1),
    "smooth": lambda net, x: saliency(net, x, target=0, method="smooth", draws=8, n_jobs=1),
    "integrated": lambda net, x: integrated_gradients(net, x, target=0, steps=16, n_jobs=1).values,
    "grad_cam": lambda net, x: grad_cam(net, x, target=0, n_jobs=1),
    "occlusion": lambda net, x: occlusion(net, x, target=0, size=4, n_jobs=1),
    "guided": lambda net, x: saliency(net, x, target=0, method="guided", n_jobs=1),
    "deconvnet": lambda net, x: deconvnet(net, x, "features.4", 0, n_jobs=1),
}


@pytest.mark.parametrize("name", CHANGED)
def test_new_weights_change_the_map(model, spots, name):
    net = model.network_
    net.classes_, net.pixel_scale = np.array([0, 1]), model._encoder.scale
    found = randomisation_check(net, spots[0][:12], CHANGED[name])
    assert found.shape == (12,)
    assert found.mean() < 0.9


def test_a_map_that_knows_nothing_of_weights_is_found_out(model, spots):
    found = randomisation_check(model.network_, spots[0][:3], lambda net, x: np.asarray(x))
    np.testing.assert_allclose(found, 1.0)
