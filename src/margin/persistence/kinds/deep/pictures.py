"""Classifiers of pictures: the frame of their pictures, and the tensors of their network.

Letters: ``e`` epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from margin.deep.pictures.image_classifier import ImageClassifier
from margin.deep.pictures.picture_encoder import PictureEncoder
from margin.errors import ParameterError
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Field, Fixed, Flag, Maybe, Number, Object, TupleOf, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels

__all__ = ["KINDS", "network"]

SIDE = Whole(1, 2**20)
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
)
