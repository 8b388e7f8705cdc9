"""Recurrent layers of torch with one bias, as the lectures write them, or with the two that torch's own have.

h = φ(W_i x + W_r h + b) has one bias for what comes in and what was before; torch keeps two that are only ever added
up (in a GRU nearly so: one of them stands inside the reset). With ``biases=2`` names and shapes are those of torch, and
files of its weights fit.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

__all__ = ["SigmoidRNN", "recurrent"]

CELLS: dict[str, Any] = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
#: The gate of an LSTM that forgets is the second of four.
FORGET = 1


def recurrent(
    cell: str,
    n_in: int,
    n_units: int,
    *,
    n_layers: int = 1,
    bidirectional: bool = False,
    activation: str = "tanh",
    biases: int = 1,
    dropout: float = 0.0,
) -> nn.Module:
    """A recurrent layer (or several), whose forget gates begin open.

    >>> [sum(each.numel() for each in recurrent(cell, 57, 128).parameters()) for cell in ("rnn", "lstm", "gru")]
    [23808, 95232, 71424]
    """
    wide = {"num_layers": n_layers, "bidirectional": bidirectional, "dropout": dropout if n_layers > 1 else 0.0}
    if cell == "rnn" and activation == "sigmoid":
        made: nn.Module = SigmoidRNN(n_in, n_units, n_layers, bidirectional, biases, wide["dropout"])
    elif cell == "rnn":
        made = nn.RNN(n_in, n_units, nonlinearity=activation, **wide)
    else:
        made = CELLS[cell](n_in, n_units, **wide)
    with torch.no_grad():
        for name, each in list(made.named_parameters()):
            if name.startswith("weight_hh"):
                for gate in each.chunk(len(each) // n_units):
                    nn.init.orthogonal_(gate)
            elif name.startswith("bias"):
                each.zero_()
                if cell == "lstm" and name.startswith("bias_ih"):
                    each.chunk(4)[FORGET].fill_(1.0)
    if biases == 1 and not isinstance(made, SigmoidRNN):
        _drop_second_biases(made)
    return made


def _drop_second_biases(made: Any) -> None:
    """Biases of the state become zeros that are neither learnt nor kept; torch's kernels want to be given some."""
    for name in [name for name in made._parameters if name.startswith("bias_hh")]:
        zeros = torch.zeros_like(made._parameters.pop(name)).detach()
        made.register_buffer(name, zeros, persistent=False)
    made._init_flat_weights()


class SigmoidRNN(nn.Module):
    """h = σ(W_i x + W_r h + b), which torch does not have: the same names, and the same way in and out."""

    def __init__(
        self, n_in: int, n_units: int, n_layers: int, bidirectional: bool, biases: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.n_units, self.n_layers, self.ways = n_units, n_layers, ["", "_reverse"][: 1 + bidirectional]
        self.biases, self.dropout = biases, nn.Dropout(dropout)
        bound = n_units**-0.5
        for layer in range(n_layers):
            width = n_in if layer == 0 else n_units * len(self.ways)
            for way in self.ways:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (n_units, width), "weight_hh": (n_units, n_units)}
                shapes |= dict.fromkeys(("bias_ih", "bias_hh")[:biases], (n_units,))
                for name, shape in shapes.items():
                    drawn = torch.empty(shape).uniform_(-bound, bound)
                    self.register_parameter(f"{name}_l{layer}{way}", nn.Parameter(drawn))

    def forward(self, x: PackedSequence) -> tuple[PackedSequence, torch.Tensor]:
        data, sizes, last = x.data, x.batch_sizes.tolist(), []
        for layer in range(self.n_layers):
            data = self.dropout(data) if layer else data
            both = [self._one_way(data, sizes, f"l{layer}{way}", bool(way)) for way in self.ways]
            data = torch.cat([outputs for outputs, _ in both], dim=1)
            last += [state for _, state in both]
        found = torch.stack(last)
        found = found if x.unsorted_indices is None else found.index_select(1, x.unsorted_indices)
        return PackedSequence(data, x.batch_sizes, x.sorted_indices, x.unsorted_indices), found

    def _one_way(
        self, data: torch.Tensor, sizes: list[int], of: str, backwards: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Outputs of every step in their order, and the state of each sequence at its end."""
        given = {
            name: getattr(self, f"{name}_{of}")
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[: 2 + self.biases]
        }
        bias = given["bias_ih"] + given["bias_hh"] if self.biases == 2 else given["bias_ih"]
        into = torch.addmm(bias, data, given["weight_ih"].T).split(sizes)  # type: ignore[no-untyped-call]
        h = data.new_zeros(0 if backwards else sizes[0], self.n_units)
        made, ended = [], []
        for z in reversed(into) if backwards else into:
            n = len(z)
            if backwards:  # sequences that end here begin
                h = torch.cat([h, data.new_zeros(n - len(h), self.n_units)])
            else:
                ended.append(h[n:])
                h = h[:n]
            h = torch.sigmoid(torch.addmm(z, h, given["weight_hh"].T))
            made.append(h)
        if backwards:
            return torch.cat(made[::-1]), h
        return torch.cat(made), torch.cat([h, *ended[::-1]])
