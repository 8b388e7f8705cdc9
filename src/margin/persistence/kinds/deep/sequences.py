"""Recurrent networks: tensors by name, and what they know of tokens and numbers. Reading them needs no PyTorch.

Letters: ``e`` epochs; ``w`` numbers of a step.
"""

from __future__ import annotations

from typing import Any

from margin import params
from margin.deep.sequences.classifier import SequenceClassifier
from margin.deep.sequences.encoding import SequenceEncoder
from margin.deep.sequences.ngrams import TextStream
from margin.deep.sequences.reader import SequenceModel
from margin.deep.sequences.vocabulary import Vocabulary
from margin.errors import MarginError
from margin.persistence.objects.arrays import Array, at_least, finite, positive
from margin.persistence.objects.fields import Field, Flag, Maybe, Object, Text, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels, Texts

__all__ = ["KINDS"]

COUNT = Whole(0, 2**53)
LEARNT: dict[str, Field] = {
    "_tensors": Object("named-tensors"),
    "loss_curve_": Array("f8", "e", finite),
    "learning_rates_": Array("f8", "e", at_least(0)),
    "gradient_norms_": Array("f8", "e", at_least(0)),
    "validation_scores_": Maybe(Array("f8", "e")),
    "best_epoch_": COUNT,
    "n_iter_": COUNT,
    "stopped_": Flag(),
}


def _vocabulary(found: Vocabulary) -> str | None:
    if len(set(found.tokens)) < len(found.tokens):
        return "a token stands there twice"
    return None


def _encoder(found: SequenceEncoder) -> str | None:
    if found.max_length < 1 or (found.vocabulary is None) == (found.width == 0):
        return "it must know tokens or numbers, and not both"
    return None


def _network(made: Any) -> str | None:
    """Parameters that may be such, tensors of the network they ask for, and a curve of all epochs."""
    try:
        params.check(made)
        plan = made.plan_
    except MarginError as error:
        return str(error)
    if made.n_iter_ != len(made.loss_curve_) or made.best_epoch_ > made.n_iter_:
        return "it counts other epochs than there were"
    found: str | None = plan.misfit(made._tensors)
    return found


def _classifier(made: SequenceClassifier) -> str | None:
    if made.n_features_in_ != max(1, made._encoder.width):
        return "it was given other numbers than its encoder knows"
    return _network(made)


KINDS: tuple[Kind, ...] = (
    Kind(
        "vocabulary",
        Vocabulary,
        {"tokens": Texts(), "form": Text("characters", "words", "tokens")},
        derived=frozenset({"_codes"}),
        build=lambda values: Vocabulary(values["tokens"], values["form"]),
        check=_vocabulary,
    ),
    Kind(
        "sequence-encoder",
        SequenceEncoder,
        {
            "vocabulary": Maybe(Object("vocabulary")),
            "center": Array("f8", "w", finite),
            "spread": Array("f8", "w", positive, finite),
            "max_length": Whole(1, 2**53),
        },
        check=_encoder,
    ),
    Kind("text-stream", TextStream, {"vocabulary": Object("vocabulary")}),
    Kind(
        "sequence-classifier",
        SequenceClassifier,
        {
            "classes_": Labels("k", distinct=True),
            "_encoder": Object("sequence-encoder"),
            "n_features_in_": Whole(1, 2**31 - 1),
            **LEARNT,
        },
        check=_classifier,
        derived=frozenset({"_network"}),
    ),
    Kind(
        "sequence-model",
        SequenceModel,
        {"_encoder": Object("text-stream"), "_ends": Flag(), **LEARNT},
        check=_network,
        derived=frozenset({"_network"}),
    ),
)
