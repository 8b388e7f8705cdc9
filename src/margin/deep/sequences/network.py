"""A network for sequences: tokens become vectors, a recurrent layer goes through them, and what it kept is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence

from margin.deep.sequences.cells import recurrent
from margin.deep.sequences.plan import SequencePlan
from margin.deep.sequences.ragged import Laid

__all__ = ["Packed", "SequenceNet", "packed"]


@dataclass(frozen=True)
class Packed:
    """A batch: packed steps of the sequences that have any, and which of ``n`` these are."""

    steps: PackedSequence | None
    places: torch.Tensor
    n: int

    def to(self, device: torch.device) -> Packed:
        """The same there."""
        steps = None if self.steps is None else self.steps.to(device)  # type: ignore[arg-type]
        return Packed(steps, self.places.to(device), self.n)


def packed(laid: Laid) -> Packed:
    """A batch as a network takes it; its sequences keep the order of their lengths until the end."""
    places = torch.from_numpy(laid.places)
    if not len(laid.sizes):
        return Packed(None, places, laid.n)
    steps = torch.from_numpy(laid.steps)
    steps = steps.to(torch.int64) if not steps.is_floating_point() else steps
    return Packed(PackedSequence(steps, torch.from_numpy(laid.sizes.astype(np.int64))), places, laid.n)


class SequenceNet(nn.Module):
    """Packed sequences to a row of logits each."""

    def __init__(self, plan: SequencePlan) -> None:
        super().__init__()
        self.plan = plan
        self.embedding = None if not plan.embedding else nn.Embedding(plan.n_codes, plan.embedding)
        if self.embedding is not None:
            with torch.no_grad():
                self.embedding.weight[0] = 0.0  # an unknown token says nothing until some have been learnt from
        self.recurrent: Any = recurrent(
            plan.cell, plan.n_in, plan.hidden_size, n_layers=plan.n_layers, bidirectional=plan.bidirectional,
            activation=plan.activation, biases=plan.biases, dropout=plan.dropout,
        )  # fmt: skip
        self.dropout = nn.Dropout(plan.dropout)
        self.head = nn.Linear(plan.state_size, plan.n_outputs)

    def forward(self, x: Packed) -> torch.Tensor:
        pooled = self.head.weight.new_zeros(x.n, self.plan.state_size)
        if x.steps is not None:
            # An empty sequence is judged by the state that all begin with.
            pooled = pooled.index_copy(0, x.places, self.pooled(x.steps))
        return self.head(self.dropout(pooled))

    def inputs(self, steps: PackedSequence) -> PackedSequence:
        """Steps as the recurrent layer sees them: vectors of tokens, or tokens one-hot."""
        data = steps.data
        if self.embedding is not None:
            data = self.embedding(data)
        elif self.plan.n_codes:
            data = nn.functional.one_hot(data, self.plan.n_codes).to(self.head.weight.dtype)
        return steps._replace(data=data)

    def pooled(self, steps: PackedSequence) -> torch.Tensor:
        """What is kept of each sequence: its last state, or the mean or the maximum of the outputs of all its steps."""
        outputs, state = self.recurrent(self.inputs(steps))
        if self.plan.pooling == "last":
            last = state[0] if isinstance(state, tuple) else state
            return torch.cat([last[-2], last[-1]], dim=1) if self.plan.bidirectional else last[-1]
        filled = -torch.inf if self.plan.pooling == "max" else 0.0
        every, lengths = pad_packed_sequence(outputs, batch_first=True, padding_value=filled)
        if self.plan.pooling == "max":
            return every.amax(dim=1)
        return every.sum(dim=1) / lengths.to(every.device)[:, None]
