"""Sequences batch by batch, as a network takes them, and what it says of them in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.deep.sequences.network import Packed, packed
from margin.deep.sequences.ragged import Ragged
from margin.deep.training.loop import Loop
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["SequenceBatches", "SequenceLoop", "answered"]

#: Steps and sequences of a piece that is answered at once: its states stay in the processor's cache.
STEPS, ROWS = 8192, 512


@dataclass(frozen=True)
class SequenceBatches:
    """Sequences with codes and weights."""

    rows: Ragged
    codes: np.ndarray
    weight: np.ndarray | None
    device: torch.device

    def of(self, order: np.ndarray, size: int) -> Iterator[tuple[Packed, torch.Tensor, torch.Tensor | None]]:
        """Batches of an order, each of sequences of about one length."""
        for rows in self.rows.batches(order, size):
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows]).to(self.device)
            codes = torch.from_numpy(self.codes[rows]).to(self.device)
            yield packed(self.rows.laid(rows), self.device), codes, weight


class SequenceLoop(Loop):
    """Training on sequences; its held-out rows are sequences too."""

    held_out: Any

    def _score(self) -> float | None:
        held = self.held_out
        if held is None:
            return None
        logits = answered(self.net, held.rows, held.device, self.n_jobs)
        return float(np.average(logits.argmax(axis=1) == held.codes, weights=held.weight))


def answered(net: nn.Module, rows: Ragged, device: torch.device, n_jobs: int | None) -> np.ndarray:
    """Logits, a row for each sequence. The network is left in the mode it was in."""
    training = net.training
    net.eval()
    made: list[tuple[np.ndarray, np.ndarray]] = []
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for piece in rows.pieces(STEPS, ROWS):
                made.append((piece, net(packed(rows.laid(piece), device)).to("cpu", torch.float64).numpy()))
    finally:
        net.train(training)
    found = np.empty((len(rows), made[0][1].shape[1] if made else 0))
    for piece, logits in made:
        found[piece] = logits
    return found
