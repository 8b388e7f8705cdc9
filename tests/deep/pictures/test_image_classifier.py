"""Classifiers of pictures: ways in, bad input, transfer, files, and what stands around them in margin."""

import copy
import pickle

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from torch import nn

import margin
from margin import CalibratedClassifier, ImageClassifier, Reject, evaluate
from margin.data import Images
from margin.deep import FeatureExtractor, TorchClassifier, architectures, save_weights
from margin.errors import (
    DataWarning,
    InputError,
    LabelError,
    NotFittedError,
    ParameterError,
    PersistenceError,
    TrainingError,
)
from margin.persistence import load, save
from margin.persistence.archive import to_bytes

HOW = {"epochs": 5, "batch_size": 16, "n_jobs": 1}


def pictures(n: int = 60, seed: int = 0, side: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Noise with a bright bar that lies or stands."""
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 120, (n, side, side), dtype=np.uint8)
    labels = random.permutation(np.tile(["lying", "standing"], n // 2))
    for picture, label in zip(pixels, labels):
        at = random.integers(2, side - 2)
        picture[(at, slice(None)) if label == "lying" else (slice(None), at)] += 120
    return pixels, labels


def same(one, other) -> bool:
    return all(np.array_equal(one._tensors[name], other._tensors[name]) for name in one._tensors)


@pytest.fixture(scope="module")
def learnt() -> ImageClassifier:
    return ImageClassifier(**HOW).fit(*pictures(120))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of pictures of several sizes, in folders by class."""
    root = tmp_path_factory.mktemp("photos")
    for i, (picture, label) in enumerate(zip(*pictures(24, 5))):
        (root / label).mkdir(exist_ok=True)
        Image.fromarray(picture).resize((12 + i % 3, 12)).save(root / label / f"{i}.png")
    return root


# Ways in


def test_bars_are_learnt(learnt):
    X, y = pictures(100, 2)
    assert learnt.score(X, y) > 0.9
    assert learnt.classes_.tolist() == ["lying", "standing"]
    assert np.array_equal(learnt.predict(X), learnt.classes_[learnt.predict_proba(X).argmax(axis=1)])
    assert learnt.predict(X[:0]).shape == (0,)
    assert learnt.predict_proba([]).shape == (0, 2)


def test_all_layouts_are_the_same_pictures(learnt):
    X, _ = pictures(20, 3)
    expected = learnt.predict_proba(X)
    strange = np.asfortranarray(X)[:, ::-1][:, ::-1]
    strange.flags.writeable = False
    for given in (X[..., None], X[:, None], list(X), Images.from_array(X), X.astype(np.int64), strange):
        assert np.array_equal(learnt.predict_proba(given), expected)
    assert np.allclose(learnt.predict_proba(X / 255.0), expected, atol=1e-5)


def test_flat_rows_and_frames_of_pixels_are_pictures_of_a_shape():
    import pandas as pd

    X, y = pictures()
    flat = X.reshape(60, -1)
    model = ImageClassifier(image_shape=(12, 12), **HOW).fit(flat, y)
    assert same(model, ImageClassifier(**HOW).fit(X, y))
    assert np.array_equal(model.predict(pd.DataFrame(flat)), model.predict(flat))
    with pytest.raises(InputError, match=r"need image_shape=\(height, width\)"):
        ImageClassifier(**HOW).fit(flat, y)
    with pytest.raises(InputError, match="rows have 143 cells, not 144"):
        model.predict(flat[:, 1:])


def test_files_bring_their_labels_and_become_one_size(folder):
    images = Images.read(folder)
    model = ImageClassifier(image_size=12, **HOW).fit(images)
    assert model.score(images) > 0.4
    paths = [folder / name for name in images.names]
    assert np.array_equal(model.predict(paths), model.predict(images))
    assert np.array_equal(model.predict(folder), model.predict(images))
    with pytest.raises(InputError, match=r"several sizes, from 12 x 12 to 12 x 14 \(image_size= makes them one\)"):
        ImageClassifier(**HOW).fit(images)


def test_lists_of_several_sizes_need_a_size():
    X, y = pictures()
    mixed = [picture[: 12 - i % 2] for i, picture in enumerate(X)]
    with pytest.raises(InputError, match="several shapes, 11 x 12, 12 x 12"):
        ImageClassifier(**HOW).fit(mixed, y)
    assert ImageClassifier(image_size=12, **HOW).fit(mixed, y).predict(mixed[:3]).shape == (3,)


def test_grey_pictures_become_rgb_where_asked_and_back():
    X, y = pictures(20)
    model = ImageClassifier(channels=3, epochs=1, n_jobs=1).fit(X, y)
    assert model._encoder.channels == 3
    grey = ImageClassifier(channels=1, epochs=1, n_jobs=1).fit(np.repeat(X[..., None], 3, axis=3), y)
    assert grey._encoder.channels == 1


def test_weights_zero_are_as_good_as_absent_and_seeds_decide():
    X, y = pictures()
    weight = np.ones(60)
    weight[40:] = 0
    a = ImageClassifier(**HOW).fit(X, y, weight)
    assert same(a, ImageClassifier(**HOW).fit(X[:40], y[:40]))
    assert not same(a, ImageClassifier(random_state=1, **HOW).fit(X[:40], y[:40]))


def test_the_scale_of_pixels_is_that_of_the_training_part():
    X, y = pictures()
    model = ImageClassifier(early_stopping=True, validation_fraction=0.3, **HOW).fit(X, y)
    whole = ImageClassifier(**HOW).fit(X, y)
    assert model._encoder.mean != whole._encoder.mean
    assert whole._encoder.mean == pytest.approx((X.mean() / 255,))
    assert whole._encoder.std == pytest.approx((X.std() / 255,))


# Bad input


@pytest.mark.parametrize(
    ("X", "y", "error", "words"),
    [
        (np.zeros((4, 12, 12)) + 7, list("abab"), InputError, r"floats must lie between 0 and 1.*divide by 255"),
        (np.full((4, 12, 12), np.nan), list("abab"), InputError, "picture 0 has pixels that are not finite"),
        (np.zeros((4, 12, 12, 7)), list("abab"), InputError, "no axis of 1, 3 or 4 channels"),
        (np.zeros((0, 12, 12), np.uint8), [], InputError, "there are no pictures"),
        (np.zeros((4, 12, 12), np.uint8), list("aaaa"), LabelError, "all labels are 'a'; there must be two"),
        (np.zeros((4, 12, 12), np.uint8), list("ab"), LabelError, "4"),
        (np.zeros((4, 12, 12), np.uint8), None, InputError, "there are no labels"),
        (np.zeros((4, 12, 12), np.uint8), ["a", None, "b", "a"], LabelError, "missing"),
        (np.zeros((4, 12, 12), "U1"), list("abab"), InputError, "pictures must be numbers"),
        (["nowhere.png"] * 4, list("abab"), margin.errors.DataError, "nowhere.png: No such file"),
        (7, [1], margin.errors.MarginError, "pictures of type int cannot be read"),
        (np.zeros((4, 2, 2), np.uint8), list("abab"), ParameterError, "must have 4 pixels or more"),
    ],
)
def test_what_is_no_set_of_pictures_is_refused(X, y, error, words):
    model = ImageClassifier(**HOW)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    with pytest.raises(NotFittedError, match="nothing was learnt yet"):
        model.predict(X)


def test_other_pictures_at_predict_are_refused(learnt):
    with pytest.raises(InputError, match="pictures are 11 x 12 pixels, and those that were learnt 12 x 12"):
        learnt.predict(np.zeros((2, 11, 12), np.uint8))
    with pytest.raises(InputError, match="pictures have 3 channels, and those that were learnt 1"):
        learnt.predict(np.zeros((2, 12, 12, 3), np.uint8))
    with pytest.raises(InputError, match="not finite"):
        learnt.predict(np.full((2, 12, 12), np.inf))


def test_unusable_files_are_left_out_and_named(folder, tmp_path):
    root = tmp_path / "photos"
    for each in folder.rglob("*.png"):
        place = root / each.parent.name / each.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(each.read_bytes())
    (root / "lying" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.warns(DataWarning, match=r"1 of 25 files are left out: .*broken.png"):
        assert ImageClassifier(image_size=12, **HOW).fit(root, Images.read(folder).labels).n_iter_ == 5


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"architecture": "lenet"}, r"did you mean 'lenet5'\?"),
        ({"augmentation": {"turn": 1}}, "augmentation must be None, or a mapping from flip"),
        ({"freeze": "features", "head_epochs": 2}, "give one of the two"),
        ({"freeze": "features.9"}, r"freeze must be 'features', None or the name of a layer with weights"),
        ({"layer_rates": {"nothing": 0.1}}, "there is no layer 'nothing'"),
        ({"channels": 2}, "channels must be None, 1 or 3"),
        ({"image_size": 0}, "image_size must be None, a number of pixels, or height and width"),
    ],
)
def test_parameters_that_cannot_be_are_refused(how, words):
    with pytest.raises(ParameterError, match=words):
        ImageClassifier(**{**HOW, **how}).fit(*pictures(8))


