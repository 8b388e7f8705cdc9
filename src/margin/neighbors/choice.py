"""Which index serves which rows, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from margin.neighbors.brute import BruteForce

__all__ = ["Algorithm", "IndexChoice", "build_index"]

Algorithm = Literal["auto", "kd_tree", "ball_tree", "brute"]


@dataclass(frozen=True)
class IndexChoice:
    """The index a model searches with, and why this one."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def build_index(
    rows: Any, metric: Any, p: float, algorithm: Algorithm, leaf_size: int | None, n_threads: int, who: str
) -> tuple[Any, IndexChoice]:
    """The index that serves these rows, and the reason for it."""
    return BruteForce.build(rows, metric, p, leaf_size, n_threads), IndexChoice("brute force", "nothing else yet")
