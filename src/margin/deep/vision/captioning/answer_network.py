"""A network that answers questions about pictures, and its batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from margin.data.images import Images
from margin.deep.training.lessons import Batch
from margin.deep.training.pixel_scale import PixelScale
from margin.deep.training.surroundings import threads_of_torch
from margin.deep.vision.captioning.lessons import grouped
from margin.deep.vision.making import made_network
from margin.deep.vision.seeing import Eye, recurrent_weights

__all__ = ["AnswerNet", "AnswerPlan", "QuestionLessons", "answer_net", "answered"]


@dataclass(frozen=True)
class AnswerPlan:
    """What the network is made of."""

    channels: int
    size: tuple[int, int]
    n_codes: int
    n_classes: int
    width: int
    hidden_size: int
    embedding: int
    sees: str


@dataclass(frozen=True)
class Questions:
    """A batch: pictures, the picture of each question, and codes of words, of which -1 is nothing."""

    pictures: torch.Tensor
    which: torch.Tensor
    codes: torch.Tensor


class AnswerNet(nn.Module):
    """Each place of the picture is read in the light of the question; what all places say is added up.

    The question is read by a GRU. What it says is added to the maps at each place before they are cut off at 0 (twice),
    so that places which it is not about can fall silent. With ``sees`` "question" or "picture" the other one is not
    looked at.
    """

    def __init__(self, plan: AnswerPlan) -> None:
        super().__init__()
        self.plan = plan
        hidden = plan.hidden_size
        if plan.sees != "question":
            self.eye = Eye(plan.channels, plan.width, plan.size)
            self.seen = nn.Linear(self.eye.maps, hidden)
            self.again = nn.Linear(hidden, hidden)
        if plan.sees != "picture":
            self.words = nn.Embedding(plan.n_codes, plan.embedding)
            self.reader = nn.GRUCell(plan.embedding, hidden)
            self.asked, self.asked_again = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        parts = {"question": 1, "picture": 2, "both": 3}[plan.sees]
        self.inner = nn.Linear(parts * hidden, hidden)
        self.head = nn.Linear(hidden, plan.n_classes)

    def initialise(self, random: torch.Generator) -> None:
        recurrent_weights(self, random)

    def forward(self, x: Questions) -> torch.Tensor:
        asked = self._read(x.codes) if self.plan.sees != "picture" else None
        parts = [] if asked is None else [asked]
        if self.plan.sees != "question":
            places = self.seen(self.eye(x.pictures))[x.which]
            places = functional.relu(places if asked is None else places + self.asked(asked)[:, None])
            places = self.again(places)
            places = functional.relu(places if asked is None else places + self.asked_again(asked)[:, None])
            parts += [places.sum(dim=1) / 4, places.amax(dim=1)]
        found: torch.Tensor = self.head(functional.relu(self.inner(torch.cat(parts, dim=1))))
        return found

    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        """The state after the last word of each question; equal questions are read once."""
        different, back = torch.unique(codes, dim=0, return_inverse=True)
        h = self.words.weight.new_zeros(len(different), self.plan.hidden_size)
        for word in different.unbind(dim=1):
            h = torch.where((word >= 0)[:, None], self.reader(self.words(word.clamp_min(0)), h), h)
        return h[back]


def answer_net(plan: AnswerPlan, device: str, seed: int) -> AnswerNet:
    return made_network(lambda: AnswerNet(plan), device, seed)


@dataclass(frozen=True)
class QuestionLessons:
    """A case is a question; those about one picture come together, so that it is looked at once."""

    images: Images
    which: np.ndarray
    codes: np.ndarray
    answers: np.ndarray
    weight: np.ndarray | None
    scale: PixelScale

    def __len__(self) -> int:
        return len(self.which)

    def of(self, order: np.ndarray, size: int, random: np.random.Generator) -> Iterator[Batch]:
        for rows in grouped(order, self.which, size):
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows])
            yield self.batch(rows), torch.from_numpy(self.answers[rows]), weight

    def batch(self, rows: np.ndarray) -> Questions:
        pictures, back = np.unique(self.which[rows], return_inverse=True)
        x = self.scale.applied(self.images.take(pictures).pixels(), torch.device("cpu"))
        return Questions(x, torch.from_numpy(back.reshape(-1)), torch.from_numpy(self.codes[rows]))

    def score(self, net: nn.Module, n_jobs: int | None) -> float:
        """Accuracy."""
        return float(np.average(answered(net, self, n_jobs).argmax(axis=1) == self.answers, weights=self.weight))

    def digest(self) -> str:
        found = hashlib.sha256(repr(self.scale).encode())
        for each in (*self.images, self.which, self.codes, self.answers, self.weight):
            found.update(b"" if each is None else np.ascontiguousarray(each))
        return found.hexdigest()


def answered(net: nn.Module, cases: QuestionLessons, n_jobs: int | None) -> np.ndarray:
    """Logits, a row for each question."""
    made: np.ndarray | None = None
    training = net.training
    net.eval()
    try:
        with threads_of_torch(n_jobs), torch.inference_mode():
            for rows in grouped(np.arange(len(cases)), cases.which, 256):
                found = net(cases.batch(rows)).double().numpy()
                made = np.zeros((len(cases), found.shape[1])) if made is None else made
                made[rows] = found
    finally:
        net.train(training)
    assert made is not None
    return made