# Files, copies, processes


def test_a_model_comes_back_from_its_file(learnt, tmp_path):
    X, _ = pictures(10, 3)
    asked = learnt.predict_proba(X)
    path = save(learnt, tmp_path / "bars.margin")
    for other in (load(path), load(path, mmap=True), pickle.loads(pickle.dumps(learnt)), copy.deepcopy(learnt)):
        assert np.array_equal(other.predict_proba(X), asked)
        assert other.history_.values("loss").tolist() == learnt.history_.values("loss").tolist()
        assert other.get_params() == learnt.get_params()
    assert to_bytes(load(path)) == to_bytes(learnt)


def test_equal_fits_are_equal_files(learnt):
    assert to_bytes(clone(learnt).fit(*pictures(120))) == to_bytes(learnt)


@pytest.mark.parametrize("name", ["lenet5-1998", "googlenet", "resnet20", "nin"])
def test_networks_of_every_make_come_back(name):
    X, y = pictures(8, side=32)
    model = ImageClassifier(name, epochs=1, batch_size=8, n_jobs=1).fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))


def test_tensors_of_another_network_are_refused(learnt):
    other = copy.copy(learnt)
    other.architecture = "lenet5"
    with pytest.raises(PersistenceError, match=r"the tensor 'features.0.weight' is 32 x 1 x 3 x 3"):
        margin.persistence.from_bytes(to_bytes(other))


