"""A network laid out for answering: a packed copy of its weights in the core, made when first needed, never saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

import margin._core as _core
from margin.deep.mlp.inputs import as_cells, stored

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
        vectors: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._given = flat, units, activation, center, spread
        self._vectors = vectors
        self._network: Any = None

    def answer(self, X: Any, scaled: bool, largest: float, what: str, found: np.ndarray, n_threads: int) -> bool:
        """What is asked, into ``found``; False if a row cannot be read as it stands."""
        if self._network is None:
            self._network = self._made()
        if isinstance(X, np.ndarray):
            return bool(self._network.answer(X, scaled, largest, what, found, n_threads))
        rows = stored(as_cells(X, self._given[0].dtype))
        return bool(self._network.answer_sparse(*rows, what, found, n_threads))

    def _made(self) -> Any:
        flat, units, activation, *scale = self._given
        make = _core.deep.SingleNetwork if flat.dtype == np.float32 else _core.deep.Network
        center, spread = ([] if each is None else each.tolist() for each in scale)
        levels, widths = ([int(shape[i]) for shape in self._vectors] for i in (0, 1))
        weights = np.ascontiguousarray(flat, dtype=np.float64)
        return make(list(units), activation, weights, center, spread, levels, widths)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
