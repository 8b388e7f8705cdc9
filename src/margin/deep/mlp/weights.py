"""The weights of a network as one flat array: each layer's weights, a row for each input, then its intercepts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.errors import InputError
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["flat_of", "initial", "initial_vectors", "n_weights", "one_hot_layer", "parts_of", "tables_of", "widened"]

#: How far vectors of codes are from 0 to begin with.
VECTOR_DEVIATION = 0.1


def n_weights(units: Sequence[int]) -> int:
    """
    >>> n_weights([2, 3, 1])
    13
    """
    return sum((a + 1) * b for a, b in itertools.pairwise(units))


def parts_of(flat: np.ndarray, units: Sequence[int]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The weights and the intercepts of each layer: views that cannot be written to.

    >>> coefs, intercepts = parts_of(np.arange(9.0), [2, 3])
    >>> coefs[0].tolist(), intercepts[0].tolist()
    ([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [6.0, 7.0, 8.0])
    """
    coefs, intercepts, at = [], [], 0
    read_only = flat.view()
    read_only.flags.writeable = False
    for n_in, n_out in itertools.pairwise(units):
        coefs.append(read_only[at : at + n_in * n_out].reshape(n_in, n_out))
        at += n_in * n_out
        intercepts.append(read_only[at : at + n_out])
        at += n_out
    return coefs, intercepts


def flat_of(coefs: Sequence[Any], intercepts: Sequence[Any], units: Sequence[int], who: str) -> np.ndarray:
    """Given weights as one array; the shapes must be those of the network."""
    shapes = list(itertools.pairwise(units))
    given = [np.asarray(each, dtype=np.float64) for pair in zip(coefs, intercepts) for each in pair]
    wanted = [shape for pair in shapes for shape in (pair, pair[1:])]
    if len(coefs) != len(intercepts) or [each.shape for each in given] != wanted:
        raise InputError(
            f"{who}(init=…): weights of the shapes {[each.shape for each in given[::2]]} are given, and the network "
            f"needs {shapes}, each with as many intercepts as outputs."
        )
    flat = np.concatenate([each.ravel() for each in given])
    if not np.isfinite(flat).all():
        raise InputError(f"{who}(init=…): weights must be finite numbers.")
    return flat


def initial(how: Any, activation: str, units: Sequence[int], random_state: SeedLike, who: str) -> np.ndarray:
    r"""Weights to begin with.

    ``"glorot"`` draws them uniformly within :math:`\sqrt{6/(n_{in} + n_{out})}` (with 2 for 6 where the activation is
    logistic), intercepts too, as scikit-learn does; ``"he"`` normally with deviation :math:`\sqrt{2/n_{in}}`,
    intercepts 0.
    """
    if not isinstance(how, str):
        coefs, intercepts = how
        return flat_of(coefs, intercepts, units, who)
    draw = generator(random_state, "network", "initial weights")
    parts = []
    for n_in, n_out in itertools.pairwise(units):
        if how == "he":
            parts += [draw.normal(0.0, np.sqrt(2.0 / max(1, n_in)), n_in * n_out), np.zeros(n_out)]
        else:
            bound = np.sqrt((2.0 if activation == "logistic" else 6.0) / (n_in + n_out))
            parts.append(draw.uniform(-bound, bound, (n_in + 1) * n_out))
    return np.concatenate(parts)


def initial_vectors(shapes: Sequence[tuple[int, int]], random_state: SeedLike) -> np.ndarray:
    """Vectors of codes to begin with: small ones for levels, 0 for none of them, so that it says nothing at first."""
    parts = []
    draw = generator(random_state, "network", "vectors")
    for n_levels, width in shapes:
        parts += [np.zeros(width), draw.normal(0.0, VECTOR_DEVIATION, n_levels * width)]
    return np.concatenate(parts) if parts else np.zeros(0)


def tables_of(flat: np.ndarray, shapes: Sequence[tuple[int, int]]) -> tuple[list[np.ndarray], np.ndarray]:
    """The vectors of each column of codes, the first of each those of none; and the weights behind them.

    >>> tables, rest = tables_of(np.arange(7.0), [(1, 2)])
    >>> tables[0].tolist(), rest.tolist()
    ([[0.0, 1.0], [2.0, 3.0]], [4.0, 5.0, 6.0])
    """
    tables, at = [], 0
    for n_levels, width in shapes:
        size = (n_levels + 1) * width
        tables.append(flat[at : at + size].reshape(-1, width))
        at += size
    return tables, flat[at:]


def one_hot_layer(tables: Sequence[np.ndarray], W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first layer for one-hot columns instead of vectors: the same sums, none of the levels in the intercepts.

    >>> W, b = one_hot_layer([np.array([[1.0], [3.0]])], np.array([[5.0], [2.0]]), np.zeros(1))
    >>> W.tolist(), b.tolist()
    ([[5.0], [4.0]], [2.0])
    """
    first = len(W) - sum(table.shape[1] for table in tables)
    parts = [W[:first]]
    for table in tables:
        own = W[first : first + table.shape[1]]
        parts.append((table[1:] - table[:1]) @ own)
        b = b + table[0] @ own
        first += table.shape[1]
    return np.concatenate(parts), b


def widened(flat: np.ndarray, units: Sequence[int], places: np.ndarray, width: int) -> np.ndarray:
    """The same weights for inputs that stand at some places among more; the others have weights of 0.

    Whatever follows the weights of the first layer stays as it is.

    >>> widened(np.array([5.0, 7.0]), [1, 1], np.array([1]), 2).tolist()
    [0.0, 5.0, 7.0]
    """
    n_first = units[0] * units[1]
    first = np.zeros((width, units[1]), flat.dtype)
    first[places] = flat[:n_first].reshape(units[0], units[1])
    return np.concatenate([first.ravel(), flat[n_first:]])
