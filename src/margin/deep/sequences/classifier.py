"""A recurrent network for classes of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.representation import Learnt, TrainingRows
from margin.data.sequences import Sequences
from margin.deep.fitting.network_classifier import NetworkClassifier
from margin.deep.fitting.trained_network import Device, OptimizerName, PrecisionName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.sequences.encoding import AsSequences, SequenceEncoder
from margin.deep.sequences.plan import SequencePlan
from margin.deep.sequences.ragged import Ragged
from margin.errors import InputError, ParameterError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Seed, Share
from margin.random import seed_for
from margin.typing import WeightsLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["SequenceClassifier"]


class SequenceClassifier(NetworkClassifier):
    r"""Reads a sequence step by step, and answers by the state that it has at the end.

    The state after step t is :math:`h_t = \varphi(W_i x_t + W_r h_{t-1} + b)`, with the same weights at each step, and
    its linear function becomes probabilities by softmax. What a plain network of this kind saw long ago is lost in the
    product of as many slopes (:func:`margin.deep.memory` shows it); the gates of an LSTM or a GRU can keep it. One
    epoch is :math:`O(S\,h\,(h + d))` for S steps in all of d numbers and h units.

    Parameters
    ----------
    cell
        "rnn", "lstm" (its forget gates begin open) or "gru".
    hidden_size
        Units of a layer.
    n_layers
        Layers, each of which reads the outputs of the one below.
    bidirectional
        Whether a second network reads each sequence from its end.
    pooling
        What is kept of a sequence: its "last" state, or the "mean" or "max" of the outputs of all steps.
    activation
        φ of an RNN: "tanh", "sigmoid" or "relu".
    two_biases
        Whether each cell has the two biases of PyTorch's own, instead of the one of the formula.
    tokens
        What a step of a text is: "characters" or "words". Series of numbers, and lists of words, have steps already.
    embedding
        Numbers that stand for a token and are learnt along; None for tokens one-hot, "auto" for 32, 64 of words.
    min_count
        Tokens that fewer training texts hold are unknown ones, and so is what comes later.
    max_tokens
        Tokens at most, the most frequent ones.
    max_length
        Steps that are read of a sequence; of longer ones the first.
    dropout
        The share of what is kept of a sequence, and of what goes from layer to layer, that is left out by chance.

    Notes
    -----
    Batches are of sequences of about one length, and none is filled up: an answer does not depend on what else is
    asked along with it, last digits apart. Numbers are put on one scale, learnt in training. An empty sequence is
    judged by the state that all begin with.

    References
    ----------
    Elman (1990); Hochreiter, Schmidhuber (1997); Gers, Schmidhuber, Cummins (2000); Cho et al. (2014).

    Examples
    --------
    >>> texts = ["aab", "abab", "ba", "bbb"] * 8
    >>> ends = [text[-1] for text in texts]
    >>> model = SequenceClassifier("rnn", 8, epochs=20, batch_size=8, rate=0.02, n_jobs=1).fit(texts, ends)
    >>> model.predict(["bba", "aaab"]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        cell: Literal["rnn", "lstm", "gru"] = "lstm",
        hidden_size: Count = 128,
        *,
        n_layers: Count = 1,
        bidirectional: Flag = False,
        pooling: Literal["last", "mean", "max"] = "last",
        activation: Literal["tanh", "sigmoid", "relu"] = "tanh",
        two_biases: Flag = False,
        tokens: Literal["characters", "words"] = "characters",
        embedding: Count | Literal["auto"] | None = "auto",
        min_count: Count = 2,
        max_tokens: Count = 20_000,
        max_length: Count = 1000,
        dropout: Below1 = 0.0,
        epochs: Count = 10,
        batch_size: Count = 64,
        optimizer: OptimizerName = "adam",
        rate: Positive = 0.003,
        schedule: ScheduleName = "cosine",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        label_smoothing: Below1 = 0.0,
        ema: Below1 = 0.0,
        class_weight: ClassWeight = None,
        checkpoint: Folder = None,
        resume: Flag = False,
        device: Device = "cpu",
        precision: PrecisionName = "float32",
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.cell, self.hidden_size, self.n_layers = cell, hidden_size, n_layers
        self.bidirectional, self.pooling = bidirectional, pooling
        self.activation, self.two_biases = activation, two_biases
        self.tokens, self.embedding = tokens, embedding
        self.min_count, self.max_tokens, self.max_length = min_count, max_tokens, max_length
        self.dropout = dropout
        self._take_parameters(locals())

    _encoder: SequenceEncoder

    @property
    def representation(self) -> AsSequences:  # type: ignore[override]
        return AsSequences(self.tokens, int(self.min_count), int(self.max_tokens), int(self.max_length))

    def _check_together(self) -> None:
        super()._check_together()
        if self.cell != "rnn" and self.activation != "tanh":
            raise ParameterError(
                f"{type(self).__name__}(cell={self.cell!r}, activation={self.activation!r}): the gates of an LSTM or a "
                "GRU have functions of their own; activation is for cell='rnn'."
            )

    # ---- Cases.

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        source = Sequences.of(X, who)
        if not len(source):
            raise InputError(f"{who}: X has no sequences to learn from: 0 sample(s) while a minimum of 1 is required.")
        return TrainingRows.that_count(source, sample_weight, who)

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        width = max(1, rows.source.width)
        learnt = self.representation.learn(Columns(width), rows, who)
        if not learnt.data.lengths.any():
            raise InputError(f"{who}: all sequences are empty.")
        self._encoder, self.n_features_in_ = learnt.encoder, width
        return learnt

    def _lessons(self, cases: Ragged, codes: np.ndarray, weight: np.ndarray | None, learning: bool) -> Lessons:
        from margin.deep.sequences.batches import SequenceLessons

        return SequenceLessons(cases, codes, weight)

    # ---- The network.

    @property
    def plan_(self) -> SequencePlan:
        """What the network is made of."""
        encoder = self._fitted("plan_")._encoder
        embedding = self.embedding
        if embedding == "auto":
            embedding = 32 if encoder.vocabulary is not None and encoder.vocabulary.form == "characters" else 64
        return SequencePlan(
            self.cell, encoder.n_codes, encoder.width, int(embedding or 0) if encoder.n_codes else 0,
            int(self.hidden_size), int(self.n_layers), bool(self.bidirectional), self.pooling, self.activation,
            1 + bool(self.two_biases), float(self.dropout), len(self.classes_),
        )  # fmt: skip

    def _first_network(self) -> nn.Module:
        return self._network_from(seed_for(self.random_state, "first weights", bits=63))

    def _bare_network(self) -> nn.Module:
        # Not without memory: the zeros that stand for second biases are in no file.
        return self._network_from(0)

    def _network_from(self, seed: int) -> nn.Module:
        from margin.deep.sequences.network import SequenceNet
        from margin.deep.training.surroundings import OwnRandom, threads_of_torch

        with threads_of_torch(self.n_jobs), OwnRandom(seed):
            return SequenceNet(self.plan_)

    def _logits(self, cases: Ragged) -> np.ndarray:
        from margin.deep.sequences.batches import answered

        return answered(self.network_, cases, self.n_jobs)

    def _memory_parts(self, x: Any, who: str) -> tuple[SequencePlan, Any, np.ndarray, tuple[str, ...] | None]:
        """What :func:`margin.deep.memory` asks for: the network in plain numbers, and a sequence as it sees it."""
        fitted = self._fitted("memory")
        known = fitted._encoder.vocabulary
        tokens = None if known is None else tuple(known.parts(x, known.form)[: int(self.max_length)])
        return fitted.plan_, fitted._tensors, fitted._encoder.encode([x], who).flat, tokens
