"""Cases drawn anew with replacement, once for all metrics that are to be resampled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Draws", "drawn_counts"]

#: Numbers drawn at once, so that memory stays small; so many are also kept for the next metric.
CHUNK = 1_000_000
_KEPT = 5_000_000


class Draws:
    """Resamples of some answers: as confusion tables, or as how much each case counts (also of label sets).

    The same seed gives the same resamples. They are kept for the next metric where they are not too large.

    >>> from margin.evaluation import Answers
    >>> draws = Draws(Answers.of(["a", "b", "b"], ["a", "b", "a"]), seed=1)
    >>> [table.sum() for table in next(draws.tables(2))]
    [np.float64(3.0), np.float64(3.0)]
    """

    def __init__(self, answers: Any, seed: int | np.random.Generator = 0) -> None:
        self.answers = answers
        self._seed = seed
        self._kept: dict[tuple[str, int], list[np.ndarray]] = {}

    def tables(self, times: int) -> Iterator[np.ndarray]:
        """Confusion tables of ``times`` resamples, in chunks."""
        return self._kept_or_drawn("tables", times, self.answers.counts.size)

    def weights(self, times: int) -> Iterator[np.ndarray]:
        """How much each case counts in each of ``times`` resamples, one in each row, in chunks."""
        return self._kept_or_drawn("weights", times, len(self.answers))

    def _kept_or_drawn(self, what: str, times: int, size: int) -> Iterator[np.ndarray]:
        if times * size > _KEPT:
            yield from self._drawn(what, times, size)
            return
        if (what, times) not in self._kept:
            self._kept[what, times] = list(self._drawn(what, times, size))
        yield from self._kept[what, times]

    def _drawn(self, what: str, times: int, size: int) -> Iterator[np.ndarray]:
        if what == "tables" and (self.answers.weight is not None or hasattr(self.answers, "tables_of")):
            yield from map(self._counted, self.weights(times))
            return
        random = np.random.default_rng(self._seed)
        draw = self._draw_tables if what == "tables" else self._draw_weights
        each = max(1, CHUNK // max(size, 1))
        for start in range(0, times, each):
            yield draw(random, min(each, times - start))

    def _draw_tables(self, random: np.random.Generator, times: int) -> np.ndarray:
        """Drawing n cases with replacement draws a multinomial over the cells."""
        n, counts = len(self.answers), self.answers.counts.ravel()
        filled = np.flatnonzero(counts)
        tables = np.zeros((times, counts.size))
        tables[:, filled] = random.multinomial(n, counts[filled] / n, size=times)
        return tables.reshape(times, *self.answers.counts.shape)

    def _draw_weights(self, random: np.random.Generator, times: int) -> np.ndarray:
        n = len(self.answers)
        places = random.integers(n, size=(times, n)) + n * np.arange(times)[:, None]
        drawn = np.bincount(places.ravel(), minlength=times * n).reshape(times, n).astype(np.float64)
        return drawn if self.answers.weight is None else drawn * self.answers.weight

    def _counted(self, weights: np.ndarray) -> np.ndarray:
        if hasattr(self.answers, "tables_of"):  # a table for each label, which cannot be drawn apart from each other
            return self.answers.tables_of(weights)
        cells = self.answers.cells
        return np.array([self.answers.table(cells, row) for row in weights])


def drawn_counts(random: np.random.Generator, n: int, times: int) -> np.ndarray:
    """How often each of n cases is drawn when n are drawn with replacement, ``times`` times over.

    >>> drawn_counts(np.random.default_rng(0), 3, 2).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    return np.stack([np.bincount(random.integers(n, size=n), minlength=n) for _ in range(times)]).astype(np.float64)
