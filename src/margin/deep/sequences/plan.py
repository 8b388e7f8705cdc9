"""What a network for sequences is made of, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

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
