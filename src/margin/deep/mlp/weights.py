"""The weights of a network as one flat array: each layer's weights, a row for each input, then its intercepts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from margin.errors import InputError
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["flat_of", "initial", "n_weights", "parts_of", "varying_columns", "widened"]


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


def varying_columns(X: np.ndarray) -> np.ndarray:
    """The columns that hold more than one value. The others would only be further intercepts.

    >>> varying_columns(np.array([[1.0, 2.0], [1.0, 3.0]])).tolist()
    [1]
    """
    return np.flatnonzero((X[:1] != X).any(axis=0))


def widened(flat: np.ndarray, units: Sequence[int], places: np.ndarray, width: int) -> np.ndarray:
    """The same weights for inputs that stand at some places among more; the others have weights of 0.

    >>> widened(np.array([5.0, 7.0]), [1, 1], np.array([1]), 2).tolist()
    [0.0, 5.0, 7.0]
    """
    if len(flat) != n_weights(units):
        raise ValueError(f"{len(flat)} numbers are not the weights of layers of {units} units")
    n_first = units[0] * units[1]
    first = np.zeros((width, units[1]), flat.dtype)
    first[places] = flat[:n_first].reshape(units[0], units[1])
    return np.concatenate([first.ravel(), flat[n_first:]])
