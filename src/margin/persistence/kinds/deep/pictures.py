"""Classifiers of pictures: the frame of their pictures, and the tensors of their network.

Letters: ``e`` epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from margin.deep.pictures.feature_classifier import FeatureClassifier, FeaturesOfPictures
from margin.deep.pictures.feature_extractor import FeatureExtractor
from margin.deep.pictures.image_classifier import ImageClassifier
from margin.deep.pictures.picture_encoder import PictureEncoder
from margin.deep.pictures.pixels import Pixels
from margin.errors import ParameterError
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import (
    Absent,
    Field,
    Fixed,
    Flag,
    MapOf,
    Maybe,
    Model,
    Number,
    Object,
    Text,
    TupleOf,
    Whole,
)
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels

__all__ = ["KINDS", "network"]

SIDE, COUNT = Whole(1, 2**20), Whole(1, 2**53)
RUN: dict[str, Field] = {
    "classes_": Labels("k", distinct=True),
    "_tensors": Object("named-tensors"),
    "loss_curve_": Array("f8", "e", finite),
    "learning_rates_": Array("f8", "e", at_least(0), finite),
    "gradient_norms_": Array("f8", "e", at_least(0)),
    "validation_scores_": Maybe(Array("f8", "e")),
    "best_epoch_": Whole(0, 2**53),
    "n_iter_": Whole(size="e"),
    "stopped_": Flag(),
}


def network(
    name: str, cls: type, fields: Mapping[str, Field], *, check: Callable[[Any], str | None] | None = None
) -> Kind:
    """The kind of a classifier on PyTorch; its tensors must be those of the network that it describes."""

    def whole(made: Any) -> str | None:
        if len(made.classes_) < 2:
            return "it has one class"
        if check is not None and (wrong := check(made)) is not None:
            return wrong
        try:
            return made._tensors.misfit(made._bare_network())
        except ParameterError as error:
            return f"there is no such network ({error})"

    return Kind(name, cls, {**RUN, **fields}, check=whole, derived=frozenset({"_network", "outputs_2d_"}))


def _scales(encoder: PictureEncoder) -> str | None:
    if len(encoder.mean) != encoder.channels or len(encoder.std) != encoder.channels or min(encoder.std) <= 0:
        return "its scale of pixels is that of other colours"
    return None


def _pixels(made: Pixels) -> str | None:
    height, width = made._encoder.size
    if made.n_features_out_ != height * width * made._encoder.channels:
        return "it makes other columns than its pictures have pixels"
    return None


def _extractor(made: FeatureExtractor) -> str | None:
    """A network of that name for such pictures, whose tensors these are, with the layer that is asked."""
    try:
        net = made._bare_network()
    except ParameterError as error:
        return f"there is no such network ({error})"
    if (wrong := made._tensors.misfit(net)) is not None:
        return wrong
    if made.layer_ not in [name for name, _ in net.named_modules() if name]:
        return f"its network has no layer {made.layer_!r}"
    return None


def _classifier_of_features(made: FeatureClassifier) -> str | None:
    if made.classes_.tolist() != made.model_.classes_.tolist():
        return "its model answers with other classes"
    if getattr(made.model_, "n_features_in_", None) != made.features_.n_features_out_:
        return "its model learnt from other columns than its pictures become"
    return None


def _ready(made: FeatureClassifier) -> None:
    made._encoder = FeaturesOfPictures(made.features_)


KINDS = (
    Kind(
        "picture-encoder",
        PictureEncoder,
        {
            "size": Fixed(SIDE, SIDE),
            "channels": Whole(1, 4),
            "image_shape": Maybe(TupleOf(SIDE)),
            "resized": Flag(),
            "mean": TupleOf(Number()),
            "std": TupleOf(Number(0)),
        },
        build=lambda values: PictureEncoder(**values),
        check=_scales,
    ),
    network(
        "image-classifier",
        ImageClassifier,
        {"_encoder": Object("picture-encoder"), "_input_transform": Absent(Flag())},
    ),
    Kind("pixels", Pixels, {"_encoder": Object("picture-encoder"), "n_features_out_": COUNT}, check=_pixels),
    Kind(
        "feature-extractor",
        FeatureExtractor,
        {
            "_encoder": Object("picture-encoder"),
            "_plan": Fixed(Text(), Text("published", "small"), Whole(0, 2**31 - 1)),
            "_tensors": Object("named-tensors"),
            "_input_transform": Absent(Flag()),
            "layer_": Text(),
            "layer_scores_": Absent(Maybe(MapOf(Number(0, 1)))),
            "n_features_out_": COUNT,
        },
        check=_extractor,
        derived=frozenset({"_module", "_key"}),
    ),
    Kind(
        "feature-classifier",
        FeatureClassifier,
        {
            "classes_": Labels("k", distinct=True),
            "features_": Object("pixels", "feature-extractor"),
            "model_": Model(where={"k": lambda found: len(found.classes_)}),
        },
        check=_classifier_of_features,
        derived=frozenset({"_encoder", "outputs_2d_"}),
        finish=_ready,
    ),
)