# Transfer


@pytest.fixture(scope="module")
def file(learnt, tmp_path_factory):
    path = tmp_path_factory.mktemp("weights") / "bars.safetensors"
    net = learnt.network_
    save_weights(net, path)
    return path


def test_a_frozen_network_learns_its_head_alone(learnt, file):
    X, y = pictures(20, 7)
    model = ImageClassifier(weights=file, freeze="features", epochs=10, batch_size=4, n_jobs=1).fit(X, y)
    for name, tensor in model._tensors.items():
        # Statistics of frozen batch normalisation stay too.
        assert np.array_equal(tensor, learnt._tensors[name]) != name.startswith("classifier"), name
    assert model.score(*pictures(100, 8)) > 0.85


def test_the_head_learns_first_and_then_all_at_smaller_rates(learnt, file):
    X, y = pictures(20, 7)
    how = {"weights": file, "epochs": 3, "n_jobs": 1, "schedule": "constant"}
    model = ImageClassifier(head_epochs=2, layer_rates=0.1, **how)
    moved = []
    for _ in model.training(X, y):
        break
    moved.append(not np.array_equal(model._tensors["features.0.weight"], learnt._tensors["features.0.weight"]))
    model.fit(X, y)
    moved.append(not np.array_equal(model._tensors["features.0.weight"], learnt._tensors["features.0.weight"]))
    assert moved == [False, True]
    still = ImageClassifier(layer_rates={"features": 0.0}, **how).fit(X, y)
    assert np.array_equal(still._tensors["features.0.weight"], learnt._tensors["features.0.weight"])


def test_a_layer_and_those_before_it_can_be_frozen(learnt, file):
    model = ImageClassifier(weights=file, freeze="features.0", epochs=1, n_jobs=1).fit(*pictures(20, 7))
    assert np.array_equal(model._tensors["features.0.weight"], learnt._tensors["features.0.weight"])
    assert not np.array_equal(model._tensors["features.4.weight"], learnt._tensors["features.4.weight"])


def test_a_run_of_stages_goes_on_from_its_checkpoint(file, tmp_path):
    X, y = pictures(20, 7)
    how = {"weights": file, "epochs": 4, "head_epochs": 2, "layer_rates": 0.5, "n_jobs": 1, "augmentation": "shift"}
    whole = ImageClassifier(**how).fit(X, y)
    for epoch in ImageClassifier(checkpoint=tmp_path, **how).training(X, y):
        if epoch.number == 3:
            break
    assert same(ImageClassifier(checkpoint=tmp_path, resume=True, **how).fit(X, y), whole)


def test_features_go_before_any_model_and_are_worked_out_once(learnt, monkeypatch):
    images = Images.from_array(*pictures(40, 9))
    pipeline = make_pipeline(FeatureExtractor(weights=learnt, layer="avgpool", n_jobs=1), margin.LinearSVC())
    asked = []
    inner = FeatureExtractor._worked_out
    monkeypatch.setattr(FeatureExtractor, "_worked_out", lambda self, X: asked.append(len(X)) or inner(self, X))
    result = evaluate(pipeline, images, images.labels, 4)
    assert result.scores["accuracy"].value > 0.8
    assert sum(asked) == 40


