"""Layers of sequences (rows × steps × numbers): what came before is an input of every step.

A cell says what one step makes of its input and of the state before it, and the slopes of that; going through the steps
forwards, and backwards through time, is written once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.deep.layers.activations import Activation, ReLU, Sigmoid, Tanh
from margin.deep.layers.layer import Layer, shaped
from margin.errors import ParameterError, closest
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["GRU", "LSTM", "RNN"]

_sigmoid = Sigmoid().value
#: Along x U + b, h V, the output before and the memory before.
Slopes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
_FUNCTIONS: dict[str, type[Activation]] = {"tanh": Tanh, "sigmoid": Sigmoid, "relu": ReLU}


class Recurrent(Layer):
    """Weights of the input (U), of the state before (V) and a bias (b), each for ``gates`` sets of units."""

    gates = 1

    def __init__(self, n_in: int, n_units: int, *, random_state: SeedLike = 0) -> None:
        self.n_in, self.n_units = n_in, n_units
        bound, wide = 1.0 / np.sqrt(n_units), self.gates * n_units
        draw = generator(random_state, "recurrent layer")
        self.U = draw.uniform(-bound, bound, (n_in, wide))
        self.V = draw.uniform(-bound, bound, (n_units, wide))
        self.b = draw.uniform(-bound, bound, wide)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        return {"U": self.U, "V": self.V, "b": self.b}

    def _step(self, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """Output, memory and what the way back needs (input and output before first), after one step."""
        raise TypeError(f"{type(self).__name__} must say what a step does: def _step(self, x, h, c).")

    def _before(self, kept: Any, dh: np.ndarray, dc: np.ndarray) -> Slopes:
        """Slopes along x U + b, h V, the output before and the memory before."""
        raise TypeError(f"{type(self).__name__} must say its slope: def _before(self, kept, dh, dc).")

    def _run(self, x: np.ndarray) -> tuple[np.ndarray, list[Any]]:
        x = shaped(x, 3, self, f"sequences of rows × steps × {self.n_in} numbers")
        h = c = np.zeros((len(x), self.n_units))
        outputs, kept = [np.zeros((len(x), 0, self.n_units))], []
        for t in range(x.shape[1]):
            h, c, memory = self._step(x[:, t], h, c)
            outputs.append(h[:, None])
            kept.append(memory)
        return np.concatenate(outputs, axis=1), kept

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self._run(x)[0]

    def _through_time(self, x: np.ndarray, dy: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        kept = self._run(x)[1]
        dx = np.zeros(np.shape(x))
        dh = dc = np.zeros((len(dx), self.n_units))
        sums = {name: np.zeros_like(each) for name, each in self.parameters.items()}
        for t in reversed(range(len(kept))):
            of_x, of_h, dh, dc = self._before(kept[t], dh + dy[:, t], dc)
            dx[:, t] = of_x @ self.U.T
            into, state = kept[t][:2]
            for name, slope in zip(sums, (into.T @ of_x, state.T @ of_h, of_x.sum(axis=0))):
                sums[name] += slope
        return dx, sums

    def input_gradient(self, x: np.ndarray, dy: np.ndarray) -> np.ndarray:
        return self._through_time(x, dy)[0]

    def parameter_gradient(self, x: np.ndarray, dy: np.ndarray) -> dict[str, np.ndarray]:
        return self._through_time(x, dy)[1]

    def remembered(self, x: np.ndarray) -> np.ndarray:
        """How far a change of the state after each step of one sequence (steps × numbers) moves the last output.

        That is the largest stretch of dh_T / ds_t, with the state s = h, and in an LSTM h and c; it is 1 at the end.
        """
        kept = self._run(np.asarray(x, dtype=np.float64)[None])[1]
        dh, dc = np.eye(self.n_units), np.zeros((self.n_units, self.n_units))
        found = np.empty(len(kept))
        for t in reversed(range(len(kept))):
            found[t] = np.linalg.norm(np.hstack([dh, dc]), 2)
            _, _, dh, dc = self._before(kept[t], dh, dc)
        return found


class RNN(Recurrent):
    """h = φ(x U + h V + b), with the output of the step before as h, and φ "tanh", "sigmoid" or "relu".

    >>> RNN(2, 3).forward(np.zeros((1, 4, 2))).shape
    (1, 4, 3)
    """

    def __init__(self, n_in: int, n_units: int, *, activation: str = "tanh", random_state: SeedLike = 0) -> None:
        if activation not in _FUNCTIONS:
            known = ", ".join(map(repr, _FUNCTIONS))
            hint = closest(activation, _FUNCTIONS)
            raise ParameterError(f"RNN(activation={activation!r}): activation must be one of {known}{hint}.")
        super().__init__(n_in, n_units, random_state=random_state)
        self.function = _FUNCTIONS[activation]()

    def _step(self, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        z = x @ self.U + h @ self.V + self.b
        return self.function.value(z), c, (x, h, z)

    def _before(self, kept: Any, dh: np.ndarray, dc: np.ndarray) -> Slopes:
        dz = dh * self.function.slope(kept[2])
        return dz, dz, dz @ self.V.T, dc


class LSTM(Recurrent):
    """A memory c beside the output, which gates let in, forget and show. Hochreiter, Schmidhuber (1997).

    Gates stand in the order input, forget, candidate, output.

    >>> LSTM(2, 3).forward(np.zeros((1, 4, 2))).shape
    (1, 4, 3)
    """

    gates = 4

    def _step(self, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        z = np.split(x @ self.U + h @ self.V + self.b, 4, axis=1)
        i, f, g, o = _sigmoid(z[0]), _sigmoid(z[1]), np.tanh(z[2]), _sigmoid(z[3])
        new = f * c + i * g
        return o * np.tanh(new), new, (x, h, c, i, f, g, o, np.tanh(new))

    def _before(self, kept: Any, dh: np.ndarray, dc: np.ndarray) -> Slopes:
        _, _, c, i, f, g, o, shown = kept
        dc = dc + dh * o * (1.0 - shown**2)
        dz = np.concatenate(
            [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g**2), dh * shown * o * (1 - o)], axis=1
        )
        return dz, dz, dz @ self.V.T, dc * f


class GRU(Recurrent):
    """Gates say how much of the state is made anew, and how much of it the candidate sees. Cho et al. (2014).

    Gates stand in the order reset, update, candidate. The reset is of what the candidate makes of the state, h V, as
    PyTorch and cuDNN have it; in the paper it is of the state itself.

    >>> GRU(2, 3).forward(np.zeros((1, 4, 2))).shape
    (1, 4, 3)
    """

    gates = 3
    #: What PyTorch adds to h V, inside the reset; here nothing, and no parameter.
    state_bias: Any = 0.0

    def _step(self, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        n = self.n_units
        of_x, of_h = x @ self.U + self.b, h @ self.V + self.state_bias
        r, u = np.split(_sigmoid(of_x[:, : 2 * n] + of_h[:, : 2 * n]), 2, axis=1)
        seen = of_h[:, 2 * n :]
        new = np.tanh(of_x[:, 2 * n :] + r * seen)
        return (1 - u) * new + u * h, c, (x, h, r, u, new, seen)

    def _before(self, kept: Any, dh: np.ndarray, dc: np.ndarray) -> Slopes:
        _, h, r, u, new, seen = kept
        d_new = dh * (1 - u) * (1 - new**2)
        gates = [d_new * seen * r * (1 - r), dh * (h - new) * u * (1 - u)]
        of_x, of_h = np.concatenate([*gates, d_new], axis=1), np.concatenate([*gates, d_new * r], axis=1)
        return of_x, of_h, of_h @ self.V.T + dh * u, dc
