"""A network that reads on and says at each step what comes next; texts cut into streams for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.deep.sequences.cells import recurrent
from margin.deep.sequences.plan import SequencePlan
from margin.deep.training.lessons import Batch
from margin.deep.training.surroundings import threads_of_torch

__all__ = ["ReadingNet", "StreamLessons", "Window", "bits"]

#: Longer texts are judged in pieces side by side, each of which reads so many steps before its own.
PIECE, BEFORE = 2048, 256


@dataclass(frozen=True)
class Window:
    """Codes of some streams (streams, steps); whether they begin here, or go on from the window before."""

    codes: torch.Tensor
    begins: bool

    def to(self, device: torch.device) -> Window:
        """The same there."""
        return Window(self.codes.to(device), self.begins)


class ReadingNet(nn.Module):
    """Codes to logits of the code after each: (streams, steps) to (streams, codes, steps)."""

    def __init__(self, plan: SequencePlan) -> None:
        super().__init__()
        self.plan = plan
        self.embedding = nn.Embedding(plan.n_codes, plan.embedding)
        self.recurrent: Any = recurrent(
            plan.cell, plan.embedding, plan.hidden_size, n_layers=plan.n_layers, dropout=plan.dropout
        )
        self.dropout = nn.Dropout(plan.dropout)
        self.head = nn.Linear(plan.hidden_size, plan.n_codes)
        self._state: Any = None

    def forward(self, x: Window) -> torch.Tensor:
        logits, state = self.read(x.codes, None if x.begins else self._state)
        # Slopes go back to the beginning of a window; the state itself goes on.
        self._state = tuple(each.detach() for each in state) if isinstance(state, tuple) else state.detach()
        return logits.transpose(1, 2)

    def read(self, codes: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        """Logits (streams, steps, codes) and the state to go on from."""
        outputs, state = self.recurrent(self.embedding(codes.T), state)
        return self.head(self.dropout(outputs)).transpose(0, 1), state


@dataclass(frozen=True)
class StreamLessons:
    """A text of codes, read by several streams at once, window after window."""

    codes: np.ndarray
    steps: int
    streams: int

    @property
    def _shape(self) -> tuple[int, int, int]:
        """Streams, windows of each, steps of a window."""
        n = len(self.codes) - 1
        streams = max(1, min(self.streams, n // (2 * self.steps)))
        steps = min(self.steps, n // streams)
        return streams, n // streams // steps, steps

    def __len__(self) -> int:
        streams, windows, _ = self._shape
        return streams * windows

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        """Windows one after the other; where the text is cut into streams is another place in every epoch."""
        streams, windows, steps = self._shape
        turned = np.roll(self.codes.astype(np.int64), -int(random.integers(len(self.codes))))
        used = streams * windows * steps
        inputs, targets = (turned[first : first + used].reshape(streams, -1) for first in (0, 1))
        for at in range(0, windows * steps, steps):
            part = slice(at, at + steps)
            yield Window(torch.from_numpy(inputs[:, part]), at == 0), torch.from_numpy(targets[:, part]), None

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Binary digits of a code, below 0: the more, the better."""
        return -bits(net, self.codes, n_jobs)

    def digest(self) -> str:
        """Words that are others for other texts or windows."""
        return hashlib.sha256(np.ascontiguousarray(self.codes)).hexdigest() + f" {self.steps} {self.streams}"


def bits(net: Any, codes: np.ndarray, n_jobs: int | None) -> float:
    """Binary digits that each code but the first costs on average."""
    wide, total = codes.astype(np.int64), 0.0
    n = len(codes) - 1
    starts = range(0, n, PIECE)
    pieces = [wide[max(0, start - BEFORE) : min(n, start + PIECE) + 1] for start in starts]
    counted = [min(n, start + PIECE) - start for start in starts]
    training, device = net.training, next(net.parameters()).device
    net.eval()
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for length in sorted({len(each) for each in pieces}):
                same = [i for i, each in enumerate(pieces) if len(each) == length]
                for first in range(0, len(same), 16):
                    rows = same[first : first + 16]
                    given = torch.from_numpy(np.stack([pieces[i] for i in rows])).to(device)
                    shares = net.read(given[:, :-1])[0].to("cpu", torch.float64).log_softmax(dim=2)
                    found = shares.gather(2, given[:, 1:, None].cpu())[..., 0].numpy()
                    total -= sum(float(found[j, -counted[i] :].sum()) for j, i in enumerate(rows))
    finally:
        net.train(training)
    return float(total / n / np.log(2.0))
