"""How far back a network remembers: what a change of its state after each step does to the last one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.sequences import Sequences
from margin.deep.layers.recurrent import GRU, LSTM, RNN, Recurrent
from margin.deep.sequences.plan import SequencePlan
from margin.errors import InputError, InputTypeError

__all__ = ["Memory", "memory"]


@dataclass(frozen=True)
class Memory:
    """‖∂h_T/∂s_t‖ after each step t of a sequence: 1 at its end, and near 0 where nothing is remembered any more.

    Attributes
    ----------
    cell
        "rnn", "lstm" or "gru".
    norms
        The largest stretch of a change of the state, by step; of an LSTM the state is h and c.
    tokens
        The tokens of the sequence, where it is made of such.
    """

    cell: str
    norms: np.ndarray
    tokens: tuple[str, ...] | None = None

    @property
    def half_life(self) -> float:
        """Steps in which a change shrinks to a half, by the straight line through the logarithms; inf if it grows."""
        seen = self.norms > 0
        if seen.sum() < 2:
            return float("nan") if len(self.norms) < 2 else 0.0
        back = np.arange(len(self.norms))[::-1][seen]
        slope = np.polyfit(back, np.log2(self.norms[seen]), 1)[0]
        return float(-1.0 / slope) if slope < 0 else float("inf")

    def __repr__(self) -> str:
        return f"<Memory of {self.cell}: {len(self.norms)} steps, half-life {self.half_life:.3g} steps>"


def memory(model: Any, x: Any) -> Memory:
    """How much of each step of a sequence is still there at its end: ‖∂h_T/∂h_t‖ by step t.

    Inputs are held fixed, and a change goes through the states alone. Of several layers it is that of the last one, of
    a network that goes both ways the way forwards. Plain RNNs forget at a rate of their own (or blow up); an LSTM can
    keep a memory for as long as its forget gates are open.

    Parameters
    ----------
    model
        A fitted :class:`margin.deep.SequenceClassifier` or :class:`margin.deep.SequenceModel`, or a layer of
        :mod:`margin.deep.layers`.
    x
        One sequence.

    Examples
    --------
    >>> from margin.deep import layers
    >>> x = np.random.default_rng(0).normal(size=(30, 2))
    >>> plain, gated = layers.RNN(2, 8), layers.LSTM(2, 8)
    >>> gated.b[8:16] = 3.0  # its forget gates are open
    >>> bool(memory(plain, x).norms[0] < 1e-6), bool(memory(gated, x).norms[0] > 0.1)
    (True, True)
    """
    if isinstance(model, Recurrent):
        steps = np.asarray(x, dtype=np.float64)
        if steps.ndim != 2 or not len(steps):
            raise InputError(f"memory: x must be one sequence of steps × numbers, and its shape is {steps.shape}.")
        return Memory(type(model).__name__.lower(), model.remembered(steps))
    if not hasattr(model, "_memory_parts"):
        raise InputTypeError(f"memory: {type(model).__name__} is no network for sequences.")
    if isinstance(x, Sequences) and len(x) == 1:
        x = x[0]
    plan, arrays, steps, tokens = model._memory_parts(x, "memory")
    if not len(steps):
        raise InputError("memory: the sequence is empty.")
    return Memory(plan.cell, top_layer(plan, arrays, steps), tokens)


def inputs_of(plan: SequencePlan, arrays: Mapping[str, np.ndarray], steps: np.ndarray) -> np.ndarray:
    """Steps as the recurrent layer sees them."""
    if plan.embedding:
        return arrays["embedding.weight"][steps].astype(np.float64)
    if plan.n_codes:
        return np.eye(plan.n_codes)[steps]
    return steps.astype(np.float64)


def top_layer(plan: SequencePlan, arrays: Mapping[str, np.ndarray], steps: np.ndarray) -> np.ndarray:
    """The norms of the last layer, whose inputs are what the layers below make of the steps."""
    x = inputs_of(plan, arrays, steps)
    for layer in range(plan.n_layers - 1):
        outputs = _layer(plan, arrays, layer, "", x.shape[1]).forward(x[None])[0]
        if plan.bidirectional:
            back = _layer(plan, arrays, layer, "_reverse", x.shape[1]).forward(x[None, ::-1])[0, ::-1]
            outputs = np.concatenate([outputs, back], axis=1)
        x = outputs
    return _layer(plan, arrays, plan.n_layers - 1, "", x.shape[1]).remembered(x)


def _layer(plan: SequencePlan, arrays: Mapping[str, np.ndarray], layer: int, way: str, n_in: int) -> Recurrent:
    """A layer in plain NumPy with the weights that were learnt."""

    def of(name: str) -> np.ndarray:
        return arrays[f"recurrent.{name}_l{layer}{way}"].astype(np.float64)

    n = plan.hidden_size
    made: Recurrent
    if plan.cell == "rnn":
        made = RNN(n_in, n, activation=plan.activation)
    else:
        made = LSTM(n_in, n) if plan.cell == "lstm" else GRU(n_in, n)
    made.U, made.V, made.b = of("weight_ih").T, of("weight_hh").T, of("bias_ih")
    if plan.biases == 2 and isinstance(made, GRU):
        made.state_bias = of("bias_hh")
    elif plan.biases == 2:
        made.b = made.b + of("bias_hh")
    return made
