"""What a network is made of, layer by layer."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.readout import shown_in_notebooks

__all__ = ["LayerSummary", "NetworkSummary", "summarise"]


@dataclass(frozen=True)
class LayerSummary:
    """One layer: what it is, what becomes of the width of a row in it, and how many numbers it has learnt."""

    name: str
    inputs: int
    outputs: int
    parameters: int


@shown_in_notebooks
@dataclass(frozen=True)
class NetworkSummary:
    """All layers from the columns of the table to the answer."""

    layers: tuple[LayerSummary, ...]

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""
        return sum(layer.parameters for layer in self.layers)

    def __str__(self) -> str:
        wide = max(len(layer.name) for layer in self.layers) + 2
        lines = [f"{'layer':<{wide}}{'inputs':>9}{'outputs':>9}{'parameters':>13}"]
        lines += [f"{e.name:<{wide}}{e.inputs:>9,}{e.outputs:>9,}{e.parameters:>13,}" for e in self.layers]
        return "\n".join([*lines, f"{'in all':<{wide}}{'':>18}{self.parameters:>13,}"])


def summarise(
    units: Sequence[int], activation: str, embeddings: Mapping[str, np.ndarray], settings: Any
) -> NetworkSummary:
    """The layers of a network of some units; ``settings`` has ``batch_norm``, ``dropout`` and ``out_activation_``."""
    found = [LayerSummary(f"vectors of {name}", 1, each.shape[1], each.size) for name, each in embeddings.items()]
    pairs = list(itertools.pairwise(units))
    for i, (n_in, n_out) in enumerate(pairs):
        # With batch norm its shift is the intercept.
        found.append(LayerSummary("linear", n_in, n_out, (n_in + 1) * n_out))
        if i + 1 == len(pairs):
            found.append(LayerSummary(settings.out_activation_, n_out, n_out, 0))
            break
        if settings.batch_norm:
            found.append(LayerSummary("batch norm", n_out, n_out, n_out))
        found.append(LayerSummary(activation, n_out, n_out, 0))
        if settings.dropout:
            found.append(LayerSummary(f"dropout {settings.dropout:g}", n_out, n_out, 0))
    return NetworkSummary(tuple(found))
