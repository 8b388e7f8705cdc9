"""Sequences batch by batch, as a network takes them, and what it says of them in pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from margin.deep.sequences.network import packed
from margin.deep.sequences.ragged import Ragged
from margin.deep.training.lessons import Batch
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["SequenceLessons", "answered"]

#: Steps and sequences of a piece that is answered at once: its states stay in the processor's cache.
STEPS, ROWS = 8192, 512


@dataclass(frozen=True)
class SequenceLessons:
    """Sequences with codes and weights."""

    rows: Ragged
    codes: np.ndarray
    weight: np.ndarray | None

    def __len__(self) -> int:
        return len(self.codes)

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        """Batches of an order, each of sequences of about one length."""
        for rows in self.rows.batches(order, size):
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows])
            yield packed(self.rows.laid(rows)), torch.from_numpy(self.codes[rows]), weight

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Accuracy."""
        found = answered(net, self.rows, n_jobs).argmax(axis=1)
        return float(np.average(found == self.codes, weights=self.weight))

    def digest(self) -> str:
        """Words that are others for other sequences, classes or weights."""
        found = hashlib.sha256()
        for each in (self.rows.flat, self.rows.lengths, self.codes, self.weight):
            found.update(b"" if each is None else np.ascontiguousarray(each))
        return found.hexdigest()


def answered(net: nn.Module, rows: Ragged, n_jobs: int | None) -> np.ndarray:
    """Logits, a row for each sequence. The network is left in the mode it was in."""
    training, device = net.training, next(net.parameters()).device
    net.eval()
    made: list[tuple[np.ndarray, np.ndarray]] = []
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for piece in rows.pieces(STEPS, ROWS):
                logits = net(packed(rows.laid(piece)).to(device))
                made.append((piece, logits.to("cpu", torch.float64).numpy()))
    finally:
        net.train(training)
    found = np.empty((len(rows), made[0][1].shape[1] if made else 0))
    for piece, logits in made:
        found[piece] = logits
    return found