def test_the_layer_is_chosen_where_classes_lie_together(learnt):
    X, y = pictures(40, 9)
    extractor = FeatureExtractor(weights=learnt, n_jobs=1).fit(X, y)
    assert extractor.layer_scores_[extractor.layer_] == max(extractor.layer_scores_.values()) > 0.8
    assert len(extractor.layer_scores_) > 2
    assert extractor.transform(X).shape == (40, extractor.n_features_out_)
    assert extractor.transform(X[:0]).shape == (0, extractor.n_features_out_)
    with pytest.raises(InputError, match="labels are needed to compare layers"):
        FeatureExtractor(weights=learnt).fit(X)
    with pytest.raises(ParameterError, match=r"did you mean 'features'\?"):
        FeatureExtractor(weights=learnt, layer="feature").fit(X)


def test_features_are_what_the_layer_says(learnt):
    X, _ = pictures(6, 9)
    features = FeatureExtractor(weights=learnt, layer="features.3", n_jobs=1).fit_transform(X)
    x = torch.tensor((X / 255.0 - learnt._encoder.mean[0]) / learnt._encoder.std[0], dtype=torch.float32)[:, None]
    with torch.inference_mode():
        expected = learnt.network_.features[:4](x).mean(dim=(2, 3)).numpy()
    assert np.allclose(features, expected, atol=1e-5)


# Modules of one's own


def own() -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Sequential(nn.Conv2d(1, 8, 5), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(512, 2))


def test_a_module_is_learnt_as_a_copy():
    net = own()
    before = {name: each.clone() for name, each in net.state_dict().items()}
    model = TorchClassifier(net, **{**HOW, "epochs": 20}).fit(*pictures(120))
    assert model.score(*pictures(100, 2)) > 0.8
    assert all(torch.equal(before[name], each) for name, each in net.state_dict().items())
    X, _ = pictures(4)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))
    with pytest.raises(PersistenceError, match="TorchClassifier"):
        to_bytes(model)


def test_a_module_that_does_not_fit_is_told():
    X, y = pictures(8)
    with pytest.raises(InputError, match="the network has 2 outputs, and there are 3 classes"):
        TorchClassifier(own(), **HOW).fit(X, np.arange(8) % 3)
    with pytest.raises(InputError, match="Sequential cannot take pictures of shape"):
        TorchClassifier(own(), **HOW).fit(X[:, :11, :11], y)
    with torch.random.fork_rng():
        narrow = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(1), nn.Flatten(), nn.Linear(1, 2))
    with pytest.raises(TrainingError, match=r"cannot learn from these cases.*more than 1 value per channel"):
        TorchClassifier(narrow, batch_size=1).fit(X, y)
    with pytest.raises(ParameterError, match="module must be a module of torch"):
        TorchClassifier(7).fit(X, y)


def test_frozen_parameters_of_a_module_stay_frozen():
    net = own()
    net[0].requires_grad_(False)
    model = TorchClassifier(net, **HOW).fit(*pictures())
    assert torch.equal(model.network_[0].weight, net[0].weight)


# The rest of margin


def test_pictures_are_evaluated_calibrated_and_rejected():
    images = Images.from_array(*pictures(60))
    model = ImageClassifier(**{**HOW, "epochs": 3})
    assert evaluate(model, images, images.labels, 2).scores["accuracy"].value > 0.4
    calibrated = CalibratedClassifier(model, cv=2).fit(images, images.labels)
    assert np.allclose(calibrated.predict_proba(images).sum(axis=1), 1)
    assert np.array_equal(calibrated.predict(images.pixels()), calibrated.predict(images))
    again = margin.persistence.from_bytes(to_bytes(calibrated))
    assert np.array_equal(again.predict_proba(images), calibrated.predict_proba(images))
    with pytest.raises(InputError, match=r"X holds Images, which have no columns.*X.matrix\(\)"):
        margin.NaiveBayes().fit(images, images.labels)
    assert len(Reject(model, threshold=0.7, cv=2).fit(images, images.labels).predict(images)) == 60


def test_searches_take_pictures():
    images = Images.from_array(*pictures(40))
    search = margin.GridSearch(ImageClassifier(**{**HOW, "epochs": 1}), {"rate": [1e-3, 1e-2]}, cv=2)
    assert search.fit(images, images.labels).best_params_["rate"] in (1e-3, 1e-2)


def test_a_summary_tells_the_layers_of_a_fitted_network(learnt):
    assert learnt.summary().layers[0].output_shape == (32, 12, 12)
    assert architectures.card(learnt.architecture).name == "small"
