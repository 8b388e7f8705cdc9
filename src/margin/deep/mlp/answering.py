"""A network laid out for answering: a packed copy of its weights in the core, made when first needed, never saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

import margin._core as _core

__all__ = ["Answering"]


class Answering:
    """Answers rows; copies of a model share it, for it does not change.

    With a center and a spread it puts the columns on one scale itself.
    """

    def __init__(
        self,
        flat: np.ndarray,
        units: Sequence[int],
        activation: str,
        center: np.ndarray | None,
        spread: np.ndarray | None,
    ) -> None:
        self._given = flat, units, activation, center, spread
        self._network: Any = None

    def answer(self, X: np.ndarray, scaled: bool, largest: float, what: str, found: np.ndarray, n_threads: int) -> bool:
        """What is asked, into ``found``; False if a row cannot be read as it stands."""
        if self._network is None:
            flat, units, activation, *scale = self._given
            make = _core.deep.SingleNetwork if flat.dtype == np.float32 else _core.deep.Network
            ends = [[] if each is None else each.tolist() for each in scale]
            self._network = make(list(units), activation, np.ascontiguousarray(flat, dtype=np.float64), *ends)
        return bool(self._network.answer(X, scaled, largest, what, found, n_threads))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
