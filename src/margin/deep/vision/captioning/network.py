"""A network that says word after word about a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from margin.deep.vision.making import made_network
from margin.deep.vision.seeing import Eye, recurrent_weights

__all__ = ["CaptionNet", "CaptionPlan", "Spoken", "caption_loss", "caption_net"]

CELLS: dict[str, Any] = {"lstm": nn.LSTMCell, "gru": nn.GRUCell, "rnn": nn.RNNCell}


@dataclass(frozen=True)
class CaptionPlan:
    """What the network is made of; ``n_codes`` are words, the unknown one and the mark of the end."""

    channels: int
    size: tuple[int, int]
    n_codes: int
    width: int
    hidden_size: int
    embedding: int
    cell: str
    inject: str
    attention: bool
    dropout: float


@dataclass(frozen=True)
class Spoken:
    """A batch: pictures, the picture of each caption, and codes of words, of which -1 is nothing."""

    pictures: torch.Tensor
    which: torch.Tensor
    codes: torch.Tensor


class CaptionNet(nn.Module):
    """The picture is given to a recurrent network, which says at each step how probable each next word is.

    "start" makes its first state of the picture, "first_word" gives the picture before the first word, "each_step" with
    every word. With attention it looks at each step at the places of the picture that its state asks for (Xu et al.
    2015).
    """

    def __init__(self, plan: CaptionPlan) -> None:
        super().__init__()
        self.plan = plan
        self.eye = Eye(plan.channels, plan.width, plan.size)
        places = self.eye.sides[0] * self.eye.sides[1]
        hidden, embedding, maps = plan.hidden_size, plan.embedding, self.eye.maps
        self.gist = nn.Linear(places * maps, hidden)
        self.words = nn.Embedding(plan.n_codes, embedding)
        inputs = embedding + (hidden if plan.inject == "each_step" else 0) + (maps if plan.attention else 0)
        if plan.inject == "first_word":
            self.as_word = nn.Linear(hidden, embedding)
        self.cell = CELLS[plan.cell](inputs, hidden)
        if plan.attention:
            self.asked, self.seen = nn.Linear(hidden, hidden), nn.Linear(maps, hidden)
            self.fits = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(plan.dropout)
        self.head = nn.Linear(hidden + (maps if plan.attention else 0), plan.n_codes)

    def initialise(self, random: torch.Generator) -> None:
        recurrent_weights(self, random)

    def forward(self, x: Spoken) -> torch.Tensor:
        """Logits (captions, codes, steps) of each word from those before it."""
        memory = self.look(x.pictures)
        state, memory = self.begin(memory)
        state, memory = self.of_rows(state, x.which), self.of_rows(memory, x.which)
        said = functional.pad(x.codes[:, :-1].clamp_min(0), (1, 0), value=self.plan.n_codes - 1)
        made = []
        for step in range(said.shape[1]):
            logits, state, _ = self.next(said[:, step], state, memory)
            made.append(logits)
        return torch.stack(made, dim=2)

    def look(self, pictures: torch.Tensor) -> dict[str, torch.Tensor]:
        """What is kept of pictures: their places, and the gist of them."""
        places = self.eye(pictures)
        kept = {"places": places, "gist": functional.relu(self.gist(places.flatten(1)))}
        if self.plan.attention:
            kept["seen"] = self.seen(places)
        return kept

    def begin(self, memory: dict[str, torch.Tensor]) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """The state before the first word."""
        gist = memory["gist"]
        inject = self.plan.inject
        state = {"h": torch.tanh(gist) if inject == "start" else torch.zeros_like(gist), "c": torch.zeros_like(gist)}
        if inject == "first_word":
            state, _ = self._step(self.as_word(gist), state, memory)
        return state, memory

    def next(
        self, codes: torch.Tensor, state: dict[str, torch.Tensor], memory: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor], torch.Tensor | None]:
        """Logits of the word after codes, the state then, and with attention how much each place was looked at."""
        state, looked = self._step(self.words(codes), state, memory)
        h = state["h"]
        if looked is not None:
            h = torch.cat([h, torch.einsum("np,npm->nm", looked, memory["places"])], dim=1)
        return self.head(self.dropout(h)), state, looked

    def _step(
        self, word: torch.Tensor, state: dict[str, torch.Tensor], memory: dict[str, torch.Tensor]
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor | None]:
        inputs, looked = [word], None
        if self.plan.inject == "each_step":
            inputs.append(memory["gist"])
        if self.plan.attention:
            asked = torch.tanh(self.asked(state["h"])[:, None] + memory["seen"])
            looked = self.fits(asked)[..., 0].softmax(dim=1)
            inputs.append(torch.einsum("np,npm->nm", looked, memory["places"]))
        given = torch.cat(inputs, dim=1) if len(inputs) > 1 else word
        if self.plan.cell == "lstm":
            h, c = self.cell(given, (state["h"], state["c"]))
            return {"h": h, "c": c}, looked
        return {"h": self.cell(given, state["h"]), "c": state["c"]}, looked

    @staticmethod
    def of_rows(kept: dict[str, torch.Tensor], rows: torch.Tensor) -> dict[str, torch.Tensor]:
        """What is kept of some rows."""
        if len(rows) == len(kept.get("gist", kept.get("h"))) and bool((rows == torch.arange(len(rows))).all()):  # type: ignore[arg-type]
            return kept
        return {name: each[rows] for name, each in kept.items()}


def caption_net(plan: CaptionPlan, device: str, seed: int) -> CaptionNet:
    return made_network(lambda: CaptionNet(plan), device, seed)


def caption_loss(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Minus the logarithm of each caption's probability, over its words and its end."""
    costs = functional.cross_entropy(logits, codes, ignore_index=-1, reduction="none")
    return costs.sum(dim=1) / (codes >= 0).sum(dim=1)
