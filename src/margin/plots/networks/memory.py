"""How far back networks remember."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.deep.sequences.memory import Memory
from margin.errors import InputError
from margin.plots.style import INK, PALETTE, axes_of, picture

__all__ = ["plot_memory"]

#: Smaller norms are drawn here.
LEAST = 1e-12


@picture
def plot_memory(memories: Memory | Mapping[str, Memory], ax: Any = None) -> Any:
    """Draw ‖∂h_T/∂h_t‖ by steps back from the end of a sequence, for one network or for several side by side.

    Parameters
    ----------
    memories
        What :func:`margin.deep.memory` gave, or several of them by name.

    Examples
    --------
    >>> from margin.deep import layers, memory
    >>> x = np.random.default_rng(0).normal(size=(30, 2))
    >>> shown = {"RNN": memory(layers.RNN(2, 8), x), "LSTM": memory(layers.LSTM(2, 8), x)}
    >>> plot_memory(shown).get_xlabel()
    'steps before the end'
    """
    named = {memories.cell: memories} if isinstance(memories, Memory) else dict(memories)
    if not named or not all(isinstance(each, Memory) for each in named.values()):
        raise InputError("plot_memory: memories must be a Memory, or several by name.")
    ax = axes_of(ax, 7.0, 4.0)
    for (name, each), colour in zip(named.items(), PALETTE * len(named)):
        back = np.arange(len(each.norms))[::-1]
        ax.plot(back, np.maximum(each.norms, LEAST), color=colour, linewidth=1.8, label=name)
    ax.set_yscale("log")
    ax.set(xlabel="steps before the end", ylabel="what is left of a change of the state")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.invert_xaxis()
    if len(named) > 1:
        ax.legend(frameon=False, labelcolor=INK)
    return ax
