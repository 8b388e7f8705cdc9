"""Networks that answer with masks, sentences and words: what they know of pictures and words, and their tensors.

Letters: ``e`` epochs; ``k`` classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from margin import params
from margin.deep.vision.captioning.answerer import QuestionAnswerer, QuestionEncoder
from margin.deep.vision.captioning.captioner import Captioner
from margin.deep.vision.captioning.words import Sentences
from margin.deep.vision.given import PictureScale
from margin.deep.vision.proposals.deepmask import DeepMask
from margin.deep.vision.segmentation.plan import ARCHITECTURES, SegmentationPlan
from margin.deep.vision.segmentation.segmenter import Segmenter
from margin.errors import MarginError
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Field, Flag, Maybe, Number, Object, Text, TupleOf, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels

__all__ = ["KINDS"]

#: Halvings, at most; and maps or units of a layer.
DEEPEST, WIDEST = 12, 2**16
RUN: dict[str, Field] = {
    "_tensors": Object("named-tensors"),
    "loss_curve_": Array("f8", "e", finite),
    "learning_rates_": Array("f8", "e", at_least(0), finite),
    "gradient_norms_": Array("f8", "e", at_least(0)),
    "validation_scores_": Maybe(Array("f8", "e")),
    "best_epoch_": Whole(0, 2**53),
    "n_iter_": Whole(size="e"),
    "stopped_": Flag(),
}


def network(name: str, cls: type, fields: Mapping[str, Field], check: Callable[[Any], str | None]) -> Kind:
    """The kind of a model whose tensors must be those of the network that it describes."""

    def whole(made: Any) -> str | None:
        try:
            params.check(made)
            if (wrong := check(made)) is not None:
                return wrong
            found: str | None = made._tensors.misfit(made._bare_network())
        except (MarginError, RuntimeError, OverflowError) as error:
            return f"there is no such network ({error})"
        return found

    return Kind(name, cls, {**RUN, **fields}, check=whole, derived=frozenset({"_network", "outputs_2d_"}))


def _scale(made: PictureScale) -> str | None:
    if len(made.mean) != made.channels or len(made.std) != made.channels or min(made.std) <= 0:
        return "its scale of pixels is that of other colours"
    return None


def _masks(made: Segmenter) -> str | None:
    plan = made._plan
    if len(made.classes_) < 2 or plan.n_classes != len(made.classes_):
        return "its classes are others than those of its network"
    if plan.channels != made._encoder.channels or plan.architecture != made.architecture or plan.width != made.width:
        return "its network is that of other pictures or parameters"
    return None


def _too_flat(made: SegmentationPlan) -> str | None:
    return "it has too few halvings" if made.depth < {"fcn16": 2, "fcn8": 3}.get(made.architecture, 1) else None


def _narrow(*widths: int) -> str | None:
    return "it has layers wider than any" if max(widths) > WIDEST else None


def _says(made: Captioner) -> str | None:
    return _narrow(made.encoder, made.hidden_size, made.embedding)


def _proposes(made: DeepMask) -> str | None:
    if not made.scales_ or min(made.scales_) <= 0 or max(made.scales_) > 2**10 or len(made.scales_) > 2**6:
        return "it looks at pictures in no size, or in too many"
    if made.plan_.map_size < 1 or made.patch > 2**12:
        return "its patches are too small for its trunk, or larger than any"
    return _narrow(made.width, made.rank, made.mask)


def _answers(made: QuestionAnswerer) -> str | None:
    if len(made.classes_) < 2:
        return "it has one answer"
    return _narrow(made.width, made.hidden_size, made.embedding)


KINDS = (
    Kind(
        "picture-scale",
        PictureScale,
        {"channels": Whole(1, 4), "mean": TupleOf(Number()), "std": TupleOf(Number(0))},
        build=lambda values: PictureScale(**values),
        check=_scale,
    ),
    Kind(
        "segmentation-plan",
        SegmentationPlan,
        {
            "architecture": Text(*ARCHITECTURES),
            "channels": Whole(1, 4),
            "n_classes": Whole(2, WIDEST),
            "width": Whole(1, WIDEST),
            "depth": Whole(1, DEEPEST),
            "padding": Text("same", "valid"),
            "batch_norm": Flag(),
        },
        build=lambda values: SegmentationPlan(**values),
        check=_too_flat,
    ),
    network(
        "segmenter",
        Segmenter,
        {
            "classes_": Labels("k", distinct=True),
            "_encoder": Object("picture-scale"),
            "_plan": Object("segmentation-plan"),
        },
        _masks,
    ),
    network("deep-mask", DeepMask, {"_encoder": Object("picture-scale"), "scales_": TupleOf(Number(0))}, _proposes),
    Kind(
        "sentences",
        Sentences,
        {"vocabulary": Object("vocabulary"), "max_length": Whole(1, 2**31)},
        build=lambda values: Sentences(**values),
    ),
    network("captioner", Captioner, {"_encoder": Object("picture-encoder"), "_sentences": Object("sentences")}, _says),
    Kind(
        "question-encoder",
        QuestionEncoder,
        {"pictures": Object("picture-encoder"), "sentences": Object("sentences")},
        build=lambda values: QuestionEncoder(**values),
    ),
    network(
        "question-answerer",
        QuestionAnswerer,
        {"classes_": Labels("k", distinct=True), "_encoder": Object("question-encoder")},
        _answers,
    ),
)
