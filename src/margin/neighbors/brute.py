"""Brute force: every row is looked at."""

from __future__ import annotations

from typing import Self

import numpy as np

__all__ = ["BruteForce"]


class BruteForce:
    """A stand-in in plain NumPy until the native one is merged."""

    name = "brute force"

    def __init__(self, rows: np.ndarray, metric: str, p: float) -> None:
        self.stored, self.metric, self.p = rows, metric, p

    @classmethod
    def build(cls, rows: np.ndarray, metric: str, p: float, leaf_size: int | None, n_threads: int) -> Self:
        return cls(rows, metric, p)

    @property
    def n_rows(self) -> int:
        return len(self.stored)

    def rows(self) -> np.ndarray:
        """The training rows, place by place."""
        return self.stored

    def _all(self, queries: np.ndarray) -> np.ndarray:
        gaps = np.abs(queries[:, None] - self.stored[None].astype(np.float64))
        if self.metric == "euclidean":
            return np.sqrt((gaps**2).sum(axis=2))
        if self.metric == "manhattan":
            return gaps.sum(axis=2)
        top = gaps.max(axis=2)
        if self.metric == "chebyshev":
            return top
        share = gaps / np.where(top > 0, top, 1.0)[:, :, None]
        return top * (share**self.p).sum(axis=2) ** (1 / self.p)

    def nearest(self, queries: np.ndarray, k: int, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        distance = self._all(queries)
        place = np.argsort(distance, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(distance, place, axis=1), place

    def within(self, queries: np.ndarray, radius: float, n_threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        distance = self._all(queries)
        place = np.argsort(distance, axis=1, kind="stable")
        distance = np.take_along_axis(distance, place, axis=1)
        inside = distance <= radius
        return np.concatenate([[0], inside.sum(axis=1).cumsum()]), distance[inside], place[inside]
