"""What a network for sequences is made of, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["SequencePlan"]


@dataclass(frozen=True)
class SequencePlan:
    """``n_codes`` tokens (0 for series of ``width`` numbers) to ``n_outputs`` logits."""

    cell: str
    n_codes: int
    width: int
    embedding: int
    hidden_size: int
    n_layers: int
    bidirectional: bool
    pooling: str
    activation: str
    biases: int
    dropout: float
    n_outputs: int

    @property
    def n_in(self) -> int:
        """Numbers that the recurrent layer is given at each step."""
        return self.embedding or self.n_codes or self.width

    @property
    def state_size(self) -> int:
        return self.hidden_size * (1 + self.bidirectional)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The tensors of such a network by name; no torch is needed to know them."""
        gates = {"rnn": 1, "lstm": 4, "gru": 3}[self.cell]
        wide, found = gates * self.hidden_size, dict[str, tuple[int, ...]]()
        if self.embedding:
            found["embedding.weight"] = (self.n_codes, self.embedding)
        for layer in range(self.n_layers):
            n_in = self.state_size if layer else self.n_in
            for way in ["", "_reverse"][: 1 + self.bidirectional]:
                of = f"_l{layer}{way}"
                found[f"recurrent.weight_ih{of}"] = (wide, n_in)
                found[f"recurrent.weight_hh{of}"] = (wide, self.hidden_size)
                for name in ("bias_ih", "bias_hh")[: self.biases]:
                    found[f"recurrent.{name}{of}"] = (wide,)
        return {**found, "head.weight": (self.n_outputs, self.state_size), "head.bias": (self.n_outputs,)}

    def misfit(self, arrays: Mapping[str, np.ndarray]) -> str | None:
        """The first difference between some tensors and those of such a network; None if they are such."""
        wanted = self.shapes()
        for name in wanted.keys() | arrays.keys():
            if name not in arrays or name not in wanted:
                return f"the tensor {name!r} is {'missing' if name in wanted else 'none of such a network'}"
            if arrays[name].shape != wanted[name] or arrays[name].dtype != np.float32:
                told = " x ".join(map(str, wanted[name]))
                return f"the tensor {name!r} must be {told} of float32"
        return None
